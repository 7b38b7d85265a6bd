//! The example verifiers of docs/webhooks.md, run as documented.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The command of an example: secret and header as arguments, body on standard input.
const PYTHON: &str = "
import sys
sys.exit(0 if verify(sys.argv[1], sys.argv[2], sys.stdin.buffer.read()) else 1)
";
const JAVASCRIPT: &str = "
const body = require('node:fs').readFileSync(0);
process.exit(verify(process.argv[2], process.argv[3], body) ? 0 : 1);
";

/// The examples as files.
pub struct Verifiers {
    folder: TempDir,
}

impl Verifiers {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (language, file, call) in
            [("python", "verify.py", PYTHON), ("javascript", "verify.js", JAVASCRIPT)]
        {
            let program = format!("{}{call}", example(language));
            std::fs::write(folder.path().join(file), program).expect("written");
        }
        assert!(example("go").contains("hmac.Equal"));
        Self { folder }
    }

    /// The result of all examples, which must agree.
    pub fn accept(&self, secret: &str, header: &str, body: &[u8]) -> bool {
        let verdicts = [("python3", "verify.py"), ("node", "verify.js")].map(|(program, file)| {
            let mut child = Command::new(program)
                .arg(self.folder.path().join(file))
                .args([secret, header])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap_or_else(|error| panic!("{program}: {error}; scripts/test installs it"));
            let mut input = child.stdin.take().expect("a pipe");
            // An example may reject the header without reading the body.
            let _ = input.write_all(body);
            drop(input);
            match child.wait().expect("it ends").code() {
                Some(0) => true,
                Some(1) => false,
                other => panic!("{program} ended with {other:?}"),
            }
        });
        assert_eq!(verdicts[0], verdicts[1], "Python and JavaScript disagree about {header}");
        verdicts[0]
    }
}

/// The code block of this language in docs/webhooks.md.
fn example(language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/webhooks.md");
    let text = std::fs::read_to_string(path).expect("docs/webhooks.md");
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("an example");
    rest.split_once("```").expect("its end").0.to_owned()
}
