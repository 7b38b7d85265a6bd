//! Prints the OpenAPI document, for validators and client generators.

fn main() {
    println!("{:#}", api::openapi(&api::ApiSettings::default()));
}
