//! Shapes on frames: where they are, and which pairs of them have a gap.

use super::pairs::{Pairs, Sides};
use super::touch::Side;
use crate::system::body::FrameKin;
use crate::{ContactShape, Corner, Diagnostic, Form};
use delassus_geom::{Feature, Pair, Pose, ProfileBuilder, Shape, ShapeError};
use delassus_math::{Mat3, Vec3, frame_from_z, largest};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A shape in the equations.
#[derive(Debug, Clone)]
pub(crate) struct ShapeLayout {
    /// Its body; the number of bodies denotes the ground.
    pub body: usize,
    /// Frame that carries it.
    pub frame: usize,
    /// Its pose in that frame.
    pub pose: Pose,
    /// That frame is its own.
    centred: bool,
    pub shape: Shape,
    /// The feature of a shape that has only one: point, circle, bearing, sphere, half-plane, half-space.
    pub only: Option<Feature>,
    /// Farthest point from the origin of its frame, m; 0 for shapes without end.
    pub reach: f64,
    /// A bounding ball: centre in the frame that carries it, and radius, m; infinite for shapes without end.
    pub ball: (Vec3, f64),
    /// Shapes of the same form have the same number.
    pub class: usize,
    /// In the plane or in space; `None` for shapes that fit both.
    pub planar: Option<bool>,
}

impl ShapeLayout {
    /// `ground` is the number of bodies, `from` the origin of the frame that carries the shape, in the frame of the
    /// body.
    pub fn new(
        shape: &ContactShape,
        (frame, ground): (usize, usize),
        from: &Vec3,
        planar_body: bool,
    ) -> Result<ShapeLayout, ShapeError> {
        let own = own_frame(&shape.form);
        let pose = Pose::new(shape.frame.p - from + shape.frame.r * own.p, shape.frame.r * own.r);
        let made = form(&shape.form)?;
        let planar = match (&shape.form, shape.frame.body) {
            (Form::Point, None) => None,
            (Form::Point, Some(_)) => Some(planar_body),
            _ => Some(made.is_planar()),
        };
        let body = shape.frame.body.map_or(ground, |b| b.0);
        let only = only(&shape.form);
        let reach = reach(&shape.form);
        let ball = ball(&made, &pose);
        let centred = pose == Pose::identity();
        let (shape, class) = (made, 0);
        Ok(ShapeLayout { body, frame, pose, centred, shape, only, reach, ball, class, planar })
    }

    /// Its pose.
    #[inline]
    pub fn place(&self, on: &FrameKin) -> Pose {
        if self.centred {
            return Pose::new(on.p, on.axes);
        }
        Pose::new(on.p + on.axes * self.pose.p, on.axes * self.pose.r)
    }

    /// The feature of a shape that has only one, in ground components.
    #[inline]
    pub(super) fn placed_only(&self, on: &FrameKin) -> Option<Feature> {
        // at the origin if the frame is its own
        let origin = || if self.centred { on.p } else { on.p + on.axes * self.pose.p };
        match self.only? {
            Feature::Ball { radius, .. } => Some(Feature::Ball { center: origin(), radius }),
            Feature::Plane { normal, .. } => {
                let normal = on.axes * if self.centred { normal } else { self.pose.r * normal };
                Some(Feature::Plane { point: origin(), normal })
            }
            Feature::Line { direction, radius, .. } => {
                let direction =
                    on.axes * if self.centred { direction } else { self.pose.r * direction };
                Some(Feature::Line { point: origin(), direction, radius })
            }
        }
    }

    /// A socket or a bore.
    fn is_spatial_hole(&self) -> bool {
        let hole = matches!(
            self.only,
            Some(Feature::Ball { radius, .. } | Feature::Line { radius, .. }) if radius < 0.0
        );
        hole && self.planar == Some(false)
    }

    pub(super) fn side<'a>(&self, frames: &'a [FrameKin]) -> Side<'a> {
        let on = &frames[self.frame];
        Side { on, pose: self.place(on) }
    }
}

fn ball(shape: &Shape, pose: &Pose) -> (Vec3, f64) {
    // the box of a shape is that of its bounding ball
    let own = shape.aabb(&Pose::new(Vec3::zeros(), Mat3::identity()));
    let radius = (own.hi.x - own.lo.x) / 2.0;
    if radius.is_finite() {
        (pose.p + pose.r * ((own.lo + own.hi) / 2.0), radius)
    } else {
        (Vec3::zeros(), f64::INFINITY)
    }
}

