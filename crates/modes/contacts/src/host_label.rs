//! The label of a host that names its owner.

/// The registrable label of a host: `acme` for `shop.acme.co.uk`.
pub(crate) fn main_label(host: &str) -> &str {
    let labels: Vec<&str> = host.split('.').collect();
    let short = |at: usize| labels.get(at).is_some_and(|label| label.len() <= 3);
    let last = labels.len().saturating_sub(1);
    let at =
        if last >= 2 && short(last) && short(last - 1) { last - 2 } else { last.saturating_sub(1) };
    labels.get(at).copied().unwrap_or(host)
}
