//! Shapes for contact: their form, and what they are fixed on.

use super::context::{Env, Path};
use super::frames::World;
use super::geometry::{Shape as Size, components, direction, rotation, vector};
use super::mesh;
use super::repeat::{Expanded, Instance};
use crate::spec::{Scalar, ShapePoint, ShapeSpec, ShapeType};
use crate::{BodyKind, ContactShape, Corner, Diagnostic, Form, Frame};
use delassus_expr::Dim;
use delassus_math::{Quat, Vec3};
use std::f64::consts::TAU;

/// A shape, or what is known about one whose data are faulty.
#[derive(Debug)]
pub(super) struct ShapeSlot {
    pub(super) frame: Option<Frame>,
    pub(super) shape: Option<ContactShape>,
}

/// All shapes by name.
pub(super) struct Shapes<'s> {
    pub(super) slots: &'s [ShapeSlot],
    pub(super) names: &'s Expanded,
}

/// Whether a shape lives in the plane, in space, or in either.
fn plane(kind: ShapeType) -> Option<bool> {
    use ShapeType as T;
    match kind {
        T::Point => None,
        T::Circle | T::Segment | T::HalfPlane | T::Arc | T::Profile => Some(true),
        _ => Some(false),
    }
}

pub(super) fn compile(
    env: &Env<'_>,
    world: &World<'_>,
    instance: &Instance,
    spec: &ShapeSpec,
    path: &Path<'_>,
) -> ShapeSlot {
    if env.is_hopeless() {
        return ShapeSlot { frame: None, shape: None };
    }
    env.check_fields(path, spec.kind.entry(), spec);
    // triangles come from a program, not from a key of the file
    let has_mesh = spec.mesh.is_some() && spec.kind != ShapeType::Mesh;
    env.unused(path, spec.kind.entry().label, &[("mesh", has_mesh)], &spec.kind.entry().names());
    let entry = Entry { env, spec, path };
    let frame = entry.frame(world, &instance.name);
    let form = entry.form();
    let shape = frame.clone().zip(form).map(|(frame, form)| ContactShape {
        name: instance.name.clone(),
        frame,
        form,
    });
    ShapeSlot { frame, shape }
}

/// The entry being compiled.
struct Entry<'e> {
    env: &'e Env<'e>,
    spec: &'e ShapeSpec,
    path: &'e Path<'e>,
}

