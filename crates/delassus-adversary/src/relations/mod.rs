//! Relations that must hold whatever the mechanism is; no reference solution is needed.

mod beside;
mod careful;
mod energy;
mod lagrange;
mod methods;
mod momentum;
pub mod moved;
mod prefix;
mod promises;
mod renamed;
mod restart;
mod scaled;
mod schemes;
mod shifted;
mod split;
mod tripled;
mod twin;

use crate::subject::Subject;
use crate::verdict::Violation;

/// A relation and its name.
pub struct Relation {
    pub name: &'static str,
    /// What must hold, for the report.
    pub says: &'static str,
    pub check: fn(&Subject) -> Vec<Violation>,
}

/// All relations; the first name, `default-run`, belongs to the reference run itself.
pub const RELATIONS: &[Relation] = &[
    Relation {
        name: "careful",
        says: "a tight tolerance and short steps change nothing",
        check: careful::check,
    },
    Relation {
        name: "promises",
        says: "motions, joints, stops and ropes hold at every sample",
        check: promises::check,
    },
    Relation { name: "energy", says: "the energy balance is closed", check: energy::check },
    Relation {
        name: "prefix",
        says: "another end and other samples give the same bits",
        check: prefix::check,
    },
    Relation {
        name: "moved",
        says: "the whole model moved rigidly moves alike",
        check: moved::check,
    },
    Relation { name: "renamed", says: "names and order do not matter", check: renamed::check },
    Relation { name: "scaled", says: "units do not matter", check: scaled::check },
    Relation {
        name: "shifted",
        says: "the time of the start does not matter",
        check: shifted::check,
    },
    Relation { name: "twin", says: "a planar model moves as its spatial twin", check: twin::check },
    Relation { name: "split", says: "a body in two halves moves as one", check: split::check },
    Relation {
        name: "tripled",
        says: "joints written three times move as one",
        check: tripled::check,
    },
    Relation {
        name: "lagrange",
        says: "planar trees move as their equations in minimal coordinates say",
        check: lagrange::check,
    },
    Relation {
        name: "momentum",
        says: "what nothing holds keeps its momentum",
        check: momentum::check,
    },
    Relation {
        name: "restart",
        says: "a model that starts from the state in the middle goes on alike",
        check: restart::check,
    },
    Relation {
        name: "beside",
        says: "mechanisms side by side move as each alone",
        check: beside::check,
    },
    Relation { name: "methods", says: "all methods agree", check: methods::check },
    Relation { name: "schemes", says: "all schemes of contact agree", check: schemes::check },
];
