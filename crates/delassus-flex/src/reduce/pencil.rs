//! Vibrations K x = ω² M x of matrices that fit into memory as they are.

use crate::FlexError;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, Par, Side};

/// Square of a frequency, relative to the lowest one, above which a mode is one without mass: rounding of K hides what
/// it has.
const MASSLESS: f64 = 1e12;

/// Modes in ascending order.
pub(crate) struct Vibrations {
    /// ω, rad/s.
    pub frequencies: Vec<f64>,
    /// One column each, with xᵀ K x = 1.
    pub shapes: Mat<f64>,
}

/// All modes that have mass. K is positive definite, M may be singular: so 1/ω² is what is computed.
pub(crate) fn vibrations(k: &Mat<f64>, m: &Mat<f64>) -> Result<Vibrations, FlexError> {
    let n = k.nrows();
    if n == 0 {
        return Ok(Vibrations { frequencies: Vec::new(), shapes: Mat::zeros(0, 0) });
    }
    let held = || FlexError::Loose("its stiffness matrix is singular".to_owned());
    let l = k.llt(Side::Lower).map_err(|_| held())?.L().to_owned();
    let mut a = m.clone();
    solve_lower_triangular_in_place(l.as_ref(), a.as_mut(), Par::Seq);
    let mut a = a.transpose().to_owned();
    solve_lower_triangular_in_place(l.as_ref(), a.as_mut(), Par::Seq);
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]));
    let eigen = symmetric
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| FlexError::Eigenvalues { unknowns: n })?;
    let most = eigen.S()[n - 1];
    let there = (0..n).filter(|i| eigen.S()[*i] * MASSLESS > most).count();
    let mut shapes = Mat::from_fn(n, there, |i, j| eigen.U()[(i, n - 1 - j)]);
    solve_upper_triangular_in_place(l.transpose(), shapes.as_mut(), Par::Seq);
    let frequencies = (0..there).map(|j| 1.0 / eigen.S()[n - 1 - j].sqrt()).collect();
    Ok(Vibrations { frequencies, shapes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beam::{Beam, BeamNode, Section, assemble};
    use delassus_math::{Vec3, Vec6};
    use std::f64::consts::PI;

    /// Frequencies of a beam of length 1 along x, on supports at both ends, that bends along y.
    fn on_supports(elements: usize, section: Section) -> Vec<f64> {
        let ends = [Vec3::zeros(), Vec3::x()];
        let ends = ends.map(|at| BeamNode { name: String::new(), at });
        let beam = Beam::through(&ends, elements, section, Vec3::y());
        let (k, m) = assemble(&beam.parts().unwrap());
        let (first, last) = (1, 6 * elements + 1);
        let bends = |i: &usize| (i % 6 == 1 || i % 6 == 5) && *i != first && *i != last;
        let free: Vec<usize> = (0..k.size()).filter(bends).collect();
        vibrations(&k.block(&free, &free), &m.block(&free, &free)).unwrap().frequencies
    }

    /// Euler's and Bernoulli's beam on supports: ω = (nπ)², with the error of cubic elements.
    #[test]
    fn slender_beam_on_two_supports() {
        let stiffness = Vec6::new(1.0, f64::INFINITY, f64::INFINITY, 1.0, 1.0, 1.0);
        let section = Section { stiffness, mass: 1.0, inertia: [0.0; 2] };
        let found = on_supports(20, section);
        for n in 1..6 {
            let x = n as f64 * PI;
            let (error, expected) = (found[n - 1] / (x * x) - 1.0, (x / 20.0).powi(4) / 1440.0);
            assert!((error / expected - 1.0).abs() < 0.05, "{n}: {error:e} {expected:e}");
        }
    }

    /// A Timoshenko beam on supports at both ends: with k = nπ/L,
    /// (GA k² − ρA ω²)(GA + EI k² − ρI ω²) = (GA k)², the lower one of each n.
    #[test]
    fn timoshenko_beam_on_two_supports() {
        let (ga, ei, rho_a, rho_i) = (210.0, 2.0, 1.5, 0.02);
        let section = Section {
            stiffness: Vec6::new(1e7, ga, 1e7, 1e7, 1e7, ei),
            mass: rho_a,
            inertia: [1.0, rho_i],
        };
        let exact = |n: usize| {
            let k2 = (n as f64 * PI).powi(2);
            let a = rho_a * rho_i;
            let b = rho_a * (ga + ei * k2) + rho_i * ga * k2;
            let c = ga * ei * k2 * k2;
            ((b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)).sqrt()
        };
        let (coarse, fine) = (on_supports(10, section), on_supports(20, section));
        for n in 1..4 {
            let w = exact(n);
            let [a, b] = [&coarse, &fine].map(|f| f[n - 1] / w - 1.0);
            // second order where shear dominates: an element shears evenly
            let order = (a / b).log2();
            assert!((1.95..2.3).contains(&order) && b < 5e-3, "{n}: {a:e} {b:e}");
        }
    }
}
