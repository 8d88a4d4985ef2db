//! Cuts a curve into chains and collects its runs.
//!
//! A chain is cut at concave corners, so that a disc in a corner touches two chains. Each concave arc is a chain of its
//! own: a disc in a bowl has one contact, a disc too large for the fillet touches the curve to the left and right of
//! it. A convex chain that turns by more than 2π comes back to face its own beginning (both walls of a slot with one
//! floor): it is also cut half way. Chains that end where the curve continues smoothly have no corner there; beyond it
//! the contact belongs to the neighbour.

use super::curve::{Chain, Curve, Run};
use super::element::Corner;
use std::f64::consts::TAU;

pub(super) fn build(curve: &mut Curve) {
    let mut cut = vec![false; curve.elements.len() + 1];
    loop {
        curve.make_joints(&cut);
        curve.chains = chains(curve);
        let Some(k) = longest_turn(curve) else { break };
        // Half of the element that lies half way: a new smooth joint, where the chain is cut.
        let halves = curve.elements[k].halves();
        curve.elements.splice(k..=k, halves);
        cut.insert(k + 1, true);
    }
    curve.runs = runs(curve);
}

fn breaks_at(curve: &Curve, k: usize) -> bool {
    let n = curve.elements.len();
    let joint = &curve.joints[k];
    let concave = |k: usize| curve.elements[k].is_concave();
    let hollow = (concave(k) || concave((k + n - 1) % n)) && n > 1;
    joint.cut || joint.corner == Corner::Concave || hollow
}

fn chains(curve: &Curve) -> Vec<Chain> {
    let n = curve.elements.len();
    let mut out = Vec::new();
    let first = match curve.closed {
        true => (0..n).find(|&k| breaks_at(curve, k)),
        false => Some(0),
    };
    let mut elements = Vec::new();
    for i in 0..n {
        let k = (first.unwrap_or(0) + i) % n;
        if !elements.is_empty() && !curve.joints.is_empty() && breaks_at(curve, k) {
            out.push(finish(curve, std::mem::take(&mut elements), true));
        }
        elements.push(k);
    }
    out.push(finish(curve, elements, first.is_some()));
    out
}

/// The chain of these elements, with the joints that belong to it. `ends`: it does not close on itself.
fn finish(curve: &Curve, elements: Vec<usize>, ends: bool) -> Chain {
    let n = curve.elements.len();
    let mut joints = Vec::new();
    for (i, &k) in elements.iter().enumerate() {
        let Some(joint) = curve.joints.get(k) else { break };
        let at_end = ends && i == 0;
        if owns(curve, joint.corner, at_end, k, (k + n - 1) % n, k) {
            joints.push(k);
        }
    }
    if ends && let Some(&last) = elements.last() {
        let k = if curve.closed { (last + 1) % n } else { last + 1 };
        if let Some(joint) = curve.joints.get(k)
            && owns(curve, joint.corner, true, last, last, (last + 1) % n)
        {
            joints.push(k);
        }
    }
    let (center, radius) = curve.ball_around(elements.iter().copied());
    Chain { elements, joints, center, radius }
}

/// Whether a corner belongs to the chain of element `own`. Concave corners belong to both neighbours
/// (as plain end points), convex ones between two chains to one of them, smooth joints to none.
fn owns(curve: &Curve, corner: Corner, end: bool, own: usize, before: usize, after: usize) -> bool {
    match corner {
        Corner::Smooth => false,
        Corner::Concave => true,
        Corner::Convex if !end || !curve.closed => true,
        Corner::Convex => {
            let first =
                if curve.elements[before].is_concave() && !curve.elements[after].is_concave() {
                    after
                } else {
                    before
                };
            first == own
        }
    }
}

/// The element half way along the first chain that turns by more than 2π.
fn longest_turn(curve: &Curve) -> Option<usize> {
    if curve.chains.len() == 1 && curve.closed && !breaks_anywhere(curve) {
        return None;
    }
    for chain in &curve.chains {
        let turn_at = |k: usize| {
            let owned = chain.joints.contains(&k) && curve.joints[k].corner == Corner::Convex;
            if owned { curve.joints[k].turning() } else { 0.0 }
        };
        let last = chain.elements.last().map_or(0, |k| (k + 1) % curve.elements.len().max(1));
        let total: f64 =
            chain.elements.iter().map(|&k| curve.elements[k].turning() + turn_at(k)).sum::<f64>()
                + if last != chain.elements[0] { turn_at(last) } else { 0.0 };
        if total <= TAU + 1e-6 {
            continue;
        }
        let mut turned = 0.0;
        for &k in &chain.elements {
            turned += turn_at(k) + curve.elements[k].turning();
            if turned >= total / 2.0 {
                return Some(k);
            }
        }
    }
    None
}

fn breaks_anywhere(curve: &Curve) -> bool {
    (0..curve.joints.len()).any(|k| breaks_at(curve, k))
}

fn runs(curve: &Curve) -> Vec<Run> {
    let n = curve.elements.len();
    let mut out: Vec<Run> = Vec::new();
    if curve.joints.is_empty() {
        return out;
    }
    let arc = |k: usize| curve.elements[k].is_convex_arc();
    let joint_in = |k: usize| {
        let before = (k > 0 || curve.closed) && arc((k + n - 1) % n);
        let after = k < n && arc(k);
        before || after || curve.joints[k].corner == Corner::Convex
    };
    // Start where a run cannot continue: after something that is not a convex arc.
    let start = match curve.closed {
        true => (0..n).find(|&k| !arc((k + n - 1) % n)),
        false => Some(0),
    };
    let mut features: Vec<u32> = Vec::new();
    let whole = start.is_none();
    let start = start.unwrap_or(0);
    for i in 0..n {
        let k = (start + i) % n;
        if joint_in(k) && curve.joints[k].corner != Corner::Concave {
            let smooth_between_arcs = curve.joints[k].corner == Corner::Smooth
                && arc(k)
                && (k > 0 || curve.closed)
                && arc((k + n - 1) % n);
            if !smooth_between_arcs {
                features.push(curve.joint_id(k));
            }
        } else if curve.joints[k].corner == Corner::Concave {
            push(curve, &mut out, &mut features);
        }
        if arc(k) {
            features.push(k as u32);
        } else {
            push(curve, &mut out, &mut features);
        }
    }
    // The joint where the last element ends.
    let k = if curve.closed { start } else { n };
    if !whole && arc((start + n - 1) % n) && curve.joints[k].corner != Corner::Concave
        || !curve.closed
    {
        features.push(curve.joint_id(k));
    }
    push(curve, &mut out, &mut features);
    out
}

fn push(curve: &Curve, out: &mut Vec<Run>, features: &mut Vec<u32>) {
    if features.is_empty() {
        return;
    }
    let features = std::mem::take(features);
    let n = curve.elements.len() as u32;
    let arcs: Vec<usize> = features.iter().filter(|&&f| f < n).map(|&f| f as usize).collect();
    let (center, radius) = if arcs.is_empty() {
        (curve.joint_of(features[0]).map_or_else(Default::default, |(_, j)| j.x), 0.0)
    } else {
        curve.ball_around(arcs.into_iter())
    };
    out.push(Run { features, center, radius });
}
