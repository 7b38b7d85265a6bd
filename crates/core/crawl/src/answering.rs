//! What an answer means for the run, or that there was none.

use contract::{LinkType, Millis, RedirectHop, SkipReason};
use journal::{Cause, Fact, Outcome, Role, Step, Via};
use page::ProtectionMarker;
use urls::CanonicalUrl;

use crate::engine::{Crawl, Respelling};
use crate::finder::{Lead, wanted};
use crate::protection_watch as watch;
use crate::redirect::{self, Meaning};
use crate::retry::Failure;
use crate::{Means, Reading, Task, Want};

impl Crawl {
    pub(crate) fn answered(
        &mut self,
        ordinal: u32,
        want: Want,
        task: &Task,
        reading: Reading,
        now: Millis,
    ) {
        let is_page = matches!(want, Want::Page { .. });
        if task.means == Means::Browser {
            self.shells.take_plain(ordinal);
        }
        match reading.protection.filter(|marker| marker.kind.is_protection()) {
            Some(marker) if is_page => return self.challenged(ordinal, marker, reading, now),
            _ if is_page => self.calm(now),
            _ => {}
        }
        let head = &reading.head;
        if let (301 | 302 | 303 | 307 | 308, Some(location)) = (head.status, &head.location) {
            let location = location.clone();
            return self.redirected(ordinal, &task.url, &location, reading, now);
        }
        // Many a server refuses to be asked for the head alone.
        let refused = head.status >= 400 && !matches!(head.status, 404 | 410 | 429);
        if want == Want::Head && refused {
            return self.ask_for_first_bytes(ordinal);
        }
        let status = match (want, head.status) {
            // A part of it, or of nothing: it is there.
            (Want::FirstBytes, 206 | 416) => 200,
            (_, status) => status,
        };
        let failure = Failure::Status { status, retry_after: head.retry_after };
        if status >= 400 && self.retries.again(ordinal, failure, &self.plan.retries, now) {
            return;
        }
        if task.means == Means::Plain && status < 300 && reading.is_shell {
            return self.shell(ordinal, reading, now);
        }
        self.finish(ordinal, Outcome::Answered(status), Some(reading), now);
    }

    pub(crate) fn failed(
        &mut self,
        ordinal: u32,
        want: Want,
        means: Means,
        cause: Cause,
        now: Millis,
    ) {
        if want == Want::Head && cause == Cause::Protocol {
            return self.ask_for_first_bytes(ordinal);
        }
        // A browser that is away may be back soon, and the page is not to blame.
        let comes_back = means == Means::Browser
            && cause == Cause::ProviderDown
            && self.retries.again(ordinal, Failure::Cause(cause), &self.plan.retries, now);
        if comes_back {
            return;
        }
        if means == Means::Browser
            && let Some(plain) = self.shells.take_plain(ordinal)
        {
            // The page is there, whatever the browser made of it.
            let status = plain.head.status;
            return self.finish(ordinal, Outcome::Answered(status), Some(*plain), now);
        }
        if !self.retries.again(ordinal, Failure::Cause(cause), &self.plan.retries, now) {
            self.finish(ordinal, Outcome::Failed(cause), None, now);
        }
    }

    /// Bot protection answered in place of a page.
    fn challenged(
        &mut self,
        ordinal: u32,
        marker: ProtectionMarker,
        reading: Reading,
        now: Millis,
    ) {
        if self.plan.protected {
            let retries = &self.plan.retries;
            if !self.retries.again(ordinal, Failure::Challenge, retries, now) {
                self.block(ordinal, marker, Some(reading), now);
            }
            return;
        }
        if !self.plan.escalates {
            return self.block(ordinal, marker, Some(reading), now);
        }
        match self.protection.challenge(ordinal, self.state.is_start(ordinal)) {
            watch::Meaning::Site => self.escalation = Some(marker),
            watch::Meaning::Page(out_of_sight) => {
                self.challenged_by = Some(marker);
                self.challenged.insert(ordinal, reading.head.status);
                if let Some(ordinal) = out_of_sight {
                    self.block(ordinal, marker, None, now);
                }
            }
        }
    }

    /// A page that answered as it should puts challenged ones out of sight.
    fn calm(&mut self, now: Millis) {
        if let (Some(ordinal), Some(marker)) = (self.protection.calm(), self.challenged_by) {
            self.block(ordinal, marker, None, now);
        }
    }

    /// A page that nobody gets to see.
    fn block(
        &mut self,
        ordinal: u32,
        marker: ProtectionMarker,
        reading: Option<Reading>,
        now: Millis,
    ) {
        if self.state.protected_by.is_none() {
            let marker = marker.to_string();
            self.take(Step::Learned(Fact::Protected { marker }));
        }
        self.finish(ordinal, Outcome::Failed(Cause::Protected), reading, now);
    }

