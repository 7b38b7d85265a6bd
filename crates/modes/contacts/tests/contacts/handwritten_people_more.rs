//! Further hand-written pages that the reader got wrong at first.

use crate::handwritten_people::{Expected, assert_people};

#[test]
fn a_gerante_is_named_behind_her_duty() {
    assert_people(
        "/mentions-legales",
        r##"<html lang="fr"><h1>Mentions légales</h1><p>Directrice de la publication : Mme Claire Rivoire, gérante.</p>"##,
        &[Expected { name: "Claire Rivoire", title: "gérante", legal: true, ..Expected::NOBODY }],
    );
}

#[test]
fn somebody_acts_in_a_capacity() {
    assert_people(
        "/mentions-legales",
        r##"<html lang="fr"><h1>Mentions légales</h1><p>Représentant légal : M. Paul Garnier, en qualité de président.</p>"##,
        &[Expected { name: "Paul Garnier", title: "président", legal: true, ..Expected::NOBODY }],
    );
}

/// The number of the last item is nobody's; the remark after a title is not part of it.
#[test]
fn a_list_of_doctors_and_a_line_for_emergencies() {
    assert_people(
        "/equipo",
        r##"<html lang="es"><h2>Equipo</h2><ul class="team"><li><strong>Dra. Núria Soler i Puig</strong> – Directora médica. Col. 2345</li><li><strong>Dr. Jordi Ferrer</strong> – Ortodoncia</li><li><strong>Urgencias</strong> – 24 h: 600 123 456</li></ul>"##,
        &[
            Expected {
                name: "Núria Soler i Puig", title: "Directora médica", ..Expected::NOBODY
            },
            Expected { name: "Jordi Ferrer", title: "Ortodoncia", ..Expected::NOBODY },
        ],
    );
}

#[test]
fn terms_with_a_name_beside_them() {
    assert_people(
        "/contact",
        r##"<html lang="fr"><h2>L'équipe</h2><dl><dt>Vente</dt><dd>Olivier Delacroix (gérant)<br>olivier@muster.test</dd><dt>Atelier</dt><dd>Fatima El Amrani, réceptionniste<br>010/45.67.92</dd></dl>"##,
        &[
            Expected {
                name: "Olivier Delacroix",
                title: "gérant",
                department: "Vente",
                legal: true,
                mails: &["olivier@muster.test"],
                ..Expected::NOBODY
            },
            Expected {
                name: "Fatima El Amrani",
                title: "réceptionniste",
                department: "Atelier",
                phones: 1,
                ..Expected::NOBODY
            },
        ],
    );
}

/// A row of titled cards with one unknown given name, and a dog.
#[test]
fn a_given_name_that_no_list_has() {
    assert_people(
        "/about",
        r##"<html lang="en"><section><div class="person"><div>Aoife Ní Bhriain</div><div>Founding Director</div></div><div class="person"><div>Declan O'Shea</div><div>Director</div></div><div class="person"><div>Ji-woo Park</div><div>Architectural Technologist</div></div><div class="person"><div>Bramble</div><div>Office dog</div></div></section>"##,
        &[
            Expected { name: "Aoife Ní Bhriain", title: "Founding Director", ..Expected::NOBODY },
            Expected { name: "Declan O'Shea", title: "Director", legal: true, ..Expected::NOBODY },
            Expected {
                name: "Ji-woo Park",
                title: "Architectural Technologist",
                ..Expected::NOBODY
            },
        ],
    );
}
