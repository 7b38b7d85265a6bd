//! Further hand-written pages that the reader got wrong at first.

use crate::handwritten_people::{ExpectedPerson, assert_people};

#[test]
fn title_in_lower_case_after_a_comma_is_read() {
    assert_people(
        "/mentions-legales",
        r##"<html lang="fr"><h1>Mentions légales</h1><p>Directrice de la publication : Mme Claire Rivoire, gérante.</p>"##,
        &[ExpectedPerson {
            name: "Claire Rivoire",
            title: "gérante",
            legal: true,
            ..ExpectedPerson::EMPTY
        }],
    );
}

#[test]
fn title_after_en_qualite_de_is_read() {
    assert_people(
        "/mentions-legales",
        r##"<html lang="fr"><h1>Mentions légales</h1><p>Représentant légal : M. Paul Garnier, en qualité de président.</p>"##,
        &[ExpectedPerson {
            name: "Paul Garnier",
            title: "président",
            legal: true,
            ..ExpectedPerson::EMPTY
        }],
    );
}

/// The number of the last item belongs to no person; the remark after a title is not part of it.
#[test]
fn emergency_number_is_assigned_to_no_person() {
    assert_people(
        "/equipo",
        r##"<html lang="es"><h2>Equipo</h2><ul class="team"><li><strong>Dra. Núria Soler i Puig</strong> – Directora médica. Col. 2345</li><li><strong>Dr. Jordi Ferrer</strong> – Ortodoncia</li><li><strong>Urgencias</strong> – 24 h: 600 123 456</li></ul>"##,
        &[
            ExpectedPerson {
                name: "Núria Soler i Puig",
                title: "Directora médica",
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson { name: "Jordi Ferrer", title: "Ortodoncia", ..ExpectedPerson::EMPTY },
        ],
    );
}

#[test]
fn department_is_read_from_the_term_beside_the_name() {
    assert_people(
        "/contact",
        r##"<html lang="fr"><h2>L'équipe</h2><dl><dt>Vente</dt><dd>Olivier Delacroix (gérant)<br>olivier@muster.test</dd><dt>Atelier</dt><dd>Fatima El Amrani, réceptionniste<br>010/45.67.92</dd></dl>"##,
        &[
            ExpectedPerson {
                name: "Olivier Delacroix",
                title: "gérant",
                department: "Vente",
                legal: true,
                mails: &["olivier@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Fatima El Amrani",
                title: "réceptionniste",
                department: "Atelier",
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A row of titled cards with pictures, one with an unknown given name, and a dog.
#[test]
fn unknown_given_name_in_a_row_of_cards_is_accepted() {
    assert_people(
        "/about",
        r##"<html lang="en"><section><div class="person"><img src="p.jpg"><div>Aoife Ní Bhriain</div><div>Founding Director</div></div><div class="person"><img src="p.jpg"><div>Declan O'Shea</div><div>Director</div></div><div class="person"><img src="p.jpg"><div>Ji-woo Park</div><div>Architectural Technologist</div></div><div class="person"><img src="p.jpg"><div>Bramble</div><div>Office dog</div></div></section>"##,
        &[
            ExpectedPerson {
                name: "Aoife Ní Bhriain",
                title: "Founding Director",
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Declan O'Shea",
                title: "Director",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Ji-woo Park",
                title: "Architectural Technologist",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}
