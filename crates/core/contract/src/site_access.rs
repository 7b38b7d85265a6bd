//! How pages are requested and what is kept of them: headers, cookies, credentials, browser, cache and
//! files. A page that is read at once and a run have the same members; a run has also a login.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job_target::parse_target;
use crate::{
    BasicAuth, BodyFields, MAX_ACTIONS, PageAction, PageDevice, PageFileFormat, PageWait,
    RenderChoice, RequestPolicy, ScreenshotArea, SecretText, SiteCredentials,
};

/// Highest `max_age`, in seconds.
const MAX_AGE: u64 = 7 * 24 * 60 * 60;

/// The text that takes the place of a secret in answers.
pub const HIDDEN: &str = "(hidden)";

/// The members that are sent to the site, and need a site that is known in advance.
const SECRET_MEMBERS: [&str; 5] = ["headers", "cookies", "basic_auth", "bearer", "login"];

/// Steps in a browser before the first page of a run. The texts that they type are secrets, so that
/// `Debug` does not show them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteLogin {
    /// The page of the login: absolute http or https URL on the site of the run.
    #[schema(max_length = 2048, format = "uri")]
    pub url: String,
    /// Executed in this order.
    #[schema(min_items = 1, max_items = 20)]
    pub actions: Vec<PageAction>,
    /// What is waited for after the actions. The login has failed if the element does not appear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_for: Option<PageWait>,
}

impl fmt::Debug for SiteLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions = self.actions.len();
        f.debug_struct("SiteLogin").field("actions", &actions).finish_non_exhaustive()
    }
}

impl SiteLogin {
    fn read<P: RequestPolicy>(
        fields: &mut BodyFields<'_>,
        start: Option<&P::Url>,
        policy: &P,
    ) -> Option<Self> {
        let url = fields.text("url").map(str::to_owned);
        fields.require("url");
        if let Some(url) = &url {
            let checked = parse_target(url, policy).and_then(|login| match start {
                Some(start) => policy.check_login(start, &login),
                None => Ok(()),
            });
            if let Err(message) = checked {
                fields.wrong("url", message);
            }
        }
        let actions = fields.objects("actions", MAX_ACTIONS, PageAction::read);
        fields.require("actions");
        if actions.as_ref().is_some_and(Vec::is_empty) {
            fields.wrong("actions", format!("must have from 1 to {MAX_ACTIONS} entries, not 0"));
        }
        let wait_for = PageWait::read(fields, "wait_for");
        let actions = actions?.into_iter().collect::<Option<_>>()?;
        Some(Self { url: url?, actions, wait_for })
    }

    fn hidden(&self) -> Self {
        let hide = |action: &PageAction| PageAction {
            text: action.text.as_ref().map(|_| HIDDEN.to_owned()),
            ..action.clone()
        };
        Self { actions: self.actions.iter().map(hide).collect(), ..self.clone() }
    }
}

