//! Bodies that deform, as they are drawn: a line through their nodes, in the order of the model file. Each node has half
//! of the way to its neighbours, which turns with it.

use super::SceneBody;
use super::beams::{THIN, piece};
use delassus_math::{Mat3, Vec3, frame_from_z};
use delassus_model::Model;

/// Whether a modal body is drawn as a line through its nodes: it has no shapes of its own, and more than one node.
pub(super) fn is_line(m: &Model, body: usize) -> bool {
    let shaped = m.shapes.iter().any(|s| s.frame.body.is_some_and(|b| b.0 == body));
    !shaped && m.bodies[body].nodes() > 1
}

/// Gives the nodes of all modal bodies their shapes, unless the body has shapes of its own.
pub(super) fn draw(m: &Model, size: f64, bodies: &mut [SceneBody]) {
    for (k, c) in m.carriers().enumerate() {
        let (Some(node), Some(f)) = (c.node, &c.body.flexible) else { continue };
        if !is_line(m, c.number) {
            continue;
        }
        let nodes = &f.modal.nodes;
        let to = |other: Option<usize>| {
            let d = nodes.get(other?)?.at - nodes[node].at;
            (d.norm() > 0.0).then_some(d)
        };
        let planar = c.body.kind.is_planar();
        bodies[k + 1].shapes = [to(node.checked_sub(1)), to(Some(node + 1))]
            .into_iter()
            .flatten()
            .map(|d| piece(planar, &axes(planar, &d), [0.0, 0.5 * d.norm()], [THIN * size; 2]))
            .collect();
    }
}

/// Axes of which x is along d.
fn axes(planar: bool, d: &Vec3) -> Mat3 {
    let x = d.normalize();
    if planar {
        return Mat3::from_columns(&[x, Vec3::z().cross(&x), Vec3::z()]);
    }
    let f = frame_from_z(&x);
    Mat3::from_columns(&[f.column(2), f.column(0), f.column(1)])
}
