//! CSV.

use super::column::{Column, check};
use super::error::WriteError;
use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;

/// Bytes collected before they are handed on.
const CHUNK: usize = 64 << 10;

/// Writes a header line of names and one line per row. Numbers are the shortest that read
/// back to the same bits, whatever the locale; what is not known is empty; lines end with LF.
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

pub(super) fn push_number(out: &mut String, x: f64) {
    let size = x.abs();
    // Both forms are exact; plain digits get long outside this range.
    let plain = x == 0.0 || (1e-5..1e16).contains(&size);
    // Writing to a String cannot fail.
    let _ = if plain { write!(out, "{x}") } else { write!(out, "{x:e}") };
}
