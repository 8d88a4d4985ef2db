//! The axis of a beam: where its nodes are, how much of it each stands for, and the unloaded shape of its elements.

use delassus_math::se3::{self, Motion};
use delassus_math::{Mat3, Vec3, Vec6};

/// Distance from a node, in elements, up to which a marker is carried by it: an element of a length like that would have
/// strains that are known to the rounding of positions over its length, 1e-10 of a turn or a stretch.
const ON_NODE: f64 = 1e-6;
/// Distance of two points, relative to the whole axis, up to which they are one, for the same reason.
const ONE_POINT: f64 = 1e-6;
/// Sine of the angle from straight back at which a corner still has a plane.
const FOLDED: f64 = 1e-9;

/// Difference of two frames that is rounding.
const ROUNDING: f64 = 1e-12;

/// A piece of the axis of constant curvature.
pub(super) struct Leg {
    /// Frame at its beginning, in that of the beam.
    start: Motion,
    length: f64,
    /// Twist and curvatures, 1/m.
    curvature: Vec3,
}

impl Leg {
    /// Screw along a piece of it.
    fn screw(&self, length: f64) -> Vec6 {
        se3::joined(&Vec3::x(), &self.curvature) * length
    }
}

/// A node.
pub(super) struct Node {
    /// Distance along the axis, m.
    pub(super) s: f64,
    /// Its frame in that of the beam: x along the axis.
    pub(super) frame: Motion,
    /// Length that it stands for, m, in pieces with the axes that the section has there, in those of the node.
    pub(super) share: Vec<(f64, Mat3)>,
}

/// An element from one node to the next.
pub(super) struct Piece {
    pub(super) length: f64,
    /// Axes at its beginning, in those of its first node.
    pub(super) r_a: Mat3,
    /// Screw to its end when unloaded.
    pub(super) rest: Vec6,
}

/// A beam as nodes and elements.
#[derive(Default)]
pub(super) struct Axis {
    pub(super) nodes: Vec<Node>,
    pub(super) pieces: Vec<Piece>,
}

/// One leg that begins along x.
pub(super) fn arc(length: f64, curvature: Vec3) -> Vec<Leg> {
    vec![Leg { start: Motion::IDENTITY, length, curvature }]
}

/// Straight legs from corner to corner, turned at each as little as may be; or the number of a corner that is at fault, and
/// why.
pub(super) fn polygon(points: &[Vec3]) -> Result<Vec<Leg>, (usize, &'static str)> {
    let mut legs = Vec::new();
    let mut r = Mat3::identity();
    let whole: f64 = points.windows(2).map(|two| (two[1] - two[0]).norm()).sum();
    for (k, two) in points.windows(2).enumerate() {
        let d = two[1] - two[0];
        let length = d.norm();
        if !(length > ONE_POINT * whole) {
            return Err((k + 1, "this point of the axis is the one before it"));
        }
        let (from, to): (Vec3, Vec3) = (r.column(0).into(), d / length);
        let normal = from.cross(&to);
        let (sine, cosine) = (normal.norm(), from.dot(&to));
        if cosine < 0.0 && sine < FOLDED {
            // the first leg may go back along x, about z
            if k > 0 {
                return Err((k, "the axis turns straight back at this point"));
            }
            r = delassus_math::so3::exp(&(Vec3::z() * std::f64::consts::PI));
        } else if sine > 0.0 {
            r = delassus_math::so3::exp(&(normal * (sine.atan2(cosine) / sine))) * r;
        }
        legs.push(Leg { start: Motion { p: two[0], r }, length, curvature: Vec3::zeros() });
    }
    Ok(legs)
}

/// Parts of the length of `n` equal elements that their nodes stand for, in elements: the trapezoidal rule with Gregory's
/// corrections at its ends, so that mass, mass centre and moment of inertia of a straight beam are exact from two
/// elements on.
fn shares(n: usize) -> Vec<f64> {
    let mut w = vec![1.0; n + 1];
    w[0] = 0.5;
    w[n] = 0.5;
    if n >= 2 {
        for (k, c) in [-1.0 / 8.0, 1.0 / 6.0, -1.0 / 24.0].into_iter().enumerate() {
            w[k] += c;
            w[n - k] += c;
        }
    }
    w
}

/// Length of all legs, m.
pub(super) fn length(legs: &[Leg]) -> f64 {
    legs.iter().map(|l| l.length).sum()
}

/// How many equal elements each leg has.
pub(super) fn counts(legs: &[Leg], elements: usize) -> Vec<usize> {
    let whole = length(legs);
    let share = |l: &Leg| (elements as f64 * l.length / whole).round().max(1.0) as usize;
    match legs {
        [_] => vec![elements],
        _ => legs.iter().map(share).collect(),
    }
}

