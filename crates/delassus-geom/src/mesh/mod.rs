//! Triangle meshes: checked surfaces, read from STL or OBJ bytes. No file access here.

mod check;
mod error;
mod obj;
mod stl;

pub(crate) use check::check;
pub use error::MeshError;
pub use obj::parse_obj;
pub use stl::parse_stl;

use delassus_math::Vec3;

/// Largest number of triangles that is read. A contact surface that needs more than this should be
/// simplified first: a step would spend its time in the geometry.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// A closed surface of triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Checks that the triangles close a volume and face outwards.
    pub fn new(points: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        check(&points, &triangles)?;
        Ok(TriMesh { points, triangles })
    }

    /// Corners (m).
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Indices of corners.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Enclosed volume (m³).
    pub fn volume(&self) -> f64 {
        check::volume(&self.points, &self.triangles)
    }

    /// The same mesh with all lengths multiplied, e.g. by 1e-3 for a file in millimetres.
    pub fn scaled(&self, factor: f64) -> Result<TriMesh, MeshError> {
        let points = self.points.iter().map(|x| x * factor).collect();
        TriMesh::new(points, self.triangles.clone())
    }
}
