//! The quick starts of the documentation, run as written: three languages with the same, correct
//! output.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use contract::Mode;
use lab::{
    Catalogue, Company, Handbook, Lab, MEMBER, Members, Reply, Request, Shop, Site, SiteTruth,
};
use serde_json::{Value, json};

use crate::server::{Server, Setup, text};

const SHOP: &str = "holzwurm.lab.test";
const TEXTS: Handbook = Handbook { chapters: 3, sections: 4 };

/// The command that runs an example of a language.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("bash", "bash", "example.sh"),
    ("python", "python3", "example.py"),
    ("javascript", "node", "example.mjs"),
];

/// The variables that an example reads, with their values.
type Names<'n> = &'n [(&'n str, &'n str)];

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    companies: Vec<Company>,
    _folder: tempfile::TempDir,
}

/// A site whose pages need a password, or the session of a member.
#[derive(Debug)]
struct Guarded;

impl Site for Guarded {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(404)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        // ada:correct-horse
        let is_basic = request.header("authorization") == Some("Basic YWRhOmNvcnJlY3QtaG9yc2U=");
        if !is_basic && request.cookie("session") != Some("of-a-member") {
            return Reply::status(401);
        }
        let words = "Only members of this site can read the text of this page. ".repeat(4);
        let page = |title: &str, links: &str| {
            let page = format!("<main><h1>{title}</h1><p>{words} {title}</p>{links}</main>");
            Reply::html(format!("<html lang=en><title>{title}</title>{page}"))
        };
        match request.path() {
            "/" => page("Start", "<a href=/a>a</a> <a href=/logout>out</a> <a href=/admin>x</a>"),
            "/a" => page("A", ""),
            "/admin" => Reply::status(403),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn scene() -> Scene {
    scene_with(&[("TRAWL_CHROMIUM", "none")]).await
}

async fn scene_with(settings: &[(&str, &str)]) -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::mixed(40))
        .serve("texts.lab", TEXTS)
        .serve("guarded.lab", Guarded)
        .serve("members.lab", Members::new(3))
        .serve(SHOP, Shop::named(SHOP).expect("a shop"));
    let companies: Vec<_> = Company::all().into_iter().take(3).collect();
    let names = format!("{},{}", Company::serve_all(&companies, &lab), lab.name_table());
    let folder = tempfile::tempdir().expect("a folder");
    let setup =
        Setup::new(folder.path()).with("TRAWL_RESOLVE", names).with("TRAWL_FIRST_BYTE_MS", 4_000);
    let mut setup = settings.iter().fold(setup, |setup, (name, value)| setup.with(name, value));
    // Machines without a working Chromium sandbox set this.
    if let Ok(without) = std::env::var("TRAWL_CHROMIUM_NO_SANDBOX") {
        setup = setup.with("TRAWL_CHROMIUM_NO_SANDBOX", without);
    }
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, companies, _folder: folder }
}

/// The code block of a language on a page of the quick starts.
fn example(name: &str, language: &str) -> String {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quickstart");
    let page = std::fs::read_to_string(pages.join(format!("{name}.md"))).expect("a page");
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("an example");
    rest.split_once("```").expect("its end").0.to_owned()
}

/// Runs an example; returns its output and its folder.
async fn run(scene: &Scene, name: &str, language: &str, about: Names<'_>) -> (String, Value) {
    let (_, program, file) = LANGUAGES.into_iter().find(|one| one.0 == language).expect("known");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), example(name, language)).expect("written");
    let mut command = Command::new(program);
    command
        .arg(file)
        .current_dir(folder.path())
        .env("TRAWL_URL", &scene.server.url)
        .env("TRAWL_KEY", &scene.key)
        .envs(about.iter().copied());
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let ended = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let ended =
        ended.unwrap_or_else(|error| panic!("{program}: {error}; scripts/test installs it"));
    let printed = text(&ended.stdout);
    assert!(
        ended.status.success() && ended.stderr.is_empty(),
        "{name} in {language}: {printed}\n{}",
        text(&ended.stderr)
    );
    let written = std::fs::read_to_string(folder.path().join("sitemap.xml")).ok();
    (printed, written.into())
}

