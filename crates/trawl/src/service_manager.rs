//! Messages to the service manager that started this process (systemd with `Type=notify`,
//! `sd_notify`): readiness, status, watchdog, stop.
//!
//! Without `NOTIFY_SOCKET` in the environment no message is sent. A message that cannot be sent is
//! logged and does not fail the service.

use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// How often a start that takes long asks for more time, and how much it asks for.
const EXTEND_EVERY: Duration = Duration::from_secs(30);
const EXTENSION: Duration = Duration::from_secs(90);

/// The service manager, if there is one.
#[derive(Debug)]
pub struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// The service manager that the environment names.
    pub fn from_environment() -> Self {
        let variable = |name| std::env::var(name).ok();
        let socket = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty());
        let socket = socket.and_then(|name| match socket_to(&name) {
            Ok(socket) => Some(socket),
            Err(error) => {
                tracing::warn!(%error, ?name, "cannot use NOTIFY_SOCKET; the service manager gets no messages");
                None
            }
        });
        let watchdog = watchdog_interval(
            variable("WATCHDOG_USEC").as_deref(),
            variable("WATCHDOG_PID").as_deref(),
            std::process::id(),
        );
        Self { socket, watchdog }
    }

    /// The start has ended: clients are served.
    pub fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// One line that `systemctl status` shows.
    pub fn status(&self, status: &str) {
        self.send(&format!("STATUS={status}"));
    }

    /// The service begins to stop.
    pub fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=stopping");
    }

    /// Waits for a step of the start that may take long, such as a schema migration, and asks for
    /// more time meanwhile.
    pub async fn while_starting<T>(&self, step: impl Future<Output = T>) -> T {
        tokio::pin!(step);
        loop {
            tokio::select! {
                done = &mut step => return done,
                () = tokio::time::sleep(EXTEND_EVERY) => {
                    self.send(&format!("EXTEND_TIMEOUT_USEC={}", EXTENSION.as_micros()));
                }
            }
        }
    }

    /// Reports that the async runtime works, for as long as it is polled: the manager restarts a
    /// service whose reports stop.
    pub async fn run_watchdog(&self) {
        let Some(timeout) = self.watchdog else { return };
        let mut ticks = tokio::time::interval(timeout / 2);
        loop {
            ticks.tick().await;
            self.send("WATCHDOG=1");
        }
    }

    fn send(&self, message: &str) {
        let Some((socket, manager)) = &self.socket else { return };
        if let Err(error) = socket.send_to_addr(message.as_bytes(), manager) {
            tracing::warn!(%error, "cannot send a message to the service manager");
        }
    }
}

/// A socket that does not block, with the address of the manager.
fn socket_to(name: &OsStr) -> io::Result<(UnixDatagram, SocketAddr)> {
    let manager = address(name)?;
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    Ok((socket, manager))
}

/// A path, or after `@` a name in the abstract namespace of Linux.
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = name.as_encoded_bytes().strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt;
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(name)
}

/// The timeout of the watchdog, if it is on and meant for this process.
fn watchdog_interval(micros: Option<&str>, of: Option<&str>, own_id: u32) -> Option<Duration> {
    if of.is_some_and(|id| id.parse() != Ok(own_id)) {
        return None;
    }
    let micros = micros?.parse::<u64>().ok().filter(|micros| *micros >= 2)?;
    Some(Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watchdog_is_for_the_process_that_the_manager_started() {
        let second = Some(Duration::from_secs(1));
        assert_eq!(watchdog_interval(Some("1000000"), None, 7), second);
        assert_eq!(watchdog_interval(Some("1000000"), Some("7"), 7), second);
        assert_eq!(watchdog_interval(Some("1000000"), Some("8"), 7), None, "of another process");
        for off in [None, Some("0"), Some("1"), Some("-1"), Some("soon")] {
            assert_eq!(watchdog_interval(off, None, 7), None, "{off:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_socket_names_are_supported() {
        use std::os::linux::net::SocketAddrExt;
        let name = format!("trawl-test-{}", std::process::id());
        let manager = SocketAddr::from_abstract_name(&name).expect("a name");
        let manager = UnixDatagram::bind_addr(&manager).expect("bound");
        let socket = socket_to(OsStr::new(&format!("@{name}"))).expect("a socket");
        ServiceManager { socket: Some(socket), watchdog: None }.ready("listening");
        let mut message = [0; 64];
        let length = manager.recv(&mut message).expect("a message");
        assert_eq!(&message[..length], b"READY=1\nSTATUS=listening");
    }

    #[test]
    fn manager_that_is_gone_does_not_fail_the_service() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gone");
        let socket = socket_to(path.as_os_str()).expect("a socket");
        ServiceManager { socket: Some(socket), watchdog: None }.ready("listening");
        ServiceManager { socket: None, watchdog: None }.stopping();
    }
}
