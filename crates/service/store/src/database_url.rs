//! Database URLs without passwords.

/// A database URL without its password, for settings, logs and errors: neither the password of the
/// user nor password parameters of the query. A text that is not a URL becomes `(set)`: it may be a
/// connection string with a password anywhere.
#[must_use]
pub fn without_password(url: &str) -> String {
    let is_url = url.split_once("://").is_some_and(|(scheme, _)| {
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    });
    if !is_url && !url.is_empty() && !url.starts_with("sqlite:") {
        return "(set)".to_owned();
    }
    let (address, query) = match url.split_once('?') {
        Some((address, query)) => (address, Some(query)),
        None => (url, None),
    };
    let address = match address.split_once("://") {
        // Split at the last @: the password may contain an unencoded one.
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((user, host)) => match user.split_once(':') {
                Some((user, _)) => format!("{scheme}://{user}:…@{host}"),
                None => format!("{scheme}://{user}@{host}"),
            },
            None => address.to_owned(),
        },
        None => address.to_owned(),
    };
    let Some(query) = query else { return address };
    // A password with an unencoded ? puts the host into the query.
    if !address.contains('@')
        && let (Some((scheme, rest)), Some((_, host))) =
            (address.split_once("://"), query.rsplit_once('@'))
    {
        let user = rest.split(':').next().unwrap_or_default();
        return format!("{scheme}://{user}:…@{host}");
    }
    let members: Vec<String> = query
        .split('&')
        .map(|member| match member.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("password") => {
                format!("{name}=…")
            }
            _ => member.to_owned(),
        })
        .collect();
    format!("{address}?{}", members.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_removed_from_every_form_of_url() {
        for (url, shown) in [
            ("postgres://me:hush@db/trawl", "postgres://me:…@db/trawl"),
            (
                "postgresql://me:hush@db:5432/trawl?sslmode=require",
                "postgresql://me:…@db:5432/trawl?sslmode=require",
            ),
            ("postgres://me:hu@sh@db/trawl", "postgres://me:…@db/trawl"),
            (
                "postgres://me@db/trawl?password=hush&sslmode=require",
                "postgres://me@db/trawl?password=…&sslmode=require",
            ),
            (
                "postgres://db/trawl?user=me&PASSWORD=hush&sslpassword=hush",
                "postgres://db/trawl?user=me&PASSWORD=…&sslpassword=…",
            ),
            ("postgres://me@db/trawl", "postgres://me@db/trawl"),
            ("sqlite:/data/trawl.db?mode=rwc", "sqlite:/data/trawl.db?mode=rwc"),
            ("", ""),
            ("host=db user=me password=hush", "(set)"),
            ("host=db password=hu://sh user=me", "(set)"),
            ("postgres:/me:hush@db/trawl", "(set)"),
            ("me:hush@db/trawl", "(set)"),
        ] {
            assert_eq!(without_password(url), shown, "{url}");
        }
        for url in ["postgres://me:hu?sh@db/trawl", "postgres://me:hu?sh@db/trawl?sslmode=require"]
        {
            let shown = without_password(url);
            assert!(!shown.contains("hu") && !shown.contains("sh@"), "{shown}");
        }
    }
}
