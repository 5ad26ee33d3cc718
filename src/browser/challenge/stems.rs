//! The plain words without which a pattern cannot match: looking for them in a page's words is far cheaper than the pattern,
//! which each document would have to compile anew.

/// Words of which one must be in every text that one of these patterns matches. None where that cannot be said.
pub(super) fn stems_of<'a>(patterns: impl Iterator<Item = &'a str>) -> Option<Vec<String>> {
    let mut stems = Vec::new();
    for pattern in patterns {
        let letters: Vec<char> = pattern.chars().collect();
        let found = any_of(&letters).filter(|found| found.iter().all(|stem| stem.len() >= 3))?;
        stems.extend(found);
    }
    stems.sort_unstable();
    stems.dedup();
    Some(stems)
}

/// Of alternatives each must give words.
fn any_of(pattern: &[char]) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for alternative in split(pattern) {
        all.extend(best_of(alternative)?);
    }
    Some(all)
}

/// Of what follows one another the part with the longest words.
fn best_of(sequence: &[char]) -> Option<Vec<String>> {
    let (mut best, mut at, mut run) = (None::<Vec<String>>, 0, String::new());
    while at < sequence.len() {
        let end = end_of(sequence, at);
        let optional = matches!(sequence.get(end), Some('?' | '*' | '{'));
        let letter = (end == at + 1 && !is_special(sequence[at])).then_some(sequence[at]);
        match letter {
            Some(letter) if !optional => run.push(letter),
            _ => {
                offer(&mut best, (!run.is_empty()).then(|| vec![std::mem::take(&mut run)]));
                if sequence[at] == '(' && !optional && sequence.get(at + 1) != Some(&'?') {
                    offer(&mut best, any_of(&sequence[at + 1..end - 1]));
                }
            }
        }
        at = after_count(sequence, end);
        if at > end {
            // What is repeated ends a run.
            offer(&mut best, (!run.is_empty()).then(|| vec![std::mem::take(&mut run)]));
        }
    }
    offer(&mut best, (!run.is_empty()).then_some(vec![run]));
    best
}

fn offer(best: &mut Option<Vec<String>>, other: Option<Vec<String>>) {
    let shortest = |words: &[String]| words.iter().map(String::len).min().unwrap_or_default();
    let Some(other) = other else { return };
    if best.as_ref().is_none_or(|best| shortest(&other) > shortest(best)) {
        *best = Some(other);
    }
}

fn is_special(letter: char) -> bool {
    "\\[](){}.?*+^$|".contains(letter)
}

/// Where the item that begins here ends: a group, a class, an escaped sign, a letter.
fn end_of(pattern: &[char], at: usize) -> usize {
    match pattern[at] {
        '\\' => (at + 2).min(pattern.len()),
        '[' => {
            let mut end = at + 1;
            while end < pattern.len() && pattern[end] != ']' {
                end += if pattern[end] == '\\' { 2 } else { 1 };
            }
            (end + 1).min(pattern.len())
        }
        '(' => {
            let mut end = at + 1;
            while end < pattern.len() && pattern[end] != ')' {
                end = end_of(pattern, end);
            }
            (end + 1).min(pattern.len())
        }
        _ => at + 1,
    }
}

/// Behind the count of an item (`?`, `*`, `+`, `{0,8}`), if it has one.
fn after_count(pattern: &[char], at: usize) -> usize {
    match pattern.get(at) {
        Some('?' | '*' | '+') => at + 1,
        Some('{') => pattern[at..].iter().position(|letter| *letter == '}').map_or(pattern.len(), |end| at + end + 1),
        _ => at,
    }
}

/// The alternatives of a pattern.
fn split(pattern: &[char]) -> Vec<&[char]> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < pattern.len() {
        if pattern[at] == '|' {
            parts.push(&pattern[start..at]);
            start = at + 1;
        }
        at = end_of(pattern, at);
    }
    parts.push(&pattern[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(pattern: &str) -> Option<Vec<String>> {
        stems_of([pattern].into_iter())
    }

    fn words(words: &[&str]) -> Option<Vec<String>> {
        Some(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn every_alternative_gives_a_word() {
        assert_eq!(stems("(拖动|滑动)[^。]{0,12}(滑块验证|拼图验证)"), words(&["拼图验证", "滑块验证"]));
        assert_eq!(stems("slide to (verify|unlock)|滑块"), words(&["slide to ", "滑块"]));
    }

    #[test]
    fn what_may_be_missing_is_no_word() {
        assert_eq!(stems("密码(已)?过期"), words(&["密码"]));
        assert_eq!(stems("colou?r"), words(&["colo"]));
        assert_eq!(stems("a(bcd)*efg"), words(&["efg"]));
        assert_eq!(stems("ab{0,3}cdef"), words(&["cdef"]));
        assert_eq!(stems("(?!not there)here"), words(&["here"]));
        assert_eq!(stems("un\\.known \\d+ (x|yz)"), words(&["known "]));
    }

    #[test]
    fn a_pattern_that_needs_no_word_has_none() {
        assert_eq!(stems("\\d{2,3}[a-z]+"), None);
        assert_eq!(stems("abcd|\\d+"), None);
        assert_eq!(stems_of(["abcd", "[xyz]"].into_iter()), None);
    }
}
