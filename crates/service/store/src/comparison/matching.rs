//! Matches the items of a run with those of an earlier one by the hashes of their keys.

use std::collections::HashMap;

use contract::{ChangeCounts, ChangeKind};

use super::fingerprint::ItemFingerprint;

/// Fingerprints of the earlier run in memory at a time: about 60 MiB.
const PARTITION_ITEMS: u64 = 1 << 20;

/// The number of partitions in which a run of this many items is compared.
pub(super) fn partitions(items: u64) -> u64 {
    items.div_ceil(PARTITION_ITEMS).max(1)
}

/// Whether an item belongs to this partition, by its key.
pub(super) fn is_in_partition(item: &ItemFingerprint, partition: u64, partitions: u64) -> bool {
    item.key % u128::from(partitions) == u128::from(partition)
}

/// The numbers of an item in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub before: Option<u32>,
    pub after: Option<u32>,
}

/// Encodes a missing number: no run has that many items.
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

/// An item whose key the other run does not have.
#[derive(Debug, Clone, Copy)]
struct UnmatchedItem {
    identity: Option<u128>,
    number: u32,
}

/// The differences between two runs.
#[derive(Debug, Default)]
pub(super) struct Differences {
    unmatched_new: Vec<UnmatchedItem>,
    unmatched_old: Vec<UnmatchedItem>,
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

    /// Matches the remaining items by identity, because their URL may have changed, and sorts all
    /// pairs.
    pub fn match_moved(&mut self) {
        let mut moved: HashMap<u128, usize> = HashMap::new();
        for (place, old) in self.unmatched_old.iter().enumerate() {
            if let Some(identity) = old.identity {
                moved.entry(identity).or_insert(place);
            }
        }
        let mut matched = vec![false; self.unmatched_old.len()];
        for new in std::mem::take(&mut self.unmatched_new) {
            let place = new.identity.and_then(|identity| moved.remove(&identity));
            let old = place.and_then(|place| self.unmatched_old.get(place));
            let pair = Pair { before: old.map(|old| old.number), after: Some(new.number) };
            if let Some(matched) = place.and_then(|place| matched.get_mut(place)) {
                *matched = true;
                self.changed.push(pair);
            } else {
                self.added.push(pair);
            }
        }
        let removed = std::mem::take(&mut self.unmatched_old).into_iter().zip(matched);
        let removed = removed.filter(|(_, matched)| !matched);
        self.removed.extend(removed.map(|(old, _)| Pair { before: Some(old.number), after: None }));
        self.added.sort_unstable_by_key(|pair| pair.after);
        self.changed.sort_unstable_by_key(|pair| pair.after);
        self.removed.sort_unstable_by_key(|pair| pair.before);
    }
}

/// Collects the fingerprints of the earlier run.
#[derive(Debug, Default)]
pub(super) struct EarlierItems {
    items: Vec<ItemFingerprint>,
}

impl EarlierItems {
    pub fn add(&mut self, item: ItemFingerprint) {
        self.items.push(item);
    }

    /// Sorts the fingerprints by key.
    pub fn index(mut self) -> EarlierIndex {
        self.items.sort_unstable_by_key(|item| (item.key, item.number));
        // Keys are unique in a run. If a damaged one repeats a key, the first item counts.
        self.items.dedup_by_key(|item| item.key);
        let matched = vec![false; self.items.len()];
        EarlierIndex { items: self.items, matched }
    }
}

/// The fingerprints of the earlier run, searchable by key.
#[derive(Debug)]
pub(super) struct EarlierIndex {
    items: Vec<ItemFingerprint>,
    matched: Vec<bool>,
}

impl EarlierIndex {
    pub fn match_later(&mut self, item: &ItemFingerprint, differences: &mut Differences) {
        let place = self.items.binary_search_by_key(&item.key, |item| item.key).ok();
        let found =
            place.and_then(|place| Some((self.items.get(place)?, self.matched.get_mut(place)?)));
        let Some((old, matched)) = found else {
            let new = UnmatchedItem { identity: item.identity, number: item.number };
            differences.unmatched_new.push(new);
            return;
        };
        *matched = true;
        if old.content == item.content {
            differences.unchanged += 1;
        } else {
            let pair = Pair { before: Some(old.number), after: Some(item.number) };
            differences.changed.push(pair);
        }
    }

