//! Columns that contacts and joints with play add to the results, and smallest gaps.

use crate::results::Channel;
use delassus_dae::{PointId, Problem, Unilateral};
use delassus_model::{JointKind, System};
use std::collections::BTreeMap;

/// Channels of one contact; the last one shows whether it is active.
pub(super) const CHANNELS: [(&str, &str); 4] =
    [("gap", "m"), ("normal", "N"), ("tangential", "N"), ("mode", "1")];

/// Initial distance within which the smallest gap of many pairs is looked for, in lengths of the system, the factor by
/// which it grows, and the distance beyond which it is unlimited.
const NEAR: f64 = 1e-3;
const FURTHER: f64 = 8.0;
const FAR: f64 = 1e4;

fn contact_names(sys: &System) -> Vec<String> {
    sys.model().contacts.iter().map(|c| c.name.clone()).collect()
}

/// Joints with play, in the order of their channels.
fn loose_joints(sys: &System) -> impl Iterator<Item = &str> {
    let joints = sys.model().joints.iter();
    joints.filter(|j| matches!(j.kind, JointKind::Loose(_))).map(|j| j.name.as_str())
}

/// Channels that contacts add to the results, followed by one for each joint with play: what it does.
pub(crate) fn channels(sys: &System) -> Vec<Channel> {
    let names = contact_names(sys);
    let channel = |name: &str, what: &str, unit: &str| Channel {
        name: format!("{name}.{what}"),
        unit: unit.to_owned(),
        frame: String::new(),
        sensor: false,
    };
    let of = |name: &String| CHANNELS.map(|(what, unit)| channel(name, what, unit));
    let play = loose_joints(sys).map(|name| channel(name, "play", "1"));
    names.iter().flat_map(of).chain(play).collect()
}

/// Which contact a point belongs to, and the channels of all contacts.
#[derive(Default)]
pub(super) struct Contacts {
    of_point: BTreeMap<PointId, usize>,
    ids: Vec<PointId>,
    point: delassus_dae::ContactPoint,
    /// Index of the joint with play of each contact.
    joints: Vec<Option<usize>>,
    /// Scratch for detecting following.
    pub pressed: Vec<(usize, usize)>,
}

impl Contacts {
    pub fn new(sys: &System) -> Contacts {
        let places: BTreeMap<&str, usize> =
            loose_joints(sys).enumerate().map(|(k, name)| (name, k)).collect();
        let joint = |name: &Option<String>| places.get(name.as_deref()?).copied();
        let joints = sys.model().contacts.iter().map(|c| joint(&c.of_joint)).collect();
        Contacts { joints, ..Contacts::default() }
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Index of the joint with play to which a point belongs.
    pub fn joint(&mut self, sys: &System, id: PointId) -> Option<usize> {
        let k = self.index(sys, id);
        self.joints.get(k).copied().flatten()
    }

    /// Index of the contact of a point.
    pub fn index(&mut self, sys: &System, id: PointId) -> usize {
        if let Some(k) = self.of_point.get(&id) {
            return *k;
        }
        let k = sys.contact_of(id).unwrap_or(0);
        self.of_point.insert(id, k);
        k
    }

    /// The smallest gap of every contact. Where there are many pairs, near ones come first: others are examined only
    /// while a contact has none.
    pub fn gaps(&mut self, sys: &System, ws: &<System as Problem>::Ws, out: &mut [f64]) {
        let mut ids = std::mem::take(&mut self.ids);
        let mut margin = if sys.has_few_pairs() { f64::INFINITY } else { NEAR * sys.length() };
        loop {
            if sys.near_at_most(ws, margin, sys.most_points(), &mut ids).is_err() {
                // treated like those that were not examined
                break;
            }
            let mut pair: Option<(u64, usize, f64)> = None;
            for &id in &ids {
                let (_, k, clearance) = match pair {
                    Some(of @ (pair, ..)) if pair == id.pair => of,
                    _ => {
                        let k = self.index(sys, id) * CHANNELS.len();
                        *pair.insert((id.pair, k, sys.approach(ws, id).0))
                    }
                };
                let closer = !(clearance >= out[k]);
                if closer && sys.position(ws, id, false, None, &mut self.point) {
                    out[k] = out[k].min(self.point.gap);
                }
            }
            let found = out.chunks_exact(CHANNELS.len()).all(|c| c[0] <= margin);
            if found || margin == f64::INFINITY {
                break;
            }
            margin = if margin < FAR * sys.length() { FURTHER * margin } else { f64::INFINITY };
        }
        self.ids = ids;
    }
}
