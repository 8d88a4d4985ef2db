//! Forces, springs, bushings, bearings, actuators and tyres.

mod actuator;
mod beam;
mod bearing;
mod bushing;
mod tyre;

use super::context::{Env, Path};
use super::coordinates::{self, Joints, Wanted};
use super::elastic::Tables;
use super::frames::{World, ground_frame};
use super::repeat::Instance;
use super::roads::Roads;
use super::scalars::Vars;
use super::sensors::Sensors;
use super::tyres::Tyres;
use crate::spec::{Components, ForceSpec, ForceType, InertiaSpec, Scalar};
use crate::{Coordinate, CoordinateKind, Diagnostic, Force, ForceKind, Frame, SpringLaw, var};
use delassus_expr::{Dim, Expr};

const LENGTH_AND_RATE: &[(&str, usize)] = &[("length", var::COORDINATE), ("rate", var::RATE)];
const ANGLE_AND_RATE: &[(&str, usize)] =
    &[("angle", var::COORDINATE), ("position", var::COORDINATE), ("rate", var::RATE)];

/// What the forces of a model refer to.
pub(super) struct Parts<'p> {
    pub(super) world: &'p World<'p>,
    pub(super) joints: &'p Joints<'p>,
    pub(super) sensors: &'p Sensors,
    pub(super) tables: Tables<'p>,
    pub(super) tyres: &'p Tyres,
    pub(super) roads: &'p Roads,
}

pub(super) fn compile(
    env: &Env<'_>,
    parts: &Parts<'_>,
    instance: &Instance,
    spec: &ForceSpec,
    path: &Path<'_>,
) -> Option<Force> {
    if env.is_hopeless() {
        return None;
    }
    env.check_fields(path, spec.kind.entry(), spec);
    let entry = Entry { env, parts, spec, path };
    let kind = match spec.kind {
        ForceType::Force => entry.force(),
        ForceType::Torque => entry.torque(),
        ForceType::Spring => entry.spring(),
        ForceType::Torsion => entry.torsion(),
        ForceType::Bushing => entry.bushing(),
        ForceType::Actuator => entry.actuator(),
        ForceType::Beam => entry.beam(),
        ForceType::Bearing => entry.bearing(),
        ForceType::Tyre => entry.tyre(),
    };
    Some(Force { name: instance.name.clone(), kind: kind? })
}

/// The entry being compiled, with all it may need.
struct Entry<'e> {
    env: &'e Env<'e>,
    parts: &'e Parts<'e>,
    spec: &'e ForceSpec,
    path: &'e Path<'e>,
}

