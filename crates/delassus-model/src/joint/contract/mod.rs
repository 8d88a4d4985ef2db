//! The properties of every joint, checked by differences at random states.
//!
//! The macro at the end of a joint's file names its rows for planar and for spatial bodies;
//! [`joint`] then tries the joint between two bodies and between a body and the ground. The
//! [`Lab`] is shared with the contract of forces.

mod close;
mod differences;
mod lab;
mod mixed;
mod pose;
mod rng;
mod scene;
mod texts;

pub(crate) use close::{close, dense};
pub(crate) use lab::Lab;
pub(crate) use pose::Pose;
pub(crate) use rng::Rng;
pub(crate) use scene::{ENDS, MODES, PLANAR_MODES, ROPES, TELESCOPES, scene};

use crate::{JointId, JointKind};
use delassus_dae::{Problem, State};
use nalgebra::DVector;
use texts::{pair, texts};

/// One test per body kind: `joint_contract!(revolute, planar 2, spatial 5)`.
macro_rules! joint_contract {
    ($name:ident $(, planar $planar:literal)? $(, spatial $spatial:literal)?) => {
        mod contract {
            $(#[test]
            fn planar() {
                crate::joint::contract::joint(stringify!($name), "planar", $planar);
            }
            #[test]
            fn planar_modal() {
                crate::joint::contract::joint(stringify!($name), "planar-modal", $planar);
            })?
            $(#[test]
            fn spatial() {
                crate::joint::contract::joint(stringify!($name), "rigid", $spatial);
            }
            #[test]
            fn telescope() {
                crate::joint::contract::joint(stringify!($name), "telescope", $spatial);
            }
            #[test]
            fn modal() {
                crate::joint::contract::joint(stringify!($name), "modal", $spatial);
            })?
        }
    };
}
pub(super) use joint_contract;

/// Checks a joint; `rows` is how many velocity rows it has.
pub(crate) fn joint(name: &str, kind: &str, rows: usize) {
    for (variant, ends) in
        ENDS.iter().flat_map(|e| (0..texts(name, kind, *e).len()).map(move |k| (k, *e)))
    {
        let what = format!("{name} {kind} {ends:?} variant {variant}");
        let mut lab = Lab::new(&(scene(kind) + &texts(name, kind, ends)[variant]));
        let last = lab.model().joints.len() - 1;
        assert_eq!(lab.sys.rows_of(JointId(last)).count(), rows, "{what}: rows");
        let joint = lab.model().joints[last].kind.clone();
        let p = pair(&joint).clone();
        for seed in 0..4 {
            let mut rng = Rng(seed + 17);
            let free = lab.state(&mut rng, Pose::Free, Some(&p));
            check_rows(&mut lab, &free, &what);
            assert!(lab.check_tangent(&free, &mut rng, &what), "{what}: quality of the tangent");
            // reactions of what turns about two axes have no resultant while those are parallel
            let turns = matches!(name, "screw" | "coupling" | "motion");
            let pose = if turns { Pose::Aligned } else { Pose::Free };
            let s = lab.state(&mut rng, pose, Some(&p));
            if ends == ENDS[0] {
                check_two_bodies(&mut lab, &s, &mut rng, &what);
                let pinned = lab.state(&mut rng, Pose::Pinned, Some(&p));
                let s = if has_common_point(&joint) { pinned } else { s };
                let g = lab.jacobian(&s);
                let l = rng.vector(g.nrows());
                let total = lab.resultant(&s, &(g.transpose() * l));
                close(&total, &DVector::zeros(6), 1e-9, &format!("{what}: action and reaction"));
            }
        }
    }
}

/// The reactions of such joints act at one point only while the joint is closed.
fn has_common_point(kind: &JointKind) -> bool {
    use JointKind as J;
    matches!(kind, J::Revolute(_) | J::Spherical(_) | J::Universal(_) | J::Fixed(_))
        || matches!(kind, J::Coupling(..))
}

/// G, G v + g_t and γ against differences.
fn check_rows(lab: &mut Lab, s: &State, what: &str) {
    let d = lab.sys.dims();
    let (v, zero) = (DVector::from(s.v.clone()), DVector::zeros(d.nv));
    let g = lab.jacobian(s);
    let expected = lab.gradient(s, false, |lab, s| lab.position_rows(s));
    close(&g.rows(0, d.n_pos).into_owned(), &expected, 1e-7, &format!("{what}: G"));
    let mut rate = &g * &v;
    let g_t = lab.slope(s, (&zero, &zero, 1.0), |lab, s| lab.position_rows(s));
    for i in 0..d.n_pos {
        rate[i] += g_t[i];
    }
    close(&lab.velocity_rows(s), &rate, 1e-7, &format!("{what}: G v + g_t"));
    let expected = lab.slope(s, (&v, &zero, 1.0), |lab, s| lab.velocity_rows(s));
    close(&lab.bias(s), &expected, 1e-6, &format!("{what}: bias"));
}

/// A rigid motion of the whole changes no size.
fn check_two_bodies(lab: &mut Lab, s: &State, rng: &mut Rng, what: &str) {
    let (turn, shift) = lab.rigid_motion(rng);
    let other = lab.carried(s, &turn, &shift);
    let sizes = |lab: &mut Lab, s: &State| {
        let mut x: Vec<f64> = lab.jacobian(s).singular_values().as_slice().to_vec();
        x.extend([lab.position_rows(s).norm(), lab.velocity_rows(s).norm(), lab.bias(s).norm()]);
        DVector::from(x)
    };
    let (x, y) = (sizes(lab, s), sizes(lab, &other));
    close(&y, &x, 1e-10, &format!("{what}: after a rigid motion"));
}
