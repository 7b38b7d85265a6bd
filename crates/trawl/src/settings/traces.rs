//! Traces in the OpenTelemetry protocol.

use axum::http::{HeaderName, HeaderValue};
use telemetry::TraceSettings;

use super::{Layers, SettingError};

/// Where traces are sent; `None` if none is recorded.
pub fn settings(layers: &Layers) -> Result<Option<TraceSettings>, SettingError> {
    let endpoint = layers.text("otlp_endpoint");
    if endpoint.is_empty() {
        return Ok(None);
    }
    let expected = "it must be a number from 0 to 1, as 0.1";
    let ratio: f64 = layers.parse("otlp_ratio", "a number from 0 to 1, as 0.1")?;
    if !(0.0..=1.0).contains(&ratio) {
        return Err(layers.invalid("otlp_ratio", expected));
    }
    let headers = layers.list("otlp_headers").map(|entry| {
        let (name, value) = entry.split_once('=')?;
        let name: HeaderName = name.trim().parse().ok()?;
        let mut value: HeaderValue = value.trim().parse().ok()?;
        value.set_sensitive(true);
        Some((name, value))
    });
    let headers: Option<Vec<_>> = headers.collect();
    let headers = headers.ok_or_else(|| {
        layers.invalid("otlp_headers", "it must be name=value, several with commas")
    })?;
    let resource = vec![
        ("service.name", "trawl".to_owned()),
        ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let settings = TraceSettings {
        endpoint: endpoint.to_owned(),
        headers,
        ratio,
        extra_ca: layers.readable_file("extra_ca")?,
        resource,
    };
    // The endpoint is checked before the service starts.
    telemetry::TraceExporter::new(settings.clone())
        .map_err(|error| layers.invalid("otlp_endpoint", error))?;
    Ok(Some(settings))
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn settings(environment: &[(&str, &str)]) -> Result<Option<TraceSettings>, String> {
        let pairs = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let layers = Layers::gather(None, pairs, &[]).expect("settings");
        Settings::of(&layers).map(|settings| settings.traces).map_err(|error| error.to_string())
    }

    #[test]
    fn traces_are_off_by_default_and_settings_are_checked() {
        assert!(settings(&[]).expect("valid").is_none());
        let endpoint = ("TRAWL_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        let more =
            [endpoint, ("TRAWL_OTLP_HEADERS", "x-key=hush=1, b=c"), ("TRAWL_OTLP_RATIO", "0.1")];
        let found = settings(&more).expect("valid").expect("on");
        assert_eq!(found.headers.len(), 2);
        assert_eq!(found.headers[0].1, "hush=1");
        assert!(!format!("{found:?}").contains("hush"));
        for (more, said) in [
            (("TRAWL_OTLP_RATIO", "2"), "from 0 to 1"),
            (("TRAWL_OTLP_RATIO", "NaN"), "from 0 to 1"),
            (("TRAWL_OTLP_HEADERS", "hush"), "name=value"),
            (("TRAWL_OTLP_ENDPOINT", "127.0.0.1:4318"), "otlp_endpoint"),
        ] {
            let error = settings(&[endpoint, more]).expect_err(said);
            assert!(error.contains(said) && !error.contains("hush"), "{error}");
        }
    }
}
