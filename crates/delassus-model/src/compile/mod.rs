//! From what the user wrote to checked numbers.
//!
//! Owns every check that needs no equations: names, units, shapes, signs, references. All independent faults of a model
//! are reported at once, in the order of the file; faults that merely follow from another are not reported. Start
//! reading at [`compile_with`].
//!
//! A function that returns `Option` has itself reported the reason of a `None`.

mod beam_axis;
mod beams;
mod bodies;
mod clearance;
mod compliance;
mod contacts;
mod context;
mod coordinates;
mod course;
mod eccentricity;
mod elastic;
mod enlarged;
mod fields;
mod forces;
mod frames;
mod friction;
mod geometry;
mod inputs;
mod joints;
mod materials;
mod mesh;
mod modal;
mod modal_beam;
mod modal_matrices;
mod options;
mod params;
mod repeat;
mod roads;
mod scalars;
mod sections;
mod sensors;
mod settings;
mod shapes;
mod tables;
mod tyre_sensor;
mod tyres;

use crate::spec::{ForceType, GroundSpec, MarkerSpec, ModelSpec, SCHEMA_VERSION, SchemeType};
use crate::{Beam, Diagnostic, Model};
use context::{Env, Path, Section, Sink};
use coordinates::Joints;
use delassus_math::Vec3;
use frames::{Markers, Pose, World};
use geometry::{Shape, vector};
use params::Params;
pub use repeat::MAX_ELEMENTS;
use repeat::{Budget, Entry, Expanded, expand};
#[cfg(test)]
pub(crate) use tyres::magic_formula_peak;

/// Checks a model and turns it into numbers, or reports everything that is wrong with it (up to
/// 50 faults).
pub fn compile(spec: &ModelSpec) -> Result<Model, Vec<Diagnostic>> {
    compile_with(spec, &[])
}

/// The same with other values for some parameters, given as name and expression.
pub fn compile_with(
    spec: &ModelSpec,
    overrides: &[(String, String)],
) -> Result<Model, Vec<Diagnostic>> {
    compile_bounded(spec, overrides, MAX_ELEMENTS)
}

/// The same with another bound on the number of elements after repetition.
pub fn compile_bounded(
    spec: &ModelSpec,
    overrides: &[(String, String)],
    max_elements: u64,
) -> Result<Model, Vec<Diagnostic>> {
    let sink = Sink::default();
    let model = checked(spec, overrides, max_elements, &sink);
    let (errors, notes) = sink.finish();
    match model {
        Some(model) if errors.is_empty() => Ok(Model { notes, ..model }),
        _ => Err(errors),
    }
}