impl Entry<'_> {
    /// Where a force or torque acts, and the axes of its components.
    fn place(&self) -> Option<(Frame, Frame)> {
        let (env, world) = (self.env, self.parts.world);
        let path = self.path.field("at");
        let at = match &self.spec.at {
            None => {
                env.needed(self.path, self.spec.kind.entry(), "at");
                None
            }
            Some(text) => world.frame(env, text, &path),
        };
        let frame = match &self.spec.frame {
            None => Some(ground_frame()),
            Some(text) => world.frame(env, text, &self.path.field("frame")),
        };
        let at = at?;
        if at.body.is_none() {
            env.range(
                &path,
                format!("`{}` is on the ground, which does not move", at.name),
                "name a body or a marker on one",
            );
            return None;
        }
        Some((at, frame?))
    }

    /// An expression of time, position-level and velocity-level sensors, and `locals`.
    fn law(
        &self,
        value: &Scalar,
        path: &Path<'_>,
        dim: Dim,
        locals: &[(&str, usize)],
    ) -> Option<Expr> {
        let sensors = self.parts.sensors;
        let vars = Vars { locals, sensors: Some(&sensors.names) };
        let expr = self.env.expression(value, path, dim, vars)?;
        let Some(k) = self.read(&expr, &sensors.follows_forces) else {
            return Some(expr);
        };
        self.env.report(
            Diagnostic::error(
                "E_ALGEBRAIC_LOOP",
                path.to_string(),
                format!(
                    "the force depends on the sensor `{}`, which itself depends on the forces",
                    sensors.list[k].name
                ),
            )
            .help(
                "use sensors of type position, velocity, angle, rate, orientation, joint, \
                 joint-rate, distance or tyre, or expressions of those",
            ),
        );
        None
    }

    /// The first sensor among those marked that an expression reads.
    fn read(&self, expr: &Expr, marked: &[bool]) -> Option<usize> {
        let sensors = expr.variables().iter().filter_map(|v| v.checked_sub(var::SENSOR));
        sensors.into_iter().find(|k| marked.get(*k) == Some(&true))
    }

    /// Expressions of a list of components; omitted ones are zero.
    fn laws(&self, list: &[Scalar], path: &Path<'_>, dim: Dim) -> Option<[Expr; 3]> {
        let laws: Vec<Option<Expr>> = list
            .iter()
            .enumerate()
            .map(|(k, value)| self.law(value, &path.index(k), dim, &[]))
            .collect();
        let mut out = [Expr::constant(0.0), Expr::constant(0.0), Expr::constant(0.0)];
        for (to, law) in out.iter_mut().zip(laws) {
            *to = law?;
        }
        Some(out)
    }

    fn force(&self) -> Option<ForceKind> {
        let place = self.place();
        let path = self.path.field("force");
        let components = match &self.spec.force {
            None => {
                self.env.needed(self.path, self.spec.kind.entry(), "force");
                None
            }
            Some(Components::Many(list)) if matches!(list.len(), 2 | 3) => {
                self.laws(list, &path, Dim::FORCE)
            }
            Some(Components::Many(list)) => {
                self.env.shape(&path, list.len(), "2 or 3 components");
                None
            }
            Some(Components::One(_)) => {
                self.env.wrong_form(&path, "one number", "a list of 2 or 3 components");
                None
            }
        };
        let (at, frame) = place?;
        Some(ForceKind::Force { at, frame, components: components? })
    }

    fn torque(&self) -> Option<ForceKind> {
        let place = self.place();
        let kind = place.as_ref().and_then(|(at, _)| self.parts.world.kind(at));
        if kind.is_some_and(|k| !k.turns()) {
            self.env.range(
                &self.path.field("at"),
                "a torque acts on a point, which cannot turn".to_owned(),
                "name a body of type `planar` or `rigid`",
            );
            return None;
        }
        let path = self.path.field("torque");
        let components = match &self.spec.torque {
            None => {
                self.env.needed(self.path, self.spec.kind.entry(), "torque");
                None
            }
            Some(Components::One(_)) if kind.is_some_and(|k| !k.is_planar()) => {
                self.env.wrong_form(&path, "one number", "a list of 3 components");
                None
            }
            Some(Components::One(value)) => self
                .law(value, &path, Dim::TORQUE, &[])
                .map(|z| [Expr::constant(0.0), Expr::constant(0.0), z]),
            Some(Components::Many(list)) if list.len() == 3 => self.laws(list, &path, Dim::TORQUE),
            Some(Components::Many(list)) => {
                self.env.shape(&path, list.len(), "one number or 3 components");
                None
            }
        };
        let (at, frame) = place?;
        Some(ForceKind::Torque { at, frame, components: components? })
    }

    fn spring(&self) -> Option<ForceKind> {
        let (spec, path) = (self.spec, self.path);
        let between = path.field("between");
        let frames = self.parts.world.pair(self.env, &spec.between, &between, "a spring");
        let law = match &spec.force {
            Some(force) => {
                self.refuse_linear("force", &[("length", spec.length.is_some())]);
                let path = path.field("force");
                self.spring_expression(force, &path, Dim::FORCE, LENGTH_AND_RATE)
            }
            None => {
                let entry = spec.kind.entry();
                let free = self.env.number(path, entry, "length", spec.length.as_ref());
                let coefficients = self.coefficients("force", Dim::STIFFNESS, Dim::DAMPING);
                coefficients.zip(free).map(|((k, c), free)| SpringLaw::Linear { k, c, free })
            }
        };
        let (a, b) = frames?;
        Some(ForceKind::Spring { a, b, law: law? })
    }

    fn torsion(&self) -> Option<ForceKind> {
        let (spec, path) = (self.spec, self.path);
        let coordinate = self.coordinate(CoordinateKind::Angle);
        let kind = coordinate.as_ref().map(|c| c.kind);
        let dim = kind.map_or(Dim::Any, coordinates::dim);
        let rate = kind.map_or(Dim::Any, coordinates::rate_dim);
        let force = kind.map_or(Dim::Any, coordinates::force_dim);
        let law = match &spec.torque {
            Some(torque) => {
                self.refuse_linear("torque", &[("angle", spec.angle.is_some())]);
                self.spring_expression(torque, &path.field("torque"), force, ANGLE_AND_RATE)
            }
            None => {
                let free = match &spec.angle {
                    Some(value) => self.env.constant(value, &path.field("angle"), dim),
                    None => Some(0.0),
                };
                let coefficients = self.coefficients("torque", per(force, dim), per(force, rate));
                coefficients.zip(free).map(|((k, c), free)| SpringLaw::Linear {
                    k,
                    c,
                    free: Some(free),
                })
            }
        };
        Some(ForceKind::Torsion { coordinate: coordinate?, law: law? })
    }

    /// The law of a spring as one expression.
    fn spring_expression(
        &self,
        value: &Components,
        path: &Path<'_>,
        dim: Dim,
        locals: &[(&str, usize)],
    ) -> Option<SpringLaw> {
        match value {
            Components::One(value) => self.law(value, path, dim, locals).map(SpringLaw::Expression),
            Components::Many(_) => {
                self.env.wrong_form(path, "a list", "one expression");
                None
            }
        }
    }

    /// An element has either an expression or coefficients.
    fn refuse_linear(&self, law: &str, more: &[(&'static str, bool)]) {
        let mut given = vec![
            ("stiffness", self.spec.stiffness.is_some()),
            ("damping", self.spec.damping.is_some()),
            ("allow_negative", self.spec.allow_negative),
        ];
        given.extend(more);
        let owner = format!("{} with a `{law}` expression", self.spec.kind.entry().label);
        self.env.unused(self.path, &owner, &given, &[law]);
    }

    /// Stiffness and damping of a linear element.
    fn coefficients(&self, law: &str, stiffness: Dim, damping: Dim) -> Option<(f64, f64)> {
        let spec = self.spec;
        if spec.stiffness.is_none() && spec.damping.is_none() {
            let help = format!("give `stiffness`, `damping` or both, or a `{law}` expression");
            let path = self.path.field("stiffness");
            self.env.missing(&path, spec.kind.entry().label, &help);
            return None;
        }
        let k = self.coefficient(spec.stiffness.as_ref(), "stiffness", stiffness);
        let c = self.coefficient(spec.damping.as_ref(), "damping", damping);
        Some((k?, c?))
    }

    fn coefficient(&self, value: Option<&InertiaSpec>, field: &str, dim: Dim) -> Option<f64> {
        let path = self.path.field(field);
        let value = match value {
            None => return Some(0.0),
            Some(InertiaSpec::Planar(value)) => value,
            Some(InertiaSpec::List(_) | InertiaSpec::Matrix(_)) => {
                self.env.wrong_form(&path, "a list", "one number");
                return None;
            }
        };
        let x = self.env.constant(value, &path, dim)?;
        self.check_sign(x, &path, field)
    }

    fn check_sign(&self, x: f64, path: &Path<'_>, what: &str) -> Option<f64> {
        if x >= 0.0 || self.spec.allow_negative {
            return Some(x);
        }
        self.env.range(
            path,
            format!("the {what} is {x}, but must not be negative"),
            "if it is meant to feed energy into the system, set allow_negative = true",
        );
        None
    }

    fn coordinate(&self, default: CoordinateKind) -> Option<Coordinate> {
        let spec = self.spec;
        let wanted = Wanted {
            joint: spec.joint.as_ref(),
            coordinate: spec.coordinate.as_ref(),
            between: &spec.between,
            axis: spec.axis.as_ref(),
            axis2: None,
            default,
            axis_needs_kind: spec.kind == ForceType::Actuator,
        };
        let (world, joints) = (self.parts.world, self.parts.joints);
        wanted.resolve(self.env, world, joints, self.path, spec.kind.entry().label)
    }
}

fn per(a: Dim, b: Dim) -> Dim {
    a.checked_div(b).unwrap_or(Dim::Any)
}
