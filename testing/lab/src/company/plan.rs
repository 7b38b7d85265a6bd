//! The plan of a company's site: who it is, who made it, and how much of each trouble it has.

mod english;
mod german;
mod north;
mod south;

use super::ids::Entry;
use super::land::{DE, Land};
use super::truth::Veil;
use super::words::{GERMAN, Words};

/// Every plan.
pub(super) fn all() -> impl Iterator<Item = &'static Plan> {
    [english::PLANS, german::PLANS, north::PLANS, south::PLANS].into_iter().flatten()
}

/// Everything that makes one company differ from another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) host: &'static str,
    /// The name over the door.
    pub(super) name: &'static str,
    pub(super) legal: &'static str,
    /// The legal form, as it stands in the legal name; empty for a public body.
    pub(super) form: &'static str,
    pub(super) entry: Entry,
    pub(super) seed: u64,
    pub(super) land: &'static Land,
    pub(super) words: &'static Words,
    /// Which town of the country.
    pub(super) town: usize,
    pub(super) trade: Trade,
    pub(super) make: Make,
    pub(super) team: Team,
    pub(super) organ: Organ,
    pub(super) imprint: Imprint,
    /// Further places with their own address and line.
    pub(super) branches: usize,
    /// Departments with their own mailbox and line on the contact page.
    pub(super) departments: usize,
    pub(super) press: bool,
    /// Pages that nobody needs for a record.
    pub(super) others: usize,
    pub(super) sitemap: bool,
    pub(super) data: &'static [Data],
    /// How the mailboxes of the house are hidden, and those of its people.
    pub(super) veils: (Option<Veil>, Option<Veil>),
    /// Which of a country's spellings, of the language's labels and of its page names.
    pub(super) habit: usize,
    pub(super) networks: &'static [&'static str],
    pub(super) twists: &'static [Twist],
}

/// What the company does, for what its data says and who watches over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trade {
    Craft,
    Law,
    Clinic,
    Software,
    Maker,
    Hotel,
    Association,
    Public,
    Shop,
    Restaurant,
    Agency,
    Group,
}

impl Trade {
    /// The type in the data.
    pub(super) fn schema(self) -> &'static str {
        match self {
            Self::Craft => "RoofingContractor",
            Self::Law => "LegalService",
            Self::Clinic => "MedicalClinic",
            Self::Software | Self::Maker => "Organization",
            Self::Hotel => "Hotel",
            Self::Association => "NGO",
            Self::Public => "GovernmentOffice",
            Self::Shop => "OnlineStore",
            Self::Restaurant => "Restaurant",
            Self::Agency => "ProfessionalService",
            Self::Group => "Corporation",
        }
    }

    /// The law makes it name its chamber or its authority.
    pub(super) fn is_watched(self) -> bool {
        matches!(self, Self::Law | Self::Clinic | Self::Craft | Self::Hotel)
    }
}

/// Who wrote the mark-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    /// A theme of a blog system.
    Theme,
    /// A builder in the browser: boxes in boxes.
    Soup,
    /// By hand, with tables, in 2005.
    Tables,
    /// Components, with the data once more in a script.
    Component,
    /// By hand, today.
    Hand,
    /// All on one page, with anchors.
    OnePage,
}

/// Where the people are shown, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Team {
    pub(super) at: TeamAt,
    pub(super) form: TeamForm,
    pub(super) leaders: usize,
    pub(super) staff: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TeamAt {
    /// A page of its own in the menu.
    Own,
    /// A page that only the page about the company links to.
    Behind,
    /// On the page about the company.
    About,
    /// On the contact page.
    Contact,
    /// Nobody is shown but in the imprint.
    Nowhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TeamForm {
    Grid,
    Table,
    /// A table with "Surname, First name".
    Register,
    Definitions,
    Paragraphs,
    List,
    /// Cards with icons instead of labels.
    Cards,
    /// The title first, first name and surname in elements of their own.
    Split,
    /// Name, title and the rest in one line with bars between.
    OneLine,
    /// A heading with the title in it, then a few sentences.
    Portraits,
    /// Classes of hCard around everything.
    HCards,
    /// Microdata around everything.
    Microdata,
}

/// Who speaks for the company.
#[derive(Debug, Clone, Copy)]
pub(super) struct Organ {
    /// Before the names in the imprint.
    pub(super) label: &'static str,
    pub(super) man: &'static str,
    pub(super) woman: &'static str,
    /// By law.
    pub(super) legal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Imprint {
    Own,
    /// A part of the contact page.
    Contact,
    /// Only a line in the footer.
    Footer,
    Nowhere,
}

/// Structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// One JSON-LD object on the home page and the contact page.
    JsonLd,
    /// A graph with much besides the company.
    Graph,
    /// JSON-LD for each person.
    People,
    /// Microdata around the address.
    Microdata,
    /// Classes of hCard around the address.
    HCard,
    /// A vCard file for each person.
    Vcf,
}

/// What is special about a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Twist {
    Namesakes,
    /// The check digit of its VAT id is wrong.
    WrongVat,
    ShortNumber,
    Vanity,
    Switchboard,
    Extensions,
    Fax,
    Mobile,
    /// Mailboxes at a provider for everybody.
    FreeMail,
    /// Its mailboxes are at another domain of its own.
    MailElsewhere,
    /// Surnames in capitals.
    Capitals,
    /// Addresses as text, without links.
    PlainText,
    /// Each address with the country.
    Country,
    /// The country's letter before the postal code.
    PostalPrefix,
    /// Other companies of the group with their own ids.
    Subsidiaries,
    /// Nothing but a form and a line.
    FormOnly,
    /// Everybody with honorifics.
    Learned,
    Signature,
    /// Every page takes two seconds.
    Slow,
    /// Only `www.` answers.
    WwwOnly,
}

impl Plan {
    pub(super) fn is(&self, twist: Twist) -> bool {
        self.twists.contains(&twist)
    }

    pub(super) fn has(&self, data: Data) -> bool {
        self.data.contains(&data)
    }

    pub(super) fn one_page(&self) -> bool {
        self.make == Make::OnePage
    }
}

pub(super) const fn team(at: TeamAt, form: TeamForm, leaders: usize, staff: usize) -> Team {
    Team { at, form, leaders, staff }
}

pub(super) const fn organ(
    label: &'static str,
    man: &'static str,
    woman: &'static str,
    legal: bool,
) -> Organ {
    Organ { label, man, woman, legal }
}

/// What a plan is where it does not say otherwise.
pub(super) const USUAL: Plan = Plan {
    host: "",
    name: "",
    legal: "",
    form: "",
    entry: Entry::Company,
    seed: 0,
    land: &DE,
    words: &GERMAN,
    town: 0,
    trade: Trade::Craft,
    make: Make::Hand,
    team: team(TeamAt::Own, TeamForm::Grid, 1, 4),
    organ: organ("Geschäftsführer:", "Geschäftsführer", "Geschäftsführerin", true),
    imprint: Imprint::Own,
    branches: 0,
    departments: 0,
    press: false,
    others: 8,
    sitemap: false,
    data: &[],
    veils: (None, None),
    habit: 0,
    networks: &[],
    twists: &[],
};
