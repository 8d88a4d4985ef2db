//! Where a model rests.

use super::touching::{closed_mode, mode_multipliers};
use super::{AnalysisError, direction_words, linear_error, statics_error};
use crate::notes::Note;
use delassus_dae::analysis::{
    Equilibrium, Linearised, ModeOptions, MovingAxes, StaticOptions, equilibrium, linearise,
    modes as find_modes,
};
use delassus_dae::{PointLaw, Problem, State, Unilateral};
use delassus_math::largest;
use delassus_model::{Assembled, ElementLoad, JointId, System, node_pose};
use std::sync::Arc;

/// Times that a search which ended at a saddle goes on downhill.
const KICKS: usize = 4;
/// How far it is displaced for it, in sizes of the coordinates.
const KICK: f64 = 1e-2;
/// Part of the largest rate below which growth is rounding.
const GROWS: f64 = 1e-9;

/// Where a body rests.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyRest {
    /// Name.
    pub name: String,
    /// Origin of its frame, m.
    pub position: [f64; 3],
    /// Orientation, scalar first.
    pub quaternion: [f64; 4],
    /// Angle about z of a body in the plane, rad.
    pub angle: Option<f64>,
}

/// What a joint does to its second body.
#[derive(Debug, Clone, PartialEq)]
pub struct JointReaction {
    /// Name.
    pub name: String,
    /// N, ground components.
    pub force: [f64; 3],
    /// N m, ground components, about the origin of the second frame.
    pub torque: [f64; 3],
    /// Follows from the equilibrium; otherwise the smallest of those that do.
    pub unique: bool,
}

/// A contact that carries load, summed over its points.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactRest {
    /// Name.
    pub name: String,
    /// Points that touch.
    pub points: usize,
    /// Sum of the normal forces, N.
    pub normal: f64,
    /// Sum of the sizes of friction, N.
    pub friction: f64,
    /// Some point is at the limit of its friction.
    pub slides: bool,
}

/// What small displacements do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// All are driven back.
    Stable,
    /// None grow, and some are not driven back.
    Neutral,
    /// Some grow.
    Unstable,
    /// Not known.
    Unknown,
}

impl Stability {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Neutral => "neutral",
            Stability::Unstable => "unstable",
            Stability::Unknown => "unknown",
        }
    }
}

/// An equilibrium in the words of the model.
#[derive(Debug, Clone)]
pub struct StaticsReport {
    /// The state: time, coordinates, no velocities.
    pub state: State,
    /// By body; after them nodes of modal bodies.
    pub positions: Vec<BodyRest>,
    /// By joint.
    pub reactions: Vec<JointReaction>,
    /// By force element.
    pub forces: Vec<(String, ElementLoad)>,
    /// Contacts that carry load.
    pub contacts: Vec<ContactRest>,
    /// What small displacements do.
    pub stability: Stability,
    /// Steps of the search.
    pub iterations: usize,
    /// Size of the last one, in sizes of the coordinates.
    pub last_step: f64,
    /// Potential energy, J.
    pub potential: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
    pub(super) equilibrium: Equilibrium,
}

impl StaticsReport {
    /// Multipliers of the rows of joints.
    pub fn multipliers(&self) -> &[f64] {
        &self.equilibrium.lambda
    }
}

/// The equilibrium that a model comes to rest at from its starting positions. Motions are held at their values at the start.
pub fn statics(model: &Assembled) -> Result<StaticsReport, AnalysisError> {
    statics_with(model, StaticOptions::default())
}

