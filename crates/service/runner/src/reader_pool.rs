//! Child processes that read pages on trial, each with limits of memory, CPU time and open
//! files and without a network. A child that dies costs one page, never the node.
//!
//! The protocol is two frames. A request is the lengths of its header and its body, four
//! bytes each, little-endian, then both. A reply is one byte for the outcome and the length of
//! a payload, then the payload: empty for pages, which the parent reads again for itself;
//! readers of other documents will return what they read in it.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawl::ReadRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many pages a child reads before another takes its place: a leak ends with it.
const PAGES_OF_A_CHILD: u32 = 1_000;

/// How many times the CPU budget of a page its trial may take by the clock.
const CLOCK_FACTOR: u32 = 10;

/// How long a child may take to start.
const START: Duration = Duration::from_secs(10);

/// How much is read of why a child could not start.
const STDERR_BYTES: u64 = 4 << 10;

/// What a child says when it is ready, and of every page.
pub(crate) const READY: u8 = b'R';
pub(crate) const SURVIVED: u8 = b'S';
pub(crate) const EXHAUSTED: u8 = b'X';

/// Why a page is too complex whose child broke off.
const DIED: &str = "the reader process died";

/// The longest payload that a reply may have.
const PAYLOAD_BYTES: u32 = 32 << 20;

/// How children are started, and what they may take.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    /// The program, and the arguments that make a reader of it.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Children at a time.
    pub children: usize,
    /// CPU time for one page.
    pub cpu: Duration,
    /// Bytes of memory of one child.
    pub memory: u64,
}

/// How a page fared in a child.
#[derive(Debug)]
pub enum Trial {
    /// It was read within the limits.
    Survived,
    /// It was not, for this reason.
    TooComplex(&'static str),
    /// No child could be started: that says nothing about the page.
    Unavailable(io::Error),
}

/// The children. Cheap to clone; all clones share them.
#[derive(Debug, Clone)]
pub struct ReaderPool {
    shared: Arc<PoolShared>,
}

#[derive(Debug)]
struct PoolShared {
    settings: PoolSettings,
    places: Semaphore,
    idle: Mutex<Vec<ReaderProcess>>,
}

impl ReaderPool {
    /// A pool whose first child starts with the first page.
    #[must_use]
    pub fn new(settings: PoolSettings) -> Self {
        let places = Semaphore::new(settings.children.max(1));
        Self { shared: Arc::new(PoolShared { settings, places, idle: Mutex::default() }) }
    }

    /// Reads a page in a child.
    pub async fn try_read(&self, request: &ReadRequest, body: &[u8]) -> Trial {
        let Ok(_place) = self.shared.places.acquire().await else {
            unreachable!("the semaphore of the pool is never closed")
        };
        let header = match postcard::to_stdvec(request) {
            Ok(header) => header,
            Err(error) => return Trial::Unavailable(io::Error::other(error)),
        };
        let idle = self.idle().pop();
        if let Some(child) = idle {
            match self.try_in(child, &header, body).await {
                // It may have died before this page, or have been left near its limit by another.
                Trial::TooComplex(DIED) => {}
                trial => return trial,
            }
        }
        match ReaderProcess::start(&self.shared.settings).await {
            Ok(child) => self.try_in(child, &header, body).await,
            Err(error) => Trial::Unavailable(error),
        }
    }

    /// Reads a page in this child.
    async fn try_in(&self, mut child: ReaderProcess, header: &[u8], body: &[u8]) -> Trial {
        let wait = self.shared.settings.cpu * CLOCK_FACTOR;
        // A child that is not put back is killed when it is dropped.
        match timeout(wait, child.exchange(header, body)).await {
            Ok(Ok((SURVIVED, _payload))) => {
                child.pages += 1;
                if child.pages < PAGES_OF_A_CHILD {
                    self.idle().push(child);
                }
                Trial::Survived
            }
            Ok(Ok(_)) => Trial::TooComplex("it exceeded the budget of a page"),
            Ok(Err(_)) => Trial::TooComplex(DIED),
            Err(_) => Trial::TooComplex("the reader process did not answer in time"),
        }
    }

