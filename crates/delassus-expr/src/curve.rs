//! Functions given by points: piecewise polynomials with exact derivatives.

use crate::jet::Jet;
use crate::num::Num;
use crate::range::Range;
use std::fmt;

/// What joins the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// The value of a point until the next one: a jump at every point where it changes.
    Hold,
    /// Straight lines: a kink at every point.
    Straight,
    /// Cubics with continuous slope that rise and fall only where the points do.
    Monotone,
    /// Cubics with continuous slope and curvature; the curvature is zero at both ends.
    Spline,
}

/// What the function is before its first and after its last point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The value of the end.
    Clamp,
    /// A straight line with the slope of the end.
    Extend,
    /// The same again and again.
    Periodic,
}

/// Why points do not make a function.
#[derive(Clone, Debug, PartialEq)]
pub enum CurveError {
    /// Another number of values than of arguments.
    Unequal {
        /// Number of arguments.
        x: usize,
        /// Number of values.
        y: usize,
    },
    /// At least two points are needed.
    TooFew {
        /// Points given.
        points: usize,
    },
    /// The arguments do not rise at this point.
    Order {
        /// Index of the point.
        at: usize,
        /// The argument before it.
        before: f64,
        /// Its own.
        x: f64,
    },
    /// A coordinate of this point, or a slope before it, is not finite.
    NotFinite {
        /// Index of the point.
        at: usize,
    },
    /// A periodic function ends with another value than it began with.
    Open {
        /// The first value.
        first: f64,
        /// The last value.
        last: f64,
    },
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CurveError::Unequal { x, y } => write!(f, "{x} arguments, but {y} values"),
            CurveError::TooFew { points } => {
                write!(f, "a table needs two points at least; it has {points}")
            }
            CurveError::Order { at, before, x } => {
                write!(f, "point {}: the argument {x} does not follow {before}", at + 1)
            }
            CurveError::NotFinite { at } => {
                write!(f, "point {}: a coordinate or the slope is not a finite number", at + 1)
            }
            CurveError::Open { first, last } => {
                write!(f, "it is periodic, but begins with {first} and ends with {last}")
            }
        }
    }
}

impl std::error::Error for CurveError {}

/// A function of one argument through given points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    x: Vec<f64>,
    /// Per interval the coefficients of powers of the distance from its beginning.
    pieces: Vec<[f64; 4]>,
    /// What continues beyond both ends, unless it is periodic; from the end itself.
    before: [f64; 4],
    after: [f64; 4],
    periodic: bool,
    /// It jumps at its points, whose value belongs to what follows.
    jumps: bool,
}

impl Curve {
    /// The function through the points, whose arguments must rise.
    pub fn new(x: Vec<f64>, y: &[f64], join: Join, outside: Outside) -> Result<Curve, CurveError> {
        check(&x, y)?;
        let n = x.len();
        let periodic = outside == Outside::Periodic;
        if periodic && y[0] != y[n - 1] {
            return Err(CurveError::Open { first: y[0], last: y[n - 1] });
        }
        let slope = match join {
            Join::Hold | Join::Straight => Vec::new(),
            Join::Monotone => monotone(&x, y, periodic),
            Join::Spline => spline(&x, y, periodic),
        };
        let piece = |k: usize| {
            let h = x[k + 1] - x[k];
            if join == Join::Hold {
                return [y[k], 0.0, 0.0, 0.0];
            }
            let mean = (y[k + 1] - y[k]) / h;
            if slope.is_empty() {
                return [y[k], mean, 0.0, 0.0];
            }
            let (a, b) = (slope[k], slope[k + 1]);
            [y[k], a, (3.0 * mean - 2.0 * a - b) / h, (a + b - 2.0 * mean) / h / h]
        };
        let pieces: Vec<[f64; 4]> = (0..n - 1).map(piece).collect();
        if let Some(k) = pieces.iter().position(|c| c.iter().any(|c| !c.is_finite())) {
            return Err(CurveError::NotFinite { at: k + 1 });
        }
        let (first, last) = (pieces[0][1], at(&pieces[n - 2], x[n - 1] - x[n - 2])[1]);
        let beyond = |y: f64, slope: f64| match outside {
            Outside::Extend => [y, slope, 0.0, 0.0],
            _ => [y, 0.0, 0.0, 0.0],
        };
        let (before, after) = (beyond(y[0], first), beyond(y[n - 1], last));
        let jumps = join == Join::Hold;
        Ok(Curve { x, pieces, before, after, periodic, jumps })
    }

    /// Value, slope and curvature; at a kink those of the side that follows.
    pub fn at(&self, x: f64) -> [f64; 3] {
        let x = if self.periodic { x - self.turns(x) } else { x };
        let (c, from) = self.piece(self.x.partition_point(|p| *p <= x));
        at(c, x - from)
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.x.len()
    }

