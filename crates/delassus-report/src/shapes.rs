//! Shapes of contacts as things to draw.

use crate::coarse::coarse;
use crate::encode::Array;
use crate::scene::{Geometry, SceneShape};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use delassus_model::{Form, ShapeView};

/// A shape at its place on the body; `size` is the extent of the mechanism, used for unbounded shapes. Surfaces with
/// more than `most` triangles are drawn coarser. `None` if there is nothing to draw.
pub(crate) fn shape(view: &ShapeView<'_>, size: f64, most: usize) -> Option<SceneShape> {
    let at = |geometry, p: Vec3, r: Mat3| SceneShape {
        geometry,
        p: (view.p + view.r * p).into(),
        r: Quat::from_matrix(&(view.r * r)).0,
    };
    let here = |geometry| at(geometry, Vec3::zeros(), Mat3::identity());
    let between = |from: &Vec3, to: &Vec3, geometry: &dyn Fn(f64) -> Geometry| {
        let d = to - from;
        at(geometry(d.norm()), (from + to) * 0.5, frame_from_z(&d))
    };
    Some(match view.form {
        Form::Point => here(Geometry::Point {}),
        Form::Circle { radius } => here(Geometry::Circle { radius: *radius }),
        Form::Sphere { radius } => here(Geometry::Sphere { radius: *radius }),
        Form::HalfPlane { normal } => here(Geometry::Line { normal: [normal.x, normal.y] }),
        Form::HalfSpace { normal } => {
            at(Geometry::Plane { size: 2.0 * size }, Vec3::zeros(), frame_from_z(normal))
        }
        Form::Segment { .. } | Form::Arc { .. } => outline(view, false).map(here)?,
        Form::Profile { .. } => outline(view, true).map(here)?,
        Form::Box { size } => here(Geometry::Box { size: (*size).into() }),
        Form::Capsule { from, to, radius } => {
            between(from, to, &|length| Geometry::Capsule { radius: *radius, length })
        }
        Form::Cylinder { from, to, radius } => {
            between(from, to, &|length| Geometry::Cylinder { radius: *radius, length })
        }
        Form::Hull { .. } | Form::Mesh { .. } => here(surface(view, most)?),
        // they would hide what is inside them
        Form::Socket { .. } | Form::Bore { .. } => return None,
    })
}

fn surface(view: &ShapeView<'_>, most: usize) -> Option<Geometry> {
    let given = view.surface.clone()?;
    let before = given.1.len();
    let (corners, triangles) = coarse(given, most);
    let numbers: Vec<f64> = corners.iter().flat_map(|x| [x.x, x.y, x.z]).collect();
    let indices: Vec<u32> = triangles.iter().flatten().copied().collect();
    Some(Geometry::Mesh {
        vertices: Array::f32(&[corners.len(), 3], numbers.into_iter()),
        triangles: Array::u32(&[triangles.len(), 3], indices.into_iter()),
        of: (triangles.len() < before).then_some(before),
    })
}

fn outline(view: &ShapeView<'_>, closed: bool) -> Option<Geometry> {
    let mut points = view.outline.clone();
    if closed {
        // the viewer closes it
        points.pop();
    }
    (points.len() > 1).then_some(Geometry::Polyline { points, closed })
}
