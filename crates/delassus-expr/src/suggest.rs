//! The nearest known name to a misspelt one.

/// Above this length a name is not a typing error, and the distance becomes expensive.
const MAX_NAME: usize = 128;

/// The candidate nearest to `name`, at most two edits away (an edit inserts, deletes, replaces or
/// swaps neighbouring characters). A candidate that differs only in case comes first; one with
/// which `name` shares no character is never suggested.
///
/// ```
/// let names = ["crank", "rocker"];
/// assert_eq!(delassus_expr::suggest("carnk", names.into_iter()), Some("crank"));
/// assert_eq!(delassus_expr::suggest("piston", names.into_iter()), None);
/// ```
pub fn suggest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let wanted: Vec<char> = name.chars().collect();
    let mut best: Option<((usize, usize), &'a str)> = None;
    for candidate in candidates {
        let rank = if candidate.eq_ignore_ascii_case(name) {
            // `NM` is nearer to `Nm` than to `nm`
            let pairs = candidate.bytes().zip(name.bytes());
            Some((0, pairs.filter(|(a, b)| a != b).count()))
        } else {
            distance(&wanted, candidate).map(|edits| (edits, 0))
        };
        if let Some(rank) = rank
            && best.is_none_or(|(b, _)| rank < b)
        {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours, if it is at most two and less than the longer name.
fn distance(a: &[char], candidate: &str) -> Option<usize> {
    if candidate.len() > 4 * (MAX_NAME + 2) {
        return None;
    }
    let b: Vec<char> = candidate.chars().collect();
    if a.len().abs_diff(b.len()) > 2 {
        return None;
    }
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    let edits = last[b.len()];
    (edits <= 2 && edits < a.len().max(b.len())).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(name: &str) -> Option<&'static str> {
        suggest(name, ["length", "mass", "mm", "theta", "x"].into_iter())
    }

    #[test]
    fn nearest() {
        assert_eq!(pick("lenght"), Some("length"));
        assert_eq!(pick("mas"), Some("mass"));
        assert_eq!(pick("thteaa"), Some("theta"));
        assert_eq!(pick("MM"), Some("mm"));
        assert_eq!(pick("mmm"), Some("mm"));
        assert_eq!(pick("q"), None);
        assert_eq!(pick("damping"), None);
        assert_eq!(pick(""), None);
        assert_eq!(pick("lëngth"), Some("length"));
        assert_eq!(pick(&"a".repeat(100_000)), None);
    }

    #[test]
    fn first_of_equals() {
        assert_eq!(suggest("ab", ["abc", "abd"].into_iter()), Some("abc"));
        assert_eq!(suggest("a", std::iter::empty()), None);
    }
}
