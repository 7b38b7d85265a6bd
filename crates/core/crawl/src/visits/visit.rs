//! A visit to one domain: the door that opens, the pages that are worth it, the record.
//!
//! Nothing of it lasts: a visit that is interrupted is made again from its beginning.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use contacts::{ContactAggregator, LeadTopic};
use contract::{ContactItem, ContactStatus, Millis};
use page::{ProtectionMarker, SitemapPlaces};
use urls::{CanonicalUrl, Fingerprint};

use super::VisitPlan;
use super::errand::{Aim, Errand, Stage};
use super::house_rules::{HouseRules, Leave};
use super::leads::Leads;
use super::rebuffs::Rebuffs;
use super::record::{Circumstances, contact_record, empty_record};
use crate::{Action, Means, Purpose, Study, Task};

/// How long one door is waited for before the next is tried beside it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Pages of one domain under way at a time.
const PAGES_AT_A_TIME: usize = 2;

/// Pages that are counted as known; a domain may link to any number.
const KNOWN_AT_MOST: usize = 10_000;

/// How a visit ended.
#[derive(Debug)]
pub(super) enum Conclusion {
    /// With a record, and so many pages known.
    Record(Box<ContactItem>, u32),
    /// Protection answered: somebody has to decide.
    SetAside(ProtectionMarker),
}

/// Why a visit ends before all is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    SetAside(ProtectionMarker),
    /// Whoever is there does not let us in.
    Blocked,
    /// There is nothing more to know.
    Enough,
}

/// A visit.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) place: u32,
    domain: String,
    input: Option<String>,
    pub(super) began: Millis,
    deadline: Millis,
    /// The page means of this visit: plain, or the tier.
    pub(super) means: Means,
    /// Doors that nobody has knocked at yet, and when to try the next.
    pub(super) doors: VecDeque<CanonicalUrl>,
    pub(super) next_door: Millis,
    /// Whether there was only one from the beginning.
    pub(super) one_door: bool,
    pub(super) rebuffs: Rebuffs,
    rules: HouseRules,
    pub(super) errands: BTreeMap<u32, Errand>,
    next_errand: u32,
    /// Where the home page was read.
    pub(super) home: Option<CanonicalUrl>,
    pub(super) aggregator: ContactAggregator,
    pub(super) leads: Leads,
    sitemaps_sought: bool,
    pub(super) pages_asked: u32,
    pub(super) pages_read: u32,
    /// Pages that protection kept from us.
    pub(super) challenged: u32,
    /// What protects the domain, where it did.
    pub(super) protected_by: Option<ProtectionMarker>,
    /// Contents that were read, by their hashes.
    pub(super) contents: HashSet<String>,
    pub(super) known: HashSet<Fingerprint>,
    pub(super) verdict: Option<Verdict>,
}

impl Visit {
    pub fn new(place: u32, plan: &VisitPlan, now: Millis) -> Option<Self> {
        let asked = plan.asked.get(place as usize)?;
        let doors: VecDeque<_> = asked.doors().into();
        Some(Self {
            place,
            domain: asked.domain().to_owned(),
            input: plan.input(place),
            began: now,
            deadline: now.plus(plan.budget),
            means: if plan.protected { Means::Tier } else { Means::Plain },
            one_door: doors.len() == 1,
            doors,
            next_door: now,
            rebuffs: Rebuffs::default(),
            rules: HouseRules::default(),
            errands: BTreeMap::new(),
            next_errand: 0,
            home: None,
            aggregator: ContactAggregator::default(),
            leads: Leads::default(),
            sitemaps_sought: false,
            pages_asked: 0,
            pages_read: 0,
            challenged: 0,
            protected_by: None,
            contents: HashSet::new(),
            known: HashSet::new(),
            verdict: None,
        })
    }

    /// Hands out what can be asked for now; the end, when there is nothing more.
    pub fn advance(
        &mut self,
        plan: &VisitPlan,
        now: Millis,
        actions: &mut Vec<Action>,
    ) -> Option<Conclusion> {
        loop {
            if let Some(verdict) = self.verdict {
                return Some(self.conclude(Some(verdict), now));
            }
            if now >= self.deadline {
                return Some(self.conclude(None, now));
            }
            while let Some(task) = self.rules.pop_due(self.place, now) {
                actions.push(Action::Fetch(task));
            }
            self.knock(now);
            self.look_further(plan, now);
            if self.errands.is_empty() && self.doors.is_empty() {
                return Some(self.conclude(None, now));
            }
            let due =
                self.errands.iter().find(|(_, errand)| errand.due().is_some_and(|at| at <= now));
            let (&number, _) = due?;
            self.dispatch(number, plan, now, actions);
        }
    }

    /// Tries the next door, when its time has come.
    fn knock(&mut self, now: Millis) {
        if self.home.is_some() || now < self.next_door {
            return;
        }
        if let Some(url) = self.doors.pop_front() {
            self.next_door = now.plus(PATIENCE);
            self.leads.see(&url);
            self.add(Errand::new(url, Aim::Home, self.means, now));
        }
    }

