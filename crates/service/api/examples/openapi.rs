//! Prints the OpenAPI document, for validators and generators of clients.

fn main() {
    println!("{:#}", api::openapi(&api::ApiSettings::default()));
}