    /// Arguments of the points, and whether they repeat.
    pub(crate) fn arguments(&self) -> (&[f64], bool) {
        (&self.x, self.periodic)
    }

    pub(crate) fn apply<T: Num>(&self, a: T) -> T {
        let [f, slope, curvature] = self.at(a.value());
        a.chain(f, || (slope, curvature))
    }

    /// Values and coefficients on a whole interval.
    pub(crate) fn over<const N: usize>(&self, a: Jet<N>) -> Jet<N> {
        let Range { mut lo, mut hi } = a.c[0];
        let mut a = a;
        if self.periodic {
            if !(hi - lo < self.period()) {
                return Jet::open(self.range(1, self.pieces.len(), lo, hi));
            }
            let turns = self.turns(lo);
            a = a.sub(Jet::constant(turns));
            (lo, hi) = (lo - turns, hi - turns);
            let end = self.x[self.x.len() - 1];
            if hi > end {
                let last = self.range(self.x.partition_point(|p| *p <= lo), usize::MAX, lo, end);
                let hi = hi - self.period();
                let first = self.range(1, self.x.partition_point(|p| *p <= hi), self.x[0], hi);
                return Jet::open(last.hull(first));
            }
        }
        let first = self.x.partition_point(|p| *p <= lo);
        // an interval that ends at a point does not reach the piece behind it, unless the point has its value
        let reaches = |p: &f64| if self.jumps { *p <= hi } else { *p < hi };
        let last = self.x.partition_point(reaches).max(first);
        let value = self.range(first, last, lo, hi);
        if first != last || lo.is_nan() || hi.is_nan() {
            return Jet::open(value);
        }
        let (c, from) = self.piece(first);
        let u = a.sub(Jet::constant(from));
        let mut out = Jet::constant(c[3]);
        for c in c[..3].iter().rev() {
            out = out.mul(u).add(Jet::constant(*c));
        }
        if out.c[0].lo <= value.lo && value.hi <= out.c[0].hi {
            out.c[0] = value;
        }
        Jet { decided: a.decided, ..out }
    }

    fn period(&self) -> f64 {
        self.x[self.x.len() - 1] - self.x[0]
    }

    /// What to take from an argument so that it is between the ends.
    fn turns(&self, x: f64) -> f64 {
        ((x - self.x[0]) / self.period()).floor() * self.period()
    }

    /// The piece behind so many points, and where its distances begin.
    fn piece(&self, points: usize) -> (&[f64; 4], f64) {
        let n = self.x.len();
        match points {
            // rounding may leave an argument of a periodic function just outside
            0 if self.periodic => (&self.pieces[0], self.x[0]),
            0 => (&self.before, self.x[0]),
            k if k < n => (&self.pieces[k - 1], self.x[k - 1]),
            _ if self.periodic => (&self.pieces[n - 2], self.x[n - 2]),
            _ => (&self.after, self.x[n - 1]),
        }
    }

    /// All values between two arguments, which lie in these pieces.
    fn range(&self, first: usize, last: usize, lo: f64, hi: f64) -> Range {
        let n = self.x.len();
        if lo.is_nan() || hi.is_nan() {
            return Range::ALL;
        }
        let mut all: Option<Range> = None;
        for k in first..=last.min(n) {
            let (c, from) = self.piece(k);
            let a = if k > first && k > 0 { self.x[k - 1] } else { lo };
            let b = if k < last && k < n { self.x[k] } else { hi };
            let here = values(c, a - from, b - from);
            all = Some(all.map_or(here, |r| r.hull(here)));
        }
        all.unwrap_or(Range::ALL)
    }
}

fn check(x: &[f64], y: &[f64]) -> Result<(), CurveError> {
    if x.len() != y.len() {
        return Err(CurveError::Unequal { x: x.len(), y: y.len() });
    }
    if x.len() < 2 {
        return Err(CurveError::TooFew { points: x.len() });
    }
    if let Some(at) = x.iter().zip(y).position(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Err(CurveError::NotFinite { at });
    }
    match x.windows(2).position(|w| !(w[0] < w[1])) {
        Some(k) => Err(CurveError::Order { at: k + 1, before: x[k], x: x[k + 1] }),
        None => Ok(()),
    }
}

/// Value, slope and curvature of a cubic.
fn at(c: &[f64; 4], u: f64) -> [f64; 3] {
    [
        ((c[3] * u + c[2]) * u + c[1]) * u + c[0],
        (3.0 * c[3] * u + 2.0 * c[2]) * u + c[1],
        6.0 * c[3] * u + 2.0 * c[2],
    ]
}

