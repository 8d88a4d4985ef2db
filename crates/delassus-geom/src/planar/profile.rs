//! Closed contours of segments and arcs, as users write them.
//!
//! ```
//! use delassus_geom::{Profile, ProfileBuilder, Shape};
//! // A square with one rounded corner and a half circle on its right side.
//! let profile = ProfileBuilder::new()
//!     .point(0.0, 0.0)
//!     .point(1.0, 0.0).bulge(1.0)          // half circle to the next point
//!     .point(1.0, 1.0)
//!     .point(0.0, 1.0).fillet(0.2)
//!     .build()?;
//! assert!((profile.area() - (1.0 + 0.125 * std::f64::consts::PI - 0.04 * (1.0 - std::f64::consts::FRAC_PI_4))).abs() < 1e-12);
//! let shape = Shape::profile(&profile);
//! # Ok::<(), delassus_geom::ShapeError>(())
//! ```

use super::element::Element;
use super::validate;
use crate::ShapeError;
use crate::shape::finite;
use delassus_math::Vec3;

/// A checked contour: closed, not crossing itself, counter-clockwise (for a hole: the free space).
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    pub(crate) elements: Vec<Element>,
    pub(crate) hole: bool,
}

impl Profile {
    /// Polygon through these points, counter-clockwise.
    pub fn polygon(points: &[[f64; 2]]) -> Result<Profile, ShapeError> {
        points.iter().fold(ProfileBuilder::new(), |b, p| b.point(p[0], p[1])).build()
    }

    /// Points (x, y, bulge), counter-clockwise; see [`ProfileBuilder::bulge`].
    pub fn with_bulges(points: &[[f64; 3]]) -> Result<Profile, ShapeError> {
        let b = ProfileBuilder::new();
        points.iter().fold(b, |b, p| b.point(p[0], p[1]).bulge(p[2])).build()
    }

    /// Rectangle around the origin.
    pub fn rectangle(width: f64, height: f64) -> Result<Profile, ShapeError> {
        let (w, h) = (width / 2.0, height / 2.0);
        Profile::polygon(&[[-w, -h], [w, -h], [w, h], [-w, h]])
    }

    /// The same contour as the wall of a hole: the body is outside.
    pub fn into_hole(self) -> Profile {
        let elements = self.elements.iter().rev().map(Element::reversed).collect();
        Profile { elements, hole: !self.hole }
    }

    /// Area inside the contour (m²).
    pub fn area(&self) -> f64 {
        validate::area(&self.elements).abs()
    }

    /// Whether the body is outside the contour.
    pub fn is_hole(&self) -> bool {
        self.hole
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    x: Vec3,
    bulge: f64,
    fillet: f64,
}

/// Lists the corners of a contour, counter-clockwise, with what lies between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileBuilder {
    nodes: Vec<Node>,
}

impl ProfileBuilder {
    /// Nothing yet.
    pub fn new() -> ProfileBuilder {
        ProfileBuilder::default()
    }

    /// The next corner (m); straight from there on unless a bulge is given.
    pub fn point(mut self, x: f64, y: f64) -> ProfileBuilder {
        self.nodes.push(Node { x: Vec3::new(x, y, 0.0), bulge: 0.0, fillet: 0.0 });
        self
    }

    /// Makes the piece after the last point an arc: tan of a quarter of its angle, positive to bulge outwards
    /// (counter-clockwise), 1 for a half circle.
    pub fn bulge(mut self, bulge: f64) -> ProfileBuilder {
        if let Some(last) = self.nodes.last_mut() {
            last.bulge = bulge;
        }
        self
    }

    /// Rounds the last point, between two straight pieces, with this radius (m).
    pub fn fillet(mut self, radius: f64) -> ProfileBuilder {
        if let Some(last) = self.nodes.last_mut() {
            last.fillet = radius;
        }
        self
    }