impl Entry<'_> {
    /// Components of the vectors of a shape.
    fn size(&self) -> Size {
        match plane(self.spec.kind) {
            Some(true) => Size::Plane,
            Some(false) => Size::Space,
            None => Size::Either,
        }
    }

    /// The frame of the shape: that of `body`, moved by `at` and turned.
    fn frame(&self, world: &World<'_>, name: &str) -> Option<Frame> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let on = match &spec.body {
            None => {
                env.needed(path, spec.kind.entry(), "body");
                None
            }
            Some(text) => world.frame(env, text, &path.field("body")),
        };
        let p = if spec.at.is_empty() {
            Some(Vec3::zeros())
        } else {
            vector(env, &spec.at, &path.field("at"), Dim::LENGTH, self.size())
        };
        if spec.angle.is_some() && spec.orientation.is_some() {
            let owner = "a shape with an `orientation`";
            env.unused(path, owner, &[("angle", true)], &["at", "orientation"]);
            return None;
        }
        let q = match (&spec.angle, &spec.orientation) {
            (Some(angle), _) => env
                .constant(angle, &path.field("angle"), Dim::NONE)
                .map(|a| Quat::from_axis_angle(&Vec3::z(), a)),
            (None, Some(spec)) => rotation(env, spec, &path.field("orientation")),
            (None, None) => Some(Quat::IDENTITY),
        };
        let on = on?;
        let kind = world.kind(&on);
        self.check_body(kind, &on)?;
        let (p, q) = (p?, q?);
        let at = on.p + on.r * p;
        let r = on.r * q.matrix();
        if plane(spec.kind) == Some(true) && !(at.z == 0.0 && r[(2, 2)] >= 1.0 - 1e-12) {
            env.report(
                Diagnostic::error(
                    "E_SHAPE_BODY",
                    path.field("body").to_string(),
                    format!(
                        "{} lives in the x-y plane, but `{}` is off it or tilted out of it",
                        spec.kind.entry().label,
                        on.name
                    ),
                )
                .help("use a marker in the plane z = 0, or a solid"),
            );
            return None;
        }
        if kind.is_some_and(|k| !k.turns()) && at != Vec3::zeros() {
            env.range(
                &path.field("at"),
                format!(
                    "the shape is at {} m on `{}`, which is a point and cannot turn",
                    components(at.as_slice()),
                    on.name
                ),
                "put the shape at the origin, or use a body of type `planar` or `rigid`",
            );
            return None;
        }
        Some(Frame { body: on.body, node: on.node, p: at, r, name: name.to_owned() })
    }

    /// Planar shapes belong on planar bodies, solids on spatial ones; on the ground both are allowed.
    fn check_body(&self, body: Option<BodyKind>, on: &Frame) -> Option<()> {
        let (Some(flat), Some(kind)) = (plane(self.spec.kind), body) else {
            return Some(());
        };
        if flat == kind.is_planar() {
            return Some(());
        }
        let (what, help) = if flat {
            ("lives in the x-y plane, which the body leaves", "use a solid such as `sphere`")
        } else {
            ("is a solid, but the body stays in the x-y plane", "use a shape such as `circle`")
        };
        self.env.report(
            Diagnostic::error(
                "E_SHAPE_BODY",
                self.path.field("body").to_string(),
                format!("{} {what} (`{}`)", self.spec.kind.entry().label, on.name),
            )
            .help(format!("{help}, or a body of another type")),
        );
        None
    }

    fn form(&self) -> Option<Form> {
        let spec = self.spec;
        Some(match spec.kind {
            ShapeType::Point => Form::Point,
            ShapeType::Circle => Form::Circle { radius: self.radius()? },
            ShapeType::Sphere => Form::Sphere { radius: self.radius()? },
            ShapeType::Segment => {
                let (from, to) = self.ends()?;
                Form::Segment { from, to }
            }
            ShapeType::HalfPlane => Form::HalfPlane { normal: self.normal(Vec3::y())? },
            ShapeType::HalfSpace => Form::HalfSpace { normal: self.normal(Vec3::z())? },
            ShapeType::Arc => self.arc()?,
            ShapeType::Profile => Form::Profile { corners: self.corners()? },
            ShapeType::Capsule => {
                let (radius, ends) = (self.radius(), self.axis());
                let ((from, to), radius) = (ends?, radius?);
                Form::Capsule { from, to, radius }
            }
            ShapeType::Cylinder => {
                let (radius, ends) = (self.radius(), self.axis());
                let ((from, to), radius) = (ends?, radius?);
                Form::Cylinder { from, to, radius }
            }
            ShapeType::Box => self.cuboid()?,
            ShapeType::Hull => Form::Hull { points: self.hull()? },
            ShapeType::Mesh => mesh::compile(self.env, spec, self.path)?,
        })
    }

    /// A number according to the table of fields.
    fn number(&self, name: &str, value: Option<&Scalar>) -> Option<Option<f64>> {
        self.env.number(self.path, self.spec.kind.entry(), name, value)
    }

    fn radius(&self) -> Option<f64> {
        self.number("radius", self.spec.radius.as_ref())?
    }

    fn vector(&self, list: &[Scalar], field: &str) -> Option<Vec3> {
        let path = self.path.field(field);
        if list.is_empty() {
            self.env.needed(self.path, self.spec.kind.entry(), field);
            return None;
        }
        vector(self.env, list, &path, Dim::LENGTH, self.size())
    }

    /// Two different ends.
    fn ends(&self) -> Option<(Vec3, Vec3)> {
        let from = self.vector(&self.spec.from, "from");
        let to = self.vector(&self.spec.to, "to");
        let (from, to) = (from?, to?);
        if from != to {
            return Some((from, to));
        }
        self.env.report(
            Diagnostic::error(
                "E_DEGENERATE_DIRECTION",
                self.path.field("to").to_string(),
                format!("both ends of {} are at the same place", self.spec.kind.entry().label),
            )
            .help("give two different ends"),
        );
        None
    }

    /// Ends of a capsule or cylinder: given, or `length` along z.
    fn axis(&self) -> Option<(Vec3, Vec3)> {
        let spec = self.spec;
        if spec.length.is_none() {
            return self.ends();
        }
        let used = [("from", !spec.from.is_empty()), ("to", !spec.to.is_empty())];
        let owner = format!("{} with a `length`", spec.kind.entry().label);
        self.env.unused(self.path, &owner, &used, &["length"]);
        let half = self.number("length", spec.length.as_ref())?? / 2.0;
        Some((Vec3::z() * -half, Vec3::z() * half))
    }

    fn normal(&self, default: Vec3) -> Option<Vec3> {
        let Some(list) = &self.spec.normal else {
            return Some(default);
        };
        let path = self.path.field("normal");
        let n = direction(self.env, list, &path)?;
        if plane(self.spec.kind) == Some(true) && n.z != 0.0 {
            self.env.range(
                &path,
                format!("z is {}, but the shape lives in the x-y plane", n.z),
                "give two components",
            );
            return None;
        }
        Some(n)
    }

    fn arc(&self) -> Option<Form> {
        let spec = self.spec;
        let radius = self.radius();
        let from = self.number("from_angle", spec.from_angle.as_ref());
        let to = self.number("to_angle", spec.to_angle.as_ref());
        let (from, to) = (from?.unwrap_or(0.0), to?.unwrap_or(TAU));
        if !(to > from && to - from <= TAU * (1.0 + 1e-12)) {
            self.env.range(
                &self.path.field("to_angle"),
                format!("the arc goes from {from} to {to} rad, but must turn by more than 0 and at most 2π"),
                "give an end above the beginning by at most 360 deg",
            );
            return None;
        }
        Some(Form::Arc { radius: radius?, from, to: to.min(from + TAU), hollow: spec.hollow })
    }

    fn cuboid(&self) -> Option<Form> {
        let size = self.vector(&self.spec.size, "size")?;
        for k in 0..3 {
            if size[k] <= 0.0 {
                let message = format!("an edge of {} m, but must be more than 0", size[k]);
                self.env.range(&self.path.field("size").index(k), message, "give lengths in m");
                return None;
            }
        }
        Some(Form::Box { size })
    }

    fn hull(&self) -> Option<Vec<Vec3>> {
        let path = self.path.field("points");
        let points: Vec<Option<Vec3>> = self
            .spec
            .points
            .iter()
            .enumerate()
            .map(|(k, point)| match point {
                ShapePoint::Point(list) => {
                    vector(self.env, list, &path.index(k), Dim::LENGTH, Size::Space)
                }
                ShapePoint::Corner(_) => {
                    self.env.wrong_form(&path.index(k), "a table", "a list of 3 numbers (m)");
                    None
                }
            })
            .collect();
        if points.len() < 4 {
            self.env.shape(&path, points.len(), "at least 4 points");
            return None;
        }
        points.into_iter().collect()
    }

    fn corners(&self) -> Option<Vec<Corner>> {
        let path = self.path.field("points");
        let list = &self.spec.points;
        let corners: Vec<Option<Corner>> =
            list.iter().enumerate().map(|(k, point)| self.corner(point, &path.index(k))).collect();
        let arcs = list.iter().any(|p| matches!(p, ShapePoint::Corner(c) if c.arc.is_some()));
        let least = if arcs { 2 } else { 3 };
        if corners.len() < least {
            self.env.shape(&path, corners.len(), "at least 3 corners (2 with arcs)");
            return None;
        }
        let corners: Vec<Corner> = corners.into_iter().collect::<Option<_>>()?;
        let next = corners.iter().cycle().skip(1);
        for (k, (a, b)) in corners.iter().zip(next).enumerate() {
            let chord = (b.at - a.at).norm();
            // a half circle may be off by rounding
            if a.arc != 0.0 && 2.0 * a.arc.abs() < chord * (1.0 - 1e-9) {
                self.env.range(
                    &path.index(k).field("arc"),
                    format!("an arc of radius {} m cannot reach {chord} m", a.arc.abs()),
                    "give a radius of at least half the distance to the next corner",
                );
                return None;
            }
        }
        Some(self.directed(corners, &path))
    }

    /// Corners run counter-clockwise around material and clockwise around a hole; `hollow` says that a hole is meant,
    /// in whichever order they are given.
    fn directed(&self, corners: Vec<Corner>, path: &Path<'_>) -> Vec<Corner> {
        let clockwise = signed_area(&corners) < 0.0;
        if clockwise && !self.spec.hollow {
            self.env.report(
                Diagnostic::note(
                    "N_HOLE",
                    path.to_string(),
                    "the corners run clockwise: the material is outside of them, and they are the \
                     wall of a hole",
                )
                .help("add `hollow = true` if this is meant; if not, list them counter-clockwise"),
            );
        }
        if clockwise || !self.spec.hollow {
            return corners;
        }
        let n = corners.len();
        let back = |k: usize| Corner { arc: -corners[(k + n - 1) % n].arc, ..corners[k] };
        (0..n).rev().map(back).collect()
    }

    fn corner(&self, point: &ShapePoint, path: &Path<'_>) -> Option<Corner> {
        let table = match point {
            ShapePoint::Point(list) => {
                let at = vector(self.env, list, path, Dim::LENGTH, Size::Plane)?;
                return Some(Corner { at, fillet: 0.0, arc: 0.0 });
            }
            ShapePoint::Corner(table) => table,
        };
        let at = vector(self.env, &table.at, &path.field("at"), Dim::LENGTH, Size::Plane);
        let length = |value: &Option<Scalar>, field: &str| match value {
            Some(value) => self.env.constant(value, &path.field(field), Dim::LENGTH),
            None => Some(0.0),
        };
        let (fillet, arc) = (length(&table.fillet, "fillet"), length(&table.arc, "arc"));
        let fillet = fillet?;
        if fillet < 0.0 {
            self.env.range(
                &path.field("fillet"),
                format!("the radius is {fillet} m, but must not be negative"),
                "give a radius of zero or more",
            );
            return None;
        }
        Some(Corner { at: at?, fillet, arc: arc? })
    }
}

/// Area within a contour, negative if it is walked clockwise; fillets do not change its sign.
fn signed_area(corners: &[Corner]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    let pieces = corners.iter().zip(next).map(|(a, b)| {
        let triangle = a.at.x * b.at.y - a.at.y * b.at.x;
        if a.arc == 0.0 {
            return triangle;
        }
        let r = a.arc.abs();
        let angle = 2.0 * ((b.at - a.at).norm() / (2.0 * r)).min(1.0).asin();
        triangle + a.arc.signum() * r * r * (angle - angle.sin())
    });
    0.5 * pieces.sum::<f64>()
}