/// The same with other options of the search.
pub fn statics_with(
    model: &Assembled,
    options: StaticOptions,
) -> Result<StaticsReport, AnalysisError> {
    let sys = &model.system;
    let v = vec![0.0; sys.dims().nv];
    let mut from = State { v, ..model.state.clone() };
    let mut notes = Vec::new();
    held_motions(sys, &from, &mut notes);
    left_out(sys, &mut notes);
    let mut kicks = 0;
    loop {
        let found = equilibrium(&**sys, &from, options).map_err(|e| {
            let mut e = statics_error(sys, e);
            if let Some(n) = notes.iter().find(|n| n.code == "N_FRICTION_LEFT_OUT") {
                e.message.push_str(&format!("; {}", n.message));
            }
            e
        })?;
        let (stability, neutral, grows) = stability(sys, &found, &mut notes)?;
        if let Some(shape) = &grows
            && !(found.at_start && kicks == 0)
            && kicks < KICKS
        {
            // a saddle that was met on the way: on downhill
            kicks += 1;
            let xi: Vec<f64> = shape.iter().map(|x| KICK * x).collect();
            from = found.state.clone();
            sys.manifold().retract(&found.state.q, &xi, &mut from.q);
            continue;
        }
        if let Some(shape) = grows {
            notes.push(note(
                "N_UNSTABLE",
                format!(
                    "the equilibrium is unstable: a small displacement of {} grows",
                    direction_words(sys, &found.state, &shape)
                ),
                "start from a position beside it to find the one it falls to",
            ));
        }
        if !neutral.is_empty() {
            let shown: Vec<String> =
                neutral.iter().take(3).map(|x| direction_words(sys, &found.state, x)).collect();
            let more = if neutral.len() > 3 {
                format!(" (and {} more)", neutral.len() - 3)
            } else {
                String::new()
            };
            notes.push(note(
                "N_NEUTRAL",
                format!(
                    "this is one of infinitely many equilibria: no force drives back {}{more}",
                    shown.join("; or ")
                ),
                "nothing to do where that is meant; otherwise hold it with a joint or a spring",
            ));
        }
        return Ok(report(model, found, stability, notes));
    }
}

pub(super) fn note(code: &'static str, message: String, help: &str) -> Note {
    Note { code, path: "", message, help: Some(help.to_owned()), t: None }
}

/// Notes motions that move at the start.
fn held_motions(sys: &System, s: &State, notes: &mut Vec<Note>) {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    let mut rate = vec![0.0; sys.dims().n_vel];
    sys.residual_vel(&ws, &mut rate);
    let mut names: Vec<&str> = Vec::new();
    for (i, origin) in sys.row_origins().iter().enumerate() {
        let name = sys.model().joints[origin.joint.0].name.as_str();
        if rate[i] != 0.0 && !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
        notes.push(note(
            "N_MOTION_HELD",
            format!(
                "motion {} moves at t = {} s and is held at its value there",
                names.join(", "),
                s.t
            ),
            "set the value with a parameter to find other positions",
        ));
    }
}

/// Notes friction that takes no part.
fn left_out(sys: &System, notes: &mut Vec<Note>) {
    if !sys.has_contacts() {
        return;
    }
    let mut ws = sys.workspace();
    let q = sys.given_configuration();
    let t = sys.model().analysis.start;
    sys.realize_position(t, &q, &sys.initial_z(t, &q), &mut ws);
    let mut ids = Vec::new();
    sys.near(&ws, 0.0, &mut ids);
    let mut names: Vec<String> = ids
        .iter()
        .filter(|id| matches!(sys.law(**id), PointLaw::DryFriction { .. }))
        .map(|id| format!("\"{}\"", sys.point_name(*id)))
        .collect();
    names.dedup();
    if !names.is_empty() {
        notes.push(note(
            "N_FRICTION_LEFT_OUT",
            format!("dry friction of {} takes no part: with it, all positions near the equilibrium are equilibria", names.join(", ")),
            "its bounds say how far from here the mechanism may stay",
        ));
    }
}

/// Tangents at an equilibrium, with its closed contacts as rows.
pub(super) fn tangents(
    sys: &Arc<System>,
    found: &Equilibrium,
) -> Result<Linearised, AnalysisError> {
    let a = vec![0.0; sys.dims().nv];
    let axes = MovingAxes::at_rest(a.len());
    let s = &found.state;
    if found.closed.is_empty() && found.pressed.is_empty() {
        return linearise(&**sys, s, &a, &found.lambda, axes).map_err(|e| linear_error(&**sys, e));
    }
    let mode = closed_mode(sys, &found.closed, &found.pressed)
        .map_err(|e| linear_error(&**sys, e.into()))?;
    let lambda = mode_multipliers(&mode, &found.lambda, &found.closed);
    linearise(&mode, s, &a, &lambda, axes).map_err(|e| linear_error(&mode, e))
}

type Directions = Vec<Vec<f64>>;