/// Nodes and elements of legs with so many elements each, with nodes at all `stops` too: where one is not on a node of a leg,
/// the leg is divided there, and each part equally.
pub(super) fn divide(legs: &[Leg], counts: &[usize], stops: &[f64]) -> Axis {
    let mut axis = Axis::default();
    let mut s0 = 0.0;
    for (leg, n) in legs.iter().zip(counts) {
        let h = leg.length / *n as f64;
        // in elements of the undivided leg
        let mut cuts: Vec<f64> = stops
            .iter()
            .map(|s| (s - s0) / h)
            .filter(|x| *x > ON_NODE && *x < *n as f64 - ON_NODE)
            .filter(|x| (x - x.round()).abs() > ON_NODE)
            .collect();
        cuts.push(0.0);
        cuts.push(*n as f64);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|a, b| (*a - *b).abs() <= ON_NODE);
        for two in cuts.windows(2) {
            let m = (two[1] - two[0] - ON_NODE).ceil().max(1.0) as usize;
            span(&mut axis, leg, s0, [two[0] * h, two[1] * h], m);
        }
        s0 += leg.length;
    }
    axis
}

/// Adds a part of a leg in `m` equal elements.
fn span(axis: &mut Axis, leg: &Leg, s0: f64, [from, to]: [f64; 2], m: usize) {
    let h = (to - from) / m as f64;
    for (k, share) in shares(m).into_iter().enumerate() {
        let along = if k == m { to } else { from + h * k as f64 };
        let frame = leg.start.then(&se3::exp(&leg.screw(along)));
        if k == 0
            && let Some(node) = axis.nodes.last_mut()
        {
            node.share.push((share * h, node.frame.r.tr_mul(&frame.r)));
        } else {
            let share = vec![(share * h, Mat3::identity())];
            axis.nodes.push(Node { s: s0 + along, frame, share });
        }
        if k > 0 {
            let first = &axis.nodes[axis.nodes.len() - 2].frame;
            let start = leg.start.then(&se3::exp(&leg.screw(along - h)));
            let turned = first.r.tr_mul(&start.r);
            // but at a corner the axes are those of the node
            let smooth = (turned - Mat3::identity()).amax() < ROUNDING;
            let r_a = if smooth { Mat3::identity() } else { turned };
            axis.pieces.push(Piece { length: h, r_a, rest: leg.screw(h) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_moments_of_a_rod() {
        for n in 2..40 {
            let w = shares(n);
            let moment =
                |p: i32| -> f64 { w.iter().enumerate().map(|(k, w)| w * (k as f64).powi(p)).sum() };
            let l = n as f64;
            assert!((moment(0) - l).abs() < 1e-12 * l);
            assert!((moment(1) - l * l / 2.0).abs() < 1e-12 * l * l);
            assert!((moment(2) - l.powi(3) / 3.0).abs() < 1e-12 * l.powi(3), "{n}");
            assert!(w.iter().all(|w| *w > 0.3));
        }
    }

    #[test]
    fn stops_become_nodes() {
        let legs = arc(2.0, Vec3::zeros());
        let stations = |stops: &[f64]| -> Vec<f64> {
            divide(&legs, &[4], stops).nodes.iter().map(|n| n.s).collect()
        };
        assert_eq!(stations(&[]), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(stations(&[0.5, 2.0, 0.0]), [0.0, 0.5, 1.0, 1.5, 2.0]);
        let found = stations(&[0.6]);
        assert_eq!(found.len(), 6);
        assert!(found.iter().any(|s| (s - 0.6).abs() < 1e-12), "{found:?}");
        let axis = divide(&legs, &[4], &[0.6]);
        let share: f64 = axis.nodes.iter().flat_map(|n| &n.share).map(|s| s.0).sum();
        assert!((share - 2.0).abs() < 1e-14);
    }

    #[test]
    fn corners_turn_the_section() {
        let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, -4.0, 0.0]].map(Vec3::from);
        let legs = polygon(&points).unwrap_or_default();
        let axis = divide(&legs, &counts(&legs, 7), &[]);
        assert_eq!(axis.nodes.len(), 8);
        let end = &axis.nodes[7].frame;
        assert!((end.p - points[2]).norm() < 1e-14);
        assert!((end.r.column(0) + Vec3::y()).norm() < 1e-14);
        // the corner has the axes of the leg before it
        assert!((axis.nodes[3].frame.r - Mat3::identity()).norm() < 1e-14);
        assert!((axis.pieces[3].r_a.column(0) + Vec3::y()).norm() < 1e-14);
        let back = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]].map(Vec3::from);
        assert_eq!(polygon(&back).err().map(|e| e.0), Some(1));
    }

    #[test]
    fn an_arc_ends_where_it_should() {
        let legs = arc(100.0 * std::f64::consts::FRAC_PI_4, Vec3::new(0.0, 0.0, 0.01));
        let axis = divide(&legs, &[8], &[]);
        let end = axis.nodes[8].frame.p;
        let turn = std::f64::consts::FRAC_PI_4;
        let wanted = Vec3::new(100.0 * turn.sin(), 100.0 * (1.0 - turn.cos()), 0.0);
        assert!((end - wanted).norm() < 1e-12);
    }
}
