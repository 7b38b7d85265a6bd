//! An outlet that keeps what it is given, for tests.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::{FileKind, Outlet};

#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<(Option<FileKind>, Vec<u8>)>>);

impl Kept {
    /// What came, and as what it was announced.
    pub(crate) fn take(&self) -> (FileKind, Vec<u8>) {
        let mut kept = self.0.lock().expect("no panic before");
        (kept.0.take().expect("it was announced"), std::mem::take(&mut kept.1))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().expect("no panic before");
        assert!(kept.0.is_some(), "a byte before it was told what is to come");
        kept.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Outlet for Kept {
    fn begins(&mut self, kind: FileKind) {
        let before = self.0.lock().expect("no panic before").0.replace(kind);
        assert_eq!(before, None, "told twice");
    }
}
