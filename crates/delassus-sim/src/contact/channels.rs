//! Columns that contacts add to the results, and their smallest gaps.

use crate::results::Channel;
use delassus_dae::{PointId, Problem, Unilateral};
use delassus_model::System;
use std::collections::BTreeMap;

/// Channels of one contact; the last tells whether it is on.
pub(super) const CHANNELS: [(&str, &str); 4] =
    [("gap", "m"), ("normal", "N"), ("tangential", "N"), ("mode", "1")];

/// How far away the smallest gap of many pairs is looked for at first, in lengths of the system, how much further
/// then, and beyond what distance everywhere.
const NEAR: f64 = 1e-3;
const FURTHER: f64 = 8.0;
const FAR: f64 = 1e4;

fn contact_names(sys: &System) -> Vec<String> {
    sys.model().contacts.iter().map(|c| c.name.clone()).collect()
}

/// Channels that contacts add to the results.
pub(crate) fn channels(sys: &System) -> Vec<Channel> {
    let names = contact_names(sys);
    let of = |name: &String| {
        CHANNELS.map(|(what, unit)| Channel {
            name: format!("{name}.{what}"),
            unit: unit.to_owned(),
            frame: String::new(),
            sensor: false,
        })
    };
    names.iter().flat_map(of).collect()
}

/// Which contact a point belongs to, and the channels of all contacts.
#[derive(Default)]
pub(super) struct Contacts {
    of_point: BTreeMap<PointId, usize>,
    ids: Vec<PointId>,
    point: delassus_dae::ContactPoint,
}

impl Contacts {
    /// Place of the contact of a point.
    pub fn index(&mut self, sys: &System, id: PointId) -> usize {
        if let Some(k) = self.of_point.get(&id) {
            return *k;
        }
        let k = sys.contact_of(id).unwrap_or(0);
        self.of_point.insert(id, k);
        k
    }

    /// The smallest gap of every contact. Of many pairs those that are near come first: others are asked about only
    /// while a contact has none.
    pub fn gaps(&mut self, sys: &System, ws: &<System as Problem>::Ws, out: &mut [f64]) {
        let mut ids = std::mem::take(&mut self.ids);
        let mut margin = if sys.has_few_pairs() { f64::INFINITY } else { NEAR * sys.length() };
        loop {
            if sys.near_at_most(ws, margin, sys.most_points(), &mut ids).is_err() {
                // as of those that were not looked at
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
