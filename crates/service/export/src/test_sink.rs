//! A sink for tests that keeps the bytes in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::{ExportSink, FileKind};

#[derive(Debug, Clone, Default)]
pub(crate) struct TestSink(Arc<Mutex<(Option<FileKind>, Vec<u8>)>>);

impl TestSink {
    /// The announced kind and the bytes.
    pub(crate) fn take(&self) -> (FileKind, Vec<u8>) {
        let mut kept = self.0.lock().expect("no panic before");
        (kept.0.take().expect("start() was called"), std::mem::take(&mut kept.1))
    }
}

impl Write for TestSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().expect("no panic before");
        assert!(kept.0.is_some(), "bytes before start()");
        kept.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ExportSink for TestSink {
    fn start(&mut self, kind: FileKind) {
        let before = self.0.lock().expect("no panic before").0.replace(kind);
        assert_eq!(before, None, "start() is called once");
    }
}
