//! Whether the output shown matches the output printed.

/// Units of the clock: a number before one of them is the machine's affair.
const CLOCK: [&str; 4] = ["ns", "us", "ms", "s"];

/// Numbers of steps and results may differ by this between machines, relative.
const ALIKE: f64 = 0.1;

const LEFT_OUT: &str = "...";

/// The first line that does not fit, in words.
pub fn fits(shown: &[&str], printed: &[&str]) -> Result<(), String> {
    let shown: Vec<&str> = trimmed(shown);
    let printed: Vec<&str> = trimmed(printed);
    let (mut at, mut free) = (0, false);
    for line in &shown {
        if line.trim() == LEFT_OUT {
            free = true;
            continue;
        }
        let rest = &printed[at..];
        let here = if free {
            rest.iter().position(|p| alike(line, p))
        } else {
            rest.first().filter(|p| alike(line, p)).map(|_| 0)
        };
        let Some(here) = here else {
            let instead = rest.first().unwrap_or(&"the end");
            return Err(format!("shows\n  {line}\nand the command prints\n  {instead}"));
        };
        at += here + 1;
        free = false;
    }
    match printed.get(at) {
        Some(more) if !free => Err(format!("the command prints more:\n  {more}")),
        _ => Ok(()),
    }
}

/// The output to show now: the printed lines, without those that were left out before.
pub fn refreshed(shown: &[&str], printed: &[&str]) -> Vec<String> {
    if !shown.iter().any(|l| l.trim() == LEFT_OUT) {
        return printed.iter().map(|l| l.trim_end().to_owned()).collect();
    }
    let label = |l: &str| l.split_whitespace().next().unwrap_or("").to_owned();
    let now = |l: &&str| printed.iter().find(|p| label(p) == label(l)).unwrap_or(l).to_string();
    shown.iter().map(now).collect()
}

fn trimmed<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().map(|l| l.trim_end()).filter(|l| !l.is_empty()).collect()
}

fn alike(shown: &str, printed: &str) -> bool {
    let left_out = |l: &str| l.ends_with(LEFT_OUT);
    let a: Vec<&str> = shown.split_whitespace().collect();
    let b: Vec<&str> = printed.split_whitespace().collect();
    let n = if left_out(shown) { a.len() - 1 } else { a.len() };
    (a.len() == b.len() || left_out(shown) && b.len() >= n)
        && (0..n).all(|i| {
            let clock = |w: &[&str]| w.get(i + 1).is_some_and(|u| CLOCK.contains(&unit(u)));
            let of_clock = CLOCK.contains(&unit(a[i])) && CLOCK.contains(&unit(b[i]));
            of_clock || same_word(a[i], b[i], clock(&a) && clock(&b))
        })
}

fn unit(word: &str) -> &str {
    word.trim_end_matches([',', ';', ')'])
}

fn same_word(a: &str, b: &str, clock: bool) -> bool {
    let bare = |w: &str| w.trim_matches(|c: char| "(),;".contains(c)).to_owned();
    let (Ok(x), Ok(y)) = (bare(a).parse::<f64>(), bare(b).parse::<f64>()) else { return a == b };
    // residuals and errors are written with an exponent: their size is round-off and luck
    let residual = a.contains('e') && b.contains('e');
    clock || residual || x == y || (x - y).abs() <= (ALIKE * x.abs().max(y.abs())).max(2.0)
}

#[test]
fn numbers_of_the_clock_and_residuals_are_free() {
    let shown = ["  wall time      5.3 ms", "  drift          position 6.25e-17", "  ...", "  end"];
    let printed = ["  wall time      1.1 s", "  drift   position 1.0e-18", "x", "y", "  end"];
    assert_eq!(fits(&shown, &printed), Ok(()));
}

#[test]
fn other_words_and_counts_do_not_fit() {
    assert!(fits(&["steps 298"], &["steps 350"]).is_err());
    assert!(fits(&["method mdop5"], &["method hem5"]).is_err());
    assert!(fits(&["a", "b"], &["a"]).is_err());
    assert!(fits(&["a"], &["a", "b"]).is_err());
}
