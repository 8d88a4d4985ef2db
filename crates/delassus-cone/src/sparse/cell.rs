//! One block of rows with everything that a visit of a sweep needs, in one stretch of memory.

use super::packed::{MassRoot, Source};
use super::real::Real;
use crate::law::defect;
use crate::local;
use crate::problem::Law;

/// Columns of a run.
pub(super) const RUN: usize = 6;
/// Columns of a block.
pub(super) const WIDTH: usize = 2 * RUN;
/// Fraction of the product of its diagonal that the determinant of a block must reach for its inverse to be used.
const REGULAR: f64 = 1e-9;
/// Fraction of the bound of friction above which a reaction counts as slipping.
const ON_CONE: f64 = 0.99;

/// How a block is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Nothing moves it.
    Bare,
    /// Friction with two tangential rows and a regular block.
    Rough(f64),
    /// Anything else.
    Other(Law),
}

/// One block; `R` rows, those beyond its law are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<T, const R: usize> {
    pub j: [[T; WIDTH]; R],
    pub b: [T; R],
    pub a: [[T; R]; R],
    /// Inverse of `a`, for `Rough`.
    pub inverse: [[T; R]; R],
    pub kind: Kind,
    /// First columns of the two runs, the first one lower.
    pub at: [u32; 2],
    /// First row, and how many.
    pub row: u32,
    pub rows: u32,
}

/// Inverse of a symmetric block, if it is regular.
fn inverse(a: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |i: usize, j: usize| {
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        let (s, t) = ((j + 1) % 3, (j + 2) % 3);
        a[p][s] * a[q][t] - a[p][t] * a[q][s]
    };
    let det = a[0][0] * minor(0, 0) + a[0][1] * minor(0, 1) + a[0][2] * minor(0, 2);
    (det > REGULAR * a[0][0] * a[1][1] * a[2][2])
        .then(|| [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / det)))
}

/// Up to three entries in double precision.
#[inline(always)]
fn wide<T: Real, const R: usize>(x: &[T; R]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for i in 0..R {
        out[i] = x[i].wide();
    }
    out
}

#[inline(always)]
fn product<T: Real>(m: &[[T; 3]; 3], x: &[T; 3]) -> [T; 3] {
    let row = |m: &[T; 3]| m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    [row(&m[0]), row(&m[1]), row(&m[2])]
}

