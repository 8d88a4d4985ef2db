//! Did you mean …?

/// The known name nearest to a wrong one, when at most two edits (insertion, deletion,
/// replacement, exchange of neighbours) away.
pub(super) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Far longer names cannot be near any key, and the comparison is quadratic.
    if wrong.len() > 200 {
        return None;
    }
    known
        .into_iter()
        .map(|k| (distance(wrong, k), k))
        .filter(|(d, k)| *d <= 2 && *d < k.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let width = b.len() + 1;
    let mut d = vec![0usize; (a.len() + 1) * width];
    for (j, x) in d.iter_mut().take(width).enumerate() {
        *x = j;
    }
    for i in 1..=a.len() {
        d[i * width] = i;
        for j in 1..=b.len() {
            let replace = d[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace
                .min(d[(i - 1) * width + j] + 1)
                .min(d[i * width + j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(d[(i - 2) * width + j - 2] + 1);
            }
            d[i * width + j] = best;
        }
    }
    d[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_edits_and_no_more() {
        let known = ["mass", "inertia", "position"];
        assert_eq!(nearest("mas", known), Some("mass"));
        assert_eq!(nearest("amss", known), Some("mass"));
        assert_eq!(nearest("postion", known), Some("position"));
        assert_eq!(nearest("weight", known), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
