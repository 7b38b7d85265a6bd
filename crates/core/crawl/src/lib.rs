//! The engine: what to fetch next, and what an answer means. Without I/O.
//!
//! A driver puts [`Input`]s in and carries [`Action`]s out; time comes in with
//! each input. Everything that must survive a crash lives in [`RunState`], which
//! changes only by the steps that are written to the log: replaying them is the
//! same code, so what comes back is what was there.

mod answering;
mod ceilings;
mod discovery;
mod dispatch;
mod ending;
mod engine;
mod fate;
mod finder;
mod finishing;
mod frontier;
mod item;
mod languages;
mod listing;
mod originals;
mod pace;
mod page_ends;
mod plan;
mod protection_watch;
mod read_request;
mod reading;
mod redirect;
mod repeats;
mod retry;
mod robots_answer;
mod robots_watch;
mod schedule;
mod selling;
mod shells;
mod skip_row;
mod state;
mod tally;
mod task;
mod twins;
mod visits;

use contract::Mode;

/// The modes that the engine runs.
pub const MODES: &[Mode] =
    &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

pub use ceilings::{Ceilings, FetchAllowance};
pub use engine::{Crawl, ReplayError};
pub use frontier::{Frontier, Offered};
pub use languages::{language_of_page, page_language};
pub use pace::{HostPace, Wait};
pub use plan::{Equipment, Plan, Retries};
pub use read_request::{ReadRequest, page_bytes};
pub use reading::{AnswerHead, Reading, is_card};
pub use state::RunState;
pub use task::{
    Action, Engine, Input, Means, Pending, ProductStudy, Purpose, Standing, Study, Task, Want,
};
pub use visits::{Asked, Circumstances, VisitPlan, Visits, VisitsState, contact_record};
