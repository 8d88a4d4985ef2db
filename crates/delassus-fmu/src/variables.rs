//! What a host sees of a model: time, parameters, inputs, outputs, and for model exchange states and their rates.
//!
//! The number of a variable (its value reference) is its place in this list. The list depends on the structure of the
//! model only, not on the values of its parameters.

use crate::package::Package;
use crate::units;
use delassus::dae::Problem;
use delassus::model::{Assembled, EnergyKind, Measure, Model};
use delassus::sim::{Results, RunOptions, SetupError, Simulation};
use std::collections::BTreeSet;

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    /// Time.
    Time,
    /// Parameter of this number that may be set before the start; and its value in the model as exported.
    Parameter(usize, f64),
    /// Parameter of this number that follows from others.
    Derived(usize),
    /// Input of this number, with its value at the start and its bounds.
    Input(usize, f64, [f64; 2]),
    /// Column of this number of the results.
    Output(usize),
    /// Continuous state of this number.
    State(usize),
    /// Rate of this state.
    Rate(usize),
    /// Function of the states whose zeros are events.
    Indicator(usize),
}

/// A variable; all are real numbers in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Unique name.
    pub name: String,
    /// SI unit, or nothing for a plain number.
    pub unit: String,
    /// More about it, or nothing.
    pub description: String,
    /// What it is.
    pub role: Role,
}

/// All variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Variables {
    /// In the order of their numbers.
    pub list: Vec<Variable>,
    /// Number of continuous states.
    pub states: usize,
    /// Number of event indicators.
    pub indicators: usize,
}

/// The states of model exchange: coordinates, velocities, auxiliary states that nobody holds, and what energies were
/// exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Coordinates.
    pub nq: usize,
    /// Velocities.
    pub nv: usize,
    /// Auxiliary states without inputs.
    pub nz: usize,
    /// Energies dissipated and fed in, 2 or 0.
    pub exchanged: usize,
}

impl Layout {
    /// Of a model.
    pub fn of(model: &Assembled) -> Layout {
        let sys = &*model.system;
        let d = sys.dims();
        let counts = |k: EnergyKind| {
            matches!(k, EnergyKind::Dissipated | EnergyKind::Work | EnergyKind::Balance)
        };
        let mut sensors = sys.model().sensors.iter();
        let asked = sensors.any(|s| matches!(s.measure, Measure::Energy(k) if counts(k)));
        Layout { nq: d.nq, nv: d.nv, nz: sys.held(), exchanged: if asked { 2 } else { 0 } }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.nq + self.nv + self.nz + self.exchanged
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Variables {
    /// Of a model. Columns of contacts are known to a run only.
    pub fn of(
        package: &Package,
        model: &Assembled,
        options: &RunOptions,
    ) -> Result<Variables, SetupError> {
        let columns = outputs(model, Simulation::new(model, options)?.results());
        let m = model.system.model();
        let mut taken: BTreeSet<String> =
            columns.iter().map(|(_, name, _, _)| name.clone()).collect();
        taken.extend(m.inputs.iter().map(|i| i.name.clone()));
        let mut unique = |name: &str, kind: &str| {
            let mut name = name.to_owned();
            while !taken.insert(name.clone()) {
                name = format!("{kind} {name}");
            }
            name
        };
        let mut list = vec![Variable {
            name: unique("time", "simulation"),
            unit: "s".to_owned(),
            description: String::new(),
            role: Role::Time,
        }];
        let settable = package.settable();
        for (k, (name, value)) in m.parameters.iter().enumerate() {
            let free = settable.get(k).copied().unwrap_or(false);
            list.push(Variable {
                name: unique(name, "parameter"),
                unit: m.parameter_dims.get(k).map_or_else(String::new, |d| plain(&units::text(*d))),
                description: String::new(),
                role: if free { Role::Parameter(k, *value) } else { Role::Derived(k) },
            });
        }
        for (k, input) in m.inputs.iter().enumerate() {
            list.push(Variable {
                name: input.name.clone(),
                unit: plain(&input.unit),
                description: String::new(),
                role: Role::Input(k, input.default, input.bounds),
            });
        }
        list.extend(columns.into_iter().map(|(k, name, unit, description)| Variable {
            name,
            unit,
            description,
            role: Role::Output(k),
        }));
        let (mut states, mut indicators) = (0, 0);
        if package.manifest.model_exchange {
            let layout = Layout::of(model);
            states = layout.len();
            let names = state_names(model, layout);
            for (k, (name, description)) in names.iter().enumerate() {
                let (name, description) = (unique(name, "state"), description.clone());
                list.push(Variable {
                    name,
                    unit: String::new(),
                    description,
                    role: Role::State(k),
                });
            }
            for (k, (name, _)) in names.iter().enumerate() {
                list.push(Variable {
                    name: unique(&format!("der({name})"), "rate"),
                    unit: String::new(),
                    description: String::new(),
                    role: Role::Rate(k),
                });
            }
            indicators = model.system.switches().len();
            list.extend((0..indicators).map(|k| Variable {
                name: unique(&format!("switch[{k}]"), "switch"),
                unit: String::new(),
                description: "a force switches where it is zero".to_owned(),
                role: Role::Indicator(k),
            }));
        }
        Ok(Variables { list, states, indicators })
    }

    /// Numbers and variables of some kind.
    pub fn pick(&self, is: impl Fn(Role) -> bool) -> impl Iterator<Item = (usize, &Variable)> {
        self.list.iter().enumerate().filter(move |(_, v)| is(v.role))
    }
}

/// Number, name, unit and frame of the columns that sensors and contacts fill. Inputs are columns too, but not outputs.
fn outputs(model: &Assembled, first: &Results) -> Vec<(usize, String, String, String)> {
    let m: &Model = model.system.model();
    let columns = first.channels.iter().enumerate().filter(|(k, c)| {
        let given = m.sensors.get(*k).is_some_and(|s| s.given);
        // the last columns are diagnostics, which exist in a run only
        !given && (c.sensor || *k < first.channels.len() - delassus::sim::DIAGNOSTICS.len())
    });
    columns
        .map(|(k, c)| {
            let frame = match c.frame.as_str() {
                "" => String::new(),
                frame => format!("frame: {frame}"),
            };
            (k, c.name.clone(), plain(&c.unit), frame)
        })
        .collect()
}

/// A plain number has no unit.
fn plain(unit: &str) -> String {
    if unit == "1" { String::new() } else { unit.to_owned() }
}

fn state_names(model: &Assembled, layout: Layout) -> Vec<(String, String)> {
    let sys = &*model.system;
    let none = String::new;
    let mut names = Vec::new();
    let mut of_q = vec![none(); layout.nq];
    for (v, q) in sys.manifold().places().iter().enumerate() {
        if let Some(q) = q {
            of_q[*q] = sys.dof_name(v);
        }
    }
    for (iq, iv) in sys.manifold().rotations() {
        of_q[iq..iq + 4].fill(format!("quaternion, {}", sys.dof_name(iv)));
    }
    names.extend(of_q.into_iter().enumerate().map(|(k, d)| (format!("q[{k}]"), d)));
    names.extend((0..layout.nv).map(|k| (format!("v[{k}]"), sys.dof_name(k))));
    names.extend((0..layout.nz).map(|k| (format!("z[{k}]"), none())));
    let exchanged = ["energy dissipated", "energy fed in"];
    names.extend(exchanged.iter().take(layout.exchanged).map(|n| ((*n).to_owned(), none())));
    names
}
