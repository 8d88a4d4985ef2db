//! Modal bodies from the matrices of a finite element program.

use super::bodies::{self, optional};
use super::context::{Env, Path};
use super::frames::{Markers, Pose};
use super::modal;
use super::modal_beam;
use super::repeat::check_name;
use crate::fields::given;
use crate::spec::{BodySpec, ModesSpec};
use crate::{BodyKind, Diagnostic, Flexible};
use delassus_expr::Dim;
use delassus_flex::matrices::{self, FiniteElements};
use delassus_flex::{Boundary, Choice, Damping, Modal, Motion};
use delassus_math::{Mat3, Vec3};

/// Fields of `modes` for a body from matrices.
const USED: [&str; 7] = ["folder", "count", "below", "held", "ratio", "amplitudes", "rates"];
/// Fields of the body that the matrices give.
pub(super) const GIVEN: [&str; 4] = ["mass", "inertia", "com", "nodes"];

/// Whether a body gets its modes from matrices.
pub(super) fn is_given(kind: BodyKind, spec: &BodySpec) -> bool {
    kind.fields().contains(&"modes") && spec.modes.as_ref().is_some_and(|m| m.folder.is_some())
}

/// What a body has from its matrices.
pub(super) struct Found {
    pub(super) mass: f64,
    pub(super) com: Vec3,
    /// About the mass centre.
    pub(super) inertia: Mat3,
    pub(super) flexible: Flexible,
}

pub(super) fn compile(
    env: &Env<'_>,
    kind: BodyKind,
    spec: &BodySpec,
    path: &Path<'_>,
) -> Option<Found> {
    let at = path.field("modes");
    let modes = spec.modes.as_ref()?;
    let owner = format!("{} from matrices", kind.label());
    let foreign = given(modes).into_iter().filter(|f| !USED.contains(f));
    let foreign: Vec<(&'static str, bool)> = foreign.map(|f| (f, true)).collect();
    env.unused(&at, &owner, &foreign, &USED);
    if modes.count.is_none() && modes.below.is_none() {
        let help =
            "give how many modes the body has, or the highest frequency that counts as `below`";
        env.missing(&at.field("count"), &owner, help);
        return None;
    }
    let keep = modal_beam::keep(env, modes, &at, &owner);
    let damping = damping(env, modes, &at);
    let path = at.field("folder");
    let Some(files) = &modes.files else {
        let text = "the matrices are not loaded";
        let fault = Diagnostic::error("E_MODES", path.to_string(), text);
        env.report(fault.help("load the model from a file, or fill `files` in the program"));
        return None;
    };
    let [mass, stiffness, nodes] = &**files;
    let choice = Choice {
        boundary: boundary(env, modes, &at)?,
        keep: keep?,
        motion: if kind.is_planar() { Motion::Planar } else { Motion::Spatial },
        shortening: false,
        damping: damping?,
    };
    let found = FiniteElements::parse(mass, stiffness, nodes)
        .and_then(|model| matrices::reduce(&model, &choice));
    let found: Modal = match found {
        Ok(found) => found,
        Err(e) => {
            let fault = Diagnostic::error("E_MODES", path.to_string(), e.to_string());
            env.report(fault.help(
                "the folder holds mass.mtx, stiffness.mtx and nodes.csv of a free, unloaded body in SI units; fewer modes, or \
                 other nodes to hold it at, may help too",
            ));
            return None;
        }
    };
    let com = found.com;
    let found = found.about_mass_centre();
    let (amplitudes, rates) = modal::start(env, kind, modes, found.modes(), &at)?;
    let inertia = match kind.is_planar() {
        true => Mat3::from_diagonal(&(Vec3::z() * found.inertia[(2, 2)])),
        false => found.inertia,
    };
    let flexible = Flexible { modal: found, amplitudes, rates, exaggerate: None };
    Some(Found { mass: flexible.modal.mass, com, inertia, flexible })
}

/// Named nodes as markers.
pub(super) fn node_markers(env: &Env<'_>, flexible: Option<&Flexible>, path: &Path<'_>) -> Markers {
    let mut out = Markers::default();
    let Some(flexible) = flexible else { return Markers { incomplete: true, ..out } };
    let path = path.field("modes");
    let path = path.field("folder");
    for (k, node) in flexible.modal.nodes.iter().enumerate() {
        if check_name(env, &node.name, &path) {
            out.poses.insert(node.name.clone(), Pose { node: Some(k), ..Pose::IDENTITY });
        } else {
            out.incomplete = true;
        }
    }
    out
}

/// Damping of the modes, a part of the critical one.
fn damping(env: &Env<'_>, modes: &ModesSpec, path: &Path<'_>) -> Option<Damping> {
    let path = path.field("ratio");
    let ratio = optional(modes.ratio.as_ref(), |x| env.constant(x, &path, Dim::NONE))?;
    let ratio = ratio.unwrap_or(0.0);
    if ratio >= 0.0 {
        return Some(Damping::Ratios(vec![ratio]));
    }
    let text = format!("the damping ratio is {ratio}, but must not be negative");
    env.range(&path, text, "give a part of the critical damping, such as 0.01");
    None
}

/// Where the body is held while it vibrates; nodes that do not exist are told with those that do.
fn boundary(env: &Env<'_>, modes: &ModesSpec, path: &Path<'_>) -> Option<Boundary> {
    let path = path.field("held");
    let names = modes.held.iter().enumerate().map(|(k, name)| env.text(name, &path.index(k)));
    let mut nodes = names.map(|n| Some(n?.into_owned())).collect::<Option<Vec<String>>>()?;
    Some(match nodes.len() {
        0 => Boundary::Free,
        1 => Boundary::Clamped { at: nodes.remove(0) },
        _ => Boundary::Interface { nodes },
    })
}

/// Fields of the body that the matrices do not give.
pub(super) fn uses(field: &str) -> bool {
    !GIVEN.contains(&field) && bodies::FIELDS.contains(&field)
}
