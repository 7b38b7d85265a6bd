//! Formats of deliveries besides that of the API.

use std::fmt;

use contract::{DeliveryId, JobReport, PublicJob};
use store::WebhookSecret;

/// A delivery of a webhook of a job, for a [`DeliveryFormat`].
#[derive(Debug)]
pub struct ReportedJob<'a> {
    /// The same in every attempt.
    pub id: &'a DeliveryId,
    /// With `external` of its request.
    pub job: &'a PublicJob,
    pub report: JobReport,
}

/// The body of a delivery and the headers that belong to it, for example its signature. Names are in
/// lower case.
#[derive(Debug)]
pub struct RenderedDelivery {
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// A format in which a webhook of a job gets its deliveries.
pub trait DeliveryFormat: fmt::Debug + Send + Sync {
    /// The request of a delivery; `None` if the format or the webhook has no such event. It must
    /// depend on its parameters only, so that every attempt sends the same.
    fn render(&self, reported: ReportedJob<'_>, secret: &WebhookSecret)
    -> Option<RenderedDelivery>;
}
