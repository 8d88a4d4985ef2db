//! Exponents and shapes of small motions next to a rest or a steady motion.

use super::linearise::{LinearError, Linearised};
use super::matrices::Sparse;
use super::{arnoldi, dense, lanczos};
use delassus_math::largest;
use faer::c64;

/// Velocities up to which all modes are found with full matrices.
pub const DENSE_MAX: usize = 400;
/// Modes of larger systems, unless another number is asked for.
const LOWEST: usize = 20;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModeOptions {
    /// So many lowest ones; `None`: all of small systems, 20 of large ones.
    pub count: Option<usize>,
    /// Krylov spaces (`true`) or full matrices (`false`) whatever the size; `None`: by [`DENSE_MAX`].
    pub sparse: Option<bool>,
}

/// A small motion δ(t) = Re(shape · exp((real + i imag) t)).
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// Growth, 1/s.
    pub real: f64,
    /// Circular frequency ≥ 0, rad/s: of a pair of exponents the one above the real axis.
    pub imag: f64,
    /// How far rounding of the model's matrices may have moved the exponent, 1/s, to first order: where it is zero, what an undamped
    /// one may be.
    pub doubt: f64,
    /// [real, imaginary] part of each coordinate, in tangent coordinates; the largest, in sizes of the coordinates, is 1 and real.
    pub shape: Vec<[f64; 2]>,
}

impl Mode {
    /// Frequency, Hz.
    pub fn frequency_hz(&self) -> f64 {
        self.imag / std::f64::consts::TAU
    }

    /// Damping over critical damping: 1 where it does not vibrate but decays, −1 where it only grows, 0 for exponent zero.
    pub fn damping_ratio(&self) -> f64 {
        let size = self.real.hypot(self.imag);
        if size > 0.0 { -self.real / size } else { 0.0 }
    }
}

/// Modes of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// By frequency, then by growth.
    pub list: Vec<Mode>,
    /// These are all there are.
    pub all: bool,
}

/// An exponent with its shape, before they are put in order.
pub(super) struct Found {
    pub exponent: c64,
    pub doubt: f64,
    pub shape: Vec<c64>,
}

impl Found {
    /// Those of an undamped vibration with ω²: two where it grows and decays.
    pub fn of_square(value: f64, doubt: f64, shape: Vec<c64>) -> Vec<Found> {
        let rate = value.abs().sqrt();
        let doubt = if rate > 0.0 { 0.5 * doubt / rate } else { doubt.sqrt() };
        let one = |re, im, shape| Found { exponent: c64::new(re, im), doubt, shape };
        if value >= 0.0 {
            vec![one(0.0, rate, shape)]
        } else {
            vec![one(rate, 0.0, shape.clone()), one(-rate, 0.0, shape)]
        }
    }
}

/// Modes of a linearisation: all, or the lowest by size of the exponent.
pub fn modes(l: &Linearised, options: ModeOptions) -> Result<Modes, LinearError> {
    let sparse = options.sparse.unwrap_or(l.nv() > DENSE_MAX);
    let mut found = if sparse {
        large(l, options.count.unwrap_or(LOWEST).max(1))?
    } else {
        dense::all_modes(l)?
    };
    // rounding of conjugate pairs
    found.retain(|f| f.exponent.im >= 0.0);
    found.sort_by(|a, b| a.exponent.norm().total_cmp(&b.exponent.norm()));
    let there = found.len();
    let count = options.count.or(sparse.then_some(LOWEST));
    found.truncate(count.unwrap_or(usize::MAX));
    let all = !sparse && found.len() == there;
    let mut list: Vec<Mode> = found.into_iter().map(|f| mode(f, &l.scale)).collect();
    list.sort_by(|a, b| a.imag.total_cmp(&b.imag).then(a.real.total_cmp(&b.real)));
    Ok(Modes { list, all })
}

/// Lowest exponents of a large system.
fn large(l: &Linearised, count: usize) -> Result<Vec<Found>, LinearError> {
    let vibrations = lanczos::lowest(l, count)?;
    let quiet = l.axes.n.is_zero()
        && l.axes.b.is_zero()
        && l.live.is_empty()
        && l.damping.is_zero()
        && l.rolling.pattern.nrows == 0
        && is_symmetric(&l.stiffness);
    if quiet {
        let mut out = Vec::new();
        for v in vibrations {
            let shape = v.shape.iter().map(|x| c64::new(*x, 0.0)).collect();
            out.extend(Found::of_square(v.stiffness, v.doubt, shape));
        }
        return Ok(out);
    }
    let solid = vibrations.iter().map(|v| v.stiffness.abs().sqrt()).find(|w| *w > 0.0);
    arnoldi::lowest(l, 2 * count, 0.3 * solid.unwrap_or(1.0))
}

/// Whether a matrix is symmetric, but for rounding and for the forces that an equilibrium leaves.
fn is_symmetric(k: &Sparse) -> bool {
    let limit = 1e-9 * k.largest();
    let value = |i: usize, j: usize| k.pattern.slot(i, j).map_or(0.0, |s| k.values[s]);
    k.entries().all(|(i, j, x)| (x - value(j, i)).abs() <= limit)
}

pub(super) fn mode(f: Found, scale: &[f64]) -> Mode {
    let size = |i: usize| f.shape[i].norm() / scale[i];
    // of entries that are as large, the first: rounding shall not choose
    let most = largest((0..f.shape.len()).map(size));
    let first = (0..f.shape.len()).find(|i| size(*i) >= (1.0 - 1e-6) * most).unwrap_or(0);
    let unit = f.shape.get(first).map_or(c64::new(1.0, 0.0), |x| x / scale[first]);
    let shape = f.shape.iter().map(|x| if unit.norm() > 0.0 { x / unit } else { *x });
    Mode {
        real: f.exponent.re + 0.0,
        imag: f.exponent.im + 0.0,
        doubt: f.doubt,
        shape: shape.map(|x| [x.re + 0.0, x.im + 0.0]).collect(),
    }
}
