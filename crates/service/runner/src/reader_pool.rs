//! Child processes that read pages on trial, with limits on memory, CPU time and open files and without
//! network. A child that dies costs one page, not the node.
//!
//! The protocol has two frames. A request is the lengths of its header and its body, four bytes each,
//! little-endian, then both. A reply is one byte for the outcome and the length of a payload, then the
//! payload: empty for pages, which the parent reads again.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use page::ReadRequest;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A child is replaced after this many pages, which bounds leaks.
const MAX_PAGES_PER_CHILD: u32 = 1_000;

/// Timeout of a trial as a multiple of the CPU budget of a page.
const CLOCK_FACTOR: u32 = 10;

const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of stderr read from a child that failed to start.
const STDERR_BYTES: u64 = 4 << 10;

/// Bytes of the protocol: ready after the start, and the outcome of every page.
pub(crate) const READY: u8 = b'R';
pub(crate) const SURVIVED: u8 = b'S';
pub(crate) const EXHAUSTED: u8 = b'X';

/// Reason if the child died while reading the page.
const DIED: &str = "reader process died";

/// Maximum payload of a reply.
const PAYLOAD_BYTES: u32 = 32 << 20;

/// Command line, number and limits of the children.
#[derive(Debug, Clone)]
pub struct ReaderPoolSettings {
    /// The program and its arguments.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Maximum concurrent children.
    pub children: usize,
    pub cpu: Duration,
    /// Memory of one child in bytes.
    pub memory: u64,
}

/// Outcome of reading a page in a child.
#[derive(Debug)]
pub enum ReadTrial {
    /// Read within the limits.
    Survived,
    /// A limit was exceeded, or the child died.
    TooComplex(&'static str),
    /// No child could be started; the page was not read.
    Unavailable(io::Error),
}

/// A pool of reader processes. Clones share it.
#[derive(Debug, Clone)]
pub struct ReaderPool {
    inner: Arc<ReaderPoolInner>,
}

#[derive(Debug)]
struct ReaderPoolInner {
    settings: ReaderPoolSettings,
    slots: Semaphore,
    idle: Mutex<Vec<ReaderProcess>>,
}

impl ReaderPool {
    /// Creates a pool. The first child starts with the first page.
    #[must_use]
    pub fn new(settings: ReaderPoolSettings) -> Self {
        let slots = Semaphore::new(settings.children.max(1));
        Self { inner: Arc::new(ReaderPoolInner { settings, slots, idle: Mutex::default() }) }
    }

    pub async fn try_read(&self, request: &ReadRequest, body: &[u8]) -> ReadTrial {
        let Ok(_slot) = self.inner.slots.acquire().await else {
            unreachable!("the semaphore of the pool is never closed")
        };
        let header = match postcard::to_stdvec(request) {
            Ok(header) => header,
            Err(error) => return ReadTrial::Unavailable(io::Error::other(error)),
        };
        let idle = self.inner.idle.lock().pop();
        if let Some(child) = idle {
            match self.try_in(child, &header, body).await {
                // An idle child may have died before, or be near its memory limit: try a new one.
                ReadTrial::TooComplex(DIED) => {}
                trial => return trial,
            }
        }
        match ReaderProcess::start(&self.inner.settings).await {
            Ok(child) => self.try_in(child, &header, body).await,
            Err(error) => ReadTrial::Unavailable(error),
        }
    }

    async fn try_in(&self, mut child: ReaderProcess, header: &[u8], body: &[u8]) -> ReadTrial {
        let wait = self.inner.settings.cpu * CLOCK_FACTOR;
        // A child that is not put back is killed when it is dropped.
        match timeout(wait, child.exchange(header, body)).await {
            Ok(Ok((SURVIVED, _payload))) => {
                child.pages += 1;
                if child.pages < MAX_PAGES_PER_CHILD {
                    self.inner.idle.lock().push(child);
                }
                ReadTrial::Survived
            }
            Ok(Ok(_)) => ReadTrial::TooComplex("page budget exceeded"),
            Ok(Err(_)) => ReadTrial::TooComplex(DIED),
            Err(_) => ReadTrial::TooComplex("reader process timed out"),
        }
    }