fn only(form: &Form) -> Option<Feature> {
    let ball = |radius| Some(Feature::Ball { center: Vec3::zeros(), radius });
    match form {
        Form::Point => ball(0.0),
        Form::Circle { radius } | Form::Sphere { radius } => ball(*radius),
        // a closed bearing: nothing ends, so no part ever hands over to another
        Form::Arc { radius, from, to, hollow: true } if to - from >= TAU => ball(-radius),
        Form::Socket { radius } => ball(-radius),
        Form::Bore { radius, .. } => {
            let (point, direction) = (Vec3::zeros(), Vec3::z());
            Some(Feature::Line { point, direction, radius: -radius })
        }
        Form::HalfPlane { normal } | Form::HalfSpace { normal } => {
            Some(Feature::Plane { point: Vec3::zeros(), normal: *normal })
        }
        _ => None,
    }
}

fn reach(form: &Form) -> f64 {
    let far = |points: &mut dyn Iterator<Item = f64>| largest(points);
    match form {
        Form::Point | Form::HalfPlane { .. } | Form::HalfSpace { .. } => 0.0,
        Form::Circle { radius } | Form::Sphere { radius } | Form::Arc { radius, .. } => *radius,
        Form::Socket { radius } => *radius,
        Form::Bore { radius, length } => radius.hypot(*length),
        Form::Segment { from, to } => from.norm().max(to.norm()),
        Form::Profile { corners } => far(&mut corners.iter().map(|c| c.at.norm())),
        Form::Capsule { from, to, radius } | Form::Cylinder { from, to, radius } => {
            from.norm().max(to.norm()) + radius
        }
        Form::Box { size } => size.norm() / 2.0,
        Form::Hull { points } => far(&mut points.iter().map(|p| p.norm())),
        Form::Mesh { mesh } => far(&mut mesh.points().iter().map(|p| p.norm())),
    }
}

/// Frame of a form in the geometry, relative to that of the model.
fn own_frame(form: &Form) -> Pose {
    match form {
        Form::Cylinder { from, to, .. } => {
            Pose::new((from + to) / 2.0, frame_from_z(&(to - from).normalize()))
        }
        _ => Pose::new(Vec3::zeros(), Mat3::identity()),
    }
}

fn form(form: &Form) -> Result<Shape, ShapeError> {
    let xy = |p: &Vec3| [p.x, p.y];
    match form {
        Form::Point => Ok(Shape::point()),
        Form::Circle { radius } => Shape::circle(*radius),
        Form::Segment { from, to } => Shape::segment(xy(from), xy(to)),
        Form::HalfPlane { normal } => Shape::half_plane([0.0, 0.0], xy(normal)),
        Form::Arc { radius, from, to, hollow } => {
            Shape::arc([0.0, 0.0], *radius, *from, to - from, *hollow)
        }
        Form::Profile { corners } => profile(corners),
        Form::Sphere { radius } => Shape::sphere(*radius),
        // holes have one feature, which knows their gap; of the shape only the box is needed
        Form::Socket { .. } | Form::Bore { .. } => Shape::sphere(reach(form)),
        Form::HalfSpace { normal } => Shape::half_space(Vec3::zeros(), *normal),
        Form::Capsule { from, to, radius } => Shape::capsule(*from, *to, *radius),
        Form::Box { size } => Shape::cuboid(size / 2.0),
        Form::Cylinder { from, to, radius } => Shape::cylinder((to - from).norm() / 2.0, *radius),
        Form::Hull { points } => Shape::convex_hull(points),
        Form::Mesh { mesh } => Ok(Shape::mesh(mesh)),
    }
}

fn profile(corners: &[Corner]) -> Result<Shape, ShapeError> {
    let mut builder = ProfileBuilder::new();
    for (k, c) in corners.iter().enumerate() {
        builder = builder.point(c.at.x, c.at.y);
        if c.fillet > 0.0 {
            builder = builder.fillet(c.fillet);
        }
        if c.arc != 0.0 {
            let next = &corners[(k + 1) % corners.len()];
            // an arc is given by its radius, which has a chord within its diameter
            let half = ((next.at - c.at).norm() / (2.0 * c.arc.abs())).min(1.0);
            builder = builder.bulge((half.asin() / 2.0).tan() * c.arc.signum());
        }
    }
    builder.build_directed().map(|p| Shape::profile(&p))
}

