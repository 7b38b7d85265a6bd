//! Test sites on loopback: deterministic, each with its truth, the expected result of a run.
//!
//! - A [`Site`] is a function from a path to a [`Reply`], with a [`SiteTruth`]. A [`Lab`] serves
//!   sites over HTTP/1.1 and logs every request.
//! - [`Shop`] and [`Company`] are recorded sites (`recorded/`) with the truth of every value.
//! - [`ProtectionPage`] is a response of a bot protection, [`ProtectedSite`] a site behind one.
//! - [`NameServer`] is a DNS server, [`Tunnel`] a CONNECT proxy.
//!
//! To add a site, implement [`Site`] in `sites/` and check its truth in `tests/truth.rs`.

mod company;
mod connection;
mod lab_state;
mod name_server;
mod protection_page;
mod recording;
mod reply;
mod request;
mod server;
mod shop;
mod site;
mod sites;
mod tunnel;

pub use company::{
    AddressTruth, Company, CompanyTruth, EmailTruth, FirmTruth, PersonTruth, PhoneKind, PhoneTruth,
    ProfileTruth, TruthValue, ValuePlace,
};
pub use lab_state::LabRequest;
pub use name_server::{DnsReply, NameServer};
pub use protection_page::ProtectionPage;
pub use reply::{FullReply, RawStep, Reply};
pub use request::Request;
pub use server::Lab;
pub use shop::{
    AlternateTruth, CrumbTruth, GtinTruth, ImageTruth, PageKind, PriceTruth, ProductTruth,
    RatingTruth, SellerTruth, Shop, ShopTruth, VariantTruth,
};
pub use site::{ExpectedSkip, Site, SiteTruth};
pub use sites::{
    Broken, Catalogue, Copies, Empty, Extras, Group, Handbook, Hostile, HostileScripts, MEMBER,
    Mapped, Marking, Members, OddRules, Polyglot, ProtectedSite, Refusing, Scripted, Signpost,
    SitemapTruth, Tarpit, TextTruth, Trapping, forbidden_urls,
};
pub use tunnel::Tunnel;
