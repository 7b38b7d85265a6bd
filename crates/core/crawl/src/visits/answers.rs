//! What an answer means for a visit, or that there was none.

use std::time::Duration;

use contacts::ContactAggregator;
use contract::Millis;
use journal::Cause;
use page::{LinkKind, ProtectionMarker, SitemapFile};
use urls::CanonicalUrl;

use super::VisitPlan;
use super::errand::{Aim, Errand, Stage};
use super::visit::{Verdict, Visit};
use crate::reading::Content;
use crate::{Means, Reading};

/// Redirects that are followed.
const HOPS: u8 = 10;

/// The wait before a page that failed is asked for once more.
const BACK_OFF: Duration = Duration::from_secs(1);

/// How often "too many requests" is waited out, and how long where nobody says how long.
const RATE_LIMITS: u8 = 3;
const RATE_LIMIT_WAIT: Duration = Duration::from_secs(5);

/// So many challenged pages are a protected domain.
const CHALLENGES: u32 = 3;

/// Pages that a sitemap may add, and files that an index may lead to.
const LISTED_LEADS: usize = 10;
const LISTED_FILES: usize = 3;

impl Visit {
    /// What came of an errand.
    pub fn receive(
        &mut self,
        number: u32,
        result: Result<Reading, Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) {
        // It may be forgotten: another door has opened before this one.
        if !self.errands.contains_key(&number) {
            return;
        }
        match result {
            Ok(reading) => self.answered(number, reading, plan, now),
            Err(cause) => self.failed(number, cause, now),
        }
    }

    fn answered(&mut self, number: u32, reading: Reading, plan: &VisitPlan, now: Millis) {
        let Some(errand) = self.errands.get_mut(&number) else { return };
        if let Some(marker) = reading.protection.filter(|marker| marker.kind.is_protection()) {
            return self.challenge(number, marker, plan, now);
        }
        let head = &reading.head;
        if let (301 | 302 | 303 | 307 | 308, Some(location)) = (head.status, &head.location) {
            let target = errand.url.join(location);
            return self.redirected(number, target.ok(), now);
        }
        let wait = match head.status {
            429 if errand.failures < RATE_LIMITS => {
                Some(head.retry_after.unwrap_or(RATE_LIMIT_WAIT))
            }
            408 | 500 | 502..=504 if errand.failures == 0 => {
                Some(head.retry_after.unwrap_or(BACK_OFF))
            }
            _ => None,
        };
        if let Some(wait) = wait {
            if head.status == 429 {
                // Should the wait outlast the visit, this is what the door said.
                self.rebuffs.note_status(head.status);
            }
            return self.again(number, wait, now);
        }
        if !(200..300).contains(&head.status) {
            let status = head.status;
            return self.shut(number, now, |rebuffs| rebuffs.note_status(status));
        }
        if reading.is_shell && errand.means == Means::Plain && plan.equipment.browser {
            errand.plain = Some(Box::new(reading));
            errand.means = Means::Browser;
            errand.stage = Stage::Due(now);
            return;
        }
        let Some(errand) = self.errands.remove(&number) else { return };
        match (errand.aim, &reading.content) {
            (Aim::Sitemap { is_child }, Content::List(_, file)) => {
                self.read_list(file, is_child, now);
            }
            (Aim::Sitemap { .. }, _) => {}
            (Aim::Home, _) => match refresh(&reading, &errand) {
                Some(target) => {
                    let hops = errand.hops + 1;
                    self.add(Errand { url: target, hops, stage: Stage::Due(now), ..errand });
                }
                None => {
                    self.open(&errand.url);
                    self.read(errand.url, reading);
                }
            },
            (Aim::Lead(_), _) => self.read(errand.url, reading),
        }
    }

    /// A door has opened: nobody knocks at the others any more.
    fn open(&mut self, url: &CanonicalUrl) {
        self.errands.clear();
        self.doors.clear();
        self.leads.see(url);
        self.know(url);
        self.aggregator = ContactAggregator::new(url.bare_host());
        self.home = Some(url.clone());
        self.pages_asked = 1;
    }

    fn read(&mut self, url: CanonicalUrl, reading: Reading) {
        self.pages_read += 1;
        if let Content::Page(page) = &reading.content {
            for link in &page.links {
                if matches!(link.kind, LinkKind::Anchor | LinkKind::Area) && self.admits(&link.url)
                {
                    self.know(&link.url);
                }
            }
            // Whoever answers the same to everything is read once.
            if !self.contents.insert(page.content_hash.clone()) {
                return;
            }
        }
        let Some(contacts) = reading.contacts else { return };
        for lead in &contacts.leads {
            if self.admits(&lead.url) {
                self.know(&lead.url);
                self.leads.offer(lead.clone());
            }
        }
        if contacts.is_parked && self.pages_read == 1 {
            self.verdict = Some(Verdict::Enough);
        }
        self.aggregator.add(url, *contacts);
    }

