//! Reduces the number of rows for the view, so that the page stays small. Data files are never thinned.

/// Bytes of positions in the page, before compression: for an ordinary model, and at most.
const MOTION: [usize; 2] = [1_200_000, 3_400_000];
/// A model with many bodies may use this many bytes for each of them.
const PER_BODY: usize = 8_000;
/// Bytes of columns in the page, before compression.
const COLUMNS: usize = 800_000;
/// The smallest number of rows: with fewer, neither motions nor curves are recognisable.
const LEAST: usize = 50;

/// Rows of positions that are shown, with so many bytes for each body.
pub(crate) fn motion_rows(rows: usize, bodies: usize, bytes: usize) -> Vec<usize> {
    let budget = (bodies * PER_BODY).clamp(MOTION[0], MOTION[1]);
    evenly(rows, budget / (bodies * bytes + 8).max(1))
}

/// Rows of columns that are shown.
pub(crate) fn column_rows(rows: usize, columns: usize) -> Vec<usize> {
    evenly(rows, COLUMNS / (4 * columns + 8))
}

/// At most about `most` of the rows, equally spaced, and the last one.
pub(crate) fn evenly(rows: usize, most: usize) -> Vec<usize> {
    let stride = rows.div_ceil(most.max(LEAST)).max(1);
    let mut out: Vec<usize> = (0..rows).step_by(stride).collect();
    if rows > 0 && out.last() != Some(&(rows - 1)) {
        out.push(rows - 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_and_the_last() {
        assert_eq!(evenly(0, 100), [0; 0]);
        assert_eq!(evenly(3, 100), [0, 1, 2]);
        let r = evenly(1001, 500);
        assert_eq!((r.len(), r[1], r.last()), (335, 3, Some(&1000)));
        assert_eq!(evenly(1000, 0).len(), 51);
    }

    #[test]
    fn ordinary_models_keep_every_row_of_ten_seconds() {
        assert_eq!(motion_rows(1001, 20, 4 * 7).len(), 1001);
        assert_eq!(column_rows(1001, 150).len(), 1001);
        assert!(motion_rows(1001, 501, 4 * 3).len() > 300);
    }
}
