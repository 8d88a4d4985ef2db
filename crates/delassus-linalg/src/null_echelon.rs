//! Null vectors rewritten so that the *latest* rows are the dependent ones.
//!
//! A fill-reducing elimination order finds the left null space cheaply but
//! names arbitrary rows as dependent. Row `j` depends on earlier rows exactly
//! if some null vector has its last entry at `j`; sorting that out is a
//! sparse echelon reduction of the null vectors alone.

use std::collections::BTreeMap;

/// Sparse vector by index.
pub(crate) type Sparse = BTreeMap<usize, f64>;

/// Entries below this fraction of the largest are rounding.
const NEGLIGIBLE: f64 = 1e-10;

/// Reduced vectors keyed by their last entry, which is −1 and which no other
/// vector contains.
pub(crate) fn reduce(vectors: Vec<Sparse>) -> BTreeMap<usize, Sparse> {
    let mut pivots: BTreeMap<usize, Sparse> = BTreeMap::new();
    for mut v in vectors {
        while let Some(last) = clean(&mut v) {
            let Some(pivot) = pivots.get_mut(&last) else {
                pivots.insert(last, v);
                break;
            };
            // Eliminate with the vector in which the shared entry is larger.
            if relative(&v, last) > relative(pivot, last) {
                std::mem::swap(&mut v, pivot);
            }
            eliminate(&mut v, pivot, last);
        }
    }
    let keys: Vec<usize> = pivots.keys().copied().collect();
    for key in keys {
        let Some(mut v) = pivots.remove(&key) else {
            continue;
        };
        // Ascending keys: the pivots below are reduced already.
        let shared: Vec<usize> = v.keys().copied().filter(|k| pivots.contains_key(k)).collect();
        for k in shared {
            eliminate(&mut v, &pivots[&k], k);
        }
        let scale = -1.0 / v.get(&key).copied().unwrap_or(-1.0);
        for c in v.values_mut() {
            *c *= scale;
        }
        pivots.insert(key, v);
    }
    pivots
}

/// Reduced vectors keyed by an entry which is −1, which no other vector contains and which is at least the given
/// fraction of the largest: the latest such entry of each.
pub(crate) fn reduce_sizeable(vectors: Vec<Sparse>, part: f64) -> BTreeMap<usize, Sparse> {
    let mut pivots: BTreeMap<usize, Sparse> = BTreeMap::new();
    for mut v in vectors {
        let shared: Vec<usize> = v.keys().copied().filter(|k| pivots.contains_key(k)).collect();
        for k in shared {
            eliminate(&mut v, &pivots[&k], k);
        }
        if clean(&mut v).is_none() {
            continue;
        }
        let largest = v.values().fold(0.0, |m: f64, c| m.max(c.abs()));
        let Some(key) = v.iter().rev().find(|(_, c)| c.abs() >= part * largest).map(|(k, _)| *k)
        else {
            continue;
        };
        let scale = -1.0 / v.get(&key).copied().unwrap_or(-1.0);
        for c in v.values_mut() {
            *c *= scale;
        }
        for other in pivots.values_mut() {
            eliminate(other, &v, key);
        }
        pivots.insert(key, v);
    }
    pivots
}

/// Drop rounding; returns the last index left.
fn clean(v: &mut Sparse) -> Option<usize> {
    let largest = v.values().fold(0.0, |m: f64, c| m.max(c.abs()));
    v.retain(|_, c| c.abs() > NEGLIGIBLE * largest);
    v.keys().next_back().copied()
}

fn relative(v: &Sparse, at: usize) -> f64 {
    let largest = v.values().fold(0.0, |m: f64, c| m.max(c.abs()));
    v.get(&at).map_or(0.0, |c| c.abs() / largest)
}

/// `v −= (v[at] / pivot[at]) · pivot`.
fn eliminate(v: &mut Sparse, pivot: &Sparse, at: usize) {
    let Some(top) = v.remove(&at) else { return };
    let Some(bottom) = pivot.get(&at) else { return };
    let factor = top / bottom;
    for (&i, c) in pivot.iter().filter(|(i, _)| **i != at) {
        *v.entry(i).or_insert(0.0) -= factor * c;
    }
}
