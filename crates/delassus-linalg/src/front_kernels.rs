//! Elimination and solution in one front, by rows of whole chunks of four entries.
//!
//! Rows are those of the pivots, then those below. Columns are in the same order, but those below begin a new chunk. Pivots
//! are taken four at a time: their own rows are finished, then each later row gets its four multipliers from one chunk,
//! and its rest is passed once for all four. Multipliers stay where they act.

use crate::vecops::CHUNK;
use pulp::Simd;

pub(crate) type Chunk = [f64; CHUNK];

/// Eliminates the pivots of a front, as many as there are inverses, in rows of `width` chunks. `judge` gets the number of
/// each pivot and what elimination has made of it, and returns the pivot to use; none stops.
#[inline(always)]
pub(crate) fn eliminate<S: Simd>(
    simd: S,
    rows: &mut [Chunk],
    width: usize,
    inv: &mut [f64],
    mut judge: impl FnMut(usize, f64) -> Option<f64>,
) -> Option<()> {
    for (block, inv) in inv.chunks_mut(CHUNK).enumerate() {
        let rows = &mut rows[block * CHUNK * width..];
        let judge = |a: usize, x: f64| judge(block * CHUNK + a, x);
        match inv.len() {
            1 => eliminate_block::<S, 1>(simd, rows, width, block, inv, judge)?,
            2 => eliminate_block::<S, 2>(simd, rows, width, block, inv, judge)?,
            3 => eliminate_block::<S, 3>(simd, rows, width, block, inv, judge)?,
            _ => eliminate_block::<S, 4>(simd, rows, width, block, inv, judge)?,
        }
    }
    Some(())
}

/// Finished pivots of a block: their inverses, and their rows within the block, above the diagonal. It lives in registers:
/// every index is known when it is compiled, since what is written to memory piece by piece cannot be read as a whole
/// right after without waiting.
struct Done {
    inv: [f64; CHUNK],
    upper: [Chunk; CHUNK],
}

#[inline(always)]
fn eliminate_block<S: Simd, const R: usize>(
    simd: S,
    rows: &mut [Chunk],
    width: usize,
    block: usize,
    inv: &mut [f64],
    mut judge: impl FnMut(usize, f64) -> Option<f64>,
) -> Option<()> {
    let mut done = Done { inv: [0.0; CHUNK], upper: [[0.0; CHUNK]; CHUNK] };
    finish::<S, 0>(simd, rows, width, block, &mut done, &mut judge)?;
    if R > 1 {
        finish::<S, 1>(simd, rows, width, block, &mut done, &mut judge)?;
    }
    if R > 2 {
        finish::<S, 2>(simd, rows, width, block, &mut done, &mut judge)?;
    }
    if R > 3 {
        finish::<S, 3>(simd, rows, width, block, &mut done, &mut judge)?;
    }
    inv[..R].copy_from_slice(&done.inv[..R]);
    let (above, later) = rows.split_at_mut(R * width);
    let sources = sources::<R>(above, width, block);
    for row in later.chunks_exact_mut(width) {
        eliminate_row(simd, &mut row[block..], &done, &sources);
    }
    Some(())
}

/// Finishes row `A` of a block, after the `A` before it.
#[inline(always)]
fn finish<S: Simd, const A: usize>(
    simd: S,
    rows: &mut [Chunk],
    width: usize,
    block: usize,
    done: &mut Done,
    judge: &mut impl FnMut(usize, f64) -> Option<f64>,
) -> Option<()> {
    let (above, row) = rows.split_at_mut(A * width);
    let sources = sources::<A>(above, width, block);
    let x = eliminate_row(simd, &mut row[block..width], done, &sources);
    done.inv[A] = 1.0 / judge(A, x[A])?;
    let mut upper = x;
    for (i, u) in upper.iter_mut().enumerate() {
        *u = if i > A { *u } else { 0.0 };
    }
    done.upper[A] = upper;
    Some(())
}

/// What the finished rows of a block have right of it.
#[inline(always)]
fn sources<const R: usize>(rows: &[Chunk], width: usize, block: usize) -> [&[Chunk]; R] {
    let mut out: [&[Chunk]; R] = [&[]; R];
    for (a, out) in out.iter_mut().enumerate() {
        *out = &rows[a * width + block + 1..(a + 1) * width];
    }
    out
}

