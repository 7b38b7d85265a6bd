//! The request of a delivery, in the format of its endpoint.

use std::sync::Arc;

use contract::{Event, EventData, JobReport, PublicJob, WebhookFormat};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};
use net::Post;
use runtime::off_runtime;
use store::{DueDelivery, EndpointLease, JobPart, Store, StoreError};

use crate::{DeliveryFormat, RenderedDelivery, ReportedJob, Signature};

/// What is sent for a delivery.
#[derive(Debug)]
pub(crate) enum DeliveryMessage {
    Request(Post),
    /// The format has no such event, or the job was deleted.
    Nothing,
}

/// Makes the requests of deliveries.
#[derive(Debug)]
pub(crate) struct MessageWriter {
    pub store: Store,
    /// The format `firecrawl`.
    pub firecrawl: Option<Arc<dyn DeliveryFormat>>,
}

impl MessageWriter {
    /// The request of a delivery with a timestamp in Unix seconds.
    ///
    /// # Errors
    /// [`StoreError`] when the content cannot be read, or this node does not have the format.
    pub async fn message(
        &self,
        lease: &EndpointLease,
        due: &DueDelivery,
        timestamp: i64,
    ) -> Result<DeliveryMessage, StoreError> {
        let rendered = match lease.format {
            WebhookFormat::Event => {
                let signature = Signature::of(&lease.secret, timestamp, due.body.as_bytes());
                let headers = vec![(Signature::HEADER, signature.to_string())];
                RenderedDelivery { headers, body: due.body.clone() }
            }
            WebhookFormat::Firecrawl => match self.firecrawl(lease, due).await? {
                Some(rendered) => rendered,
                None => return Ok(DeliveryMessage::Nothing),
            },
        };
        let mut headers = HeaderMap::new();
        for (name, value) in &lease.headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            let name = name.map_err(|_| damaged("the name of a header"))?;
            headers.insert(name, header(value.reveal())?);
        }
        for (name, value) in &rendered.headers {
            headers.insert(*name, header(value)?);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let body = rendered.body.into();
        Ok(DeliveryMessage::Request(Post { url: lease.url.clone(), headers, body }))
    }

    async fn firecrawl(
        &self,
        lease: &EndpointLease,
        due: &DueDelivery,
    ) -> Result<Option<RenderedDelivery>, StoreError> {
        let format = self.firecrawl.as_ref().ok_or_else(|| damaged("the format of a webhook"))?;
        let Some((job, report)) = self.report(due).await? else { return Ok(None) };
        let reported = ReportedJob { id: &due.id, job: &job, report };
        // A result may have megabytes.
        Ok(off_runtime(|| format.render(reported, &lease.secret)))
    }

    /// The job of a delivery and what is reported; `None` if the job was deleted.
    async fn report(
        &self,
        due: &DueDelivery,
    ) -> Result<Option<(PublicJob, JobReport)>, StoreError> {
        let Some((id, part)) = &due.part else {
            let event = off_runtime(|| serde_json::from_str::<Event>(&due.body));
            let event = event.map_err(|_| damaged("the event of a delivery"))?;
            return Ok(match event.data {
                EventData::Job { job } => Some((*job, JobReport::Event(event.kind))),
                EventData::Account { .. } | EventData::Test { .. } => None,
            });
        };
        let Some(job) = self.store.job(id).await? else { return Ok(None) };
        let report = match part {
            JobPart::Start => JobReport::Start,
            JobPart::Result(number) => match self.store.result(id, *number).await? {
                Some(item) => JobReport::Result(item),
                None => return Ok(None),
            },
        };
        Ok(Some((job.public(), report)))
    }
}

fn header(text: &str) -> Result<HeaderValue, StoreError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| damaged("the value of a header"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("{what} cannot be used by this node"))
}