/// Pairs of kinds that have no gap, each reported once with the first shapes of these kinds.
pub(crate) fn check_pairs(
    contact: &str,
    shapes: &[ContactShape],
    layouts: &[ShapeLayout],
    sides: &Sides<'_>,
    faults: &mut Vec<Diagnostic>,
) {
    // kinds and dimensions that occur on a side, with the first shapes on two different bodies
    let kinds = |list: &[usize]| {
        let mut found: BTreeMap<(String, Option<bool>), Vec<usize>> = BTreeMap::new();
        for &k in list {
            let key = (layouts[k].shape.kind().to_string(), layouts[k].planar);
            let of = found.entry(key).or_default();
            if of.len() < 2 && of.iter().all(|o| layouts[*o].body != layouts[k].body) {
                of.push(k);
            }
        }
        found
    };
    let (a, b) = (kinds(sides.a), kinds(sides.b.unwrap_or(sides.a)));
    let mut told: Vec<(String, String)> = Vec::new();
    for ((kind_a, _), list_a) in &a {
        for ((kind_b, _), list_b) in &b {
            let pairs = list_a.iter().flat_map(|x| list_b.iter().map(move |y| (*x, *y)));
            let Some((x, y)) = { pairs }.find(|(x, y)| layouts[*x].body != layouts[*y].body) else {
                continue;
            };
            let Err(why) = supported(&layouts[x], &layouts[y]) else { continue };
            let key = (kind_a.min(kind_b).clone(), kind_a.max(kind_b).clone());
            if told.contains(&key) {
                continue;
            }
            told.push(key);
            let holes = [x, y].into_iter().filter(|k| layouts[*k].shape.is_hole());
            let holes: Vec<String> = holes.map(|k| format!("`{}`", shapes[k].name)).collect();
            let help = match holes.join(" and ") {
                names if names.is_empty() => "use other shapes, or leave this pair out".to_owned(),
                names => format!(
                    "{names} is the wall of a hole, with the material outside: list the points \
                     counter-clockwise for a solid part, without `hollow`"
                ),
            };
            faults.push(
                Diagnostic::error(
                    "E_PAIR_UNSUPPORTED",
                    format!("contact.{contact}"),
                    format!("`{}` cannot touch `{}`: {why}", shapes[x].name, shapes[y].name),
                )
                .help(help),
            );
        }
    }
}

fn supported(a: &ShapeLayout, b: &ShapeLayout) -> Result<(), String> {
    if let (Some(x), Some(y)) = (a.planar, b.planar)
        && x != y
    {
        return Err("one is in the plane, the other in space".to_owned());
    }
    if a.is_spatial_hole() != b.is_spatial_hole() {
        // only joints make them, with balls that fit
        return Ok(());
    }
    Pair::new(&a.shape, &b.shape).map(drop).map_err(|e| e.to_string())
}

/// Kinds of pair that have been prepared, by the classes of their shapes; without those whose
/// features never change.
#[derive(Clone, Default)]
pub(crate) struct Prepared(BTreeMap<(usize, usize), Arc<Pair>>);

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prepared({} pairs of forms)", self.0.len())
    }
}

/// Numbers shapes of the same form alike.
pub(crate) fn classify(layouts: &mut [ShapeLayout]) {
    let mut first: Vec<usize> = Vec::new();
    for k in 0..layouts.len() {
        if layouts[k].only.is_some() {
            continue;
        }
        let known = first.iter().position(|f| layouts[*f].shape == layouts[k].shape);
        layouts[k].class = known.unwrap_or_else(|| {
            first.push(k);
            first.len() - 1
        });
    }
    // forms with only one feature are distinguished by their place, after the others
    let n = first.len();
    for (k, l) in layouts.iter_mut().enumerate().filter(|(_, l)| l.only.is_some()) {
        l.class = n + k;
    }
}

impl Prepared {
    /// Prepares a pair of shapes, a before b.
    pub fn add(&mut self, a: &ShapeLayout, b: &ShapeLayout) {
        if (a.only.is_some() && b.only.is_some()) || self.0.contains_key(&(a.class, b.class)) {
            return;
        }
        if let Ok(pair) = Pair::new(&a.shape, &b.shape) {
            self.0.insert((a.class, b.class), Arc::new(pair));
        }
    }

    pub fn get(&self, a: &ShapeLayout, b: &ShapeLayout) -> Option<Arc<Pair>> {
        match self.0.get(&(a.class, b.class)) {
            Some(pair) => Some(Arc::clone(pair)),
            // too many different forms to prepare them all
            None => Pair::new(&a.shape, &b.shape).ok().map(Arc::new),
        }
    }
}

/// Number of different forms up to which all pairs of them are prepared.
const MAX_CLASSES: usize = 256;

/// Prepares the pairs of forms that occur in a model of many shapes.
pub(crate) fn prepare_classes(layouts: &[ShapeLayout], pairs: &Pairs, prepared: &mut Prepared) {
    // the first shape of each form represents the others; forms with one feature are separate
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let mut single: Vec<usize> = Vec::new();
    for (k, l) in layouts.iter().enumerate().filter(|(k, _)| pairs.meets(*k)) {
        if l.only.is_none() {
            first.entry(l.class).or_insert(k);
        } else {
            single.push(k);
        }
    }
    if first.len() > MAX_CLASSES || first.len() * single.len() > MAX_CLASSES * MAX_CLASSES {
        return;
    }
    for &a in first.values() {
        for &b in first.values().chain(&single) {
            prepared.add(&layouts[a], &layouts[b]);
            prepared.add(&layouts[b], &layouts[a]);
        }
    }
}
