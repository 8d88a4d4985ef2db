//! Frequencies of uniform beams against closed forms.

use crate::common::*;
use delassus_flex::*;

/// The root of f between a and b.
fn root(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    assert!(f(a) * f(b) < 0.0);
    for _ in 0..200 {
        let c = 0.5 * (a + b);
        if f(a) * f(c) <= 0.0 { b = c } else { a = c }
    }
    0.5 * (a + b)
}

/// Number k, from 1, of cos x cosh x = −1.
fn clamped_free(k: usize) -> f64 {
    let at = (k as f64 - 0.5) * std::f64::consts::PI;
    root(|x| x.cos() + 1.0 / x.cosh(), at - 0.5, at + 0.5)
}

/// Number k, from 1, of cos x cosh x = 1.
fn free_free(k: usize) -> f64 {
    let at = (k as f64 + 0.5) * std::f64::consts::PI;
    root(|x| x.cos() - 1.0 / x.cosh(), at - 0.5, at + 0.5)
}

fn planar(choice: Choice) -> Choice {
    Choice { motion: Motion::Planar, ..choice }
}

/// EI = ρA = 1, so stiff along the axis that bending comes first.
fn stretchless() -> Section {
    let mut section = slender();
    section.stiffness[0] = 1e7;
    section
}

/// Relative error of the frequency with the root x and elements of length h: the leading term of the cubic element.
fn expected_error(x: f64, h: f64) -> f64 {
    (x * h).powi(4) / 1440.0
}

/// Bending frequencies ω = (βL)² converge with the fourth order, from above.
#[test]
fn cantilever() {
    let modes = |n| reduce(&straight(1.0, n, stretchless()), &planar(clamped(3))).unwrap();
    let (coarse, fine) = (frequencies(&modes(6)), frequencies(&modes(12)));
    for k in 0..3 {
        let x = clamped_free(k + 1);
        let [coarse, fine] = [coarse[k], fine[k]].map(|w| w / (x * x) - 1.0);
        let order = (coarse / fine).log2();
        assert!(
            (3.85..4.1).contains(&order),
            "mode {k}: errors {coarse:e} {fine:e}, order {order}"
        );
        assert!((fine / expected_error(x, 1.0 / 12.0) - 1.0).abs() < 0.05, "{fine:e}");
    }
}

/// The elastic modes of a free beam, without the rigid motions, and with no momentum.
#[test]
fn free() {
    let choice = Choice { boundary: Boundary::Free, ..planar(clamped(4)) };
    let m = reduce(&straight(1.0, 16, stretchless()), &choice).unwrap();
    for (k, w) in frequencies(&m).iter().enumerate() {
        let x = free_free(k + 1);
        let error = w / (x * x) - 1.0;
        assert!((error / expected_error(x, 1.0 / 16.0) - 1.0).abs() < 0.1, "mode {k}: {error:e}");
    }
    for i in 0..4 {
        assert!(m.s1[i].norm() < 1e-12 && m.h1[i].norm() < 1e-12, "{} {}", m.s1[i], m.h1[i]);
    }
}
