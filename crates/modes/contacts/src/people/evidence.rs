//! What the readers know about a person, as numbers for the model.

use contract::{ContactMethod, PersonContextKind};

/// Declares the features with their names in the file of the model.
macro_rules! person_features {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// A property of a person as a page shows them. 1 if it holds, unless it is a number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum PersonFeature {
            $($(#[$doc])* $variant,)*
        }

        /// The names of all features, in their order.
        pub(crate) const FEATURE_NAMES: &[&str] = &[$($name),*];
    };
}

person_features! {
    // The name.
    GivenNameKnown "given_name_known",
    GivenNameAmbiguous "given_name_ambiguous",
    Honorific "honorific",
    /// The name has more than three words, a possessive or a word in capitals.
    NameUnusual "name_unusual",
    // The reader: a card if none of them.
    FromLabel "from_label",
    FromSentence "from_sentence",
    FromMailbox "from_mailbox",
    FromJsonLd "from_json_ld",
    /// Another reader found a person of this name on the page.
    OtherReader "other_reader",
    // What the label before the name means.
    LabelRepresents "label_represents",
    LabelEditorial "label_editorial",
    LabelContact "label_contact",
    /// JSON-LD states the employer, or that the person belongs to the organization.
    StatedEmployer "stated_employer",
    // The title.
    Title "title",
    /// The vocabularies do not know the title.
    TitleUnknown "title_unknown",
    /// The title names the company of the site.
    TitleNamesCompany "title_names_company",
    /// The title has more than seven words.
    TitleLong "title_long",
    /// The title begins with an article or a small letter, as a part of a sentence does.
    TitleInSentence "title_in_sentence",
    /// The title is in the line of the name.
    TitleInLine "title_in_line",
    /// The title is before the name.
    TitleBefore "title_before",
    /// The title is one of the two parts nearest to the name, or markup assigns it.
    TitleNear "title_near",
    /// A column heading marks the title.
    TitleByColumn "title_by_column",
    /// The title is where the other cards of the row have theirs.
    TitleByPosition "title_by_position",
    TitleExecutive "title_executive",
    TitleOtherCompany "title_other_company",
    // Ways to reach the person.
    /// The mailbox contains the name.
    MailboxNamed "mailbox_named",
    MailboxOwnDomain "mailbox_own_domain",
    Phone "phone",
    ProfilePersonal "profile_personal",
    ProfileOther "profile_other",
    // The card.
    Picture "picture",
    /// Logarithm of the number of names with the same parent, at most 20.
    Siblings "siblings",
    /// The given name is unknown, but the card has a title and the markup of at least two others,
    /// of which most have a title and a known given name.
    GivenNameByRow "given_name_by_row",
    /// The card links to another site that is no social network.
    LinksElsewhere "links_elsewhere",
    /// The card links to a page of the site about an author.
    AuthorPage "author_page",
    /// The card links to a page of the site about a member or a customer.
    MemberPage "member_page",
    /// Logarithm of the number of lines of the card.
    CardLines "card_lines",
    /// Several names in one block, without an element for each.
    IsRun "is_run",
    // The position.
    TeamHeading "team_heading",
    TeamPath "team_path",
    InFrame "in_frame",
    AuthorClass "author_class",
    TeamClass "team_class",
    ThirdPartyHeading "third_party_heading",
    ThirdPartyClass "third_party_class",
    Quoted "quoted",
    Dated "dated",
    CaptionNamesCompany "caption_names_company",
    // The page.
    /// Share of names on the page whose title is one at another company.
    OtherCompaniesOnPage "other_companies_on_page",
}

const FEATURE_COUNT: usize = FEATURE_NAMES.len();

/// The values of all features of a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PersonEvidence {
    values: [f32; FEATURE_COUNT],
}

impl Default for PersonEvidence {
    fn default() -> Self {
        Self { values: [0.0; FEATURE_COUNT] }
    }
}

impl PersonEvidence {
    pub fn set(&mut self, feature: PersonFeature) {
        self.set_number(feature, 1.0);
    }

    pub fn set_if(&mut self, feature: PersonFeature, holds: bool) {
        if holds {
            self.set(feature);
        }
    }

    pub fn set_number(&mut self, feature: PersonFeature, value: f32) {
        self.values[feature as usize] = value;
    }

    pub fn has(&self, feature: PersonFeature) -> bool {
        self.values[feature as usize] > 0.0
    }

    /// What presents the person as one of the company: the reader first, then the position.
    pub fn context_kind(&self, method: ContactMethod) -> PersonContextKind {
        use PersonContextKind as Kind;
        use PersonFeature as F;
        match method {
            ContactMethod::Jsonld | ContactMethod::Microdata | ContactMethod::Vcard => {
                Kind::StructuredData
            }
            _ if self.has(F::LabelRepresents) => Kind::LegalNotice,
            _ if self.has(F::FromLabel) => Kind::Label,
            _ if self.has(F::FromSentence) => Kind::Sentence,
            _ if self.has(F::FromMailbox) => Kind::Mailbox,
            _ if [F::TeamHeading, F::TeamPath, F::TeamClass].iter().any(|it| self.has(*it)) => {
                Kind::Team
            }
            _ if self.has(F::AuthorClass) || self.has(F::AuthorPage) => Kind::AuthorBox,
            _ => Kind::Card,
        }
    }

    /// The values in the order of [`FEATURE_NAMES`].
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use PersonContextKind as Kind;
    use PersonFeature as F;

    use super::*;

    #[test]
    fn context_kind_names_the_reader_before_the_position() {
        for (features, method, kind) in [
            (&[F::TeamPath][..], ContactMethod::Jsonld, Kind::StructuredData),
            (&[F::FromLabel, F::LabelRepresents], ContactMethod::Text, Kind::LegalNotice),
            (&[F::FromLabel, F::LabelContact, F::TeamPath], ContactMethod::Text, Kind::Label),
            (&[F::FromSentence, F::TeamPath], ContactMethod::Text, Kind::Sentence),
            (&[F::FromMailbox], ContactMethod::Text, Kind::Mailbox),
            (&[F::TeamHeading, F::AuthorClass], ContactMethod::Text, Kind::Team),
            (&[F::AuthorClass], ContactMethod::Text, Kind::AuthorBox),
            (&[F::Title], ContactMethod::Text, Kind::Card),
        ] {
            let mut evidence = PersonEvidence::default();
            features.iter().for_each(|feature| evidence.set(*feature));
            assert_eq!(evidence.context_kind(method), kind, "{features:?}");
        }
    }
}
