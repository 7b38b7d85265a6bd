//! URLs and hosts: canonical form, scope of a run, robots.txt, crawler traps, language tags, and
//! which network addresses may be contacted.
//!
//! Pure: no clock, no network. No input causes a panic. [`CanonicalUrl`] is the
//! normalised spelling of a URL, [`ScopeRule`] decides which URLs belong to a run, [`Robots`] what
//! robots.txt allows, [`TrapWatch`] which URLs look like a trap, [`Target`] which URLs a client may
//! crawl, [`AllowedNetworks`] which IP addresses may be connected to.
//!
//! A query parameter that never changes a page belongs into the list of `url/query.rs`; a port that is
//! never a website into `address/port.rs`.

mod address;
mod caller_network;
mod domain;
mod fingerprint;
mod index_file;
mod language;
mod language_marker;
mod path_filter;
mod percent;
mod print_view;
mod robots;
mod sample;
mod scope;
mod session;
mod shop_query;
mod site_key;
mod site_shard;
mod target;
mod trap;
mod url;

pub use address::{
    AddressRefusal, AllowedNetworks, DeniedNetworks, NetworkError, effective_address,
    is_permitted_port, is_public,
};
pub use caller_network::{canonical_network, is_within};
pub use domain::{Domain, DomainError};
pub use fingerprint::{Fingerprint, page_key, same_page};
pub use index_file::folder_of_index;
pub use language::{LanguageTag, LanguageTagError};
pub use language_marker::{
    in_folder_of, marked_language, marked_language_for, without_marked_folder,
};
pub use path_filter::{FilteredBy, PathFilter};
pub use print_view::is_print_view;
pub use robots::{Robots, RobotsStatus};
pub use sample::is_sample_host;
pub use scope::{Admission, ScopeRule, route};
pub use site_key::SiteKey;
pub use site_shard::{SiteShard, pack_sites, site_order, split_by_site};
pub use target::{Target, TargetRefusal};
pub use trap::{TrapRule, TrapWatch};
pub use url::{CanonicalUrl, UrlError};
