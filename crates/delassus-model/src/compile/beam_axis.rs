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
    /// The pieces of the axis that it stands for.
    pub(super) share: Vec<Share>,
}

/// A piece of the axis that a node stands for.
pub(super) struct Share {
    /// Its length, m.
    pub(super) length: f64,
    /// Its first moment about the node, in the axes of the section, m², and what its second one across the axis has beside lengths of
    /// nodes, m³.
    pub(super) first: Vec3,
    pub(super) second: f64,
    /// Axes that the section has there, in those of the node.
    pub(super) r: Mat3,
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

/// What lumps at the ends have beyond those of the trapezoidal rule, in elements: the correction of the rule needs a first moment
/// of 1/12, which a lump can only have with a second one. This one leaves its inertia about its own centre positive, down to
/// one element, where 0.0225 would not.
const BEYOND: f64 = 1.0 / 36.0;
/// First moment of a lump at an end that makes the trapezoidal rule right to the fourth order, in squares of elements.
const EULER: f64 = 1.0 / 12.0;

/// Lengths of the axis that the `n` + 1 nodes of equal elements stand for, in elements, and the moments of their lumps about the
/// nodes (first, second).
///
/// With w of each node and its slope θ, the lumps at the ends are the trapezoidal rule and its correction by Euler and Maclaurin
/// for the kinetic energy ½∫w²: its end term h²/12 · d(w²)/dx = h²/6 wθ couples both. Where the beam is free, hinged or clamped,
/// w w″ = 0, so that θ² = ½ d²(w²)/dx²: a part β of the neighbour's length at the end, with first moment βh² and second βh³
/// beside it, changes nothing up to the third order, and makes the lump a body.
fn shares(n: usize, [start, end]: [f64; 2]) -> Vec<[f64; 3]> {
    let mut w = vec![[1.0, 0.0, 0.0]; n + 1];
    for (k, next, beyond, inward) in [(0, 1, start, 1.0), (n, n - 1, end, -1.0)] {
        w[k][0] -= 0.5 - beyond;
        w[next][0] -= beyond;
        w[k][1] += inward * (EULER + beyond);
        w[k][2] += beyond;
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
        let parts: Vec<Part> = cuts
            .windows(2)
            .map(|two| {
                let m = (two[1] - two[0] - ON_NODE).ceil().max(1.0) as usize;
                Part { from: two[0] * h, to: two[1] * h, elements: m }
            })
            .collect();
        for (k, part) in parts.iter().enumerate() {
            let beside = [k.checked_sub(1), Some(k + 1)].map(|i| parts.get(i?).map(Part::element));
            span(&mut axis, leg, s0, part, beside);
        }
        s0 += leg.length;
    }
    axis
}

/// A part of a leg in equal elements.
struct Part {
    from: f64,
    to: f64,
    elements: usize,
}

impl Part {
    fn element(&self) -> f64 {
        (self.to - self.from) / self.elements as f64
    }
}

/// Adds a part of a leg whose neighbours on it have elements of these lengths.
fn span(axis: &mut Axis, leg: &Leg, s0: f64, part: &Part, beside: [Option<f64>; 2]) {
    let Part { from, to, elements: m } = *part;
    let h = part.element();
    // where elements go on alike, there is no end
    let beyond = beside.map(|other| BEYOND * (1.0 - other.map_or(0.0, |o| (o / h).min(h / o))));
    for (k, [length, first, second]) in shares(m, beyond).into_iter().enumerate() {
        let along = if k == m { to } else { from + h * k as f64 };
        let frame = leg.start.then(&se3::exp(&leg.screw(along)));
        let share = Share {
            length: length * h,
            // and what the axis turns away along the part that is the neighbour's
            first: Vec3::x() * (first * h * h)
                + leg.curvature.cross(&Vec3::x()) * (0.5 * second * h.powi(3)),
            second: second * h.powi(3),
            r: Mat3::identity(),
        };
        if k == 0
            && let Some(node) = axis.nodes.last_mut()
        {
            let r = node.frame.r.tr_mul(&frame.r);
            node.share.push(Share { r, ..share });
        } else {
            axis.nodes.push(Node { s: s0 + along, frame, share: vec![share] });
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
        for n in 1..40 {
            for beyond in [[BEYOND; 2], [0.0, BEYOND], [0.3 * BEYOND, 0.0]] {
                let w = shares(n, beyond);
                let sum = |f: &dyn Fn(f64, &[f64; 3]) -> f64| -> f64 {
                    w.iter().enumerate().map(|(k, w)| f(k as f64, w)).sum()
                };
                let l = n as f64;
                assert!((sum(&|_, w| w[0]) - l).abs() < 1e-12 * l);
                let first = sum(&|x, w| w[0] * x + w[1]);
                assert!((first - l * l / 2.0).abs() < 1e-12 * l * l);
                let second = sum(&|x, w| w[0] * x * x + 2.0 * w[1] * x + w[2]);
                assert!((second - l.powi(3) / 3.0).abs() < 1e-12 * l.powi(3), "{n} {second}");
                // each lump is a body; inner ends have another lump beside them
                let outer = beyond == [BEYOND; 2];
                let body = |w: &[f64; 3]| w[2] >= w[1] * w[1] / w[0] + 1e-3 * w[1].abs();
                assert!(w.iter().all(|w| w[0] > 0.4 && (!outer || body(w))), "{n} {w:?}");
            }
        }
    }

    /// Parts of a leg with elements of different lengths: the lump where they meet is a body too.
    #[test]
    fn lumps_between_unequal_elements_are_bodies() {
        for stop in [0.01, 0.1, 0.3, 0.5, 0.6, 0.9, 0.999] {
            let axis = divide(&arc(4.0, Vec3::zeros()), &[4], &[1.0 + stop, 3.0]);
            let sum = |f: &dyn Fn(&Share) -> f64, n: &Node| n.share.iter().map(f).sum::<f64>();
            let mut moments = [0.0; 3];
            for node in &axis.nodes {
                let m = sum(&|s| s.length, node);
                let (first, second) = (sum(&|s| s.first.x, node), sum(&|s| s.second, node));
                assert!(
                    m > 0.0 && second * m >= first * first * (1.0 - 1e-12),
                    "{stop} {}",
                    node.s
                );
                moments[0] += m;
                moments[1] += m * node.s + first;
                moments[2] += m * node.s.powi(2) + 2.0 * first * node.s + second;
            }
            let right = [4.0, 8.0, 64.0 / 3.0];
            for (a, b) in moments.iter().zip(right) {
                assert!((a / b - 1.0).abs() < 1e-13, "{stop} {moments:?}");
            }
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
        let share: f64 = axis.nodes.iter().flat_map(|n| &n.share).map(|s| s.length).sum();
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
