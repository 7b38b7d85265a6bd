//! Which item of a run is which of an earlier one, by the hashes of their keys.

use std::collections::HashMap;

use contract::{ChangeCounts, ChangeKind};

use super::fingerprint::Mark;

/// Marks of an earlier run that are held at a time: some 60 MiB.
const AT_A_TIME: u64 = 1 << 20;

/// In how many shares a run of this many items is gone through.
pub(super) fn shares(items: u64) -> u64 {
    items.div_ceil(AT_A_TIME).max(1)
}

/// Whether a mark belongs to this share.
pub(super) fn is_mine(mark: &Mark, share: u64, shares: u64) -> bool {
    mark.key % u128::from(shares) == u128::from(share)
}

/// The numbers of an item in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub before: Option<u32>,
    pub after: Option<u32>,
}

/// Stands for a number that there is not: no run has that many items.
const NONE: u32 = u32::MAX;

impl Pair {
    pub fn pack(pairs: &[Self]) -> Vec<u8> {
        let numbers = pairs.iter().flat_map(|pair| [pair.before, pair.after]);
        numbers.flat_map(|number| number.unwrap_or(NONE).to_le_bytes()).collect()
    }

    pub fn unpack(packed: &[u8]) -> impl Iterator<Item = Self> {
        let number = |bytes: &[u8]| {
            let bytes = bytes.try_into().unwrap_or([u8::MAX; 4]);
            Some(u32::from_le_bytes(bytes)).filter(|number| *number != NONE)
        };
        packed.chunks_exact(8).map(move |pair| {
            let (before, after) = pair.split_at(4);
            Self { before: number(before), after: number(after) }
        })
    }
}

/// An item without a counterpart.
#[derive(Debug, Clone, Copy)]
struct Single {
    identity: Option<u128>,
    number: u32,
}

/// What differs between two runs.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Without a counterpart so far.
    new: Vec<Single>,
    old: Vec<Single>,
    added: Vec<Pair>,
    changed: Vec<Pair>,
    removed: Vec<Pair>,
    unchanged: u64,
}

impl Differences {
    pub fn of(&self, kind: ChangeKind) -> &[Pair] {
        match kind {
            ChangeKind::Added => &self.added,
            ChangeKind::Changed => &self.changed,
            ChangeKind::Removed => &self.removed,
        }
    }

    pub fn counts(&self) -> ChangeCounts {
        let count = |kind| self.of(kind).len() as u64;
        ChangeCounts {
            added: count(ChangeKind::Added),
            changed: count(ChangeKind::Changed),
            removed: count(ChangeKind::Removed),
            unchanged: self.unchanged,
        }
    }

    /// Brings together what only moved to another address, and puts all in order.
    pub fn settle(&mut self) {
        let mut moved: HashMap<u128, usize> = HashMap::new();
        for (place, old) in self.old.iter().enumerate() {
            if let Some(identity) = old.identity {
                moved.entry(identity).or_insert(place);
            }
        }
        let mut met = vec![false; self.old.len()];
        for new in std::mem::take(&mut self.new) {
            let place = new.identity.and_then(|identity| moved.remove(&identity));
            let old = place.and_then(|place| self.old.get(place));
            let pair = Pair { before: old.map(|old| old.number), after: Some(new.number) };
            if let Some(met) = place.and_then(|place| met.get_mut(place)) {
                *met = true;
                self.changed.push(pair);
            } else {
                self.added.push(pair);
            }
        }
        let left = std::mem::take(&mut self.old).into_iter().zip(met).filter(|(_, met)| !met);
        self.removed.extend(left.map(|(old, _)| Pair { before: Some(old.number), after: None }));
        self.added.sort_unstable_by_key(|pair| pair.after);
        self.changed.sort_unstable_by_key(|pair| pair.after);
        self.removed.sort_unstable_by_key(|pair| pair.before);
    }
}

/// The marks of an earlier run, being gathered.
#[derive(Debug, Default)]
pub(super) struct Matching {
    marks: Vec<Mark>,
}