/// `None` only after a fault was reported.
fn checked(
    spec: &ModelSpec,
    overrides: &[(String, String)],
    max_elements: u64,
    sink: &Sink,
) -> Option<Model> {
    if !check_schema(spec, sink) {
        return None;
    }
    let mut params = params::compile(spec, overrides, sink);
    params.tables = tables::compile(Env::new(sink, &params, 0.0, Section::Table), spec);
    let params = params;
    let analysis = {
        let env = Env::new(sink, &params, 0.0, Section::Analysis);
        settings::analysis(&env, &spec.analysis)
    };
    let start = analysis.map_or(0.0, |a| a.start);
    let env = |section| Env::new(sink, &params, start, section);
    let method = settings::method(&env(Section::Method), &spec.method, analysis.as_ref());
    let contact_tolerances =
        settings::contact_tolerances(&env(Section::ContactTolerances), &spec.contact_tolerances);
    let inputs = inputs::compile(env(Section::Input), spec);
    let gravity = gravity(&env(Section::Gravity), spec);

    let mut budget = Budget::new(max_elements);
    let names = Names::expand(spec, sink, &params, &mut budget)?;
    let sections = sections::compile(env(Section::BeamProfile), spec);
    let materials = materials::compile(env(Section::Material), spec);
    let tables = elastic::Tables { sections: &sections, materials: &materials };
    let bodies =
        beams::compile_bodies(env(Section::Body), spec, &names.bodies, tables, &mut budget);
    if budget.exceeded {
        return None;
    }
    let beams::Bodies { slots, names: body_names, frames, beams, elements } = bodies;
    let world = World {
        ground: ground_markers(env(Section::Ground), &spec.ground, &names.ground),
        bodies: slots,
        names: &body_names,
        beams: &frames,
    };
    let slots = compile_joints(env(Section::Joint), spec, &names.joints, &world);
    let joints = Joints { slots: &slots, names: &names.joints };
    let is_tyre =
        |k: usize| spec.force.0[names.forces.instances[k].entry].1.kind == ForceType::Tyre;
    let forces = tyre_sensor::Forces { names: &names.forces, is_tyre: &is_tyre };
    let parts = sensors::Parts { world: &world, joints: &joints, beams: &beams, forces };
    let columns = &inputs.columns;
    let sensors = compile_sensors(env(Section::Sensor), spec, &names.sensors, &parts, columns);

    let tyres = &tyres::compile(env(Section::Tyre), spec);
    let roads = &roads::compile(env(Section::Road), spec);
    let parts =
        forces::Parts { world: &world, joints: &joints, sensors: &sensors, tables, tyres, roads };
    let root = Path::root("force");
    let forces: Vec<_> = names
        .forces
        .instances
        .iter()
        .map(|instance| {
            let (name, force) = &spec.force.0[instance.entry];
            let env = env(Section::Force).at(instance.entry, &instance.indices);
            forces::compile(&env, &parts, instance, force, &root.field(name))
        })
        .collect();

    let shape_slots = compile_shapes(env(Section::Shape), spec, &names.shapes, &world);
    let shapes = shapes::Shapes { slots: &shape_slots, names: &names.shapes };
    let parts =
        contacts::Parts { world: &world, joints: &joints, shapes: &shapes, materials: &materials };
    let contacts = compile_contacts(env(Section::Contact), spec, &names.contacts, &parts);
    let play = clearance::expand(env(Section::Joint), spec, &names.joints, &names.contacts, &parts);
    contacts::note_unused(&contacts, &shapes, |k, mut note| {
        let instance = &names.shapes.instances[k];
        // under the name as written, so that copies of one entry are reported once
        note.path = format!("shape.{}", spec.shape.0[instance.entry].0);
        env(Section::Shape).at(instance.entry, &instance.indices).report(note);
    });

    if method.as_ref().is_some_and(|m| m.scheme == SchemeType::TimeStepping) {
        if let Some(analysis) = &analysis {
            settings::note_sequential(&env(Section::Analysis), analysis);
        }
        contacts::note_laws(&contacts, |k, mut note| {
            let instance = &names.contacts.instances[k];
            note.path = format!("contact.{}.{}", spec.contact.0[instance.entry].0, note.path);
            env(Section::Contact).at(instance.entry, &instance.indices).report(note);
        });
        contacts::note_laws(&play.contacts, |k, mut note| {
            let instance = &names.joints.instances[play.joints[k]];
            note.path = format!("joint.{}.{}", spec.joint.0[instance.entry].0, note.path);
            env(Section::Joint).at(instance.entry, &instance.indices).report(note);
        });
    }

    if sink.has_errors() {
        return None;
    }
    let joints = slots.into_iter().map(|slot| slot.joint);
    let bodies = world.bodies.into_iter().map(|slot| slot.body);
    Some(Model {
        title: spec.title.clone().unwrap_or_default(),
        parameters: params.in_file_order(spec),
        parameter_dims: params.dims(spec),
        inputs: inputs.list,
        gravity: gravity?,
        bodies: bodies.collect::<Option<_>>()?,
        // elements come after all other forces
        beams: beams
            .into_iter()
            .map(|beam| Beam {
                elements: beam.elements.start + forces.len()..beam.elements.end + forces.len(),
                ..beam
            })
            .collect(),
        joints: joints.collect::<Option<_>>()?,
        forces: forces.into_iter().chain(elements.into_iter().map(Some)).collect::<Option<_>>()?,
        shapes: { shape_slots.into_iter().map(|slot| slot.shape) }
            .chain(play.shapes.into_iter().map(Some))
            .collect::<Option<_>>()?,
        contacts: contacts.into_iter().chain(play.contacts).collect::<Option<_>>()?,
        sensors: sensors.list,
        analysis: analysis?,
        method: method?,
        contact_tolerances: contact_tolerances?,
        notes: Vec::new(),
    })
}