    /// Pages of a sitemap whose addresses promise something.
    fn read_list(&mut self, file: &SitemapFile, is_child: bool, now: Millis) {
        let leads =
            file.entries.iter().filter_map(|entry| contacts::ContactLead::by_address(&entry.url));
        for lead in leads.take(LISTED_LEADS) {
            if self.admits(&lead.url) {
                self.know(&lead.url);
                self.leads.offer(lead);
            }
        }
        if is_child {
            return;
        }
        for child in file.children.iter().take(LISTED_FILES) {
            if self.admits(child) {
                let aim = Aim::Sitemap { is_child: true };
                self.add(Errand::new(child.clone(), aim, Means::Plain, now));
            }
        }
    }

    fn failed(&mut self, number: u32, cause: Cause, now: Millis) {
        let Some(errand) = self.errands.get_mut(&number) else { return };
        if let Some(plain) = errand.plain.take() {
            // The page is there, whatever the browser made of it.
            let Some(errand) = self.errands.remove(&number) else { return };
            if errand.aim == Aim::Home {
                self.open(&errand.url);
            }
            return self.read(errand.url, *plain);
        }
        let is_passing = matches!(
            cause,
            Cause::NameServer
                | Cause::Connect
                | Cause::Timeout
                | Cause::ProviderDown
                | Cause::Egress
                | Cause::Busy
        );
        // Another door is as good as another try.
        let has_another = errand.aim == Aim::Home && !self.one_door;
        if is_passing && errand.failures == 0 && !has_another {
            return self.again(number, BACK_OFF, now);
        }
        self.shut(number, now, |rebuffs| rebuffs.note_cause(cause));
    }

    fn again(&mut self, number: u32, wait: Duration, now: Millis) {
        if let Some(errand) = self.errands.get_mut(&number) {
            errand.failures += 1;
            errand.stage = Stage::Due(now.plus(wait));
        }
    }

    /// An errand came to nothing.
    fn shut(&mut self, number: u32, now: Millis, note: impl FnOnce(&mut super::rebuffs::Rebuffs)) {
        let Some(errand) = self.errands.remove(&number) else { return };
        if errand.aim == Aim::Home {
            note(&mut self.rebuffs);
            self.next_door = now;
        }
    }

    /// An errand that the rules or the operator do not allow, or whose rules cannot be had.
    pub(super) fn turned_away(&mut self, number: u32, cause: Cause, now: Millis) {
        let Some(errand) = self.errands.get(&number) else { return };
        if errand.aim == Aim::Home {
            match cause {
                // A no at one door is a no of the house.
                Cause::Robots | Cause::Blacklisted => self.verdict = Some(Verdict::Blocked),
                Cause::NameNotFound | Cause::AddressRefused => {
                    let host = errand.url.host().to_owned();
                    self.doors.retain(|door| door.host() != host);
                }
                _ => {}
            }
        }
        self.shut(number, now, |rebuffs| rebuffs.note_cause(cause));
    }

    fn redirected(&mut self, number: u32, target: Option<CanonicalUrl>, now: Millis) {
        let Some(errand) = self.errands.get(&number) else { return };
        let asked = errand.url.clone();
        let target = target.filter(|target| *target != asked && errand.hops < HOPS);
        let leads_on = |target: &CanonicalUrl| match errand.aim {
            Aim::Home => true,
            Aim::Lead(_) | Aim::Sitemap { .. } => self.admits(target),
        };
        let Some(target) = target.filter(leads_on) else {
            return self.shut(number, now, |rebuffs| rebuffs.note_cause(Cause::RedirectLoop));
        };
        let is_other_page = target.page_key() != asked.page_key();
        if matches!(errand.aim, Aim::Lead(_)) && is_other_page && !self.leads.see(&target) {
            self.errands.remove(&number);
            return;
        }
        if let Some(errand) = self.errands.get_mut(&number) {
            errand.url = target;
            errand.hops += 1;
            errand.failures = 0;
            errand.stage = Stage::Due(now);
        }
    }

    /// Protection answered in place of a page.
    fn challenge(&mut self, number: u32, marker: ProtectionMarker, plan: &VisitPlan, now: Millis) {
        let Some(errand) = self.errands.get(&number) else { return };
        let is_home = errand.aim == Aim::Home;
        if plan.protected && errand.failures == 0 {
            // The next visitor may pass.
            return self.again(number, BACK_OFF, now);
        }
        self.challenged += 1;
        self.protected_by = Some(marker);
        if is_home || self.challenged >= CHALLENGES {
            let is_question = plan.escalates && !plan.protected;
            self.verdict = Some(match is_question {
                true => Verdict::SetAside(marker),
                false => Verdict::Blocked,
            });
        }
        self.shut(number, now, |rebuffs| rebuffs.note_cause(Cause::Protected));
    }
}

/// Where a page sends whoever waits a moment; nowhere when it has something to say.
fn refresh(reading: &Reading, errand: &Errand) -> Option<CanonicalUrl> {
    const SAYS_SOMETHING: u64 = 200;
    let Content::Page(page) = &reading.content else { return None };
    let link = page.links.iter().find(|link| link.kind == LinkKind::Refresh)?;
    let leads_on = page.text_chars < SAYS_SOMETHING && errand.hops < HOPS;
    (leads_on && link.url.page_key() != errand.url.page_key()).then(|| link.url.clone())
}
