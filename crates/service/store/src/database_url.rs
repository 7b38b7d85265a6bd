//! Database URLs: without passwords, and with options of connections.

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

/// A URL of PostgreSQL with the number of prepared statements that a connection keeps, unless it has
/// one.
pub(crate) fn with_statement_cache(url: &str, statements: u32) -> String {
    const NAME: &str = "statement-cache-capacity";
    if url.contains(NAME) {
        return url.to_owned();
    }
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{NAME}={statements}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_of_the_statement_cache_is_added_to_the_url_unless_it_has_one() {
        for (url, expected) in [
            ("postgres://db/trawl", "postgres://db/trawl?statement-cache-capacity=50"),
            (
                "postgres://db/trawl?sslmode=require",
                "postgres://db/trawl?sslmode=require&statement-cache-capacity=50",
            ),
            (
                "postgres://db/trawl?statement-cache-capacity=7",
                "postgres://db/trawl?statement-cache-capacity=7",
            ),
        ] {
            assert_eq!(with_statement_cache(url, 50), expected);
        }
    }

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