#[inline(always)]
fn dot<T: Real>(j: &[T; WIDTH], x: &[T; WIDTH]) -> T {
    // four sums side by side: the compiler may not reorder a single one
    let mut sum = [T::ZERO; 4];
    for c in 0..3 {
        for l in 0..4 {
            sum[l] = sum[l] + j[4 * c + l] * x[4 * c + l];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

/// Scaled quantities neither overflow nor vanish when squared.
#[inline(always)]
fn length<T: Real>(x: T, y: T) -> T {
    (x * x + y * y).sqrt()
}

impl<const R: usize> Cell<f64, R> {
    pub const EMPTY: Cell<f64, R> = Cell {
        j: [[0.0; WIDTH]; R],
        b: [0.0; R],
        a: [[0.0; R]; R],
        inverse: [[0.0; R]; R],
        kind: Kind::Bare,
        at: [0; 2],
        row: 0,
        rows: 0,
    };

    /// `J` and `W_kk` of a block; false if it involves more than two runs.
    pub fn fill(&mut self, s: &Source<'_>, root: &MassRoot) -> bool {
        // a block of the mass lies entirely in one run or in the other
        let none = root.block.len() as u32;
        let run = RUN as u32;
        let (mut first, mut second) = (none, none);
        for &c in s.columns {
            first = first.min(root.block[c][0]);
        }
        for &c in s.columns {
            let [from, _, size] = root.block[c];
            if from + size > first + run {
                second = second.min(from);
            }
        }
        if second < first + run && second != none {
            return false;
        }
        (self.at, self.row, self.rows) = ([first, second], s.first as u32, s.rows as u32);
        for (e, &c) in s.columns.iter().enumerate() {
            let [from, at, size] = root.block[c];
            let place = if from + size <= first + run {
                from - first
            } else if from + size <= second + run {
                run + from - second
            } else {
                return false;
            } as usize;
            let own = c - from as usize;
            let line = &root.values[at as usize + own * size as usize..][..own + 1];
            if root.diagonal {
                for (j, values) in self.j.iter_mut().zip(&s.values[..s.rows]) {
                    j[place + own] += values[e] * line[own];
                }
                continue;
            }
            for (j, values) in self.j.iter_mut().zip(&s.values[..s.rows]) {
                let value = values[e];
                for (j, l) in j[place..place + own + 1].iter_mut().zip(line) {
                    *j += value * l;
                }
            }
        }
        for i in 0..R {
            for k in 0..=i {
                self.a[i][k] = dot(&self.j[i], &self.j[k]);
                self.a[k][i] = self.a[i][k];
            }
        }
        true
    }

    /// Takes the law and `b`, both already scaled, and divides the rows by √d.
    pub fn scale(&mut self, law: Law, bare: bool, root: f64, b: &[f64]) {
        self.b[..b.len()].copy_from_slice(b);
        if bare {
            self.kind = Kind::Bare;
            return;
        }
        let by = 1.0 / root;
        for i in 0..R {
            for k in 0..WIDTH {
                self.j[i][k] *= by;
            }
            for k in 0..R {
                self.a[i][k] *= by * by;
            }
        }
        self.kind = Kind::Other(law);
        if let Law::Coulomb { mu, tangential: 2 } = law
            && mu > 0.0
        {
            let mut a = [[0.0; 3]; 3];
            for i in 0..R {
                a[i][..R].copy_from_slice(&self.a[i]);
            }
            if let Some(inverse) = inverse(&a) {
                self.kind = Kind::Rough(mu);
                for i in 0..R {
                    self.inverse[i].copy_from_slice(&inverse[i][..R]);
                }
            }
        }
    }

    /// The same in single precision.
    pub fn narrow(&self) -> Cell<f32, R> {
        Cell {
            j: self.j.map(|row| row.map(|x| x as f32)),
            b: self.b.map(|x| x as f32),
            a: self.a.map(|row| row.map(|x| x as f32)),
            inverse: self.inverse.map(|row| row.map(|x| x as f32)),
            kind: self.kind,
            at: self.at,
            row: self.row,
            rows: self.rows,
        }
    }
}

impl<T: Real, const R: usize> Cell<T, R> {
    #[inline(always)]
    fn gather(&self, x: &[T]) -> [T; WIDTH] {
        let (a, b) = (self.at[0] as usize, self.at[1] as usize);
        let mut out = [T::ZERO; WIDTH];
        out[..RUN].copy_from_slice(&x[a..a + RUN]);
        out[RUN..].copy_from_slice(&x[b..b + RUN]);
        out
    }

    /// Writes back; the runs do not overlap.
    #[inline(always)]
    fn scatter(&self, v: &[T; WIDTH], x: &mut [T]) {
        let (a, b) = (self.at[0] as usize, self.at[1] as usize);
        x[a..a + RUN].copy_from_slice(&v[..RUN]);
        x[b..b + RUN].copy_from_slice(&v[RUN..]);
    }

    #[inline(always)]
    fn reactions(&self, r: &[T]) -> [T; R] {
        let (row, n) = (self.row as usize, self.rows as usize);
        let mut out = [T::ZERO; R];
        if n == R {
            out.copy_from_slice(&r[row..row + R]);
        } else {
            out[..n].copy_from_slice(&r[row..row + n]);
        }
        out
    }

    #[inline(always)]
    fn shift(&self, by: &[T; R], v: &mut [T; WIDTH]) {
        for k in 0..WIDTH {
            let mut sum = v[k];
            for i in 0..R {
                sum = sum + self.j[i][k] * by[i];
            }
            v[k] = sum;
        }
    }

    pub fn add(&self, r: &[T], x: &mut [T]) {
        let mut v = self.gather(x);
        self.shift(&self.reactions(r), &mut v);
        self.scatter(&v, x);
    }

    #[inline(always)]
    fn rates(&self, v: &[T; WIDTH]) -> [T; R] {
        let mut u = self.b;
        for i in 0..R {
            u[i] = u[i] + dot(&self.j[i], v);
        }
        u
    }

    pub fn defect(&self, r: &[T], x: &[T]) -> f64 {
        let law = match self.kind {
            Kind::Bare => return 0.0,
            Kind::Rough(mu) => Law::Coulomb { mu, tangential: 2 },
            Kind::Other(law) => law,
        };
        let n = self.rows as usize;
        let u = self.rates(&self.gather(x));
        defect(law, &wide(&self.reactions(r))[..n], &wide(&u)[..n])
    }

    /// Changes the reactions of the block, and `x` with them.
    #[inline(always)]
    fn change(&self, old: &[T; R], new: &[T; R], v: &mut [T; WIDTH], r: &mut [T], x: &mut [T]) {
        let mut by = [T::ZERO; R];
        for i in 0..R {
            by[i] = new[i] - old[i];
        }
        self.shift(&by, v);
        self.scatter(v, x);
        let row = self.row as usize;
        if self.rows as usize == R {
            r[row..row + R].copy_from_slice(new);
        } else {
            let n = self.rows as usize;
            r[row..row + n].copy_from_slice(&new[..n]);
        }
    }

    /// Any law, by its exact solution.
    fn visit_other(&self, law: Law, r: &mut [T], x: &mut [T]) {
        let mut v = self.gather(x);
        let (old, u) = (self.reactions(r), self.rates(&v));
        let n = self.rows as usize;
        let (mut q, mut new, mut a) = ([0.0; 3], wide(&old), [[0.0; 3]; 3]);
        for i in 0..n {
            a[i] = wide(&self.a[i]);
            q[i] = u[i].wide() - (0..n).map(|j| a[i][j] * new[j]).sum::<f64>();
        }
        local::solve(law, &a, &q[..n], &mut new[..n]);
        let mut found = [T::ZERO; R];
        for i in 0..n {
            found[i] = T::of(new[i]);
        }
        self.change(&old, &found, &mut v, r, x);
    }
}

impl<T: Real> Cell<T, 1> {
    pub fn visit_one(&self, r: &mut [T], x: &mut [T]) {
        match self.kind {
            Kind::Bare => {}
            Kind::Other(Law::Unilateral) if self.a[0][0] > T::ZERO => {
                let mut v = self.gather(x);
                let (u, old) = (self.b[0] + dot(&self.j[0], &v), r[self.row as usize]);
                let new = old - u / self.a[0][0];
                let new = if new > T::ZERO { new } else { T::ZERO };
                if new != old {
                    self.change(&[old], &[new], &mut v, r, x);
                }
            }
            Kind::Other(law) => self.visit_other(law, r, x),
            Kind::Rough(_) => {}
        }
    }
}

impl<T: Real> Cell<T, 3> {
    pub fn visit(&self, r: &mut [T], x: &mut [T]) {
        let mu = match self.kind {
            Kind::Bare => return,
            Kind::Rough(mu) => T::of(mu),
            Kind::Other(law) => return self.visit_other(law, r, x),
        };
        let mut v = self.gather(x);
        let normal = self.b[0] + dot(&self.j[0], &v);
        let old = self.reactions(r);
        if normal >= T::ZERO && old == [T::ZERO; 3] {
            return;
        }
        let u = [normal, self.b[1] + dot(&self.j[1], &v), self.b[2] + dot(&self.j[2], &v)];
        let own = product(&self.a, &old);
        let q = [u[0] - own[0], u[1] - own[1], u[2] - own[2]];
        let new = if q[0] >= T::ZERO {
            [T::ZERO; 3]
        } else {
            let x = product(&self.inverse, &q);
            let stick = [-x[0], -x[1], -x[2]];
            let bound = mu * stick[0];
            if bound >= T::ZERO && stick[1] * stick[1] + stick[2] * stick[2] <= bound * bound {
                stick
            } else {
                self.slip(mu, &q, &u, &old)
            }
        };
        self.change(&old, &new, &mut v, r, x);
    }

    /// Slip. A block that slipped before starts at `s = |u_T|/|r_T|`, which is exact at the solution, and takes one
    /// step of Newton's method; others are solved exactly. See `local.rs`.
    fn slip(&self, mu: T, q: &[T; 3], u: &[T; 3], old: &[T; 3]) -> [T; 3] {
        let a = &self.a;
        let before = length(old[1], old[2]);
        if before > T::ZERO && before >= T::of(ON_CONE) * mu * old[0] {
            let w = a[0][0];
            let part = [a[1][0] / w, a[2][0] / w];
            let s2 = [
                a[1][1] - part[0] * a[0][1],
                a[1][2] - part[0] * a[0][2],
                a[2][2] - part[1] * a[0][2],
            ];
            let c = [q[1] - part[0] * q[0], q[2] - part[1] * q[0]];
            let solve = |s: T, c: [T; 2]| {
                let (m00, m11) = (s2[0] + s, s2[2] + s);
                let det = m00 * m11 - s2[1] * s2[1];
                [(s2[1] * c[1] - m11 * c[0]) / det, (s2[1] * c[0] - m00 * c[1]) / det]
            };
            let normal = |t: [T; 2]| -q[0] / w - part[0] * t[0] - part[1] * t[1];
            let s = length(u[1], u[2]) / before;
            let t = solve(s, c);
            let (bound, size) = (mu * normal(t), length(t[0], t[1]));
            let d = solve(s, t);
            let d_size = (t[0] * d[0] + t[1] * d[1]) / size;
            let d_bound = -(mu * (part[0] * d[0] + part[1] * d[1]));
            // Newton on 1/size − 1/bound
            let slope = d_bound * size * size - d_size * bound * bound;
            let next = s - (bound - size) * size * bound / slope;
            if bound > T::ZERO && next >= T::ZERO && next.is_finite() {
                let t = solve(next, c);
                let (n, size) = (normal(t), length(t[0], t[1]));
                if n > T::ZERO && size > T::ZERO && n.is_finite() {
                    let shrink = mu * n / size;
                    return [n, t[0] * shrink, t[1] * shrink];
                }
            }
        }
        let (a, mut new) = (a.map(|row| wide(&row)), wide(old));
        local::solve(Law::Coulomb { mu: mu.wide(), tangential: 2 }, &a, &wide(q), &mut new);
        new.map(T::of)
    }
}
