//! Gaps at the start: shapes that overlap, or coordinates already beyond their stop, are refused with name and depth.
//! Shapes are compared as solids, not by their contact points, which do not detect what is deep inside.

use crate::{Diagnostic, System};
use delassus_dae::{ContactPoint, Crowded, PointId, Problem, Unilateral};
use std::collections::BTreeMap;

/// Depth that is attributed to rounding of the given positions, as a fraction of the model's length.
const TOLERANCE: f64 = 1e-6;
/// Pairs listed for one interaction.
const MAX_LISTED: usize = 10;

/// A point of each pair, and its depth.
type Pairs = BTreeMap<u64, (PointId, f64)>;

pub(super) fn check(system: &System, t: f64, q: &[f64], z: &[f64]) -> Result<(), Vec<Diagnostic>> {
    if !system.has_contacts() {
        return Ok(());
    }
    let mut ws = system.workspace();
    system.realize_position(t, q, z, &mut ws);
    let tol = TOLERANCE * system.length();
    // interaction to its pairs and their depths
    let mut found: BTreeMap<usize, Pairs> = BTreeMap::new();
    let mut tell = |id: PointId, depth: f64| {
        let Some(contact) = system.contact_of(id) else { return };
        let pairs = found.entry(contact).or_default();
        let pair = pairs.entry(id.pair).or_insert((id, 0.0));
        pair.1 = pair.1.max(depth);
    };
    let overlaps = system.overlaps(&ws, tol).map_err(|e| vec![too_many(system, &e)])?;
    for (id, depth) in overlaps {
        tell(id, depth);
    }
    let mut point = ContactPoint::default();
    for id in system.scalar_points() {
        let Some(contact) = system.contact_of(id) else { continue };
        if !system.model().contacts[contact].allow_overlap
            && system.position(&ws, id, false, None, &mut point)
            && point.gap < -tol
        {
            tell(id, -point.gap);
        }
    }
    let faults: Vec<Diagnostic> =
        found.iter().map(|(contact, pairs)| fault(system, *contact, pairs)).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// More shapes in one place than can be examined.
fn too_many(system: &System, e: &Crowded) -> Diagnostic {
    let largest = system.largest_contacts();
    let path = largest.first().map_or_else(String::new, |(name, _)| format!("contact.{name}"));
    let pairs = largest.first().map_or(0.0, |(_, pairs)| *pairs);
    Diagnostic::error(
        "E_LIMIT",
        path,
        format!(
            "{e} at the start, which is the limit; this contact names {pairs:.0} pairs, about {:.0} MiB",
            pairs * e.what.bytes() as f64 / f64::from(1 << 20)
        ),
    )
    .help(format!(
        "move the shapes apart, name fewer of them, or raise the limit with --limit {}=N",
        e.what.limit()
    ))
}

fn fault(system: &System, contact: usize, pairs: &Pairs) -> Diagnostic {
    let contact_of = &system.model().contacts[contact];
    let list: Vec<String> = pairs
        .values()
        .take(MAX_LISTED)
        .map(|(id, depth)| format!("{} by {depth:.3e}", system.pair_name(*id)))
        .collect();
    let more = match pairs.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let path = contact_of.path();
    let list = list.join(", ");
    if contact_of.of_joint.is_some() {
        let text =
            format!("the joint starts outside of its clearance: {list}{more} (m) of overlap");
        return Diagnostic::error("E_OVERLAP", path, text)
            .help("start within the clearance: the frames of the joint must nearly coincide");
    }
    if system.is_of_shapes(contact) {
        return Diagnostic::error(
            "E_OVERLAP",
            path,
            format!("shapes overlap at the start: {list}{more} (m)"),
        )
        .help("move the bodies apart, or set `allow_overlap = true`");
    }
    Diagnostic::error("E_BEYOND_LIMIT", path, format!("the start is beyond the limit: {list}"))
        .help("start within the limits, change them, or set `allow_overlap = true`")
}
