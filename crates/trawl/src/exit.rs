//! Exit codes of the commands.

use std::fmt::Display;
use std::process::ExitCode;

use thiserror::Error;

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

/// Ends a command with an exit code and a message for the user.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct CommandFailure {
    exit: Exit,
    message: String,
}

/// Ends the command with an exit code and a message: `fail!(Usage, "there is no mode {mode}")`.
macro_rules! fail {
    ($exit:ident, $($message:tt)+) => {
        return Err($crate::exit::Exit::$exit.with(format_args!($($message)+)).into())
    };
}
pub(crate) use fail;

impl Exit {
    /// An error that ends the command with this exit code.
    pub fn with(self, message: impl Display) -> CommandFailure {
        CommandFailure { exit: self, message: message.to_string() }
    }

    /// The exit code after an error.
    pub fn after(error: &anyhow::Error) -> Self {
        error.downcast_ref::<CommandFailure>().map_or(Self::Setup, |failure| failure.exit)
    }

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
