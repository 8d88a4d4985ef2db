//! Enlarged play of joints in still drawings, if the model requests it with `exaggerate`.

use crate::drawing::{Placed, View};
use crate::scene::{Attachment, Scene, SceneJoint};
use delassus_math::{Quat, Vec3};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Radius of a drawn journal and half the width of a drawn block, px.
const HALF: f64 = 6.0;
/// Half the length of that block, px.
const HALF_LENGTH: f64 = 12.0;
const LOOK: &str = "fill=\"none\" stroke=\"#222\" stroke-width=\"1.2\"";
const FULL: &str = "fill=\"#c62828\" fill-opacity=\"0.8\" stroke=\"none\"";

/// Joints whose play is drawn enlarged: name and factor.
pub(crate) fn enlarged(scene: &Scene) -> impl Iterator<Item = (&str, f64)> {
    scene.joints.iter().filter_map(|j| Some((j.name.as_str(), j.clearance.and(j.exaggerate)?)))
}

/// Outer points of rings and of the play between walls, which must fit into the picture.
pub(crate) fn points(scene: &Scene, placed: &Placed) -> Vec<Vec3> {
    let mut out = Vec::new();
    for j in &scene.joints {
        let (Some(clearance), Some(factor)) = (j.clearance, j.exaggerate) else { continue };
        let end = if j.block.is_some() { &j.b } else { &j.a };
        let Some(middle) = placed.end(end) else { continue };
        for e in [Vec3::x(), Vec3::y(), Vec3::z()] {
            out.extend([-1.0, 1.0].map(|s| middle + e * (s * factor * clearance)));
        }
    }
    out
}

/// Rings with their journals and walls with their blocks.
pub(crate) fn draw(out: &mut String, scene: &Scene, placed: &Placed, view: &View) {
    for j in &scene.joints {
        if let (Some(clearance), Some(factor)) = (j.clearance, j.exaggerate) {
            // what is not known at this time is not drawn
            let _ = joint(out, j, clearance, factor, placed, view);
        }
    }
}

fn joint(
    out: &mut String,
    j: &SceneJoint,
    clearance: f64,
    factor: f64,
    placed: &Placed,
    view: &View,
) -> Option<()> {
    let (a, b) = (placed.end(&j.a)?, placed.end(&j.b)?);
    let guide = axes(&j.a, placed)?;
    let along = guide[2];
    let across = |v: Vec3| v - along * along.dot(&v);
    let off = b - a;
    let pixel = 1.0 / view.scale();
    let room = factor * clearance + HALF * pixel;
    let Some(size) = j.block else {
        let ball = j.kind == "spherical";
        let [x, y] = if ball { view.axes() } else { [guide[0], guide[1]] };
        let ring = |k: i32| {
            let (s, c) = (TAU * f64::from(k) / 48.0).sin_cos();
            a + (x * c + y * s) * room
        };
        polygon(out, (0..48).map(ring), view, LOOK);
        let (x, y) = view.place(&(a + off * factor));
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{HALF}\" {FULL}/>");
        return Some(());
    };
    let block = axes(&j.b, placed)?;
    let half = [HALF, if size[1] > 0.0 { HALF } else { 0.0 }, HALF_LENGTH].map(|x| x * pixel);
    // corners move as those of the block do, across the axis, so that each touches its wall exactly when it really does
    let edge = |k: usize| {
        let (e, own) = (guide[k], block[k]);
        // a block looks the same after half a turn
        let own = if own.dot(&e) < 0.0 { -own } else { own };
        e * half[k] + across(own - e) * (0.5 * factor * size[k])
    };
    let slid = a + along * along.dot(&off);
    let middle = slid + across(off) * factor;
    let heights: &[f64] = if size[1] > 0.0 { &[-1.0, 1.0] } else { &[0.0] };
    for z in heights {
        let corner = |(x, y): (f64, f64)| middle + edge(0) * x + edge(1) * *z + edge(2) * y;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner);
        polygon(out, corners.into_iter(), view, FULL);
        for side in [-room, room] {
            let at = slid + guide[0] * side + guide[1] * (room * z);
            let reach = along * (3.0 * HALF_LENGTH * pixel);
            polygon(out, [at - reach, at + reach].into_iter(), view, LOOK);
        }
    }
    Some(())
}

/// Axes of an end, in the ground.
fn axes(end: &Attachment, placed: &Placed) -> Option<[Vec3; 3]> {
    let r = placed.turn(end.body)? * Quat(end.r).matrix();
    Some([0, 1, 2].map(|k| r.column(k).into_owned()))
}

fn polygon(out: &mut String, points: impl Iterator<Item = Vec3>, view: &View, look: &str) {
    let mut path = String::new();
    for (x, y) in points.map(|p| view.place(&p)) {
        // writing to a String cannot fail
        let _ = write!(path, "{x:.1},{y:.1} ");
    }
    let _ = writeln!(out, "<polygon points=\"{}\" {look}/>", path.trim_end());
}