/// Whether the file can be examined at all: a newer format may mean anything.
fn check_schema(spec: &ModelSpec, sink: &Sink) -> bool {
    if spec.schema == SCHEMA_VERSION {
        return true;
    }
    let params = Params::default();
    let message = match spec.schema {
        0 => format!(
            "the version of the file format is not given; this version reads {SCHEMA_VERSION}"
        ),
        found => format!(
            "the file has version {found} of the file format; this version reads {SCHEMA_VERSION}"
        ),
    };
    let help = match spec.schema {
        0 => format!("add `schema = {SCHEMA_VERSION}` at the top of the file"),
        _ => "use a version of Delassus that reads this format, or convert the file".to_owned(),
    };
    Env::new(sink, &params, 0.0, Section::Schema)
        .report(Diagnostic::error("E_SCHEMA_VERSION", "schema", message).help(help));
    spec.schema == 0
}

fn gravity(env: &Env<'_>, spec: &ModelSpec) -> Option<Vec3> {
    match spec.gravity.as_slice() {
        [] => Some(Vec3::zeros()),
        list => {
            let path = Path::root("gravity");
            vector(env, list, &path, delassus_expr::Dim::ACCELERATION, Shape::Either)
        }
    }
}

/// Names of everything, after repetition.
struct Names {
    ground: Expanded,
    bodies: Expanded,
    joints: Expanded,
    forces: Expanded,
    shapes: Expanded,
    contacts: Expanded,
    sensors: Expanded,
}

impl Names {
    /// `None` if the model would have too many elements.
    fn expand(
        spec: &ModelSpec,
        sink: &Sink,
        params: &Params,
        budget: &mut Budget,
    ) -> Option<Names> {
        let env = |section| Env::new(sink, params, 0.0, section);
        let root = Path::root("ground");
        let names = Names {
            ground: expand(
                env(Section::Ground),
                &root.field("markers"),
                spec.ground.markers.iter().map(|(name, marker)| Entry {
                    name,
                    repeat: match marker {
                        MarkerSpec::Frame(table) => table.repeat.as_deref(),
                        MarkerSpec::Point(_) => None,
                    },
                    weight: 1,
                }),
                budget,
            ),
            bodies: expand(
                env(Section::Body),
                &Path::root("body"),
                spec.body.iter().map(|(name, body)| Entry {
                    name,
                    repeat: body.repeat.as_deref(),
                    weight: 1 + body.markers.0.len(),
                }),
                budget,
            ),
            joints: expand(
                env(Section::Joint),
                &Path::root("joint"),
                spec.joint.iter().map(|(name, joint)| Entry {
                    name,
                    repeat: joint.repeat.as_deref(),
                    weight: 1,
                }),
                budget,
            ),
            forces: expand(
                env(Section::Force),
                &Path::root("force"),
                spec.force.iter().map(|(name, force)| Entry {
                    name,
                    repeat: force.repeat.as_deref(),
                    weight: 1,
                }),
                budget,
            ),
            shapes: expand(
                env(Section::Shape),
                &Path::root("shape"),
                spec.shape.iter().map(|(name, shape)| Entry {
                    name,
                    repeat: shape.repeat.as_deref(),
                    weight: 1 + shape.points.len(),
                }),
                budget,
            ),
            contacts: expand(
                env(Section::Contact),
                &Path::root("contact"),
                spec.contact.iter().map(|(name, contact)| Entry {
                    name,
                    repeat: contact.repeat.as_deref(),
                    weight: 1,
                }),
                budget,
            ),
            sensors: expand(
                env(Section::Sensor),
                &Path::root("sensor"),
                spec.sensor.iter().map(|(name, sensor)| Entry {
                    name,
                    repeat: sensor.repeat.as_deref(),
                    weight: 1,
                }),
                budget,
            ),
        };
        (!budget.exceeded).then_some(names)
    }
}