    /// Checks and closes the contour.
    pub fn build(self) -> Result<Profile, ShapeError> {
        let n = self.nodes.len();
        for (k, node) in self.nodes.iter().enumerate() {
            let numbers = [node.x.x, node.x.y, node.bulge, node.fillet];
            if numbers.iter().any(|v| !v.is_finite()) {
                return Err(ShapeError::NotFinite { what: "point of a profile", index: k });
            }
            finite("coordinate of a profile", &node.x)?;
            if node.fillet < 0.0 {
                return Err(ShapeError::NotPositive { what: "fillet", value: node.fillet });
            }
        }
        let arcs = self.nodes.iter().filter(|node| node.bulge != 0.0).count();
        let needed = if arcs > 0 { 2 } else { 3 };
        if n < needed {
            return Err(ShapeError::TooFewPoints { found: n, needed });
        }
        let fillets = self.fillets()?;
        let mut elements = Vec::new();
        for k in 0..n {
            let next = (k + 1) % n;
            if let Some((_, _, arc)) = fillets[k] {
                elements.push(arc);
            }
            let p = fillets[k].map_or(self.nodes[k].x, |f| f.1);
            let q = fillets[next].map_or(self.nodes[next].x, |f| f.0);
            let bulge = self.nodes[k].bulge;
            if bulge != 0.0 {
                elements.push(bulged(p, q, bulge, k)?);
            } else if (q - p).norm() > 1e-12 * (p.norm() + q.norm()) {
                elements.push(Element::edge(p, q));
            } else if fillets[k].is_none() || fillets[next].is_none() {
                return Err(ShapeError::ZeroLength { element: k });
            }
        }
        validate::check(&elements)?;
        Ok(Profile { elements, hole: false })
    }

    /// The same in either direction: a contour traversed clockwise is the wall of a hole, with the body outside. In
    /// both cases a bulge turns left along the contour.
    pub fn build_directed(self) -> Result<Profile, ShapeError> {
        match self.clone().build() {
            Err(ShapeError::Clockwise { .. }) => Ok(self.reversed().build()?.into_hole()),
            other => other,
        }
    }

    /// The same contour walked backwards.
    fn reversed(self) -> ProfileBuilder {
        let n = self.nodes.len();
        let node = |k: usize| Node { bulge: -self.nodes[(k + n - 1) % n].bulge, ..self.nodes[k] };
        ProfileBuilder { nodes: (0..n).rev().map(node).collect() }
    }

    /// For each rounded corner: where the arc begins, where it ends, and the arc.
    #[allow(clippy::type_complexity)]
    fn fillets(&self) -> Result<Vec<Option<(Vec3, Vec3, Element)>>, ShapeError> {
        let n = self.nodes.len();
        let mut cut = vec![0.0; n];
        let mut out = vec![None; n];
        for k in 0..n {
            let node = &self.nodes[k];
            if node.fillet == 0.0 {
                continue;
            }
            let before = (k + n - 1) % n;
            let (p, q) = (self.nodes[before].x, self.nodes[(k + 1) % n].x);
            if node.bulge != 0.0 || self.nodes[before].bulge != 0.0 {
                return Err(ShapeError::FilletBesideArc { point: k });
            }
            let (t, u) = ((node.x - p).normalize(), (q - node.x).normalize());
            let turn = (t.x * u.y - t.y * u.x).atan2(t.dot(&u));
            let reach = node.fillet * (turn / 2.0).tan().abs();
            if !(turn.abs() > 1e-9) || !reach.is_finite() {
                return Err(ShapeError::FilletTooLarge { point: k, radius: node.fillet });
            }
            cut[k] = reach;
            let (a, b) = (node.x - t * reach, node.x + u * reach);
            let side = Vec3::new(-t.y, t.x, 0.0) * turn.signum();
            let c = a + side * node.fillet;
            let from = a - c;
            let start = from.y.atan2(from.x);
            out[k] = Some((a, b, Element::Arc { c, r: node.fillet, start, sweep: turn }));
        }
        for k in 0..n {
            let next = (k + 1) % n;
            let len = (self.nodes[next].x - self.nodes[k].x).norm();
            if cut[k] + cut[next] > len * (1.0 + 1e-12) {
                let worst = if cut[k] >= cut[next] { k } else { next };
                let radius = self.nodes[worst].fillet;
                return Err(ShapeError::FilletTooLarge { point: worst, radius });
            }
        }
        Ok(out)
    }
}

/// The arc from p to q with this bulge.
fn bulged(p: Vec3, q: Vec3, bulge: f64, k: usize) -> Result<Element, ShapeError> {
    let chord = q - p;
    let len = chord.norm();
    if !(len > 0.0) {
        return Err(ShapeError::ZeroLength { element: k });
    }
    let sweep = 4.0 * bulge.atan();
    let r = len / (2.0 * (sweep / 2.0).sin().abs());
    // Centre left of the chord for a counter-clockwise arc below a half circle.
    let height = len / 2.0 / (sweep / 2.0).tan();
    let left = Vec3::new(-chord.y, chord.x, 0.0) / len;
    let c = (p + q) / 2.0 + left * height;
    let d = p - c;
    Ok(Element::Arc { c, r, start: d.y.atan2(d.x), sweep })
}
