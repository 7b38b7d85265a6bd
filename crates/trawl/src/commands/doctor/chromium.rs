//! Check of Chromium: a page of this process is rendered in it, with its sandbox.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use net::{FetchError, FetchRequest, HttpFetch, HttpSettings, NameTable, RenderFault};
use tokio::net::TcpListener;
use urls::{AllowedNetworks, CanonicalUrl};

use super::super::outbound;
use super::Finding;
use crate::settings::{BrowserChoice, Settings};

const CHECK: &str = "chromium";

/// The page writes this text by JavaScript.
const PAGE: &str = "<title>check</title><p id=out></p><script>out.textContent = 6 * 7</script>";
const RENDERED: &str = ">42<";

pub async fn check(settings: &Settings) -> Finding {
    if settings.protection.browser == BrowserChoice::None {
        return Finding::ok(CHECK, "switched off: pages that need JavaScript are not rendered");
    }
    let (listener, url) = match local_page().await {
        Ok(page) => page,
        Err(error) => {
            return Finding::failed(CHECK, error, "the check needs a free port on 127.0.0.1");
        }
    };
    let server = tokio::spawn(async move {
        let page = Router::new().route("/", get(|| async { Html(PAGE) }));
        axum::serve(listener, page).await
    });
    let finding = match HttpFetch::new(local_http(settings)) {
        Ok(http) => match outbound::browser(settings, &http) {
            Some(browser) => {
                let no_sandbox = settings.protection.no_sandbox;
                judge(browser.fetch(FetchRequest::get(url)).await.map(|page| page.body), no_sandbox)
            }
            None => Finding::warning(
                CHECK,
                "not found: pages that need JavaScript are not rendered",
                "install it (`apt-get install chromium`) or set TRAWL_CHROMIUM to its path",
            ),
        },
        Err(error) => Finding::failed(CHECK, error, "correct the settings of outbound connections"),
    };
    server.abort();
    finding
}

/// A listener on loopback and the URL of its page.
async fn local_page() -> anyhow::Result<(TcpListener, CanonicalUrl)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = CanonicalUrl::parse(&format!("http://{}/", listener.local_addr()?))?;
    Ok((listener, url))
}

/// Connections to loopback only: the check sends nothing to the network.
fn local_http(settings: &Settings) -> HttpSettings {
    let mut http = HttpSettings { egress: None, ..settings.http() };
    http.resolver.names = NameTable::default();
    http.resolver.allowed = AllowedNetworks::parse("127.0.0.0/8").unwrap_or_default();
    http
}

fn judge(page: Result<impl AsRef<[u8]>, FetchError>, no_sandbox: bool) -> Finding {
    let error = match page {
        Ok(body) if String::from_utf8_lossy(body.as_ref()).contains(RENDERED) => {
            return match no_sandbox {
                true => Finding::warning(
                    CHECK,
                    "renders pages without its sandbox (chromium_no_sandbox)",
                    "allow unprivileged user namespaces and remove the setting",
                ),
                false => Finding::ok(CHECK, "renders pages in its sandbox"),
            };
        }
        Ok(_) => "the page was not rendered".to_owned(),
        Err(FetchError::Renderer(RenderFault::Unavailable(why))) => why,
        Err(error) => error.to_string(),
    };
    let remedy = "run `chromium --headless --dump-dom about:blank` as the user of the server; if it \
                  reports \"No usable sandbox\", allow unprivileged user namespaces (sysctl \
                  kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; \
                  in containers a seccomp profile that permits clone), or set \
                  TRAWL_CHROMIUM_NO_SANDBOX=true inside of another sandbox";
    Finding::failed(CHECK, format_args!("does not render a page: {error}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn page_that_is_not_rendered_fails() {
        assert_eq!(judge(Ok("<p id=out>42</p>"), false).verdict, Verdict::Ok);
        assert_eq!(judge(Ok("<p id=out>42</p>"), true).verdict, Verdict::Warning);
        assert_eq!(judge(Ok(PAGE), false).verdict, Verdict::Failed);
        let dead = FetchError::Renderer(RenderFault::Unavailable("no sandbox".to_owned()));
        let finding = judge(Err::<&str, _>(dead), false);
        assert_eq!(finding.verdict, Verdict::Failed);
        assert!(finding.detail.contains("no sandbox"), "{}", finding.detail);
    }
}
