//! The test web: deterministic sites on loopback, with the truth about each.
//!
//! A [`Site`] is a pure function from a path to a reply, and it can say what a
//! run over it must deliver. A [`Lab`] serves sites over HTTP/1.1 and writes
//! down every request, so that a test can check what was asked, and when.

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
    AddressTruth, Company, CompanyTruth, EmailTruth, FirmTruth, Method, Obfuscation, PersonTruth,
    PhoneKind, PhoneTruth, ProfileTruth, TruthValue, ValuePlace,
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
    Broken, Catalogue, Copies, Empty, Extras, Group, Handbook, Hostile, HostileScripts, Mapped,
    Marking, OddRules, Polyglot, ProtectedSite, Refusing, Scripted, SitemapTruth, Tarpit,
    TextTruth, Trapping,
};
pub use tunnel::Tunnel;
