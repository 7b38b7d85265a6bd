//! Finds Chromium processes by the directory of their profile.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::PATIENCE;

#[derive(Debug)]
pub struct Process {
    pub id: i32,
    pub arguments: Vec<String>,
}

impl Process {
    pub fn kill(&self) {
        let pid = rustix::process::Pid::from_raw(self.id).expect("a process id");
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }

    pub fn is_renderer(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--type=renderer")
    }

    /// Whether it is the main browser process.
    pub fn is_browser(&self) -> bool {
        !self.arguments.iter().any(|argument| argument.starts_with("--type="))
            && !self.arguments.iter().any(|argument| argument.contains("crashpad"))
    }
}

/// Living processes with a profile under `scratch`.
pub fn under(scratch: &Path) -> Vec<Process> {
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    let scratch = scratch.to_string_lossy().into_owned();
    all.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        // Empty for zombies.
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let arguments = String::from_utf8_lossy(&line).replace('\0', "\n");
        // Chromium rewrites the arguments of its children, separated by spaces.
        let mine = arguments.contains(&scratch) || environment(&entry.path()).contains(&scratch);
        let arguments = arguments.split(['\n', ' ']).map(str::to_owned).collect();
        (mine && !line.is_empty()).then_some(Process { id, arguments })
    })
    .collect()
}

/// Not all child processes have the profile in their arguments, but all have HOME.
fn environment(process: &Path) -> String {
    let bytes = fs::read(process.join("environ")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits until no process is left.
pub async fn all_gone(scratch: &Path) {
    let gone = async {
        while !under(scratch).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, gone).await.is_err() {
        panic!("still there: {:?}", under(scratch));
    }
}

/// Waits until `scratch` is empty.
pub async fn emptied(scratch: &Path) {
    let empty = async {
        while fs::read_dir(scratch).expect("a folder").next().is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, empty).await.expect("profiles are removed");
}
