//! The Schur complement of small systems with a diagonal mass matrix, in fixed-size arrays.
//!
//! A planar linkage of a few bars has 5 to 8 rows over 6 to 12 coordinates. At that size index lists and loop ends cost
//! more than the arithmetic, so sizes are compile-time constants here and everything stays on the stack. Only clearly
//! regular systems are handled: where a pivot is weak the caller falls back to the general path, which filters and
//! refines.

use crate::dense_ldl::Weakest;

/// Most rows, and most coordinates, that have a kernel.
const ROWS: usize = 8;
const COLUMNS: usize = 12;

/// `G`, `M⁻¹` and the factor `L D Lᵀ = G M⁻¹ Gᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct SmallKkt {
    rows: usize,
    /// Number of coordinates padded to a multiple of 4; the padding stays zero.
    width: usize,
    /// Row-major.
    g: Vec<f64>,
    inverse_mass: Vec<f64>,
    /// Unit lower triangle, row-major, and the inverse pivots.
    l: Vec<f64>,
    inverse_pivots: Vec<f64>,
}

/// Calls the kernel for the present sizes.
macro_rules! dispatch {
    ($self:ident, $kernel:ident, $args:tt) => {
        match ($self.width, $self.rows) {
            (4, 1) => $self.$kernel::<1, 4> $args,
            (4, 2) => $self.$kernel::<2, 4> $args,
            (4, 3) => $self.$kernel::<3, 4> $args,
            (4, 4) => $self.$kernel::<4, 4> $args,
            (8, 1) => $self.$kernel::<1, 8> $args,
            (8, 2) => $self.$kernel::<2, 8> $args,
            (8, 3) => $self.$kernel::<3, 8> $args,
            (8, 4) => $self.$kernel::<4, 8> $args,
            (8, 5) => $self.$kernel::<5, 8> $args,
            (8, 6) => $self.$kernel::<6, 8> $args,
            (8, 7) => $self.$kernel::<7, 8> $args,
            (8, 8) => $self.$kernel::<8, 8> $args,
            (12, 4) => $self.$kernel::<4, 12> $args,
            (12, 5) => $self.$kernel::<5, 12> $args,
            (12, 6) => $self.$kernel::<6, 12> $args,
            (12, 7) => $self.$kernel::<7, 12> $args,
            (12, 8) => $self.$kernel::<8, 12> $args,
            _ => None,
        }
    };
}

impl SmallKkt {
    /// `None` if there is no kernel of this size.
    pub(crate) fn new(rows: usize, columns: usize) -> Option<SmallKkt> {
        let width = columns.next_multiple_of(4);
        if rows == 0 || rows > ROWS || columns > COLUMNS || rows > width {
            return None;
        }
        if width == 12 && rows < 4 {
            return None;
        }
        Some(SmallKkt {
            rows,
            width,
            g: vec![0.0; rows * width],
            inverse_mass: vec![0.0; width],
            l: vec![0.0; rows * rows],
            inverse_pivots: vec![0.0; rows],
        })
    }

    /// Position of an entry of `G` in [`SmallKkt::values`].
    pub(crate) fn slot(&self, row: usize, column: usize) -> usize {
        row * self.width + column
    }

    /// `G`, row by row; entries that are never written stay zero.
    pub(crate) fn values(&mut self) -> &mut [f64] {
        &mut self.g
    }

    pub(crate) fn set_inverse_mass(&mut self, diagonal: impl Iterator<Item = f64>) {
        for (to, from) in self.inverse_mass.iter_mut().zip(diagonal) {
            *to = from;
        }
    }

    /// The weakest pivot, or `None` when one is below `least` (relative) or not finite.
    pub(crate) fn factor(&mut self, least: f64, scale_floor: f64) -> Option<Weakest> {
        dispatch!(self, factor_fixed, (least, scale_floor))
    }

