//! Markers, and references to frames: `"body"`, `"body.marker"`, `"ground"`, `"ground.marker"`.

use super::beams::BeamFrames;
use super::bodies::BodySlot;
use super::context::{Env, Path};
use super::geometry::{Shape, rotation, vector};
use super::repeat::Expanded;
use crate::spec::{MarkerSpec, MarkerTable};
use crate::{BodyId, BodyKind, Diagnostic, Frame};
use delassus_expr::Dim;
use delassus_math::{Mat3, Quat, Vec3};
use std::collections::BTreeMap;

/// Where a marker is on its body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub(super) p: Vec3,
    pub(super) r: Mat3,
    /// Node of a modal body that carries it.
    pub(super) node: Option<usize>,
}

impl Pose {
    /// The body frame itself. It also stands for a marker whose data are faulty: the model is rejected anyway, and
    /// references to the marker can still be checked.
    pub(super) const IDENTITY: Pose = Pose {
        p: Vec3::new(0.0, 0.0, 0.0),
        r: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        node: None,
    };
}

/// Named frames of a body or of the ground.
#[derive(Debug, Default)]
pub(super) struct Markers {
    pub(super) poses: BTreeMap<String, Pose>,
    /// A marker could not be named, so a missing name may be its.
    pub(super) incomplete: bool,
}

/// Everything to which a frame can be attached.
pub(super) struct World<'w> {
    pub(super) ground: Markers,
    pub(super) bodies: Vec<BodySlot>,
    pub(super) names: &'w Expanded,
    pub(super) beams: &'w BTreeMap<String, BeamFrames>,
}

impl World<'_> {
    /// Kind of the body that carries a frame; `None` for the ground.
    pub(super) fn kind(&self, frame: &Frame) -> Option<BodyKind> {
        frame.body.map(|BodyId(k)| self.bodies[k].kind)
    }

    /// Whether all motion between the two frames is in the x-y plane.
    pub(super) fn is_planar_pair(&self, a: &Frame, b: &Frame) -> bool {
        let planar = |f: &Frame| self.kind(f).map(|k| k.is_planar());
        match (planar(a), planar(b)) {
            (Some(a), Some(b)) => a && b,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => false,
        }
    }

    /// The frame to which a text of the model file refers.
    pub(super) fn frame(&self, env: &Env<'_>, text: &str, path: &Path<'_>) -> Option<Frame> {
        let text = env.text(text, path)?;
        let (owner, marker) = match text.split_once('.') {
            Some((owner, marker)) => (owner, Some(marker)),
            None => (&*text, None),
        };
        let (body, markers) = if owner == "ground" {
            (None, &self.ground)
        } else if let Some(beam) = self.beams.get(owner) {
            return beam.frame(env, path, owner, marker, &text);
        } else if let Some(k) = self.names.ids.get(owner) {
            (Some(BodyId(*k)), &self.bodies[*k].markers)
        } else {
            if !self.names.incomplete {
                let known = self.names.ids.keys().map(String::as_str);
                let beams = self.beams.keys().map(String::as_str);
                env.unknown(path, "body", owner, known.chain(beams).chain(["ground"]));
            }
            return None;
        };
        let pose = match marker {
            None => Pose::IDENTITY,
            Some(marker) => match markers.poses.get(marker) {
                Some(pose) => *pose,
                None => {
                    if !markers.incomplete {
                        let known = markers.poses.keys().map(String::as_str);
                        env.unknown(path, &format!("marker of `{owner}` called"), marker, known);
                    }
                    return None;
                }
            },
        };
        Some(Frame { body, node: pose.node, p: pose.p, r: pose.r, name: text.into_owned() })
    }

    /// The two frames of `between`, on different bodies.
    pub(super) fn pair(
        &self,
        env: &Env<'_>,
        between: &[String],
        path: &Path<'_>,
        owner: &str,
    ) -> Option<(Frame, Frame)> {
        let (a, b) = self.two_frames(env, between, path, owner)?;
        if a.body != b.body {
            return Some((a, b));
        }
        let both = match a.body {
            Some(BodyId(k)) => format!("on the body `{}`", self.bodies[k].name),
            None => "on the ground".to_owned(),
        };
        env.report(
            Diagnostic::error(
                "E_SAME_BODY",
                path.to_string(),
                format!(
                    "`{}` and `{}` are both {both}, but {owner} acts between two bodies",
                    a.name, b.name
                ),
            )
            .help("put one end on another body or on `ground`"),
        );
        None
    }

    /// The two frames of `between`.
    pub(super) fn two_frames(
        &self,
        env: &Env<'_>,
        between: &[String],
        path: &Path<'_>,
        owner: &str,
    ) -> Option<(Frame, Frame)> {
        match between {
            [] => {
                env.missing(path, owner, "give two frames, such as [\"ground\", \"crank\"]");
                None
            }
            [a, b] => {
                let a = self.frame(env, a, &path.index(0));
                let b = self.frame(env, b, &path.index(1));
                Some((a?, b?))
            }
            _ => {
                env.shape(path, between.len(), "2 frames");
                None
            }
        }
    }
}

pub(super) fn ground_frame() -> Frame {
    Frame {
        body: None,
        node: None,
        p: Vec3::zeros(),
        r: Mat3::identity(),
        name: "ground".to_owned(),
    }
}

/// Position and orientation of a marker.
pub(super) fn marker(
    env: &Env<'_>,
    spec: &MarkerSpec,
    path: &Path<'_>,
    shape: Shape,
) -> Option<Pose> {
    let table = match spec {
        MarkerSpec::Point(list) => {
            let p = vector(env, list, path, Dim::LENGTH, shape)?;
            return Some(Pose { p, ..Pose::IDENTITY });
        }
        MarkerSpec::Frame(table) => table,
    };
    let MarkerTable { at: _, node: _, position, angle, orientation, repeat: _ } = &**table;
    let p = if position.is_empty() {
        Some(Vec3::zeros())
    } else {
        vector(env, position, &path.field("position"), Dim::LENGTH, shape)
    };
    if angle.is_some() && orientation.is_some() {
        let owner = "a marker with an `orientation`";
        env.unused(path, owner, &[("angle", true)], &["position", "orientation"]);
        return None;
    }
    let q = match (angle, orientation) {
        (Some(angle), _) => env
            .constant(angle, &path.field("angle"), Dim::NONE)
            .map(|a| Quat::from_axis_angle(&Vec3::z(), a)),
        (None, Some(spec)) => rotation(env, spec, &path.field("orientation")),
        (None, None) => Some(Quat::IDENTITY),
    };
    Some(Pose { p: p?, r: q?.matrix(), node: None })
}
