//! The types of the API.
//!
//! Every request and response body is declared here with its JSON form and its OpenAPI schema:
//! [`JobRequest`] and [`PublicJob`] for jobs, [`Item`] for results, [`Problem`] for errors. The crate
//! also has the types that all other crates share: identifiers ([`JobId`]), time ([`Millis`],
//! [`Clock`]), money ([`Credits`]) and the description of items ([`ItemSchema`]). It does no I/O.
//!
//! To add an option of a job, add an entry to [`Options`] or [`Scope`] in `job_options.rs`: it
//! defines name, default, modes, validation, schema, and the texts of all clients. To add a value of
//! a closed list, add a variant to its `string_enum!`.

mod account;
mod audit;
mod body_fields;
mod call_origin;
mod change;
mod credential;
mod credits;
mod css_selector;
mod error_code;
mod estimate;
mod event;
mod event_kind;
mod explanation;
mod export;
mod failed_action;
mod failure_cause;
mod fetch_fault;
mod field_selection;
mod guide;
mod id;
mod item;
mod item_filter;
mod item_schema;
mod job;
mod job_labels;
mod job_options;
mod job_request;
mod job_target;
mod job_webhook;
mod language_tag;
mod ledger;
mod mode;
mod oauth;
mod page_action;
mod page_answer;
mod page_file;
mod page_preview;
mod path_pattern;
mod problem;
mod progress;
mod read_page;
mod request_log;
mod request_policy;
mod results;
mod schedule;
mod site_access;
mod site_credentials;
mod skipped;
mod status;
mod string_enum;
mod time;
mod top_up;
mod url_list;
mod url_map;
mod usage;
mod webhook;
mod webhook_format;

pub use account::{
    Account, AccountKey, AssistantSettings, AuthMethod, ChangeKey, ChangePassword, CreateKey,
    CreateSession, CreatedKey, KeyPrefix, Limits, Session, SessionDetails, SessionsEnded,
};
pub use audit::{AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditObject, AuditPage};
pub use body_fields::{BodyFields, comma_list, unknown_field};
pub use call_origin::CallOrigin;
pub use change::{Change, ChangeCounts, ChangeKind, ChangesPage};
pub use credential::{Creator, CredentialLimits, SetLimits};
pub use credits::{Credits, Units};
pub use css_selector::{AttributeOperator, AttributeTest, CssSelectors, SelectorStep, StepPlace};
pub use error_code::ErrorCode;
pub use estimate::{CreateEstimate, Estimate, EstimatedPrice, ExpectedUnits, Unreachable};
pub use event::{Event, EventData, EventList};
pub use event_kind::EventKind;
pub use explanation::{ExplainUrl, RuleCheck, UrlDisposition, UrlExplanation, UrlRule};
pub use export::{CreateExport, Export, ExportFormat};
pub use failed_action::FailedAction;
pub use failure_cause::FailureCause;
pub use fetch_fault::FetchFault;
pub use field_selection::FieldSelection;
pub use guide::{ERRORS_PAGE, ErrorGuide};
pub use id::{
    AccountId, ApplicationId, AuditId, AuthorizationId, DeliveryId, EventId, ExportId, IdError,
    JobId, KeyId, LedgerId, ListId, PageFileId, PageId, RechargeId, RequestId, ScheduleId,
    SessionId, ShardId, WebhookId,
};
pub use item::{
    Alternate, Availability, Breadcrumb, Condition, ContactAddress, ContactCompany, ContactEmail,
    ContactItem, ContactMethod, ContactPerson, ContactPhone, ContactSocial, ContactSource,
    ContactStatus, ContactsKnown, DiscoveredBy, Extraction, ExtractionMethod, ExtractionWarning,
    Gtin, GtinType, Heading, IndexReason, Item, LinkItem, LinkType, MailboxType, MarkdownItem,
    MarkdownLinks, PersonContextKind, PersonProfile, PersonSource, PhoneType, PriceType,
    ProductAttribute, ProductImage, ProductItem, ProductSource, ProductVariant, Rating,
    RedirectHop, RobotsDirective, Seller, Seniority, SitemapItem, TextImage, TextLink,
};
pub use item_filter::{FilterOperator, ItemFilter};
pub use item_schema::{
    ColumnFilter, ColumnKind, ExportColumn, ExportTable, ItemComparison, ItemSchema,
};
pub use job::{Confirm, Counts, JobAccepted, JobError, JobList, JobSort, PublicJob};
pub use job_labels::{ChangeJob, JobLabels};
pub use job_options::{CreditLimitAction, JobOption, OptionKind, Options, PageOptions, Scope};
pub use job_request::{External, IfBusy, InvalidJobRequest, JobRequest, OnProtected};
pub use job_target::parse_target;
pub use job_webhook::{JobReport, JobWebhook, read_events};
pub use ledger::{LedgerKind, LedgerLine, LedgerPage};
pub use mode::Mode;
pub use oauth::{
    AnswerAuthorization, AuthorizationAnswered, AuthorizationAsked, AuthorizationView, ClientAuth,
    ConnectedApplication, OauthError, OauthErrorCode, OauthScope, OauthScopes, RegisterApplication,
    RegisteredApplication, RevokeToken, TokenAnswer, TokenRequest, UnknownScope,
};
pub use page_action::{
    KEY_NAMES, MAX_ACTIONS, PageAction, PageActionType, PageDevice, PageWait, RenderChoice,
    ScreenshotArea,
};
pub use page_answer::{PageAnswer, PageMetadata, PageOutlink, PageProblem};
pub use page_file::{ItemFiles, JobFiles, PageFile, PageFileFormat};
pub use page_preview::{CreatePreview, PagePreview};
pub use path_pattern::{PathPattern, path_patterns};
pub use problem::{FieldError, Problem, ProblemCode};
pub use progress::JobProgress;
pub use read_page::{PageFormat, ReadPage};
pub use request_log::{RequestLogLine, RequestLogPage};
pub use request_policy::{ParsedTarget, RequestPolicy, TargetOf};
pub use results::ResultsPage;
pub use schedule::{ChangeSchedule, CreateSchedule, LastRun, Schedule, ScheduleList};
pub use site_access::{HIDDEN, SiteAccess, SiteLogin};
pub use site_credentials::{BasicAuth, SecretText, SiteCredentials};
pub use skipped::{SkipReason, SkippedPage, SkippedUrl};
pub use status::Status;
pub use string_enum::UnknownValue;
pub use time::{Clock, Millis};
pub use top_up::{AutoTopUp, CreditPrice, SetAutoTopUp};
pub use url_list::{ListFormat, MAX_LISTED_URLS, UploadedList};
pub use url_map::{CreateMap, MapGap, MapSource, MappedUrl, UrlMap};
pub use usage::{Usage, UsageGroup, UsageRow};
pub use webhook::{
    ChangeWebhook, CreateWebhook, CreatedWebhook, Delivery, DeliveryAttempt, DeliveryPage,
    DeliveryState, TEST_EVENT, Webhook,
};
pub use webhook_format::WebhookFormat;
