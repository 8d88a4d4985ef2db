//! A planar curve prepared for contact: pieces, joints, chains (touched parts) and runs (touching parts).

use super::chains;
use super::element::{Corner, Element, Joint, SMOOTH, right};
use crate::Feature;
use delassus_math::Vec3;

/// A part of the curve that a ball can touch at one point at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    pub elements: Vec<usize>,
    /// Corners that belong to this chain, as indices of joints.
    pub joints: Vec<usize>,
    /// Bounding ball; the radius of a half plane is infinite.
    pub center: Vec3,
    pub radius: f64,
}

/// Neighbouring convex arcs and corners with nothing straight between them: they act as one finger.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// Feature ids.
    pub features: Vec<u32>,
    pub center: Vec3,
    pub radius: f64,
}

/// A point, an open curve or a closed contour, with the body on the left of the walk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub elements: Vec<Element>,
    /// Joint k is where element k starts; open curves have one more at their end.
    pub joints: Vec<Joint>,
    pub closed: bool,
    pub chains: Vec<Chain>,
    pub runs: Vec<Run>,
    pub center: Vec3,
    /// Radius of the ball around the curve.
    pub radius: f64,
}

impl Curve {
    /// Builds joints, chains and runs; the elements follow each other.
    pub fn new(elements: Vec<Element>, closed: bool) -> Curve {
        let mut curve = Curve {
            elements,
            joints: Vec::new(),
            closed,
            chains: Vec::new(),
            runs: Vec::new(),
            center: Vec3::zeros(),
            radius: 0.0,
        };
        chains::build(&mut curve);
        let (c, r) = curve.ball_around(0..curve.elements.len());
        (curve.center, curve.radius) = (c, r);
        curve
    }

    /// A single point.
    pub fn point() -> Curve {
        let x = Vec3::zeros();
        let joint =
            Joint { x, arms: [None, None], out: Vec3::x(), corner: Corner::Convex, cut: false };
        Curve {
            elements: Vec::new(),
            joints: vec![joint],
            closed: false,
            chains: vec![Chain { elements: vec![], joints: vec![0], center: x, radius: 0.0 }],
            runs: vec![Run { features: vec![0], center: x, radius: 0.0 }],
            center: x,
            radius: 0.0,
        }
    }

    pub fn make_joints(&mut self, cut: &[bool]) {
        let n = self.elements.len();
        let infinite = self.elements.iter().any(|e| e.length().is_infinite());
        self.joints.clear();
        let count = match (self.closed, infinite) {
            (_, true) => 0,
            (true, false) => n,
            (false, false) => n + 1,
        };
        for k in 0..count {
            let before = match (k, self.closed) {
                (0, true) => Some(n - 1),
                (0, false) => None,
                _ => Some(k - 1),
            };
            let after = (k < n).then_some(k);
            let x = after.map_or_else(|| self.elements[n - 1].end(), |k| self.elements[k].start());
            let arms = [
                before.map(|k| -self.elements[k].tangents()[1]),
                after.map(|k| self.elements[k].tangents()[0]),
            ];
            let cut = cut.get(k).copied().unwrap_or(false);
            let out = middle(&arms);
            let mut joint = Joint { x, arms, out, corner: Corner::Convex, cut };
            if before.is_some() && after.is_some() {
                let turn = joint.turning();
                joint.corner = if turn.abs() < SMOOTH {
                    Corner::Smooth
                } else if turn > 0.0 {
                    Corner::Convex
                } else {
                    Corner::Concave
                };
            }
            self.joints.push(joint);
        }
    }

    /// Whether a ball can lie on something straight or hollow of this curve.
    pub fn has_flats(&self) -> bool {
        self.elements.iter().any(|e| !e.is_convex_arc())
    }

    pub fn joint_id(&self, k: usize) -> u32 {
        (self.elements.len() + k) as u32
    }

    /// The joint of a feature id, if it is one.
    pub fn joint_of(&self, id: u32) -> Option<(usize, &Joint)> {
        let k = (id as usize).checked_sub(self.elements.len())?;
        self.joints.get(k).map(|j| (k, j))
    }

    /// The feature with this id.
    pub fn feature(&self, id: u32) -> Feature {
        match self.elements.get(id as usize) {
            Some(e) => e.feature(),
            None => {
                let x = self.joint_of(id).map_or_else(Vec3::zeros, |(_, j)| j.x);
                Feature::vertex(x)
            }
        }
    }

    /// Whether the feature is convex and round: a ball, not an edge or a hollow.
    pub fn is_ball(&self, id: u32) -> bool {
        self.elements.get(id as usize).is_none_or(Element::is_convex_arc)
    }

    /// Bounding ball of some elements (and nothing else); of the joint if there are none.
    pub fn ball_around(&self, elements: impl Iterator<Item = usize>) -> (Vec3, f64) {
        let mut lo = Vec3::repeat(f64::INFINITY);
        let mut hi = -lo;
        for k in elements {
            if self.elements[k].length().is_infinite() {
                return (Vec3::zeros(), f64::INFINITY);
            }
            let (a, b) = self.elements[k].bounds();
            lo = lo.inf(&a);
            hi = hi.sup(&b);
        }
        if lo.x > hi.x {
            return (self.joints.first().map_or_else(Vec3::zeros, |j| j.x), 0.0);
        }
        ((lo + hi) / 2.0, (hi - lo).norm() / 2.0)
    }

    /// Length of the whole curve.
    pub fn length(&self) -> f64 {
        self.elements.iter().map(Element::length).sum()
    }

    /// Whether a closed curve is traversed clockwise: the wall of a hole.
    pub fn turns_right(&self) -> bool {
        self.closed && super::validate::area(&self.elements) < 0.0
    }
}

/// The direction between the normals left and right of a joint; away from the curve at its ends.
fn middle(arms: &[Option<Vec3>; 2]) -> Vec3 {
    match arms {
        [Some(back), Some(forward)] => {
            let sum = right(&-back) + right(forward);
            // The two cancel only at a spike.
            if sum.norm() > 1e-6 { sum.normalize() } else { -(back + forward).normalize() }
        }
        [Some(arm), None] | [None, Some(arm)] => -arm,
        [None, None] => Vec3::x(),
    }
}
