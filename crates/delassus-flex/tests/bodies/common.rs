//! Beams and choices that several tests use.

use delassus_flex::*;
use delassus_math::{Vec3, Vec6};

pub fn node(name: &str, at: Vec3) -> BeamNode {
    BeamNode { name: name.into(), at }
}

/// EI = EA/100 = ρA = 1 without shear and moments of inertia.
pub fn slender() -> Section {
    Section {
        stiffness: Vec6::new(100.0, f64::INFINITY, f64::INFINITY, 1.0, 1.0, 1.0),
        mass: 1.0,
        inertia: [0.0; 2],
    }
}

/// A section without any symmetry, with shear and moments of inertia.
pub fn thick() -> Section {
    Section {
        stiffness: Vec6::new(900.0, 210.0, 260.0, 1.3, 3.0, 2.0),
        mass: 1.5,
        inertia: [0.012, 0.02],
    }
}

/// Along x from the origin, with nodes `root` and `tip`.
pub fn straight(length: f64, elements: usize, section: Section) -> Beam {
    let ends = [node("root", Vec3::zeros()), node("tip", Vec3::x() * length)];
    Beam::through(&ends, elements, section, Vec3::y())
}

/// In space, with nodes `root`, `knee`, `tip`.
pub fn crooked(per_leg: usize, section: Section) -> Beam {
    let points = [
        node("root", Vec3::new(0.1, -0.2, 0.3)),
        node("knee", Vec3::new(1.0, 0.1, 0.2)),
        node("tip", Vec3::new(1.6, 0.9, 0.7)),
    ];
    Beam::through(&points, per_leg, section, Vec3::new(0.1, 1.0, -0.3))
}

pub fn clamped(modes: usize) -> Choice {
    Choice {
        boundary: Boundary::Clamped { at: "root".into() },
        keep: Keep::Lowest(modes),
        motion: Motion::Spatial,
        shortening: true,
        damping: Damping::Ratios(vec![0.0]),
    }
}

/// Angular frequencies of the body with its frame held, rad/s.
pub fn frequencies(m: &Modal) -> Vec<f64> {
    (0..m.modes()).map(|i| (m.stiffness[(i, i)] / m.mass_matrix[(i, i)]).sqrt()).collect()
}