impl Matching {
    pub fn earlier(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// All are there.
    pub fn ready(mut self) -> Ready {
        self.marks.sort_unstable_by_key(|mark| (mark.key, mark.number));
        // A run has a key once. Should a damaged one have it twice, the first counts.
        self.marks.dedup_by_key(|mark| mark.key);
        let met = vec![false; self.marks.len()];
        Ready { marks: self.marks, met }
    }
}

/// The marks of an earlier run, to be found by their keys.
#[derive(Debug)]
pub(super) struct Ready {
    marks: Vec<Mark>,
    met: Vec<bool>,
}

impl Ready {
    pub fn later(&mut self, mark: &Mark, differences: &mut Differences) {
        let place = self.marks.binary_search_by_key(&mark.key, |mark| mark.key).ok();
        let found =
            place.and_then(|place| Some((self.marks.get(place)?, self.met.get_mut(place)?)));
        let Some((old, met)) = found else {
            differences.new.push(Single { identity: mark.identity, number: mark.number });
            return;
        };
        *met = true;
        if old.content == mark.content {
            differences.unchanged += 1;
        } else {
            let pair = Pair { before: Some(old.number), after: Some(mark.number) };
            differences.changed.push(pair);
        }
    }

    /// What was not met is gone.
    pub fn finish(self, differences: &mut Differences) {
        let left = self.marks.into_iter().zip(self.met).filter(|(_, met)| !met);
        differences
            .old
            .extend(left.map(|(mark, _)| Single { identity: mark.identity, number: mark.number }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(key: u128, content: u128, number: u32) -> Mark {
        Mark { key, identity: None, content, number }
    }

    fn compared(before: &[Mark], after: &[Mark], shares: u64) -> Differences {
        let mut differences = Differences::default();
        for share in 0..shares {
            let mut matching = Matching::default();
            for mark in before.iter().filter(|mark| is_mine(mark, share, shares)) {
                matching.earlier(*mark);
            }
            let mut ready = matching.ready();
            for mark in after.iter().filter(|mark| is_mine(mark, share, shares)) {
                ready.later(mark, &mut differences);
            }
            ready.finish(&mut differences);
        }
        differences.settle();
        differences
    }

    fn pair(before: u32, after: u32) -> Pair {
        let number = |number| (number != NONE).then_some(number);
        Pair { before: number(before), after: number(after) }
    }

    #[test]
    fn items_are_told_apart_and_kept_in_order_in_any_number_of_shares() {
        let before: Vec<_> = (0..10).map(|n| mark(u128::from(n), 1, n)).collect();
        // The first two are gone, every other one of the rest has changed, three are new.
        let after: Vec<_> =
            (2..13).map(|n| mark(u128::from(n), if n % 2 == 0 { 1 } else { 2 }, n - 2)).collect();
        for shares in 1..5 {
            let differences = compared(&before, &after, shares);
            let counts = ChangeCounts { added: 3, changed: 4, removed: 2, unchanged: 4 };
            assert_eq!(differences.counts(), counts, "{shares}");
            let added = [pair(NONE, 8), pair(NONE, 9), pair(NONE, 10)];
            assert_eq!(differences.of(ChangeKind::Added), added);
            let changed = [pair(3, 1), pair(5, 3), pair(7, 5), pair(9, 7)];
            assert_eq!(differences.of(ChangeKind::Changed), changed);
            assert_eq!(differences.of(ChangeKind::Removed), [pair(0, NONE), pair(1, NONE)]);
        }
    }

    #[test]
    fn what_moved_to_another_address_is_known_by_its_identity() {
        let known = |mark: Mark, identity| Mark { identity: Some(identity), ..mark };
        let before = [known(mark(1, 1, 0), 70), known(mark(2, 1, 1), 80), mark(3, 1, 2)];
        let after = [known(mark(9, 2, 0), 80), known(mark(8, 2, 1), 90), mark(3, 1, 2)];
        for shares in [1, 3] {
            let differences = compared(&before, &after, shares);
            assert_eq!(differences.of(ChangeKind::Changed), [pair(1, 0)]);
            assert_eq!(differences.of(ChangeKind::Added), [pair(NONE, 1)]);
            assert_eq!(differences.of(ChangeKind::Removed), [pair(0, NONE)]);
        }
    }

    #[test]
    fn pairs_are_packed_and_unpacked_and_damage_is_no_panic() {
        let pairs = [pair(1, 2), pair(NONE, 3), pair(4, NONE)];
        let packed = Pair::pack(&pairs);
        assert_eq!(Pair::unpack(&packed).collect::<Vec<_>>(), pairs);
        assert_eq!(Pair::unpack(&packed[..13]).count(), 1);
    }

    #[test]
    fn large_runs_are_gone_through_in_shares() {
        assert_eq!([shares(0), shares(1), shares(1 << 20), shares(1 + (1 << 20))], [1, 1, 1, 2]);
    }
}
