//! Finds Chromium and builds its command line.

use std::env;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::RenderSettings;
use super::browser_user::BrowserUser;
use super::profile::BrowserProfile;

/// Usual names of the program, in order of preference.
const PROGRAM_NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Chromium uses the file descriptors 3 and 4. A shell moves stdin and stdout there, without unsafe
/// code, and replaces itself by Chromium (`exec`). `nice` gives the service priority over Chromium on
/// a busy machine.
const MOVE_PIPES: &str = r#"exec nice -n 5 "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#;

/// Switches that do not depend on the settings.
const FIXED_SWITCHES: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    // No background activity.
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
    // No traffic outside of the proxy. The switch for WebRTC has two names.
    "--disable-quic",
    "--dns-prefetch-disable",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No upgrade to https, no discovery in the local network, no prefetch.
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,MediaRouter,\
     DialMediaRouteProvider,OptimizationHints,Translate,AcceptCHFrame,\
     NetworkTimeServiceQuerying,Prerender2,NoStatePrefetch,LoadingPredictorPrefetch",
    // Tabs in the background must not be throttled.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--window-size=1280,1024",
];

/// Finds Chromium: `given`, or the first of its usual names on the `PATH`.
pub(crate) fn find(given: Option<&Path>) -> Option<PathBuf> {
    match given {
        Some(path) if path.components().count() > 1 => is_program(path).then(|| path.to_owned()),
        Some(name) => on_path(name),
        None => PROGRAM_NAMES.iter().find_map(|name| on_path(Path::new(name))),
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The search path if `PATH` is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The command that starts Chromium as `user` in a new process group. Of the environment only `PATH`
/// and `LANG` are passed on: other variables may be secret.
pub(crate) fn command(
    chromium: &Path,
    settings: &RenderSettings,
    profile: &BrowserProfile,
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
        // Certificates, caches and crash reports are deleted with the profile.
        .env("HOME", profile.home())
        .env("TMPDIR", profile.home())
        .current_dir(profile.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(BrowserUser { uid, gid }) = user {
        // Also drops the supplementary groups of root.
        command.uid(uid).gid(gid);
    }
    command
}

fn switches(settings: &RenderSettings, proxy: SocketAddr, user_agent: &str) -> Vec<String> {
    let mut switches: Vec<String> = FIXED_SWITCHES.iter().map(|text| (*text).to_owned()).collect();
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
    fn sandbox_is_disabled_only_by_the_setting() {
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
    fn given_program_is_used_if_it_is_executable() {
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