    /// Asks for the pages that are worth it; for the sitemap, where no page says how to reach
    /// anybody.
    fn look_further(&mut self, plan: &VisitPlan, now: Millis) {
        if self.home.is_none() {
            return;
        }
        while self.errands.len() < PAGES_AT_A_TIME && self.pages_asked < plan.pages {
            let Some(lead) = self.leads.pop(|topic| self.aggregator.needs(topic)) else { break };
            self.pages_asked += 1;
            self.add(Errand::new(lead.url, Aim::Lead(lead.topic), self.means, now));
        }
        let reaches = [LeadTopic::Imprint, LeadTopic::Contact]
            .map(|topic| self.leads.has_met(topic) || !self.aggregator.needs(topic));
        if self.errands.is_empty() && !self.sitemaps_sought && !reaches.contains(&true) {
            self.sitemaps_sought = true;
            if let Some(url) = self.sitemap().filter(|url| self.admits(url)) {
                let aim = Aim::Sitemap { is_child: false };
                self.add(Errand::new(url, aim, Means::Plain, now));
            }
        }
    }

    /// Where the sitemap of the site is, by its own word or by custom.
    fn sitemap(&self) -> Option<CanonicalUrl> {
        let home = self.home.as_ref()?;
        let rules = self.rules.known(home.origin())?;
        SitemapPlaces::of(home, rules).iter().next().cloned()
    }

    pub(super) fn add(&mut self, errand: Errand) {
        self.errands.insert(self.next_errand, errand);
        self.next_errand += 1;
    }

    /// Asks for what an errand is about, if its rules are known and let it.
    fn dispatch(&mut self, number: u32, plan: &VisitPlan, now: Millis, actions: &mut Vec<Action>) {
        let Some(errand) = self.errands.get_mut(&number) else { return };
        let leave = if plan.denylist.covers(&errand.url) {
            Leave::Refused(journal::Cause::Blacklisted)
        } else {
            self.rules.leave(&errand.url, self.place)
        };
        let gap = match leave {
            Leave::Granted(gap) => gap,
            Leave::Refused(cause) => return self.turned_away(number, cause, now),
            Leave::Unknown(task) => {
                errand.stage = Stage::Rules;
                actions.extend(task.map(Action::Fetch));
                return;
            }
        };
        errand.stage = Stage::UnderWay;
        let want = errand.aim.want();
        let study = Study { contacts: true, ..Study::default() };
        actions.push(Action::Fetch(Task {
            url: errand.url.clone(),
            purpose: Purpose::Url { ordinal: number, want },
            visit: Some(self.place),
            gap,
            means: errand.means,
            study,
        }));
    }

    /// What came of asking for the rules of an origin.
    pub fn receive_rules(
        &mut self,
        origin: &str,
        task: &Task,
        result: Result<crate::Reading, journal::Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) -> Option<Task> {
        let elsewhere = self.rules.receive(origin, task, result, plan, now);
        for errand in self.errands.values_mut() {
            // Whoever waits for other rules is told to wait once more.
            if errand.stage == Stage::Rules {
                errand.stage = Stage::Due(now);
            }
        }
        elsewhere
    }

    /// Whether an address belongs to the site that answered.
    pub(super) fn admits(&self, url: &CanonicalUrl) -> bool {
        let Some(home) = &self.home else { return true };
        let (bare, host) = (home.bare_host(), url.bare_host());
        bare == host || host.strip_suffix(bare).is_some_and(|below| below.ends_with('.'))
    }

    pub(super) fn know(&mut self, url: &CanonicalUrl) {
        if self.known.len() < KNOWN_AT_MOST {
            self.known.insert(Fingerprint::of(url));
        }
    }

    /// When something is to be done without an answer.
    pub fn next_due(&self) -> Millis {
        let door = Some(self.next_door).filter(|_| self.home.is_none() && !self.doors.is_empty());
        let errands = self.errands.values().filter_map(Errand::due);
        let due = errands.chain(door).chain(self.rules.next_due()).min();
        due.unwrap_or(self.deadline).min(self.deadline)
    }

    fn conclude(&mut self, verdict: Option<Verdict>, now: Millis) -> Conclusion {
        if let Some(Verdict::SetAside(marker)) = verdict {
            return Conclusion::SetAside(marker);
        }
        let answered = self.home.as_ref().map(CanonicalUrl::bare_host);
        let circumstances = Circumstances {
            domain: self.domain.clone(),
            input: self.input.clone(),
            redirected_to: answered.filter(|host| *host != self.domain).map(str::to_owned),
            pages_checked: self.pages_read,
            now,
        };
        let kept_out = matches!(verdict, Some(Verdict::Blocked));
        let mut item = if self.home.is_some() {
            contact_record(circumstances, std::mem::take(&mut self.aggregator).finish())
        } else {
            let status = if kept_out { ContactStatus::Blocked } else { self.rebuffs.status() };
            empty_record(circumstances, status)
        };
        // It says nothing, and what might say something is behind a wall.
        if item.status == ContactStatus::None && (kept_out || self.challenged > 0) {
            item.status = ContactStatus::Blocked;
        }
        let known = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        Conclusion::Record(Box::new(item), known)
    }
}
