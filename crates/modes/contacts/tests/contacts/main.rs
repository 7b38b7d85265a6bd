//! Contact records: accuracy, properties and hostile input.

mod adversarial;
mod handwritten_pages;
mod handwritten_people;
mod handwritten_people_more;
mod lab_companies;
mod lab_people;
mod properties;
mod real_layouts;
mod scoring;