/// Stability, directions that nothing drives back, and one that grows.
fn stability(
    sys: &Arc<System>,
    found: &Equilibrium,
    notes: &mut Vec<Note>,
) -> Result<(Stability, Directions, Option<Vec<f64>>), AnalysisError> {
    let unknown = (Stability::Unknown, Vec::new(), None);
    if found.closed.iter().any(|c| c.slides) {
        return Ok(unknown);
    }
    let l = match tangents(sys, found) {
        Ok(l) => l,
        Err(_) => return Ok(unknown),
    };
    if found.closed.is_empty() && l.rank < sys.structure().held() {
        notes.push(singular_note(sys, l.rank));
        return Ok(unknown);
    }
    let shape = |m: &delassus_dae::analysis::Mode| m.shape.iter().map(|x| x[0]).collect::<Vec<_>>();
    let undamped = l.undamped().map_err(|e| linear_error(&**sys, e.into()))?;
    let list = match find_modes(&undamped, ModeOptions::default()) {
        Ok(m) => m.list,
        Err(delassus_dae::analysis::LinearError::NoFreedom) => {
            return Ok((Stability::Stable, Vec::new(), None));
        }
        Err(_) => return Ok(unknown),
    };
    let fastest = largest(list.iter().map(|m| m.real.hypot(m.imag)));
    let grows = list.iter().filter(|m| m.real > GROWS * fastest);
    let most = grows.max_by(|a, b| a.real.total_cmp(&b.real)).map(shape);
    let neutral: Directions =
        list.iter().filter(|m| m.real == 0.0 && m.imag == 0.0).map(shape).collect();
    let word = match (&most, neutral.is_empty()) {
        (Some(_), _) => Stability::Unstable,
        (None, true) => Stability::Stable,
        (None, false) => Stability::Neutral,
    };
    Ok((word, neutral, most))
}

pub(super) fn singular_note(sys: &System, rank: usize) -> Note {
    note(
        "N_SINGULAR_POSITION",
        format!(
            "the equilibrium is a singular position: the joints hold {rank} directions there and {} elsewhere, so that small motions branch",
            sys.structure().held()
        ),
        "change a length a little, or start closer to another equilibrium",
    )
}

fn report(
    model: &Assembled,
    found: Equilibrium,
    stability: Stability,
    notes: Vec<Note>,
) -> StaticsReport {
    let sys = &model.system;
    let s = &found.state;
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    let m = sys.model();
    let mut first = vec![0];
    for b in &m.bodies {
        first.push(first[first.len() - 1] + b.nq());
    }
    let mut positions = Vec::new();
    for c in m.carriers() {
        let b = c.body;
        let q = &s.q[first[c.number]..first[c.number + 1]];
        let pose = match b.flexible.as_ref().zip(c.node) {
            Some((f, node)) => node_pose(b.kind, f, q, node),
            None => b.pose(q),
        };
        let n = pose.numbers();
        positions.push(BodyRest {
            name: c.name(),
            position: [n[0], n[1], n[2]],
            quaternion: [n[3], n[4], n[5], n[6]],
            angle: (b.kind.is_planar() && b.kind.turns()).then_some(pose.angle),
        });
    }
    let reactions = m.joints.iter().enumerate().map(|(k, j)| {
        let (force, torque) = sys.reaction(&ws, JointId(k), &found.lambda);
        JointReaction {
            name: j.name.clone(),
            force: [force.x, force.y, force.z],
            torque: [torque.x, torque.y, torque.z],
            unique: !model.report.non_unique.contains(&j.name),
        }
    });
    let forces = sys.element_loads(&ws).into_iter().map(|(n, l)| (n.to_owned(), l)).collect();
    let mut contacts: Vec<ContactRest> = Vec::new();
    let mut add = |name: String, normal: f64, friction: f64, slides: bool| match contacts
        .iter_mut()
        .find(|c| c.name == name)
    {
        Some(c) => {
            c.points += 1;
            c.normal += normal;
            c.friction += friction;
            c.slides |= slides;
        }
        None => contacts.push(ContactRest { name, points: 1, normal, friction, slides }),
    };
    for c in &found.closed {
        let friction = c.force[1].hypot(c.force[2]);
        add(sys.point_name(c.id), c.force[0], friction, c.slides);
    }
    for c in &found.pressed {
        add(sys.point_name(c.id), c.force, 0.0, false);
    }
    let potential = sys.energies(&ws).map_or(0.0, |e| e.potential);
    StaticsReport {
        positions,
        reactions: reactions.collect(),
        forces,
        contacts,
        stability,
        iterations: found.iterations,
        last_step: found.last_step,
        potential,
        notes,
        state: s.clone(),
        equilibrium: found,
    }
}
