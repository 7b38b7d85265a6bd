//! The format of the deliveries to webhooks of crawls that Firecrawl clients started.

use firecrawl::SIGNATURE_HEADER;
use notify::{DeliveryFormat, RenderedDelivery, ReportedJob};
use store::WebhookSecret;

/// Renders deliveries with [`firecrawl::delivery`].
#[derive(Debug)]
pub struct FirecrawlDeliveries;

impl DeliveryFormat for FirecrawlDeliveries {
    fn render(
        &self,
        ReportedJob { id, job, report }: ReportedJob<'_>,
        secret: &WebhookSecret,
    ) -> Option<RenderedDelivery> {
        let signed = firecrawl::delivery(id, job, report, secret.reveal())?;
        let headers = vec![(SIGNATURE_HEADER, signed.signature)];
        Some(RenderedDelivery { headers, body: signed.body })
    }
}
