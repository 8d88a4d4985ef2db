//! Frequencies of fine beams by full and sparse matrices, whose largest and smallest differ by many powers of ten.

use super::{Linearised, Mode, ModeOptions, MovingAxes, Sparse, modes};
use crate::problem::StateSlopes;
use delassus_linalg::Csr;

/// A plane beam of unit length, bending stiffness and mass with n two-node elements, turned by an angle; three velocities a node.
struct Beam {
    n: usize,
    turn: f64,
    clamped: bool,
    /// Damping in proportion to stiffness, s.
    damping: f64,
    /// A gyroscopic coupling of both displacements, rad/s.
    spin: f64,
}

impl Beam {
    fn new(n: usize, turn: f64, clamped: bool) -> Beam {
        Beam { n, turn, clamped, damping: 0.0, spin: 0.0 }
    }

    fn linearised(&self) -> Linearised {
        let (n, h) = (self.n, 1.0 / self.n as f64);
        let nv = 3 * (n + 1);
        let (ea, ei) = (1e7 / h, 1.0 / h);
        // along the element, across it, and the turn of its middle against its ends
        let mut k = Vec::new();
        let (c, s) = (self.turn.cos(), self.turn.sin());
        for e in 0..n {
            let at = |i: usize| 3 * e + i;
            let mut add = |row: &[(usize, f64)], k0: f64| {
                for (i, x) in row {
                    for (j, y) in row {
                        k.push((*i, *j, k0 * x * y));
                    }
                }
            };
            add(&[(at(0), -c), (at(1), -s), (at(3), c), (at(4), s)], ea);
            add(&[(at(2), -1.0), (at(5), 1.0)], ei);
            let shear = [
                (at(0), s),
                (at(1), -c),
                (at(3), -s),
                (at(4), c),
                (at(2), -0.5 * h),
                (at(5), -0.5 * h),
            ];
            add(&shear, 12.0 * ei / (h * h));
        }
        let mut mass = Vec::new();
        let mut gyro: Vec<(usize, usize, f64)> =
            k.iter().map(|(i, j, x)| (*i, *j, self.damping * x)).collect();
        for i in 0..=n {
            let m = if i == 0 || i == n { 0.5 * h } else { h };
            for (j, m) in [m, m, 4e-7 * m].into_iter().enumerate() {
                mass.push((3 * i + j, 3 * i + j, m));
            }
            gyro.push((3 * i, 3 * i + 1, -2.0 * self.spin * m));
            gyro.push((3 * i + 1, 3 * i, 2.0 * self.spin * m));
        }
        let rows: Vec<(usize, usize, f64)> =
            if self.clamped { (0..3).map(|i| (i, i, 1.0)).collect() } else { Vec::new() };
        let sparse = |rows: usize, list: &[(usize, usize, f64)]| {
            Sparse::from_entries(rows, nv, list).unwrap_or_else(|e| panic!("{e}"))
        };
        let empty = |rows: usize| Csr {
            nrows: rows,
            ncols: nv,
            row_ptr: vec![0; rows + 1],
            col: Vec::new(),
        };
        let zero = |rows: usize| Sparse { pattern: empty(rows), values: Vec::new() };
        Linearised {
            mass: sparse(nv, &mass),
            damping: sparse(nv, &gyro),
            stiffness: sparse(nv, &k),
            axes: MovingAxes { n: zero(nv), b: zero(nv), rate: [0.0; 3] },
            rows: sparse(rows.len(), &rows),
            rolling: zero(0),
            drift: zero(0),
            states: StateSlopes::default(),
            live: Vec::new(),
            scale: vec![1.0; nv],
            exact: true,
            rank: rows.len(),
        }
    }

    fn lowest(&self, count: usize, sparse: bool) -> Vec<Mode> {
        let options = ModeOptions { count: Some(count), sparse: Some(sparse) };
        modes(&self.linearised(), options).unwrap_or_else(|e| panic!("{e}")).list
    }
}

/// Part by which two numbers differ.
fn off(a: f64, b: f64) -> f64 {
    (a / b - 1.0).abs()
}

/// Full matrices in any direction agree with sparse ones, and none is further off than its doubt says.
#[test]
fn full_matrices_know_the_slowest_vibrations_of_fine_beams() {
    for n in [10, 40, 130] {
        for (turn, clamped) in [(0.0, true), (0.7, true), (1.1, true), (0.0, false), (0.7, false)] {
            let beam = Beam::new(n, turn, clamped);
            let (full, sparse) = (beam.lowest(8, false), beam.lowest(8, true));
            assert_eq!(full.len(), 8, "{n} {turn}");
            for (k, (a, b)) in full.iter().zip(&sparse).enumerate() {
                if !clamped && k < 3 {
                    assert_eq!([a.imag, b.imag], [0.0, 0.0], "{n} {turn} {k}");
                    continue;
                }
                let apart = off(a.imag, b.imag);
                let doubt = (a.doubt + b.doubt) / b.imag;
                let words = format!("{n} {turn} {k}: {} {} {doubt:e}", a.imag, b.imag);
                assert!(apart <= doubt.max(1e-12) && apart < 3e-7, "{words}");
                assert!(doubt < 1e-4, "{words}");
            }
        }
    }
}

/// Vibrations where both halves meet, and the fastest ones, against sparse matrices and the trace.
#[test]
fn full_matrices_know_those_in_between() {
    let beam = Beam::new(100, 0.7, true);
    let (full, sparse) = (beam.lowest(300, false), beam.lowest(40, true));
    for (k, (a, b)) in full.iter().zip(&sparse).enumerate() {
        let doubt = a.doubt + b.doubt;
        assert!((a.imag - b.imag).abs() <= doubt, "{k}: {} {} {doubt:e}", a.imag, b.imag);
    }
    let l = beam.linearised();
    let own = |m: &Sparse| -> Vec<f64> {
        (3..l.nv()).map(|i| m.pattern.slot(i, i).map_or(0.0, |s| m.values[s])).collect()
    };
    let trace: f64 = own(&l.stiffness).iter().zip(own(&l.mass)).map(|(k, m)| k / m).sum();
    let sum: f64 = full.iter().map(|m| m.imag * m.imag).sum();
    assert!(off(sum, trace) < 1e-12, "{sum} {trace}");
}

/// With damping s² + τω² s + ω² = 0; with a gyroscopic coupling nothing grows or decays.
#[test]
fn damped_and_gyroscopic_ones_too() {
    for n in [10, 60] {
        let mut beam = Beam::new(n, 0.7, true);
        let omegas: Vec<f64> = beam.lowest(4, true).iter().map(|m| m.imag).collect();
        beam.damping = 1e-4;
        let found = beam.lowest(4, false);
        for (m, w) in found.iter().zip(&omegas) {
            let half = 0.5e-4 * w * w;
            let right = (w * w - half * half).sqrt();
            let words = format!("{n} {w} {} {} {:e}", m.real, m.imag, m.doubt);
            assert!(
                off(m.imag, right) < 1e-7 && (m.real + half).hypot(m.imag - right) <= m.doubt,
                "{words}"
            );
        }
        let turning = Beam { damping: 0.0, spin: 5.0, ..beam };
        let (full, sparse) = (turning.lowest(6, false), turning.lowest(6, true));
        for (a, b) in full.iter().zip(&sparse) {
            assert!(
                off(a.imag, b.imag) < 1e-6,
                "{n} {} {} {:e} {:e}",
                a.imag,
                b.imag,
                a.doubt,
                b.doubt
            );
            assert!(a.real.abs() < 1e-7 * a.imag, "{n} {} {}", a.real, a.imag);
        }
    }
}
