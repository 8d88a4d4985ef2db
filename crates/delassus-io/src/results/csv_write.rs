//! Writes CSV.

use super::column::{Column, check};
use super::error::WriteError;
use std::io::Write;
use std::ops::Range;

/// Bytes collected before they are written.
const CHUNK: usize = 64 << 10;

/// Writes a header line of names and one line per row. Numbers are the shortest that read back to the same bits,
/// whatever the locale; unknown values are empty; lines end with LF.
pub fn write_csv(mut w: impl Write, columns: &[Column<'_>]) -> Result<(), WriteError> {
    let rows = check(columns)?;
    let mut buffer = String::with_capacity(CHUNK + 1024);
    push_head(&mut buffer, columns);
    for row in 0..rows {
        push_rows(&mut buffer, columns, row..row + 1);
        if buffer.len() >= CHUNK {
            w.write_all(buffer.as_bytes())?;
            buffer.clear();
        }
    }
    w.write_all(buffer.as_bytes())?;
    w.flush()?;
    Ok(())
}

/// The line of names.
pub(super) fn push_head(out: &mut String, columns: &[Column<'_>]) {
    for (i, c) in columns.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        push_name(out, c.name);
    }
    out.push('\n');
}

/// Lines of numbers.
pub(super) fn push_rows(out: &mut String, columns: &[Column<'_>], rows: Range<usize>) {
    for row in rows {
        for (i, c) in columns.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            let x = c.values.get(row).copied().unwrap_or(f64::NAN);
            if !x.is_nan() {
                push_number(out, x);
            }
        }
        out.push('\n');
    }
}

pub(super) fn push_name(out: &mut String, name: &str) {
    if name.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&name.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(name);
    }
}

/// Plain digits from 1e-5 to 1e16, beyond with an exponent; both read back to the same bits.
pub(super) fn push_number(out: &mut String, x: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(x);
    match text.split_once("e+") {
        Some((digits, exponent)) => {
            out.push_str(digits);
            out.push('e');
            out.push_str(exponent);
        }
        None => out.push_str(text.strip_suffix(".0").unwrap_or(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by the standard library.
    fn plainly(x: f64) -> String {
        let plain = x == 0.0 || (1e-5..1e16).contains(&x.abs());
        if plain { format!("{x}") } else { format!("{x:e}") }
    }

    fn pushed(x: f64) -> String {
        let mut text = String::new();
        push_number(&mut text, x);
        text
    }

    #[test]
    fn numbers_at_the_ends_of_the_plain_range() {
        for x in [
            0.0,
            1.0,
            10.0,
            1e-5,
            1e15,
            1e16,
            0.1,
            1e-310,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::INFINITY,
        ] {
            for x in [x, x.next_down(), x.next_up(), -x] {
                assert_eq!(pushed(x), plainly(x));
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_the_shortest_that_read_back(bits in any::<u64>(), plain in -1e6..1e6_f64) {
            for x in [f64::from_bits(bits), plain, plain.round()] {
                prop_assume!(!x.is_nan());
                // of two that are equally short and close either may be taken
                let (ours, plain) = (pushed(x), plainly(x));
                prop_assert_eq!((ours.len(), ours.find('e')), (plain.len(), plain.find('e')));
                prop_assert_eq!(ours.parse::<f64>().map(f64::to_bits), Ok(x.to_bits()));
            }
        }
    }
}