/// The output of the examples of a page, which is equal in all languages.
async fn output_of(scene: &Scene, name: &str, about: Names<'_>) -> (BTreeSet<String>, Value) {
    let mut before: Option<(BTreeSet<String>, Value)> = None;
    for (language, ..) in LANGUAGES {
        let (printed, written) = run(scene, name, language, about).await;
        let lines: BTreeSet<_> = printed.lines().map(|line| line.trim().to_owned()).collect();
        assert!(!lines.is_empty(), "{name} in {language} prints nothing");
        if let Some((others, _)) = &before {
            assert_eq!(&lines, others, "{name} in {language} prints something else");
        }
        before = Some((lines, written));
    }
    before.expect("three languages")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn links_quick_start_works() {
    let scene = scene().await;
    let (lines, _) = output_of(&scene, "links", &[("SITE", "http://site.lab/")]).await;
    let truth = scene.lab.truth("site.lab").expect("a site");
    for path in truth.delivered.keys() {
        assert!(lines.contains(&format!("200 http://site.lab{path}")), "{path}: {lines:?}");
    }
    assert!(lines.iter().any(|line| line.starts_with("404 ")), "broken ones too: {lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn pages_quick_start_works() {
    let scene = scene().await;
    let (lines, _) = output_of(&scene, "pages", &[("SITE", "http://texts.lab/")]).await;
    let (urls, pages): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line.starts_with("http://texts.lab/"));
    assert_eq!(urls.len(), 5, "{lines:?}");
    let [page] = pages[..] else { panic!("one page: {lines:?}") };
    let parts: Vec<_> = page.split(" | ").collect();
    assert_eq!(parts.len(), 3, "{page}");
    assert!(parts[1].ends_with(" words") && parts[2].ends_with(" links"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn sitemap_quick_start_works() {
    let scene = scene().await;
    let (lines, written) = output_of(&scene, "sitemap", &[("SITE", "http://site.lab/")]).await;
    let sitemap = written.as_str().expect("a file");
    assert!(sitemap.contains("<urlset") && sitemap.contains("<loc>http://site.lab/</loc>"));
    let pages = sitemap.matches("<loc>").count();
    assert!(pages > 10, "{sitemap}");
    assert_eq!(lines, BTreeSet::from([pages.to_string()]));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn products_quick_start_works() {
    let scene = scene().await;
    let site = format!("http://{SHOP}/");
    let mut seen = BTreeSet::new();
    // Which five products come first differs between runs.
    for (language, ..) in LANGUAGES {
        let (printed, _) = run(&scene, "products", language, &[("SITE", site.as_str())]).await;
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines[0], "5 credits a product", "{language}");
        assert_eq!(lines.len(), 6, "{language}: {lines:?}");
        seen.extend(lines[1..].iter().map(ToString::to_string));
    }
    let truth = Shop::named(SHOP).expect("a shop").shop_truth();
    for line in seen {
        let (name, price) = line.split_once(" | ").expect("a name and a price");
        assert!(truth.products.iter().any(|product| product.name == name), "{line}");
        assert!(price.ends_with("EUR") || price.ends_with("CHF"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn markdown_quick_start_works() {
    let scene = scene().await;
    let (lines, _) = output_of(&scene, "markdown", &[("SITE", "http://texts.lab/")]).await;
    let plain = Handbook::plain_texts().map(|(path, _)| path.to_owned());
    for path in TEXTS.texts().into_keys().chain(plain) {
        let start = format!("http://texts.lab{path} | ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{path}: {lines:?}");
    }
    assert!(lines.iter().all(|line| line.ends_with(" words")), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn contacts_quick_start_works() {
    let scene = scene().await;
    let domains: Vec<_> = scene.companies.iter().map(Company::host).collect();
    let names = domains.join(" ");
    let (lines, _) = output_of(&scene, "contacts", &[("DOMAINS", names.as_str())]).await;
    assert_eq!(lines.len(), domains.len());
    for domain in domains {
        let start = format!("{domain} | ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{domain}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn lists_quick_start_works() {
    let scene = scene().await;
    let (lines, _) = output_of(&scene, "lists", &[("SITE", "http://texts.lab/")]).await;
    assert_eq!(lines.len(), 10, "each URL of the list has a line: {lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("http://texts.lab/")), "{lines:?}");
    let chapters =
        lines.iter().filter(|line| line.contains("/section-") && line.contains(" | Chapter"));
    assert!(chapters.count() >= 5, "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn filters_quick_start_works() {
    let scene = scene().await;
    let about = [("SITE", "http://texts.lab/"), ("FILTER", "/chapter-1/**")];
    let (lines, _) = output_of(&scene, "filters", &about).await;
    let sections = (0..4).map(|section| format!("http://texts.lab/chapter-1/section-{section}"));
    let others = ["completed, 8 credits", "http://texts.lab/ is skipped: excluded"];
    let expected: BTreeSet<_> = sections.chain(others.map(str::to_owned)).collect();
    assert_eq!(lines, expected);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl, jq, Python and Node.js: scripts/test installs them"]
async fn logins_quick_start_works() {
    let scene = scene().await;
    let site = "http://guarded.lab/";
    for (member, value) in [
        ("basic_auth", json!({"username": "ada", "password": "correct-horse"})),
        ("cookies", json!({"session": "of-a-member"})),
    ] {
        let access = json!({member: value}).to_string();
        let about = [("SITE", site), ("ACCESS", access.as_str())];
        let (lines, _) = output_of(&scene, "logins", &about).await;
        for path in ["", "a"] {
            let start = format!("{site}{path} | ");
            assert!(lines.iter().any(|line| line.starts_with(&start)), "{path}: {lines:?}");
        }
        for line in [
            format!("completed with {member}: 4 credits"),
            format!("{site}logout is skipped: excluded"),
            format!("{site}admin is skipped: blocked"),
        ] {
            assert!(lines.contains(&line), "{line}: {lines:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium, curl, jq, Python and Node.js: scripts/test installs them"]
async fn logins_quick_start_works_with_a_form() {
    let scene = scene_with(&[]).await;
    let site = "http://members.lab/";
    let access = json!({"login": {
        "url": format!("{site}login"),
        "actions": [
            {"type": "type", "selector": "#user", "text": MEMBER.0},
            {"type": "type", "selector": "#password", "text": MEMBER.1},
            {"type": "click", "selector": "#go"},
        ],
        "wait_for": "#member",
    }});
    let access = access.to_string();
    let (lines, _) = output_of(&scene, "logins", &[("SITE", site), ("ACCESS", &access)]).await;
    assert!(lines.contains("completed with login: 8 credits"), "{lines:?}");
    for page in 0..3 {
        let start = format!("{site}page/{page} | ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{page}: {lines:?}");
    }
}

/// The blocks of `docs/getting-started.md` are one program: they share the id of the job.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and jq: scripts/test installs them"]
async fn getting_started_works_as_written() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/getting-started.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let blocks = page.split("```bash\n").skip(1).filter_map(|rest| rest.split("```").next());
    let script = format!("set -euo pipefail\n{}", blocks.collect::<String>());
    let folder = tempfile::tempdir().expect("a folder");
    let data = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(data.path()).with("TRAWL_CHROMIUM", "none");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let mut command = tokio::process::Command::new("bash");
    command
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("TRAWL_URL", &server.url)
        .env("TRAWL_KEY", &key);
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let ended = command.kill_on_drop(true).output().await.expect("bash runs");
    let printed = text(&ended.stdout);
    assert!(ended.status.success(), "{printed}\n{}", text(&ended.stderr));
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines[0], "The job is completed.");
    let pages = lines.iter().filter(|line| line.ends_with(" words")).count();
    assert_eq!(pages, 5, "{printed}");
    assert!(lines[lines.len() - 1].ends_with('Z'), "the next start: {printed}");
    let file = std::fs::read_to_string(folder.path().join("pages.md")).expect("a file");
    assert!(file.contains("https://docs.lab.test/"), "{file}");
}

#[test]
fn every_mode_and_way_to_read_a_site_has_a_listed_quick_start() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quickstart");
    let readme = std::fs::read_to_string(docs.join("../../README.md")).expect("a file");
    let names = Mode::ALL.iter().map(|mode| mode.as_str());
    for name in names.chain(["pages", "lists", "filters", "logins"]) {
        for (language, ..) in LANGUAGES {
            assert!(!example(name, language).trim().is_empty());
        }
        assert!(readme.contains(&format!("docs/quickstart/{name}.md")), "{name} is not named");
    }
}
