//! Moments of mass of a beam's modes, from the interpolation of its elements: exact for what the elements interpolate.
//!
//! A point at s of a section with its centre at x is at
//!
//! ```text
//! x + s + Σ (d_i + t_i × s) q_i + ½ Σ (ψ_ij + ½ (t_i × (t_j × s) + t_j × (t_i × s))) q_i q_j
//! ```
//!
//! with the displacement d_i and the rotation t_i of the section, of which the last term is the second order of
//! exp(Σ t_i q_i) s. That of the axis follows from what a section does not feel when it is turned: the derivative of the
//! axis is exp(θ)(τ + ε) with its direction τ and the strains of stretch and shear, ε = d' − θ × τ. So
//!
//! ```text
//! ψ' = t_i × d_j' + t_j × d_i' − ½ (t_i × (t_j × τ) + t_j × (t_i × τ))
//! ```
//!
//! For bending of a straight beam without shear this is −v_i' v_j' along the axis, its shortening.

use crate::MassPoint;
use crate::beam::{Element, GAUSS};
use crate::moments::Moments;
use delassus_math::{Mat3, Vec3, so3};
use faer::Mat;

/// Points and weights on [0, 1] that integrate polynomials of degree 5 exactly: ψ' is one of degree 4.
const INNER: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 0.277_777_777_777_777_8),
    (0.5, 0.444_444_444_444_444_4),
    (0.887_298_334_620_741_7, 0.277_777_777_777_777_8),
];

/// Where ψ is zero.
pub(super) enum Origin {
    /// At a node.
    Node(usize),
    /// In the mean over the mass.
    Mean,
}

/// Moments, and ψ at each node (none without shortening).
pub(super) fn integrate(
    parts: &[Element],
    shapes: &Mat<f64>,
    shortening: bool,
    origin: &Origin,
) -> (Moments, Vec<Vec<Vec3>>) {
    let n = shapes.ncols();
    let mut out = Moments::zeros(n);
    let mut psi = vec![Vec3::zeros(); n * n];
    let mut at_nodes = vec![psi.clone()];
    for (e, part) in parts.iter().enumerate() {
        let local = Mat::from_fn(12, n, |i, j| shapes[(6 * e + i, j)]);
        let spread = part.spread();
        for (xi, weight) in GAUSS {
            let w = weight * part.length;
            let dm = w * part.section.mass;
            let mut here = psi.clone();
            if shortening {
                add_slope(part, &local, xi, &mut here);
            }
            let field = Field::at(part, &local, xi);
            add_section(&mut out, &field, &(spread * w));
            let (at, displacement) = (part.place(xi), field.displacement);
            out.add_point(&MassPoint { mass: dm, at, displacement, shortening: here });
        }
        if shortening {
            add_slope(part, &local, 1.0, &mut psi);
            at_nodes.push(psi.clone());
        }
    }
    if !shortening {
        return (out, Vec::new());
    }
    let zero: Vec<Vec3> = match origin {
        Origin::Node(k) => at_nodes[*k].clone(),
        Origin::Mean => out.s2.iter().map(|s| s / out.mass).collect(),
    };
    out.shift(&zero);
    for node in &mut at_nodes {
        for (x, zero) in node.iter_mut().zip(&zero) {
            *x -= zero;
        }
    }
    (out, at_nodes)
}

/// The modes at a place of the axis.
struct Field {
    displacement: Vec<Vec3>,
    slope: Vec<Vec3>,
    rotation: Vec<Vec3>,
}

impl Field {
    fn at(part: &Element, local: &Mat<f64>, xi: f64) -> Field {
        let at = part.at(xi);
        let times = |rows: &nalgebra::SMatrix<f64, 3, 12>| {
            let one = |j: usize| {
                (0..12).fold(Vec3::zeros(), |sum, k| sum + rows.column(k) * local[(k, j)])
            };
            (0..local.ncols()).map(one).collect()
        };
        Field {
            displacement: times(&at.displacement),
            slope: times(&at.slope),
            rotation: times(&at.rotation),
        }
    }
}

/// Adds what ψ grows by from the start of the element to ξ.
fn add_slope(part: &Element, local: &Mat<f64>, xi: f64, psi: &mut [Vec3]) {
    let n = local.ncols();
    let axis: Vec3 = part.axes.column(0).into();
    for (x, weight) in INNER {
        let f = Field::at(part, local, x * xi);
        let w = weight * xi * part.length;
        for i in 0..n {
            for j in 0..=i {
                let (ti, tj) = (&f.rotation[i], &f.rotation[j]);
                let twice = ti.cross(&tj.cross(&axis)) + tj.cross(&ti.cross(&axis));
                let slope = ti.cross(&f.slope[j]) + tj.cross(&f.slope[i]) - 0.5 * twice;
                psi[i * n + j] += w * slope;
                if i != j {
                    psi[j * n + i] += w * slope;
                }
            }
        }
    }
}

/// Adds what the extent of the sections contributes, from its second moments of mass.
fn add_section(out: &mut Moments, f: &Field, spread: &Mat3) {
    let turns: Vec<Mat3> = f.rotation.iter().map(so3::hat).collect();
    out.second += spread;
    out.add_turned(spread, &turns);
}
