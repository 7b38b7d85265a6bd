//! `format` of the webhook of a job.

use crate::string_enum::string_enum;

string_enum! {
    /// The form of the deliveries of a webhook.
    pub enum WebhookFormat {
        /// Events in the form of this API, as endpoints of the account get them.
        Event = "event",
        /// Events of Firecrawl: the start, one document for each result, and the end, in this order.
        Firecrawl = "firecrawl",
    }
}
