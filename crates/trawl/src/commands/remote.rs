//! Commands against a server, over its API. What they print is the same as on the machine of the
//! database.

mod exports;
mod jobs;
mod lists;
mod pages;
mod schedules;
mod watching;

pub use exports::{download, export};
pub use jobs::job;
pub use lists::{TEXT, delete_list, list, upload_list};
pub use pages::{estimate, map, read};
pub use schedules::schedule;
pub use watching::{follow, watch};

use url::form_urlencoded;

/// A path with the parameters that are given.
fn with_query(path: &str, parameters: &[(&str, Option<String>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// The path of a signed link, below the URL by which this client reaches the server: its public URL
/// may be another one.
fn path_of_link(link: &str, folder: &str) -> Option<String> {
    let (_, ticket) = link.rsplit_once(folder)?;
    Some(format!("{folder}{ticket}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_query_are_encoded() {
        let parameters =
            [("page", Some("1".to_owned())), ("none", None), ("a", Some("b&c=ä".to_owned()))];
        assert_eq!(with_query("/v1/jobs", &parameters), "/v1/jobs?page=1&a=b%26c%3D%C3%A4");
        assert_eq!(with_query("/v1/jobs", &[("none", None)]), "/v1/jobs");
    }

    #[test]
    fn link_is_followed_on_the_same_server() {
        let link = "https://public.example/below/downloads/abc.def";
        assert_eq!(path_of_link(link, "/downloads/").as_deref(), Some("/downloads/abc.def"));
        assert_eq!(path_of_link("https://public.example/", "/downloads/"), None);
    }
}
