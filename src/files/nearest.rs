//! "Did you mean": the nearest of the words that are allowed.

/// The candidate that a slip of the fingers turns into `word`, when there is one near enough.
pub(super) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = match word.chars().count() {
        0..=2 => 1,
        3..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(slips, candidate)| *slips <= allowed && *slips < candidate.chars().count())
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// How many letters are to be added, taken away, changed or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).collect();
    let right: Vec<char> = right.chars().take(64).collect();
    let mut before_last = vec![0; right.len() + 1];
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, &a) in left.iter().enumerate() {
        let mut current = vec![row + 1; right.len() + 1];
        for (column, &b) in right.iter().enumerate() {
            let changed = last[column] + usize::from(a != b);
            let mut best = changed.min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && a == right[column - 1] && left[row - 1] == b {
                best = best.min(before_last[column - 1] + 1);
            }
            current[column + 1] = best;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("verfiy", ["check", "verify"]), Some("verify"));
        assert_eq!(nearest("opne", ["open", "fetch"]), Some("open"));
        assert_eq!(nearest("titel", ["time", "title"]), Some("title"));
        assert_eq!(nearest("签倒", ["签到", "领取"]), Some("签到"));
        assert_eq!(nearest("x", ["open", "y"]), None);
        assert_eq!(nearest("mascarpone", ["open", "fetch"]), None);
    }
}
