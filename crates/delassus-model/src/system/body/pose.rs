//! Poses of bodies as files and pictures store them: seven numbers at most, whatever the kind.

use delassus_math::{Quat, Vec3};

/// Pose of a body frame: its origin and, for bodies that turn, its orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin of the body frame, m.
    pub p: Vec3,
    /// Orientation.
    pub r: Quat,
    /// Angle about z, not wrapped, of a planar body; 0 for the others.
    pub angle: f64,
}

impl Pose {
    /// Origin and quaternion.
    pub fn numbers(&self) -> [f64; 7] {
        let (p, r) = (&self.p, &self.r.0);
        [p.x, p.y, p.z, r[0], r[1], r[2], r[3]]
    }
}

/// How a pose is stored in a motion file. A kind of body chooses one of these; readers do not know kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoseForm {
    /// x, y, angle.
    Planar,
    /// x, y, z and a quaternion.
    Spatial,
    /// x, y, z.
    Point,
    /// x, y.
    PlanarPoint,
}

const FORMS: [PoseForm; 4] =
    [PoseForm::Planar, PoseForm::Spatial, PoseForm::Point, PoseForm::PlanarPoint];

impl PoseForm {
    /// Number in motion files.
    pub fn code(self) -> u8 {
        match self {
            PoseForm::Planar => 0,
            PoseForm::Spatial => 1,
            PoseForm::Point => 2,
            PoseForm::PlanarPoint => 3,
        }
    }

    /// The form with this number.
    pub fn from_code(code: u8) -> Option<PoseForm> {
        FORMS.into_iter().find(|f| f.code() == code)
    }

    /// Number of values that it takes.
    pub fn width(self) -> usize {
        match self {
            PoseForm::Planar | PoseForm::Point => 3,
            PoseForm::Spatial => 7,
            PoseForm::PlanarPoint => 2,
        }
    }

    /// Whether it is in the x-y plane.
    pub fn is_planar(self) -> bool {
        matches!(self, PoseForm::Planar | PoseForm::PlanarPoint)
    }

    /// Its word in the scene of a report.
    pub fn scene_word(self) -> &'static str {
        match self {
            PoseForm::Planar => "planar",
            PoseForm::Spatial => "spatial",
            PoseForm::Point | PoseForm::PlanarPoint => "point",
        }
    }

    /// The form of a word of a scene, in a planar scene or not.
    pub fn from_scene(word: &str, planar: bool) -> PoseForm {
        match word {
            "spatial" => PoseForm::Spatial,
            "point" if planar => PoseForm::PlanarPoint,
            "point" => PoseForm::Point,
            _ => PoseForm::Planar,
        }
    }

    /// Appends a pose.
    pub fn pack(self, pose: &Pose, out: &mut Vec<f64>) {
        let p = &pose.p;
        match self {
            PoseForm::Planar => out.extend([p.x, p.y, pose.angle]),
            PoseForm::Spatial => out.extend(pose.numbers()),
            PoseForm::Point => out.extend([p.x, p.y, p.z]),
            PoseForm::PlanarPoint => out.extend([p.x, p.y]),
        }
    }

    /// The pose of these numbers, with zeros for missing ones.
    pub fn unpack(self, numbers: &[f64]) -> Pose {
        let x = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        let still = Quat::IDENTITY;
        match self {
            PoseForm::Planar => {
                let (s, c) = (0.5 * x(2)).sin_cos();
                Pose { p: Vec3::new(x(0), x(1), 0.0), r: Quat([c, 0.0, 0.0, s]), angle: x(2) }
            }
            PoseForm::Spatial => {
                let r = if numbers.len() < 7 { still } else { Quat([x(3), x(4), x(5), x(6)]) };
                Pose { p: Vec3::new(x(0), x(1), x(2)), r, angle: 0.0 }
            }
            PoseForm::Point => Pose { p: Vec3::new(x(0), x(1), x(2)), r: still, angle: 0.0 },
            PoseForm::PlanarPoint => Pose { p: Vec3::new(x(0), x(1), 0.0), r: still, angle: 0.0 },
        }
    }
}