/// Declares the request of a page or of a job, with the members about the requests for pages that both
/// have. They are those of [`SiteAccess`] without `login` and `formats`.
macro_rules! with_site_members {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        pub struct $name {
            $($own)*
            /// Headers of the requests to the origin of `url`. Not sent to another origin, also after
            /// a redirect.
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            #[schema(value_type = Option<HashMap<String, String>>)]
            pub headers: BTreeMap<String, SecretText>,
            /// Cookies of the requests to the origin of `url`.
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            #[schema(value_type = Option<HashMap<String, String>>)]
            pub cookies: BTreeMap<String, SecretText>,
            /// Credentials of the requests to the origin of `url`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub basic_auth: Option<BasicAuth>,
            /// A bearer token of the requests to the origin of `url`.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(value_type = Option<String>, format = "password", max_length = 4096)]
            pub bearer: Option<SecretText>,
            /// Whether a browser renders pages. `wait_for`, `actions`, `device: mobile` and format
            /// `screenshot` need a browser: with them `auto` means `always`.
            #[serde(default, skip_serializing_if = "RenderChoice::is_auto")]
            #[schema(value_type = Option<RenderChoice>, default = "auto")]
            pub render: RenderChoice,
            /// The screen on which the browser renders pages.
            #[serde(default, skip_serializing_if = "PageDevice::is_desktop")]
            #[schema(value_type = Option<PageDevice>, default = "desktop")]
            pub device: PageDevice,
            /// What is waited for after a page is loaded. If the element does not appear in time, the
            /// page is read as it is.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub wait_for: Option<PageWait>,
            /// Executed in this order in every page before it is read. A page is not delivered if
            /// one fails.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schema(value_type = Option<Vec<PageAction>>, max_items = 20)]
            pub actions: Vec<PageAction>,
            /// The part of a page that the format `screenshot` shows.
            #[serde(default, skip_serializing_if = "ScreenshotArea::is_full_page")]
            #[schema(value_type = Option<ScreenshotArea>, default = "full_page")]
            pub screenshot_area: ScreenshotArea,
            /// A page may be taken from the cache if it was fetched at most this many seconds ago.
            #[serde(default, skip_serializing_if = "is_zero")]
            #[schema(value_type = Option<u64>, minimum = 0, maximum = 604800, default = 0)]
            pub max_age: u64,
        }

        impl $name {
            /// The members about the requests for pages, without login and formats.
            fn site_members(&self) -> SiteAccess {
                SiteAccess {
                    headers: self.headers.clone(),
                    cookies: self.cookies.clone(),
                    basic_auth: self.basic_auth.clone(),
                    bearer: self.bearer.clone(),
                    render: self.render,
                    device: self.device,
                    wait_for: self.wait_for.clone(),
                    actions: self.actions.clone(),
                    screenshot_area: self.screenshot_area,
                    max_age: self.max_age,
                    ..SiteAccess::default()
                }
            }
        }
    };
    // The value with these members.
    ($access:expr => $name:ident { $($own:tt)* }) => {{
        let access = $access;
        $name {
            $($own)*
            headers: access.headers,
            cookies: access.cookies,
            basic_auth: access.basic_auth,
            bearer: access.bearer,
            render: access.render,
            device: access.device,
            wait_for: access.wait_for,
            actions: access.actions,
            screenshot_area: access.screenshot_area,
            max_age: access.max_age,
        }
    }};
}
pub(crate) use with_site_members;