    /// Starts a child to see whether children can be started.
    ///
    /// # Errors
    /// Why not.
    pub async fn check(&self) -> io::Result<()> {
        let child = ReaderProcess::start(&self.shared.settings).await?;
        self.idle().push(child);
        Ok(())
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ReaderProcess>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct ReaderProcess {
    /// Held so that the process is killed when it is dropped.
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    pages: u32,
}

impl ReaderProcess {
    async fn start(settings: &PoolSettings) -> io::Result<Self> {
        let mut child = Command::new(&settings.program)
            .args(&settings.arguments)
            .arg(settings.memory.to_string())
            .arg(settings.cpu.as_millis().to_string())
            .env_clear()
            // mimalloc maps memory as it is needed, so that the limit covers all of it. The build
            // sets the same default, but not every build has its flags.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .current_dir("/")
            // Ctrl-C in the terminal of the server ends the server, not the page being read.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("the child has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let mut stdout = child.stdout.take().ok_or_else(missing)?;
        // Closed once the child is ready: what it prints about pages is of no use.
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let ready = timeout(START, stdout.read_u8()).await.map_err(|_| {
            io::Error::new(io::ErrorKind::TimedOut, "the child did not get ready in time")
        })?;
        match ready {
            Ok(READY) => Ok(Self { _child: child, stdin, stdout, pages: 0 }),
            Ok(_) => Err(io::Error::other("the child is not a page reader")),
            Err(error) => {
                let mut why = Vec::new();
                let _ = timeout(START, stderr.take(STDERR_BYTES).read_to_end(&mut why)).await;
                let why = String::from_utf8_lossy(&why);
                Err(io::Error::new(error.kind(), format!("the child ended: {}", why.trim())))
            }
        }
    }

    /// Sends a page and waits for what became of it.
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
            return Err(io::Error::other("the payload is too long"));
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

    /// A pool whose children run this shell script in place of a reader. There is no `PATH`:
    /// only what the shell itself does can be used.
    fn pool(script: &str) -> ReaderPool {
        ReaderPool::new(PoolSettings {
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
    async fn idle_child_that_died_is_replaced_without_costing_a_page() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let marker = folder.path().join("first-child");
        let marker = marker.display();
        // The first child ends as soon as it is ready. The others answer that a page survived.
        let pool = pool(&format!(
            "printf R; [ -e '{marker}' ] || {{ : > '{marker}'; exit; }}; \
             read line; printf 'S\\000\\000\\000\\000'; while read line; do :; done"
        ));
        pool.check().await.expect("it starts");
        let trial = pool.try_read(&request(), b"<p>\n").await;
        assert!(matches!(trial, Trial::Survived), "{trial:?}");
        assert_eq!(pool.idle().len(), 1, "the new child is kept");
    }

    #[tokio::test]
    async fn child_that_cannot_start_says_why() {
        let error = pool("echo 'the memory limit does not hold' >&2; exit 1").check().await;
        let error = error.expect_err("it ended").to_string();
        assert!(error.contains("the memory limit does not hold"), "{error}");
    }

    #[tokio::test]
    async fn page_whose_fresh_child_dies_is_too_complex() {
        let trial = pool("printf R; read line; exit").try_read(&request(), b"<p>\n").await;
        assert!(matches!(trial, Trial::TooComplex(DIED)), "{trial:?}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn signals_to_the_group_of_the_server_do_not_reach_children() {
        let script = "read pid name state parent group rest < /proc/$$/stat; \
                      [ \"$group\" = $$ ] || exit 1; printf R; while read line; do :; done";
        pool(script).check().await.expect("the child has a group of its own");
    }
}