    /// A page that is empty without JavaScript.
    fn shell(&mut self, ordinal: u32, reading: Reading, now: Millis) {
        if self.plan.equipment.browser && !self.plan.protected {
            self.shells.render(ordinal, reading);
            return self.schedule.add_first(&self.state.frontier, ordinal);
        }
        if self.state.is_start(ordinal) {
            self.shells.keep_start(ordinal, reading);
            let waited = std::mem::take(&mut self.before_start);
            return self.release(&waited);
        }
        let status = reading.head.status;
        self.finish(ordinal, Outcome::Answered(status), Some(reading), now);
    }

    /// At the end of all else: pages whose fate was open. Whether there were any.
    pub(crate) fn settle_what_was_kept(&mut self, now: Millis) -> bool {
        if !self.print_views.is_empty() {
            self.print_views_go = true;
            let waited = std::mem::take(&mut self.print_views);
            self.release(&waited);
            return true;
        }
        let challenged = self.protection.drain();
        let mut any = self.originals.let_all_go() | !challenged.is_empty();
        if let Some(marker) = self.challenged_by {
            challenged.into_iter().for_each(|ordinal| self.block(ordinal, marker, None, now));
        }
        if self.has_room_beside(0)
            && let Some((ordinal, reading)) = self.shells.take_start()
        {
            any = true;
            let outcome = if self.state.results() > 0 {
                Outcome::Answered(reading.head.status)
            } else {
                // Nothing could be read at all.
                Outcome::Failed(Cause::NeedsRendering)
            };
            self.finish(ordinal, outcome, Some(*reading), now);
        }
        any
    }

    fn ask_for_first_bytes(&mut self, ordinal: u32) {
        self.headless.insert(ordinal);
        self.schedule.add_first(&self.state.frontier, ordinal);
    }

    fn redirected(
        &mut self,
        ordinal: u32,
        asked: &CanonicalUrl,
        location: &str,
        reading: Reading,
        now: Millis,
    ) {
        let status = reading.head.status;
        match redirect::meaning(&self.state, &self.rule, ordinal, asked, location) {
            Meaning::Respelled(url) => self.ask_at(ordinal, asked, status, url, reading, now),
            Meaning::Inside(target) => self.point(ordinal, status, &target, reading, now),
            Meaning::SiteMoved(target) => {
                self.take(Step::Learned(Fact::SiteMoved { to: target.to_string() }));
                self.rule = self.state.scope_rule(&self.plan);
                self.point(ordinal, status, &target, reading, now);
            }
            Meaning::Outside => {
                let outcome = Outcome::Redirected { status, to: None };
                self.finish(ordinal, outcome, Some(reading), now);
            }
            Meaning::Dead(cause) => {
                self.finish(ordinal, Outcome::Failed(cause), Some(reading), now);
            }
        }
    }

    /// The URL is asked for again, at another address.
    fn ask_at(
        &mut self,
        ordinal: u32,
        asked: &CanonicalUrl,
        status: u16,
        url: CanonicalUrl,
        reading: Reading,
        now: Millis,
    ) {
        let spelling = self
            .respelled
            .entry(ordinal)
            .or_insert_with(|| Respelling { url: url.clone(), hops: Vec::new() });
        spelling.hops.push(RedirectHop { url: asked.to_string(), status });
        spelling.url = url;
        // That address answered; the next one has tries of its own.
        self.retries.forget(ordinal);
        if spelling.hops.len() > redirect::HOPS {
            let dead = Outcome::Failed(Cause::RedirectLoop);
            self.finish(ordinal, dead, Some(reading), now);
        } else {
            self.schedule.add_first(&self.state.frontier, ordinal);
        }
    }

    /// Finishes a URL that points to another of the run.
    fn point(
        &mut self,
        ordinal: u32,
        status: u16,
        target: &CanonicalUrl,
        reading: Reading,
        now: Millis,
    ) {
        let frontier = &self.state.frontier;
        let known = frontier.find(target);
        let anchor = frontier.anchor(ordinal).unwrap_or_default();
        let lead = Lead { url: target, via: Via::Redirect, anchor, nofollow: false };
        let mut finder = self.finder(ordinal);
        let to = match (known, self.role_of_target(ordinal, target)) {
            (Some(known), _) => {
                finder.meet(known, &lead);
                Some(known)
            }
            (None, Ok(role)) => finder.enter(role, &lead),
            (None, Err(reason)) => {
                finder.refuse(target, reason);
                None
            }
        };
        let mut finds = finder.into_finds();
        if frontier.role(ordinal).is_sitemap() && known.is_some() {
            // It leads to what is known already: perhaps another place has a sitemap.
            finds = self.read_list(ordinal, None);
        }
        self.finish_with(ordinal, Outcome::Redirected { status, to }, Some(reading), finds, now);
    }

    /// What the target of a redirect is asked for: what its source is, except that a file is
    /// a file whoever leads there.
    fn role_of_target(&self, source: u32, target: &CanonicalUrl) -> Result<Role, SkipReason> {
        let role = self.state.frontier.role(source);
        match self.plan.expected_kind(target.path()) {
            kind @ (LinkType::File | LinkType::Image)
                if role == Role::Page && !self.state.is_start(source) =>
            {
                wanted(&self.plan, kind).map(|()| Role::File)
            }
            _ => Ok(role),
        }
    }
}
