//! The configuration manifold: a product of vector spaces and rotation groups.
//!
//! Every operation a method needs on configurations is here, so that no method and no problem
//! ever adds a tangent vector to a quaternion.

use delassus_linalg::Csr;
use delassus_math::{Quat, Vec3, so3};

/// One factor of the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// ℝⁿ: n coordinates, n velocities.
    Vector(usize),
    /// SO(3): unit quaternion (scalar first), body angular velocity.
    So3,
}

/// Position of an SO(3) factor in q and v.
#[derive(Debug, Clone, Copy)]
struct Rot {
    iq: usize,
    iv: usize,
}

/// A product manifold.
#[derive(Debug, Clone)]
pub struct Manifold {
    /// Runs of plain coordinates: (iq, iv, n).
    vectors: Vec<(usize, usize, usize)>,
    rots: Vec<Rot>,
    /// Per velocity, whether it is the first of a rotation.
    begins_rotation: Vec<bool>,
    nq: usize,
    nv: usize,
}

impl Manifold {
    /// ℝⁿ.
    pub fn vector(n: usize) -> Manifold {
        Manifold::new(&[Block::Vector(n)])
    }

    /// Product of the given factors, coordinates in that order.
    pub fn new(blocks: &[Block]) -> Manifold {
        let mut m = Manifold {
            vectors: Vec::new(),
            rots: Vec::new(),
            begins_rotation: Vec::new(),
            nq: 0,
            nv: 0,
        };
        for b in blocks {
            match *b {
                Block::Vector(n) => {
                    // Neighbouring runs with the same offset are one run: longer inner loops.
                    match m.vectors.last_mut() {
                        Some((iq, iv, k)) if *iq + *k == m.nq && *iv + *k == m.nv => *k += n,
                        _ => m.vectors.push((m.nq, m.nv, n)),
                    }
                    m.nq += n;
                    m.nv += n;
                    m.begins_rotation.resize(m.nv, false);
                }
                Block::So3 => {
                    m.rots.push(Rot { iq: m.nq, iv: m.nv });
                    m.nq += 4;
                    m.nv += 3;
                    m.begins_rotation.extend([true, false, false]);
                }
            }
        }
        m
    }

