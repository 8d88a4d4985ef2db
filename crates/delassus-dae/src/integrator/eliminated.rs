//! Auxiliary states that are eliminated from the equations of an implicit step.
//!
//! A step has z = z_k + c ż(q, v, z). With ż = … − a z (`Problem::relaxation`) an increment of z is
//! (z_k + c ż − z)/(1 + c a), and the effect of q and v on z is c/(1 + c a) of that on ż. So bristles that forget within
//! a small part of a step cost no more iterations than integrals that never do.

/// An improved z, from ż at z: `target` is z_k + c ż there.
pub(super) fn settled(z: f64, target: f64, ca: f64) -> f64 {
    if ca == 0.0 { target } else { z + (target - z) / (1.0 + ca) }
}

/// Weights of `Problem::feedback`, where `by` are those of states that forget nothing.
pub(super) fn weigh(by: [f64; 2], c: f64, relaxation: &[f64], out: &mut [[f64; 2]]) {
    for (out, a) in out.iter_mut().zip(relaxation) {
        *out = by.map(|x| x / (1.0 + c * a));
    }
}

/// Scratch for both.
#[derive(Debug, Clone)]
pub(super) struct Eliminated {
    /// a of each auxiliary state at the iterate, 1/s.
    pub relaxation: Vec<f64>,
    /// Weights of `Problem::feedback`.
    pub by: Vec<[f64; 2]>,
}

impl Eliminated {
    pub fn new(nz: usize) -> Eliminated {
        Eliminated { relaxation: vec![0.0; nz], by: vec![[0.0; 2]; nz] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ż = u − a z is solved at once, however large a is.
    #[test]
    fn what_is_linear_is_solved_at_once() {
        let (u, c, known) = (0.3, 0.1, 2.0);
        for a in [0.0, 1.0, 1e9] {
            let z = settled(7.0, known + c * (u - a * 7.0), c * a);
            assert!(
                (z - (known + c * u) / (1.0 + c * a)).abs() < 1e-15 * (1.0 + c * a),
                "{a}: {z}"
            );
        }
    }
}
