//! Examples of schedules and comparisons.

use contract::{
    Change, ChangeCounts, ChangeKind, ChangesPage, CreateSchedule, Item, JobId, LastRun, Millis,
    Schedule, ScheduleId, ScheduleList, Status,
};

use super::{NOW, create_job, job_id, results};

const DAY: i64 = 24 * 60 * 60 * 1_000;

pub(crate) fn create() -> CreateSchedule {
    CreateSchedule {
        name: Some("Every morning".to_owned()),
        cron: "30 9 * * *".to_owned(),
        timezone: Some("UTC".to_owned()),
        request: create_job(),
        paused: None,
    }
}

pub(crate) fn schedule() -> Schedule {
    let CreateSchedule { name, cron, timezone, request, .. } = create();
    Schedule {
        id: ScheduleId::new(NOW, [0x3d; 10]),
        name: name.unwrap_or_default(),
        cron,
        timezone: timezone.unwrap_or_default(),
        request,
        paused: false,
        next_runs: (1..=5).map(|day| Millis(NOW.0 + day * DAY)).collect(),
        last_run: Some(LastRun {
            job_id: job_id(),
            status: Status::Completed,
            at: NOW,
            error: None,
        }),
        created_at: Millis(NOW.0 - DAY),
        created_by: None,
    }
}

pub(crate) fn list() -> ScheduleList {
    let items = vec![schedule()];
    ScheduleList { items, total: 1, page: 1, page_size: 100, has_more: false, offset: 0 }
}

pub(crate) fn changes() -> ChangesPage {
    let after = results().items.into_iter().next();
    let mut before = after.clone();
    if let Some(link) = before.as_mut().and_then(Item::link_mut) {
        link.title = Some("Soon here".to_owned());
    }
    let key = after.as_ref().map(|item| item.url().to_owned()).unwrap_or_default();
    let fields = vec!["title".to_owned()];
    ChangesPage {
        job_id: job_id(),
        since: Some(JobId::new(Millis(NOW.0 - DAY), [0x1a; 10])),
        mode: create_job().mode,
        counts: ChangeCounts { added: 0, changed: 1, removed: 0, unchanged: 0 },
        items: vec![Change { kind: ChangeKind::Changed, key, fields, before, after }],
        total: 1,
        page: 1,
        page_size: 100,
        has_more: false,
    }
}
