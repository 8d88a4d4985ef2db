//! What `delassus rotor` found, for its page.

use delassus::sim::analysis::{Critical, Orbit, Whirl, WhirlMode};
use delassus_report::{OrbitPage, UnbalancePage, WhirlPage};

/// Number of a kind of whirl in [`WhirlPage::KINDS`].
fn number(w: Whirl) -> usize {
    WhirlPage::KINDS.iter().position(|name| *name == w.name()).unwrap_or(0)
}

/// Vibrations by speed.
pub fn campbell(ladder: &[(f64, Vec<WhirlMode>)]) -> Vec<(f64, Vec<WhirlPage>)> {
    let of = |m: &WhirlMode| WhirlPage {
        real: m.real,
        imag: m.imag,
        damping_ratio: m.damping_ratio,
        kind: number(m.whirl),
    };
    ladder.iter().map(|(s, list)| (*s, list.iter().map(of).collect())).collect()
}

/// Critical speeds.
pub fn critical(list: &[Critical]) -> Vec<(f64, usize)> {
    list.iter().map(|c| (c.speed, number(c.whirl))).collect()
}

/// Names of the bodies, and their orbits by speed.
pub fn unbalance(ladder: &[(f64, Vec<Orbit>)]) -> UnbalancePage {
    let names = ladder.first().map(|(_, list)| list.iter().map(|o| o.body.clone()).collect());
    let of =
        |o: &Orbit| OrbitPage { semi_axes: o.semi_axes, amplitude: o.amplitude, phase: o.phase };
    let rows = ladder.iter().map(|(s, list)| (*s, list.iter().map(of).collect()));
    UnbalancePage { bodies: names.unwrap_or_default(), orbits: rows.collect() }
}