/// How the pages of a run are requested and what is kept of them, as the request of the job says. In
/// answers `(hidden)` takes the place of every secret.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SiteAccess {
    /// Names of the headers that are sent to the site.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<HashMap<String, String>>)]
    pub headers: BTreeMap<String, SecretText>,
    /// Names of the cookies that are sent to the site.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<HashMap<String, String>>)]
    pub cookies: BTreeMap<String, SecretText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<BasicAuth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub bearer: Option<SecretText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<SiteLogin>,
    #[serde(skip_serializing_if = "RenderChoice::is_auto")]
    #[schema(value_type = Option<RenderChoice>, default = "auto")]
    pub render: RenderChoice,
    #[serde(skip_serializing_if = "PageDevice::is_desktop")]
    #[schema(value_type = Option<PageDevice>, default = "desktop")]
    pub device: PageDevice,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_for: Option<PageWait>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<PageAction>>, max_items = 20)]
    pub actions: Vec<PageAction>,
    /// The files that are kept of the page of each result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<PageFileFormat>>, max_items = 3)]
    pub formats: Vec<PageFileFormat>,
    #[serde(skip_serializing_if = "ScreenshotArea::is_full_page")]
    #[schema(value_type = Option<ScreenshotArea>, default = "full_page")]
    pub screenshot_area: ScreenshotArea,
    /// A page may be taken from the cache if it was fetched at most this many seconds ago.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(value_type = Option<u64>, minimum = 0, maximum = 604800, default = 0)]
    pub max_age: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl SiteAccess {
    /// Whether the request has none of the members.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether there is anything that must be kept secret.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        self.login.is_some() || !self.credentials().is_empty()
    }

    /// Whether this file is kept of pages.
    #[must_use]
    pub fn keeps(&self, format: PageFileFormat) -> bool {
        self.formats.contains(&format)
    }

    /// Whether a run keeps something of its pages: files, or warnings.
    #[must_use]
    pub fn keeps_pages(&self) -> bool {
        !self.formats.is_empty() || self.wait_for.is_some()
    }

    /// The part of a page that a picture shows, if one is taken.
    #[must_use]
    pub fn screenshot(&self) -> Option<ScreenshotArea> {
        self.keeps(PageFileFormat::Screenshot).then_some(self.screenshot_area)
    }

    /// Whether a browser renders every page.
    #[must_use]
    pub fn always_renders(&self) -> bool {
        self.render == RenderChoice::Always || self.is_scripted()
    }

    /// Whether the browser does more than to load a page on the usual screen.
    #[must_use]
    pub fn is_scripted(&self) -> bool {
        self.wait_for.is_some()
            || !self.actions.is_empty()
            || self.screenshot().is_some()
            || !self.device.is_desktop()
    }

    /// What is sent to the origin of the run only.
    #[must_use]
    pub fn credentials(&self) -> SiteCredentials {
        SiteCredentials {
            headers: self.headers.clone(),
            cookies: self.cookies.clone(),
            basic_auth: self.basic_auth.clone(),
            bearer: self.bearer.clone(),
        }
    }

    /// The same with [`HIDDEN`] in the place of every secret.
    #[must_use]
    pub fn hidden(&self) -> Self {
        let hide = |members: &BTreeMap<String, SecretText>| {
            members.keys().map(|name| (name.clone(), SecretText::new(HIDDEN))).collect()
        };
        Self {
            headers: hide(&self.headers),
            cookies: hide(&self.cookies),
            basic_auth: self.basic_auth.as_ref().map(|_| BasicAuth {
                username: HIDDEN.to_owned(),
                password: SecretText::new(HIDDEN),
            }),
            bearer: self.bearer.as_ref().map(|_| SecretText::new(HIDDEN)),
            login: self.login.as_ref().map(SiteLogin::hidden),
            ..self.clone()
        }
    }

    /// Reads the members of a request for one page, whose files are `formats`.
    pub(crate) fn of_page<P: RequestPolicy>(
        fields: &mut BodyFields<'_>,
        formats: Vec<PageFileFormat>,
        policy: &P,
    ) -> Self {
        let access = Self { formats, ..Self::read_members(fields) };
        access.check_browser(fields, policy);
        access
    }

    /// Reads the members of a job request, whose valid start or list is `starts`.
    pub(crate) fn of_run<P: RequestPolicy>(
        fields: &mut BodyFields<'_>,
        starts: &[P::Url],
        policy: &P,
    ) -> Self {
        let login =
            fields.object("login", |inside| SiteLogin::read(inside, starts.first(), policy));
        let formats = read_formats(fields, PageFileFormat::ALL).unwrap_or_default();
        let access = Self { login: login.flatten(), formats, ..Self::read_members(fields) };
        access.check(fields, starts, policy);
        access.check_browser(fields, policy);
        access
    }

    /// Reads the members that all requests have.
    fn read_members(fields: &mut BodyFields<'_>) -> Self {
        let SiteCredentials { headers, cookies, basic_auth, bearer } =
            SiteCredentials::read(fields);
        let render = fields.one_of("render", RenderChoice::ALL).unwrap_or_default();
        let device = fields.one_of("device", PageDevice::ALL).unwrap_or_default();
        let wait_for = PageWait::read(fields, "wait_for");
        let actions = fields.objects("actions", MAX_ACTIONS, PageAction::read);
        let actions = actions.unwrap_or_default().into_iter().flatten().collect();
        let screenshot_area = fields.one_of("screenshot_area", ScreenshotArea::ALL);
        let max_age = fields.integer("max_age", 0).and_then(|age| u64::try_from(age).ok());
        if max_age.is_some_and(|age| age > MAX_AGE) {
            fields.wrong("max_age", format!("must be at most {MAX_AGE} seconds"));
        }
        Self {
            headers,
            cookies,
            basic_auth,
            bearer,
            render,
            device,
            wait_for,
            actions,
            screenshot_area: screenshot_area.unwrap_or_default(),
            max_age: max_age.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Checks the members of a job request that depend on each other or on the service.
    fn check<P: RequestPolicy>(&self, fields: &mut BodyFields<'_>, starts: &[P::Url], policy: &P) {
        let of_pages =
            ["formats", "screenshot_area", "max_age", "render", "device", "wait_for", "actions"];
        for name in SECRET_MEMBERS.into_iter().chain(of_pages) {
            if fields.given("domains") && fields.given(name) {
                fields.wrong(name, "does not belong to a list of domains: give one url instead");
            }
        }
        for name in SECRET_MEMBERS {
            if fields.given("list_id") && fields.given(name) {
                fields.wrong(name, "does not belong to an uploaded list: give the urls instead");
            }
        }
        if let Err(message) = policy.check_one_origin(starts) {
            for name in SECRET_MEMBERS {
                if fields.given(name) {
                    fields.wrong(name, message.clone());
                }
            }
        }
        if self.login.is_some() && self.headers.keys().any(|name| is_cookie(name)) {
            fields.wrong("headers.Cookie", "is set by the login; give the value as cookies");
        }
        let hidden = self.headers.iter().map(|entry| ("headers", entry));
        let hidden = hidden.chain(self.cookies.iter().map(|entry| ("cookies", entry)));
        for (name, (key, value)) in hidden {
            if value.reveal() == HIDDEN {
                fields.wrong(&format!("{name}.{key}"), "is hidden in answers: give its value");
            }
        }
        let is_hidden = |text: &SecretText| text.reveal() == HIDDEN;
        if self.basic_auth.as_ref().is_some_and(|basic| is_hidden(&basic.password)) {
            fields.wrong("basic_auth.password", "is hidden in answers: give its value");
        }
        let typed = self.login.iter().flat_map(|login| &login.actions);
        if typed.filter_map(|action| action.text.as_deref()).any(|text| text == HIDDEN) {
            fields.wrong("login.actions", "have texts that are hidden in answers: give the texts");
        }
    }

    /// Checks the members that need a browser.
    fn check_browser<P: RequestPolicy>(&self, fields: &mut BodyFields<'_>, policy: &P) {
        let has_screenshot = self.screenshot().is_some();
        if fields.given("screenshot_area") && !has_screenshot {
            fields.wrong("screenshot_area", "belongs to the format screenshot");
        }
        let needs_browser = [
            ("wait_for", fields.given("wait_for")),
            ("actions", !self.actions.is_empty()),
            ("device", !self.device.is_desktop()),
            ("formats", has_screenshot),
            ("render", self.render == RenderChoice::Always),
            ("login", self.login.is_some()),
        ];
        let mut needs_browser = needs_browser.into_iter().filter(|(_, is_given)| *is_given);
        if let Some((name, _)) = needs_browser.next() {
            if self.render == RenderChoice::Never && name != "login" {
                let message = format!("must not be never with {name}, which needs a browser");
                fields.wrong("render", message);
            } else if let Err(message) = policy.check_rendering() {
                fields.wrong(name, message);
            }
        }
    }
}

/// Reads `formats`, each of these values once.
pub(crate) fn read_formats<F>(fields: &mut BodyFields<'_>, all: &[F]) -> Option<Vec<F>>
where
    F: Copy + PartialEq + fmt::Display + FromStr,
{
    let texts = fields.texts("formats", 10)?;
    let mut formats = Vec::with_capacity(texts.len());
    for (index, text) in texts {
        match text.parse::<F>() {
            Ok(format) if formats.contains(&format) => {}
            Ok(format) => formats.push(format),
            Err(_) => {
                let all = crate::comma_list(all);
                fields.wrong(&format!("formats[{index}]"), format!("must be one of {all}"));
            }
        }
    }
    Some(formats)
}

fn is_cookie(name: &str) -> bool {
    name.eq_ignore_ascii_case("cookie")
}

#[cfg(test)]
mod tests;
