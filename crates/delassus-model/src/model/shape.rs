//! Shapes that others may touch.

use super::Frame;
use delassus_geom::TriMesh;
use delassus_math::Vec3;
use std::sync::Arc;

/// A shape that others may touch.
#[derive(Debug, Clone)]
pub struct ContactShape {
    /// Name.
    pub name: String,
    /// Where it is fixed: its own frame, in which its form is given.
    pub frame: Frame,
    /// Form and size.
    pub form: Form,
}

/// Forms of shapes, m, in the frame of the shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Only the origin.
    Point,
    /// Disc about the origin.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Thin wall; its free side is on the left.
    Segment {
        /// First end.
        from: Vec3,
        /// Second end.
        to: Vec3,
    },
    /// Behind a line through the origin.
    HalfPlane {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Part of a circle about the origin.
    Arc {
        /// Radius.
        radius: f64,
        /// First angle, rad.
        from: f64,
        /// Last angle, rad, above `from` by at most a turn.
        to: f64,
        /// Material outside.
        hollow: bool,
    },
    /// Closed outline: counter-clockwise around material, clockwise around a hole in it.
    Profile {
        /// Corners.
        corners: Vec<Corner>,
    },
    /// Ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Behind a plane through the origin.
    HalfSpace {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Within a radius of a line.
    Capsule {
        /// First end.
        from: Vec3,
        /// Second end.
        to: Vec3,
        /// Radius.
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Lengths of its edges.
        size: Vec3,
    },
    /// Cylinder with flat ends.
    Cylinder {
        /// Middle of one end.
        from: Vec3,
        /// Middle of the other.
        to: Vec3,
        /// Radius.
        radius: f64,
    },
    /// Convex hull.
    Hull {
        /// Points.
        points: Vec<Vec3>,
    },
    /// Hollow ball about the origin: material outside. Joints with clearance have it.
    Socket {
        /// Radius.
        radius: f64,
    },
    /// Round hole without an end, about z: material outside. Joints with clearance have it.
    Bore {
        /// Radius.
        radius: f64,
        /// How far along z something may be inside it, for drawing and for the search, m.
        length: f64,
    },
    /// Closed surface.
    Mesh {
        /// Triangles, scaled to metres.
        mesh: Arc<TriMesh>,
    },
}

/// A corner of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Position.
    pub at: Vec3,
    /// Radius that rounds it off, 0 for none.
    pub fillet: f64,
    /// Radius of the edge to the next corner: positive turns left along the contour (bulges out of the material), 0 is
    /// straight.
    pub arc: f64,
}
