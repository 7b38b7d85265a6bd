//! Exit codes of the commands.

use std::process::ExitCode;

/// Outcome of a command; its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The command succeeded.
    Done,
    /// The command ran and found no result, or nothing with the given name.
    Nothing,
    /// The command line is invalid in a way that the parser cannot detect.
    Usage,
    /// The command could not run: settings, database, port.
    Setup,
    /// The user interrupted the command.
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Nothing => 1,
            Self::Usage => 2,
            Self::Setup => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