    /// `a`, `λ` by the present factor; `None` if the sizes do not match.
    pub(crate) fn solve(
        &self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Option<()> {
        dispatch!(self, solve_fixed, (f, b, a, lambda))
    }

    fn factor_fixed<const M: usize, const N: usize>(
        &mut self,
        least: f64,
        scale_floor: f64,
    ) -> Option<Weakest> {
        let g = self.g.as_chunks::<N>().0.first_chunk::<M>()?;
        let inverse_mass = self.inverse_mass.first_chunk::<N>()?;
        let mut w = [[0.0; M]; M];
        let mut largest: f64 = 0.0;
        for i in 0..M {
            let mut p = [0.0; N];
            for c in 0..N {
                p[c] = g[i][c] * inverse_mass[c];
            }
            for j in 0..=i {
                w[i][j] = dot(&p, &g[j]);
            }
            largest = largest.max(w[i][i]);
        }
        let l = self.l.as_chunks_mut::<M>().0.first_chunk_mut::<M>()?;
        let inverse_pivots = self.inverse_pivots.first_chunk_mut::<M>()?;
        let floor = scale_floor * largest;
        let mut scale = [0.0; M];
        for j in 0..M {
            scale[j] = w[j][j] + floor;
        }
        // pivot and scale of the weakest, compared by products: divisions are slow
        let mut weakest = (1.0, 1.0, 0);
        for j in 0..M {
            let d = w[j][j];
            if !(d > least * scale[j] && d < f64::INFINITY) {
                return None;
            }
            if d * weakest.1 < weakest.0 * scale[j] {
                weakest = (d, scale[j], j);
            }
            let inv = 1.0 / d;
            inverse_pivots[j] = inv;
            for i in j + 1..M {
                let c = w[i][j] * inv;
                l[i][j] = c;
                for k in j + 1..=i {
                    w[i][k] -= c * w[k][j];
                }
            }
        }
        Some(Weakest { pivot: weakest.0 / weakest.1, row: weakest.2 })
    }

    fn solve_fixed<const M: usize, const N: usize>(
        &self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Option<()> {
        let g = self.g.as_chunks::<N>().0.first_chunk::<M>()?;
        let l = self.l.as_chunks::<M>().0.first_chunk::<M>()?;
        let inverse_mass = self.inverse_mass.first_chunk::<N>()?;
        let inverse_pivots = self.inverse_pivots.first_chunk::<M>()?;
        let b = b.first_chunk::<M>()?;
        let lambda = lambda.first_chunk_mut::<M>()?;
        let mut free = [0.0; N];
        for (x, f) in free.iter_mut().zip(f) {
            *x = *f;
        }
        for c in 0..N {
            free[c] *= inverse_mass[c];
        }
        let mut y = [0.0; M];
        for i in 0..M {
            let mut s = b[i] - dot(&g[i], &free);
            for j in 0..i {
                s -= l[i][j] * y[j];
            }
            y[i] = s;
        }
        for i in 0..M {
            y[i] *= inverse_pivots[i];
        }
        for i in (0..M).rev() {
            for j in i + 1..M {
                y[i] -= l[j][i] * y[j];
            }
        }
        *lambda = y;
        let mut push = [0.0; N];
        for i in 0..M {
            for c in 0..N {
                push[c] += g[i][c] * y[i];
            }
        }
        for c in 0..N {
            free[c] += inverse_mass[c] * push[c];
        }
        for (a, x) in a.iter_mut().zip(&free) {
            *a = *x;
        }
        Some(())
    }
}

/// Four sums at once, so that the additions need not wait for each other.
#[inline(always)]
fn dot<const N: usize>(x: &[f64; N], y: &[f64; N]) -> f64 {
    let mut sum = [0.0; 4];
    for k in 0..N / 4 {
        for i in 0..4 {
            sum[i] += x[4 * k + i] * y[4 * k + i];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A fixed sequence of numbers in [−1, 1].
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut x = seed;
        move || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn every_size_solves_its_system() {
        let mut sizes = 0;
        for rows in 1..=ROWS {
            for columns in rows..=COLUMNS {
                let Some(mut kkt) = SmallKkt::new(rows, columns) else { continue };
                sizes += 1;
                let mut next = numbers((100 * rows + columns) as u64);
                let mut g = vec![vec![0.0; columns]; rows];
                for (i, row) in g.iter_mut().enumerate() {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x = next() + if i == j { 3.0 } else { 0.0 };
                        let slot = kkt.slot(i, j);
                        kkt.values()[slot] = *x;
                    }
                }
                let mass: Vec<f64> = (0..columns).map(|_| 2.0 + next()).collect();
                kkt.set_inverse_mass(mass.iter().map(|m| 1.0 / m));
                let f: Vec<f64> = (0..columns).map(|_| next()).collect();
                let b: Vec<f64> = (0..rows).map(|_| next()).collect();
                let (mut a, mut l) = (vec![0.0; columns], vec![0.0; rows]);
                let weakest = kkt.factor(1e-6, 1e-12).unwrap();
                assert!(weakest.pivot > 1e-3 && weakest.pivot <= 1.0);
                kkt.solve(&f, &b, &mut a, &mut l).unwrap();
                for j in 0..columns {
                    let push: f64 = (0..rows).map(|i| g[i][j] * l[i]).sum();
                    assert!((mass[j] * a[j] - push - f[j]).abs() < 1e-12, "{rows} {columns}");
                }
                for i in 0..rows {
                    let motion: f64 = (0..columns).map(|j| g[i][j] * a[j]).sum();
                    assert!((motion - b[i]).abs() < 1e-12, "{rows} {columns}");
                }
            }
        }
        assert!(sizes > 40, "{sizes}");
    }

    #[test]
    fn weak_pivots_and_infinite_values_are_left_to_others() {
        let mut kkt = SmallKkt::new(2, 3).unwrap();
        kkt.set_inverse_mass([1.0, 1.0, 1.0].into_iter());
        for (values, good) in [
            ([1.0, 0.0, 0.0, 1.0, 1.0, 0.0], true),
            ([1.0, 0.0, 0.0, 1.0, 1e-4, 0.0], false),
            ([1.0, 0.0, 0.0, 1.0, f64::NAN, 0.0], false),
            ([1.0, 0.0, 0.0, f64::INFINITY, 1.0, 0.0], false),
            ([0.0; 6], false),
        ] {
            for (k, x) in values.into_iter().enumerate() {
                let slot = kkt.slot(k / 3, k % 3);
                kkt.values()[slot] = x;
            }
            assert_eq!(kkt.factor(1e-6, 1e-12).is_some(), good, "{values:?}");
        }
    }
}
