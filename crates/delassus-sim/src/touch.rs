//! Where points act at a sample, with the forces that the engine found for them, and where events happened.

use crate::contact::{Event, found_after};
use crate::contact_track::{ContactTrack, TouchPoint};
use delassus_dae::{ContactPoint, PointId, Problem, State, Unilateral};
use delassus_math::remember;
use delassus_model::{System, Workspace};

/// The force of a point at a state, as found by the engine.
#[derive(Debug, Clone, Copy)]
pub struct PointForce {
    pub id: PointId,
    /// Features that touch.
    pub features: [u32; 2],
    /// Along its rows: normal, then tangential; N (N·m).
    pub force: [f64; 3],
}

/// Finds the places of points; owns its buffers.
pub(crate) struct Toucher {
    /// Points that act at the present sample, as reported by the engine.
    pub acting: Vec<PointForce>,
    point: ContactPoint,
    /// For states that are not samples.
    ws: Workspace,
    /// Number of events whose places are known or given up, in the order in which they were found.
    placed: u64,
}
remember!(Toucher { placed } apart from { acting, point, ws });

impl Toucher {
    pub fn new(sys: &System) -> Toucher {
        Toucher {
            acting: Vec::new(),
            point: ContactPoint::default(),
            ws: sys.workspace(),
            placed: 0,
        }
    }

    /// Adds the acting points to a row of the track, with their places at the realised state.
    pub fn touch(&mut self, sys: &System, ws: &Workspace, row: usize, track: &mut ContactTrack) {
        if !track.wants(row) {
            return;
        }
        for PointForce { id, features, force } in &self.acting {
            if let Some(p) = place(sys, ws, *id, Some(*features), force[0], &mut self.point) {
                track.push(row, p);
            }
        }
    }

    /// Finds where the new events of a log happened: each at the one of two states that is
    /// nearer to it in time.
    pub fn place_events(
        &mut self,
        sys: &System,
        log: &[Event],
        states: [&State; 2],
        track: &mut ContactTrack,
    ) {
        for e in found_after(log, self.placed) {
            let Some(id) = e.point else { continue };
            let [a, b] = states;
            let s = if (a.t - e.t).abs() < (b.t - e.t).abs() { a } else { b };
            sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
            if let Some(p) = place(sys, &self.ws, id, None, e.impulse, &mut self.point) {
                track.push_event(e.id, p);
            }
        }
        self.placed = log.len() as u64;
    }
}

/// The point as drawings need it, with features that are kept or those that face each other; `None` if it has no place:
/// clutches and friction of joints have only forces.
fn place(
    sys: &System,
    ws: &Workspace,
    id: PointId,
    features: Option<[u32; 2]>,
    force: f64,
    p: &mut ContactPoint,
) -> Option<TouchPoint> {
    let contact = sys.contact_of(id)?;
    let has_place = sys.law(id).has_gap() && sys.position(ws, id, features.is_some(), features, p);
    // the normal points from the first body to the second; the force on the ground is not drawn
    let turned = sys.bodies_of(id).is_some_and(|[_, b]| b.is_none());
    let normal = if turned { p.normal.map(|x| -x) } else { p.normal };
    let force = if force.is_finite() { force } else { 0.0 };
    has_place.then_some(TouchPoint { contact, at: p.at, normal, force })
}
