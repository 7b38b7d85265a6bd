//! What belongs to a site.
//!
//! Addresses in their one spelling, what a client may name, which of the
//! addresses found belong to a run, what robots.txt says about them, which network
//! addresses may be spoken to, and what people and companies have objected to.
//! Nothing here touches clock or network, and no input, however hostile, makes it
//! panic.

mod address;
mod blocked;
mod caller_network;
mod domain;
mod fingerprint;
mod index_file;
mod language;
mod language_marker;
mod objection;
mod percent;
mod print_view;
mod robots;
mod sample;
mod scope;
mod session;
mod shop_query;
mod shunned;
mod site_key;
mod target;
mod trap;
mod url;

pub use address::{
    AddressRefusal, AllowedNetworks, DeniedNetworks, NetworkError, effective_address,
    is_permitted_port, is_public,
};
pub use blocked::BlockedDomains;
pub use caller_network::{canonical_network, is_within};
pub use domain::{Domain, DomainError};
pub use fingerprint::{Fingerprint, page_key, same_page};
pub use index_file::folder_of_index;
pub use language::{LanguageTag, LanguageTagError};
pub use language_marker::{
    in_folder_of, marked_language, marked_language_for, without_marked_folder,
};
pub use objection::{LiveObjections, Objection, ObjectionError, ObjectionKind, Objections};
pub use print_view::is_print_view;
pub use robots::Robots;
pub use sample::is_sample_host;
pub use scope::{Admission, ScopeRule};
pub use shunned::Shunned;
pub use site_key::SiteKey;
pub use target::{Target, TargetRefusal};
pub use trap::{TrapRule, TrapWatch};
pub use url::{CanonicalUrl, UrlError};
