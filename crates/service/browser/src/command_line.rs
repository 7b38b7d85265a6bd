//! How Chromium is found and started.

use std::env;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::RenderSettings;
use super::browser_user::BrowserUser;
use super::profile::Profile;

/// What it is called, in the order of preference.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Chromium speaks over the descriptors 3 and 4. A shell moves the pipes there from
/// where every program gets its own: without a line of unsafe code, and at no cost,
/// because it becomes Chromium. Packaged Chromiums are started by a shell anyway. On a machine
/// that is busy the service comes first: Chromium gives way to it.
const MOVE_PIPES: &str = r#"exec nice -n 5 "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#;

/// Always the same.
const FIXED: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    // Nothing of its own accord.
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--noerrdialogs",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-notifications",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--deny-permission-prompts",
    // Nothing around the proxy. The rules for WebRTC have had two names.
    "--disable-quic",
    "--dns-prefetch-disable",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // What was asked for is asked for, and under no other scheme; no searching of the
    // local network; no guesses about what might be wanted next.
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,MediaRouter,\
     DialMediaRouteProvider,OptimizationHints,Translate,AcceptCHFrame,\
     NetworkTimeServiceQuerying,Prerender2,NoStatePrefetch,LoadingPredictorPrefetch",
    // Several tabs are shown at a time, and nobody looks at any of them.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--window-size=1280,1024",
];

/// Chromium on this machine: `given`, or the first of its usual names on the `PATH`.
pub(crate) fn find(given: Option<&Path>) -> Option<PathBuf> {
    match given {
        Some(path) if path.components().count() > 1 => is_program(path).then(|| path.to_owned()),
        Some(name) => on_path(name),
        None => NAMES.iter().find_map(|name| on_path(Path::new(name))),
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Where programs are looked for when this process was not told.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The command that starts it as `user`, in a process group of its own. Of the environment only
/// the path and the language are passed on: what else stands there may be secret.
pub(crate) fn command(
    chromium: &Path,
    settings: &RenderSettings,
    profile: &Profile,
    user: Option<BrowserUser>,
    proxy: SocketAddr,
    user_agent: &str,
) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", MOVE_PIPES, "chromium"])
        .arg(chromium)
        .args(switches(settings, proxy, user_agent))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("about:blank")
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into()))
        .env("LANG", env::var_os("LANG").unwrap_or_else(|| "C.UTF-8".into()))
        // Certificates, caches and crash reports go the way of the profile.
        .env("HOME", profile.home())
        .env("TMPDIR", profile.home())
        .current_dir(profile.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(BrowserUser { uid, gid }) = user {
        // This also leaves all further groups of root.
        command.uid(uid).gid(gid);
    }
    command
}

fn switches(settings: &RenderSettings, proxy: SocketAddr, user_agent: &str) -> Vec<String> {
    let mut switches: Vec<String> = FIXED.iter().map(|text| (*text).to_owned()).collect();
    switches.push(format!("--proxy-server=http://{proxy}"));
    switches.push(format!("--user-agent={user_agent}"));
    switches.push(format!("--js-flags=--max-old-space-size={}", settings.script_heap_mib));
    if settings.no_sandbox {
        switches.push("--no-sandbox".to_owned());
    }
    switches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sandbox_is_left_out_only_when_the_operator_says_so() {
        let with = |no_sandbox| {
            let settings = RenderSettings { no_sandbox, ..RenderSettings::default() };
            switches(&settings, ([127, 0, 0, 1], 9).into(), "Trawl/1 (+x)")
        };
        assert!(!with(false).iter().any(|switch| switch.contains("sandbox")));
        assert!(with(true).iter().any(|switch| switch == "--no-sandbox"));
        for wanted in [
            "--proxy-server=http://127.0.0.1:9",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--disable-quic",
            "--dns-prefetch-disable",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--user-agent=Trawl/1 (+x)",
            "--js-flags=--max-old-space-size=512",
        ] {
            assert!(with(false).iter().any(|switch| switch == wanted), "{wanted}");
        }
    }

    #[test]
    fn a_given_program_is_taken_or_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("chromium");
        assert_eq!(find(Some(&program)), None);
        std::fs::write(&program, "").expect("a file");
        assert_eq!(find(Some(&program)), None);
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, rights).expect("rights");
        assert_eq!(find(Some(&program)), Some(program));
        assert!(find(Some(Path::new("sh"))).is_some());
        assert_eq!(find(Some(Path::new("no-such-browser"))), None);
    }
}
