//! One contact point, or a candidate for one.

use crate::{Feature, Pose, feature_gap};
use delassus_math::Vec3;

/// Two features that face each other, with their gap at the given poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Which of the pair's possible contact points this is.
    pub slot: u32,
    /// What touches, in the frames of shape a and of shape b.
    pub features: [Feature; 2],
    /// Names of the features within their shapes; pass them back as `previous`.
    pub feature_ids: [u32; 2],
    /// Gap (m); negative when the shapes overlap.
    pub gap: f64,
    /// Unit normal from a to b, world: the gap opens when b moves along it.
    pub normal: Vec3,
    /// Points on the surfaces of a and of b, world (m).
    pub points: [Vec3; 2],
}

impl Contact {
    /// Evaluates the gap of two features.
    pub(crate) fn of(
        slot: u32,
        features: [Feature; 2],
        feature_ids: [u32; 2],
        pose_a: &Pose,
        pose_b: &Pose,
    ) -> Contact {
        let (gap, normal, points) = feature_gap(&features[0], pose_a, &features[1], pose_b);
        Contact { slot, features, feature_ids, gap, normal, points }
    }

    /// Whether both describe the same two features, in whichever slots they are listed.
    pub fn same_features(&self, other: &Contact) -> bool {
        self.feature_ids == other.feature_ids
    }
}