fn ground_markers(env: Env<'_>, spec: &GroundSpec, names: &Expanded) -> Markers {
    let root = Path::root("ground");
    let root = root.field("markers");
    let mut out = Markers { incomplete: names.incomplete, ..Markers::default() };
    for instance in &names.instances {
        let (name, marker) = &spec.markers.0[instance.entry];
        let env = env.at(instance.entry, &instance.indices);
        let path = root.field(name);
        if let MarkerSpec::Frame(table) = marker {
            let given = [("at", table.at.is_some()), ("node", table.node.is_some())];
            let used = ["position", "angle", "orientation", "repeat"];
            env.unused(&path, "a marker of the ground", &given, &used);
        }
        let pose = frames::marker(&env, marker, &path, Shape::Either);
        out.poses.insert(instance.name.clone(), pose.unwrap_or(Pose::IDENTITY));
    }
    out
}

fn compile_joints(
    env: Env<'_>,
    spec: &ModelSpec,
    names: &Expanded,
    world: &World<'_>,
) -> Vec<joints::JointSlot> {
    let root = Path::root("joint");
    let mut slots: Vec<joints::JointSlot> = names
        .instances
        .iter()
        .map(|instance| {
            let (name, joint) = &spec.joint.0[instance.entry];
            let env = env.at(instance.entry, &instance.indices);
            joints::compile(&env, world, instance, joint, &root.field(name))
        })
        .collect();
    // joints that refer to others come second, because those may be later in the file
    let mut referring = Vec::new();
    for (k, instance) in names.instances.iter().enumerate() {
        let (name, joint) = &spec.joint.0[instance.entry];
        if joints::refers_to_joints(joint.kind) {
            let env = env.at(instance.entry, &instance.indices);
            let all = Joints { slots: &slots, names };
            let path = root.field(name);
            let compiled = joints::compile_referring(&env, world, &all, instance, joint, &path);
            referring.push((k, compiled));
        }
    }
    for (k, joint) in referring {
        slots[k].joint = joint;
    }
    slots
}

fn compile_shapes(
    env: Env<'_>,
    spec: &ModelSpec,
    names: &Expanded,
    world: &World<'_>,
) -> Vec<shapes::ShapeSlot> {
    let root = Path::root("shape");
    names
        .instances
        .iter()
        .map(|instance| {
            let (name, shape) = &spec.shape.0[instance.entry];
            let env = env.at(instance.entry, &instance.indices);
            shapes::compile(&env, world, instance, shape, &root.field(name))
        })
        .collect()
}

fn compile_contacts(
    env: Env<'_>,
    spec: &ModelSpec,
    names: &Expanded,
    parts: &contacts::Parts<'_>,
) -> Vec<Option<crate::Contact>> {
    let root = Path::root("contact");
    names
        .instances
        .iter()
        .map(|instance| {
            let (name, contact) = &spec.contact.0[instance.entry];
            let env = env.at(instance.entry, &instance.indices);
            contacts::compile(&env, parts, instance, contact, &root.field(name))
        })
        .collect()
}

fn compile_sensors(
    env: Env<'_>,
    spec: &ModelSpec,
    names: &Expanded,
    parts: &sensors::Parts<'_>,
    inputs: &[crate::Sensor],
) -> sensors::Sensors {
    let root = Path::root("sensor");
    let mut out = sensors::Sensors::of_inputs(spec, inputs);
    for (k, instance) in names.instances.iter().enumerate() {
        let (name, sensor) = &spec.sensor.0[instance.entry];
        let env = env.at(instance.entry, &instance.indices);
        sensors::add(&env, parts, &mut out, (k, instance), sensor, &root.field(name));
    }
    sensors::add_formulas(&mut out, |k, compile| {
        let instance = &names.instances[k];
        let (name, sensor) = &spec.sensor.0[instance.entry];
        let env = env.at(instance.entry, &instance.indices);
        compile(&env, sensor, &root.field(name));
    });
    sensors::check_references(&mut out, |k, chain| {
        let instance = &names.instances[k];
        let (name, _) = &spec.sensor.0[instance.entry];
        env.at(instance.entry, &instance.indices).report(
            Diagnostic::error(
                "E_CYCLE",
                root.field(name).field("value").to_string(),
                format!("the sensor depends on itself: {chain}"),
            )
            .help("take one of these sensors out of the formula"),
        );
    });
    out
}