    /// Number of coordinates.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Per velocity the index in q of the coordinate whose rate it is; `None` for rotations.
    pub fn places(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.nv];
        for &(iq, iv, n) in &self.vectors {
            for k in 0..n {
                places[iv + k] = Some(iq + k);
            }
        }
        places
    }

    /// First coordinate and first velocity of each rotation.
    pub fn rotations(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rots.iter().map(|r| (r.iq, r.iv))
    }

    /// True when there are no rotations, i.e. tangent operators are the identity.
    pub fn is_vector(&self) -> bool {
        self.rots.is_empty()
    }

    /// out = q ∘ exp(ξ). Quaternions are kept at unit length.
    pub fn retract(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        for &(iq, iv, n) in &self.vectors {
            for k in 0..n {
                out[iq + k] = q[iq + k] + xi[iv + k];
            }
        }
        for r in &self.rots {
            let p = Quat::from_slice(&q[r.iq..]).mul(&Quat::exp(&vec3(xi, r.iv))).normalized();
            out[r.iq..r.iq + 4].copy_from_slice(&p.0);
        }
    }

    /// ξ with q1 = q0 ∘ exp(ξ), the shortest one.
    pub fn local(&self, q0: &[f64], q1: &[f64], xi: &mut [f64]) {
        for &(iq, iv, n) in &self.vectors {
            for k in 0..n {
                xi[iv + k] = q1[iq + k] - q0[iq + k];
            }
        }
        for r in &self.rots {
            let w = Quat::from_slice(&q0[r.iq..]).conj().mul(&Quat::from_slice(&q1[r.iq..])).log();
            put(xi, r.iv, &w);
        }
    }

    /// out = T(ξ)⁻¹ v: the rate of ξ that gives velocity v.
    pub fn tangent_inv(&self, xi: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        for r in &self.rots {
            put(out, r.iv, &so3::tangent_inv_mul(&vec3(xi, r.iv), &vec3(v, r.iv)));
        }
    }

    /// out = T(ξ) ξ̇: the velocity for a rate of ξ.
    pub fn tangent(&self, xi: &[f64], xi_dot: &[f64], out: &mut [f64]) {
        out.copy_from_slice(xi_dot);
        for r in &self.rots {
            put(out, r.iv, &so3::tangent_mul(&vec3(xi, r.iv), &vec3(xi_dot, r.iv)));
        }
    }

    /// values ← values · T(ξ), where `pattern` has nv columns and contains the three columns of a rotation either all
    /// or not at all in each row.
    pub fn right_multiply(&self, pattern: &Csr, values: &mut [f64], xi: &[f64]) {
        if self.rots.is_empty() {
            return;
        }
        for (s, iv) in pattern.col.iter().enumerate() {
            if self.begins_rotation[*iv] {
                // (x · T)ᵀ = Tᵀ x, and T(ξ)ᵀ = T(−ξ)
                let x = so3::tangent_mul(&-vec3(xi, *iv), &vec3(values, s));
                put(values, s, &x);
            }
        }
    }

    /// Fastest rotation of a velocity, rad/s; 0 without rotations.
    pub fn spin(&self, v: &[f64]) -> f64 {
        self.fastest(v).0
    }

    /// Fastest rotation of a velocity, rad/s, and its first component; 0 without rotations.
    pub fn fastest(&self, v: &[f64]) -> (f64, usize) {
        let mut most = (0.0, 0);
        for r in &self.rots {
            let spin = vec3(v, r.iv).norm();
            if !(spin <= most.0) {
                most = (spin, r.iv);
            }
        }
        most
    }

    /// Largest distance, rad, between the shortest rotation from q0 to q1 and h times the mean of the velocities at the
    /// two ends, and its first component; 0 without rotations.
    pub fn astray(&self, q0: &[f64], q1: &[f64], v0: &[f64], v1: &[f64], h: f64) -> (f64, usize) {
        let mut most = (0.0, 0);
        for r in &self.rots {
            let turn =
                Quat::from_slice(&q0[r.iq..]).conj().mul(&Quat::from_slice(&q1[r.iq..])).log();
            let mean = (vec3(v0, r.iv) + vec3(v1, r.iv)) * (0.5 * h);
            let x = (turn - mean).norm();
            if !(x <= most.0) {
                most = (x, r.iv);
            }
        }
        most
    }

    /// The bracket v̂ w of two tangent vectors (Ω × w on rotations, zero elsewhere).
    pub fn bracket(&self, v: &[f64], w: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for r in &self.rots {
            put(out, r.iv, &vec3(v, r.iv).cross(&vec3(w, r.iv)));
        }
    }
}

fn vec3(x: &[f64], i: usize) -> Vec3 {
    Vec3::new(x[i], x[i + 1], x[i + 2])
}

fn put(x: &mut [f64], i: usize, w: &Vec3) {
    x[i] = w.x;
    x[i + 1] = w.y;
    x[i + 2] = w.z;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_inverts_retract_and_tangents_invert_each_other() {
        let m = Manifold::new(&[Block::Vector(3), Block::So3, Block::Vector(2)]);
        assert_eq!((m.nq(), m.nv()), (9, 8));
        let q0 = [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.5];
        let xi = [0.1, 0.2, -0.3, 0.5, -0.4, 0.9, 2.0, 3.0];
        let (mut q1, mut back) = ([0.0; 9], [0.0; 8]);
        m.retract(&q0, &xi, &mut q1);
        m.local(&q0, &q1, &mut back);
        for k in 0..8 {
            assert!((xi[k] - back[k]).abs() < 1e-14);
        }
        let (mut r, mut v) = ([0.0; 8], [0.0; 8]);
        m.tangent_inv(&xi, &xi.map(|x| x * 2.0), &mut r);
        m.tangent(&xi, &r, &mut v);
        for k in 0..8 {
            assert!((2.0 * xi[k] - v[k]).abs() < 1e-13);
        }
    }
}