/// All values of a cubic between two distances.
fn values(c: &[f64; 4], a: f64, b: f64) -> Range {
    let value = |u: f64| {
        // a constant stays one infinitely far away
        if c[1..] == [0.0; 3] { c[0] } else { at(c, u)[0] }
    };
    let (p, q) = (value(a), value(b));
    let mut all = Range::new(p.min(q), p.max(q));
    if p.is_nan() || q.is_nan() {
        return Range::ALL;
    }
    // where the slope 3 c₃ u² + 2 c₂ u + c₁ is zero; the form of the roots that does not cancel
    let root = (c[2] * c[2] - 3.0 * c[3] * c[1]).sqrt();
    let sum = -(c[2] + root.copysign(c[2]));
    for u in [sum / (3.0 * c[3]), c[1] / sum] {
        if a < u && u < b {
            all = all.hull(Range::point(value(u)));
        }
    }
    all
}

/// Slopes of Fritsch and Butland: zero at tops and bottoms, else the harmonic mean of both sides, weighted by lengths.
fn monotone(x: &[f64], y: &[f64], periodic: bool) -> Vec<f64> {
    let n = x.len();
    let h = |k: usize| x[k + 1] - x[k];
    let mean = |k: usize| (y[k + 1] - y[k]) / h(k);
    let inner = |j: usize, k: usize| {
        let (a, b) = (mean(j), mean(k));
        if a * b > 0.0 {
            let (p, q) = (h(j) + 2.0 * h(k), 2.0 * h(j) + h(k));
            (p + q) / (p / a + q / b)
        } else {
            0.0
        }
    };
    // the parabola through the three points at an end, kept from turning back before the second
    let end = |near: usize, far: usize| {
        let (a, b) = (mean(near), mean(far));
        let d = ((2.0 * h(near) + h(far)) * a - h(near) * b) / (h(near) + h(far));
        if d * a <= 0.0 {
            0.0
        } else if a * b < 0.0 && d.abs() > 3.0 * a.abs() {
            3.0 * a
        } else {
            d
        }
    };
    let mut slope: Vec<f64> = vec![mean(0); n];
    for k in 1..n - 1 {
        slope[k] = inner(k - 1, k);
    }
    if periodic {
        slope[0] = inner(n - 2, 0);
        slope[n - 1] = slope[0];
    } else if n > 2 {
        slope[0] = end(0, 1);
        slope[n - 1] = end(n - 2, n - 3);
    }
    slope
}

/// Slopes of the spline: the curvature is the same on both sides of every point.
fn spline(x: &[f64], y: &[f64], periodic: bool) -> Vec<f64> {
    let n = x.len();
    let w = |k: usize| 1.0 / (x[k + 1] - x[k]);
    let mean = |k: usize| (y[k + 1] - y[k]) * w(k);
    // rows: below · s[k−1] + middle · s[k] + above · s[k+1] = right
    let mut below = vec![0.0; n];
    let mut middle = vec![0.0; n];
    let mut above = vec![0.0; n];
    let mut right = vec![0.0; n];
    for k in 0..n {
        if k > 0 {
            below[k] = w(k - 1);
            middle[k] += 2.0 * w(k - 1);
            right[k] += 3.0 * w(k - 1) * mean(k - 1);
        }
        if k < n - 1 {
            above[k] = w(k);
            middle[k] += 2.0 * w(k);
            right[k] += 3.0 * w(k) * mean(k);
        }
    }
    if !periodic {
        return tridiagonal(&below, &middle, &above, right);
    }
    // both ends are one point: its row has the last interval before it, which is a change of rank one of a row without
    let m = n - 1;
    let around = w(m - 1);
    middle[0] += 2.0 * around;
    right[0] += 3.0 * around * mean(m - 1);
    if m == 1 {
        return vec![0.0; n];
    }
    let (b, d, a) = (&below[..m], &mut middle[..m], &above[..m]);
    // the matrix is T + u uᵀ·around with u = e₀ + e_{m−1} once both ends have lost as much
    d[0] -= around;
    d[m - 1] -= around;
    let mut u = vec![0.0; m];
    u[0] = 1.0;
    u[m - 1] += 1.0;
    let mut s = tridiagonal(b, d, a, right[..m].to_vec());
    let z = tridiagonal(b, d, a, u);
    let part = around * (s[0] + s[m - 1]) / (1.0 + around * (z[0] + z[m - 1]));
    s.iter_mut().zip(&z).for_each(|(s, z)| *s -= part * z);
    s.push(s[0]);
    s
}

/// Elimination without pivoting, which diagonally dominant rows allow.
fn tridiagonal(below: &[f64], middle: &[f64], above: &[f64], mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    let mut d = middle.to_vec();
    for k in 1..n {
        let part = below[k] / d[k - 1];
        d[k] -= part * above[k - 1];
        right[k] -= part * right[k - 1];
    }
    for k in (0..n).rev() {
        if k < n - 1 {
            right[k] -= above[k] * right[k + 1];
        }
        right[k] /= d[k];
    }
    right
}

#[cfg(test)]
mod tests;
