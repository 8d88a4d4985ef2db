//! Consistent starts, and steps of given sizes.

use super::{Dense, System};
use delassus_dae::projection::Projector;
use delassus_dae::{Accel, Derived, Integrator, Problem, State, StepFailure};

/// Removes what the rounding of printed start values leaves in the constraints.
pub fn consistent<S: System>(system: S, q: &[f64], v: &[f64]) -> State {
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let mut acc = Accel::new(&p).unwrap();
    let mut proj = Projector::new(&p, 1e-8);
    let mut s = State { t: 0.0, q: q.to_vec(), v: v.to_vec(), z: vec![] };
    proj.position(&p, &mut ws, &mut acc, 0.0, &mut s.q, &[]).unwrap();
    proj.velocity(&p, &mut ws, &mut acc, &mut s.v, &[]).unwrap();
    s
}

/// Takes the given steps from `s`; `seen` gets the number of steps made, the state and what
/// follows from it, starting with (0, start).
pub fn march<P: Problem>(
    p: &P,
    m: &mut dyn Integrator<P>,
    s: &mut State,
    steps: impl IntoIterator<Item = f64>,
    mut seen: impl FnMut(usize, &State, &Derived),
) -> Result<(), StepFailure> {
    let mut ws = p.workspace();
    let mut to = s.clone();
    m.restart(p, &mut ws, s)?;
    seen(0, s, m.start());
    for (k, h) in steps.into_iter().enumerate() {
        m.attempt(p, &mut ws, s, h, &mut to)?;
        m.commit();
        std::mem::swap(s, &mut to);
        seen(k + 1, s, m.start());
    }
    Ok(())
}
