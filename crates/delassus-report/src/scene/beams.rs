//! Beams as they are drawn: each node has half of the elements beside it, which turn with it.

use super::{Geometry, SceneBody, SceneShape};
use delassus_math::{Mat3, Quat, Vec3};
use delassus_model::{Beam, ForceKind, Model};

/// Least half thickness of what is drawn, in parts of the size of the scene: slender beams are seen too.
pub(super) const THIN: f64 = 0.003;

/// Colours of beams in turn.
const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#2b7bba"];

/// Gives the nodes of all beams their shapes and one colour for each beam.
pub(super) fn draw(m: &Model, size: f64, bodies: &mut [SceneBody]) {
    for beam in &m.beams {
        // the ground is body 0 of a scene
        let first = beam.nodes.start + 1;
        for k in beam.nodes.clone() {
            let body = &mut bodies[k + 1];
            body.of_beam = Some(first);
            body.color = Some(COLOURS[beam.nodes.start % COLOURS.len()].to_owned());
            body.shapes = halves(m, beam, k, size);
        }
    }
}

/// The halves of the elements at a node.
fn halves(m: &Model, beam: &Beam, node: usize, size: f64) -> Vec<SceneShape> {
    let planar = m.bodies[node].kind.is_planar();
    let thick = beam.reach.map(|r| r.max(THIN * size));
    let number = node - beam.nodes.start;
    let element = |k: usize| match m.forces.get(beam.elements.start + k).map(|f| &f.kind) {
        Some(ForceKind::Beam(e)) if k < beam.elements.len() => Some(e),
        _ => None,
    };
    let before = number.checked_sub(1).and_then(element).map(|e| (e.b.r, -0.5 * e.length));
    let after = element(number).map(|e| (e.a.r, 0.5 * e.length));
    // one piece where the axis goes straight through
    let pieces = match (before, after) {
        (Some((r, from)), Some((s, to))) if r == s => vec![(r, from, to)],
        (a, b) => {
            let a = a.map(|(r, from)| (r, from, 0.0));
            a.into_iter().chain(b.map(|(r, to)| (r, 0.0, to))).collect()
        }
    };
    pieces.into_iter().map(|(r, from, to)| piece(planar, &r, [from, to], thick)).collect()
}

pub(super) fn piece(planar: bool, r: &Mat3, [from, to]: [f64; 2], [y, z]: [f64; 2]) -> SceneShape {
    let q = Quat::from_matrix(r).0;
    if planar {
        let points = vec![[from, -y], [to, -y], [to, y], [from, y]];
        return SceneShape {
            geometry: Geometry::Polyline { points, closed: true },
            p: [0.0; 3],
            r: q,
        };
    }
    let middle: Vec3 = r * Vec3::new(0.5 * (from + to), 0.0, 0.0);
    let size = [to - from, 2.0 * y, 2.0 * z];
    SceneShape { geometry: Geometry::Box { size }, p: middle.into(), r: q }
}