    /// Starts a child to check that children can be started.
    ///
    /// # Errors
    /// The cause of a failed start, with the stderr of the child.
    pub async fn check(&self) -> io::Result<()> {
        let child = ReaderProcess::start(&self.inner.settings).await?;
        self.inner.idle.lock().push(child);
        Ok(())
    }
}

#[derive(Debug)]
struct ReaderProcess {
    /// Kills the process on drop.
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    pages: u32,
}

impl ReaderProcess {
    async fn start(settings: &ReaderPoolSettings) -> io::Result<Self> {
        let mut child = Command::new(&settings.program)
            .args(&settings.arguments)
            .arg(settings.memory.to_string())
            .arg(settings.cpu.as_millis().to_string())
            .env_clear()
            // mimalloc maps memory on demand, so that the limit covers all of it. The build sets the
            // same default, but not every build has its flags.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .current_dir("/")
            // Ctrl-C in the terminal of the server must not kill a child during a read.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("reader process has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let mut stdout = child.stdout.take().ok_or_else(missing)?;
        // Closed when the child is ready.
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let ready = timeout(START_TIMEOUT, stdout.read_u8()).await.map_err(|_| {
            io::Error::new(io::ErrorKind::TimedOut, "reader process did not start in time")
        })?;
        match ready {
            Ok(READY) => Ok(Self { _child: child, stdin, stdout, pages: 0 }),
            Ok(_) => Err(io::Error::other("the program is no page reader")),
            Err(error) => {
                let mut why = Vec::new();
                let _ =
                    timeout(START_TIMEOUT, stderr.take(STDERR_BYTES).read_to_end(&mut why)).await;
                let why = String::from_utf8_lossy(&why);
                Err(io::Error::new(error.kind(), format!("reader process ended: {}", why.trim())))
            }
        }
    }

    /// Sends a page and waits for its outcome.
    async fn exchange(&mut self, header: &[u8], body: &[u8]) -> io::Result<(u8, Vec<u8>)> {
        for part in [header, body] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            self.stdin.write_u32_le(length).await?;
        }
        self.stdin.write_all(header).await?;
        self.stdin.write_all(body).await?;
        self.stdin.flush().await?;
        let outcome = self.stdout.read_u8().await?;
        let length = self.stdout.read_u32_le().await?;
        if length > PAYLOAD_BYTES {
            return Err(io::Error::other("payload exceeds the size limit"));
        }
        let mut payload = vec![0; length as usize];
        self.stdout.read_exact(&mut payload).await?;
        Ok((outcome, payload))
    }
}

#[cfg(test)]
mod tests {
    use crawl::{BodyNeed, ExtractRequest, FetchTask, FetchVia, Purpose, ResponseHead};
    use urls::CanonicalUrl;

    use super::*;

    /// A pool whose children run this shell script instead of a reader. `PATH` is empty: only shell
    /// built-ins are available.
    fn pool(script: &str) -> ReaderPool {
        ReaderPool::new(ReaderPoolSettings {
            program: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            children: 1,
            cpu: Duration::from_secs(10),
            memory: 512 << 20,
        })
    }

    fn request() -> ReadRequest {
        let task = FetchTask {
            url: CanonicalUrl::parse("https://site.test/").expect("a URL"),
            purpose: Purpose::Url {
                id: journal::UrlId::START,
                need: BodyNeed::Page { images: false },
            },
            visit: None,
            gap: None,
            fetch_via: FetchVia::Plain,
            extract: ExtractRequest::default(),
        };
        ReadRequest::of(&task, &ResponseHead::default())
    }

    #[tokio::test]
    async fn dead_idle_child_is_replaced_without_failing_a_page() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let marker = folder.path().join("first-child");
        let marker = marker.display();
        // The first child exits when it is ready. The others report that the page survived.
        let pool = pool(&format!(
            "printf R; [ -e '{marker}' ] || {{ : > '{marker}'; exit; }}; \
             read line; printf 'S\\000\\000\\000\\000'; while read line; do :; done"
        ));
        pool.check().await.expect("it starts");
        let trial = pool.try_read(&request(), b"<p>\n").await;
        assert!(matches!(trial, ReadTrial::Survived), "{trial:?}");
        assert_eq!(pool.inner.idle.lock().len(), 1, "the new child is kept");
    }

    #[tokio::test]
    async fn failed_start_reports_stderr_of_the_child() {
        let error = pool("echo 'the memory limit does not hold' >&2; exit 1").check().await;
        let error = error.expect_err("it ended").to_string();
        assert!(error.contains("the memory limit does not hold"), "{error}");
    }

    #[tokio::test]
    async fn page_whose_new_child_dies_is_too_complex() {
        let trial = pool("printf R; read line; exit").try_read(&request(), b"<p>\n").await;
        assert!(matches!(trial, ReadTrial::TooComplex(DIED)), "{trial:?}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn children_run_in_their_own_process_group() {
        let script = "read pid name state parent group rest < /proc/$$/stat; \
                      [ \"$group\" = $$ ] || exit 1; printf R; while read line; do :; done";
        pool(script).check().await.expect("the child has a separate group");
    }
}