    /// Adds the items without a match to the unmatched ones.
    pub fn finish(self, differences: &mut Differences) {
        let left = self.items.into_iter().zip(self.matched).filter(|(_, matched)| !matched);
        let left =
            left.map(|(item, _)| UnmatchedItem { identity: item.identity, number: item.number });
        differences.unmatched_old.extend(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: u128, content: u128, number: u32) -> ItemFingerprint {
        ItemFingerprint { key, identity: None, content, number }
    }

    fn compared(
        before: &[ItemFingerprint],
        after: &[ItemFingerprint],
        partitions: u64,
    ) -> Differences {
        let mut differences = Differences::default();
        for partition in 0..partitions {
            let mut earlier = EarlierItems::default();
            for item in before.iter().filter(|item| is_in_partition(item, partition, partitions)) {
                earlier.add(*item);
            }
            let mut index = earlier.index();
            for item in after.iter().filter(|item| is_in_partition(item, partition, partitions)) {
                index.match_later(item, &mut differences);
            }
            index.finish(&mut differences);
        }
        differences.match_moved();
        differences
    }

    fn pair(before: u32, after: u32) -> Pair {
        let number = |number| (number != NONE).then_some(number);
        Pair { before: number(before), after: number(after) }
    }

    #[test]
    fn differences_are_equal_and_sorted_for_any_number_of_partitions() {
        let before: Vec<_> = (0..10).map(|n| item(u128::from(n), 1, n)).collect();
        // The first two are removed, every other one of the rest has changed, three are new.
        let after: Vec<_> =
            (2..13).map(|n| item(u128::from(n), if n % 2 == 0 { 1 } else { 2 }, n - 2)).collect();
        for partitions in 1..5 {
            let differences = compared(&before, &after, partitions);
            let counts = ChangeCounts { added: 3, changed: 4, removed: 2, unchanged: 4 };
            assert_eq!(differences.counts(), counts, "{partitions}");
            let added = [pair(NONE, 8), pair(NONE, 9), pair(NONE, 10)];
            assert_eq!(differences.of(ChangeKind::Added), added);
            let changed = [pair(3, 1), pair(5, 3), pair(7, 5), pair(9, 7)];
            assert_eq!(differences.of(ChangeKind::Changed), changed);
            assert_eq!(differences.of(ChangeKind::Removed), [pair(0, NONE), pair(1, NONE)]);
        }
    }

    #[test]
    fn item_with_a_changed_url_is_matched_by_identity() {
        let with_identity =
            |item: ItemFingerprint, identity| ItemFingerprint { identity: Some(identity), ..item };
        let before =
            [with_identity(item(1, 1, 0), 70), with_identity(item(2, 1, 1), 80), item(3, 1, 2)];
        let after =
            [with_identity(item(9, 2, 0), 80), with_identity(item(8, 2, 1), 90), item(3, 1, 2)];
        for partitions in [1, 3] {
            let differences = compared(&before, &after, partitions);
            assert_eq!(differences.of(ChangeKind::Changed), [pair(1, 0)]);
            assert_eq!(differences.of(ChangeKind::Added), [pair(NONE, 1)]);
            assert_eq!(differences.of(ChangeKind::Removed), [pair(0, NONE)]);
        }
    }

    #[test]
    fn packed_pairs_are_unpacked_and_truncated_ones_do_not_panic() {
        let pairs = [pair(1, 2), pair(NONE, 3), pair(4, NONE)];
        let packed = Pair::pack(&pairs);
        // Stored without a version: another layout needs another column.
        assert_eq!(packed[..12], [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(Pair::unpack(&packed).collect::<Vec<_>>(), pairs);
        assert_eq!(Pair::unpack(&packed[..13]).count(), 1);
    }

    #[test]
    fn large_runs_are_compared_in_partitions() {
        assert_eq!([0, 1, 1 << 20, 1 + (1 << 20)].map(partitions), [1, 1, 1, 2]);
    }
}