/// Eliminates the pivots of a block from a row that begins there; returns its first chunk.
#[inline(always)]
fn eliminate_row<S: Simd, const R: usize>(
    simd: S,
    row: &mut [Chunk],
    done: &Done,
    sources: &[&[Chunk]; R],
) -> Chunk {
    let Some((head, tail)) = row.split_first_mut() else { return [0.0; CHUNK] };
    let mut x = *head;
    let mut l = [0.0; R];
    for a in 0..R {
        l[a] = x[a] * done.inv[a];
        for i in 0..CHUNK {
            x[i] -= l[a] * done.upper[a][i];
        }
    }
    x[..R].copy_from_slice(&l);
    *head = x;
    // the vectors of the processor by name: left to itself, the compiler joins chunks behind tests for overlap that take
    // longer than the rows
    let tail = S::as_mut_simd_f64s(tail.as_flattened_mut()).0;
    let n = tail.len();
    let sources = sources.map(|s| &S::as_simd_f64s(s.as_flattened()).0[..n]);
    let l = l.map(|l| simd.splat_f64s(l));
    for c in 0..n {
        let mut new = tail[c];
        for a in 0..R {
            new = simd.sub_f64s(new, simd.mul_f64s(l[a], sources[a][c]));
        }
        tail[c] = new;
    }
    x
}

/// Solves with the multipliers of a front for its `pivots`, which are in `x`, followed by zeros up to whole chunks; `pass`
/// gets what each row below takes from its right-hand side.
#[inline(always)]
pub(crate) fn forward(
    rows: &[Chunk],
    width: usize,
    pivots: usize,
    x: &mut [Chunk],
    mut pass: impl FnMut(usize, f64),
) {
    let (own, below) = rows.split_at(pivots * width);
    for (block, rows) in own.chunks(CHUNK * width).enumerate() {
        match pivots - block * CHUNK {
            1 => forward_block::<1>(rows, width, block, x),
            2 => forward_block::<2>(rows, width, block, x),
            3 => forward_block::<3>(rows, width, block, x),
            _ => forward_block::<4>(rows, width, block, x),
        }
    }
    for (i, row) in below.chunks_exact(width).enumerate() {
        pass(i, dot(&row[..x.len()], x));
    }
}

/// Whole chunks that are known first, then what depends on each other within the block: a chunk that is read right after
/// one of its entries was written makes processors wait.
#[inline(always)]
fn forward_block<const R: usize>(rows: &[Chunk], width: usize, block: usize, x: &mut [Chunk]) {
    let mut found = [0.0; CHUNK];
    for a in 0..R {
        found[a] = x[block][a] - dot(&rows[a * width..a * width + block], &x[..block]);
    }
    for a in 0..R {
        let l = rows[a * width + block];
        for b in 0..a {
            found[a] -= l[b] * found[b];
        }
    }
    x[block] = found;
}

/// Solves with the rows of the pivots, for a right-hand side in `x` that was solved with the multipliers and is followed by
/// the solution below.
#[inline(always)]
pub(crate) fn backward(rows: &[Chunk], width: usize, inv: &[f64], x: &mut [Chunk]) {
    for (block, inv) in inv.chunks(CHUNK).enumerate().rev() {
        let rows = &rows[block * CHUNK * width..];
        match inv.len() {
            1 => backward_block::<1>(rows, width, block, inv, x),
            2 => backward_block::<2>(rows, width, block, inv, x),
            3 => backward_block::<3>(rows, width, block, inv, x),
            _ => backward_block::<4>(rows, width, block, inv, x),
        }
    }
}

#[inline(always)]
fn backward_block<const R: usize>(
    rows: &[Chunk],
    width: usize,
    block: usize,
    inv: &[f64],
    x: &mut [Chunk],
) {
    let mut found = [0.0; CHUNK];
    for a in 0..R {
        let row = &rows[a * width + block + 1..(a + 1) * width];
        found[a] = x[block][a] - dot(row, &x[block + 1..]);
    }
    for a in (0..R).rev() {
        let u = rows[a * width + block];
        for b in a + 1..R {
            found[a] -= u[b] * found[b];
        }
        found[a] *= inv[a];
    }
    x[block] = found;
}

/// Σ x y over whole chunks.
#[inline(always)]
fn dot(x: &[Chunk], y: &[Chunk]) -> f64 {
    let mut lanes = [0.0; CHUNK];
    for (x, y) in x.iter().zip(y) {
        for i in 0..CHUNK {
            lanes[i] += x[i] * y[i];
        }
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// target[index] += source; `run` is the first index where they follow each other.
#[inline(always)]
pub(crate) fn scatter(target: &mut [f64], index: &[u32], run: Option<usize>, source: &[f64]) {
    if let Some(first) = run {
        let to = &mut target[first..first + index.len()];
        to.iter_mut().zip(source).for_each(|(t, s)| *t += s);
        return;
    }
    for (i, s) in index.iter().zip(source) {
        target[*i as usize] += s;
    }
}
