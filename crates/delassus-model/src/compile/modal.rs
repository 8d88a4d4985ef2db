//! How modal bodies deform: integrals, nodes and what must be true of them.

use super::bodies::optional;
use super::context::{Env, Path};
use super::frames::{Markers, Pose};
use super::geometry::{Shape, vector};
use super::repeat::check_name;
use crate::spec::{ArraySpec, BodySpec, ModesSpec, NodeSpec};
use crate::{BodyKind, Diagnostic, Flexible};
use delassus_expr::Dim;
use delassus_flex::{Modal, Node};
use delassus_math::{Mat3, Vec3};
use nalgebra::DMatrix;

/// Negative eigenvalue that is attributed to rounding, as a fraction of the largest entry.
const SLOP: f64 = 1e-9;

/// Dimensions of what belongs to one mode and to a pair: amplitudes are lengths.
const MASS_LENGTH: Dim = Dim::known(1, 1, 0);
const MASS_PER_LENGTH: Dim = Dim::known(-1, 1, 0);
const PER_LENGTH: Dim = Dim::known(-1, 0, 0);

/// What the body would be if it did not deform.
pub(super) struct Undeformed {
    pub(super) mass: f64,
    pub(super) com: Vec3,
    /// About the mass centre.
    pub(super) inertia: Mat3,
}

/// The deformation of a modal body.
pub(super) fn flexible(
    env: &Env<'_>,
    kind: BodyKind,
    spec: &BodySpec,
    body: &Undeformed,
    path: &Path<'_>,
) -> Option<Flexible> {
    let at = path.field("modes");
    let Some(modes) = &spec.modes else {
        env.missing(&at, kind.label(), "give a table with `mass` and `stiffness` of its modes, `count` and the fields of a beam, or the `folder` of its matrices");
        return None;
    };
    if !(body.mass > 0.0) {
        let text = format!("the mass is {} kg, but a modal body must have some", body.mass);
        env.range(&path.field("mass"), text, "give the mass of the whole body");
        return None;
    }
    let n = match &modes.mass {
        Some(ArraySpec::List(rows)) => rows.len(),
        _ => {
            let help = "give the masses of the modes, a list, or the mass matrix, a list of rows";
            env.missing(&at.field("mass"), kind.label(), help);
            return None;
        }
    };
    if modes.stiffness.is_none() {
        let help = "give the stiffnesses of the modes, a list, or the stiffness matrix";
        env.missing(&at.field("stiffness"), kind.label(), help);
        return None;
    }
    let entry = Entry { env, planar: kind.is_planar(), n };
    let modal = entry.modal(modes, body, &at);
    let given = [
        ("held", !modes.held.is_empty()),
        ("shortening", modes.shortening.is_some()),
        ("ratio", modes.ratio.is_some()),
    ];
    let owner = format!("{} with `mass` and `stiffness` of its modes", kind.label());
    env.unused(&at, &owner, &given, &["damping", "moment", "inertia", "momentum"]);
    let start = start(env, kind, modes, n, &at);
    let path = path.field("nodes");
    let nodes: Vec<Option<Node>> =
        spec.nodes.iter().map(|(name, spec)| entry.node(name, spec, &path.field(name))).collect();
    let mut modal = modal?;
    modal.nodes = nodes.into_iter().collect::<Option<_>>()?;
    let modal = modal.about_mass_centre();
    entry.check(&modal, &at)?;
    let (amplitudes, rates) = start?;
    Some(Flexible { modal, amplitudes, rates, exaggerate: None })
}

/// Amplitudes at the start, and their rates if given.
pub(super) fn start(
    env: &Env<'_>,
    kind: BodyKind,
    modes: &ModesSpec,
    n: usize,
    path: &Path<'_>,
) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
    let entry = Entry { env, planar: kind.is_planar(), n };
    let list = |spec: &Option<ArraySpec>, name: &str, dim| {
        optional(spec.as_ref(), |x| entry.numbers(x, &path.field(name), &[n], dim))
    };
    let amplitudes = list(&modes.amplitudes, "amplitudes", Dim::LENGTH);
    let rates = list(&modes.rates, "rates", Dim::VELOCITY);
    Some((amplitudes?.unwrap_or_else(|| vec![0.0; n]), rates?))
}

/// Nodes as markers, in the order of the file.
pub(super) fn node_markers(env: &Env<'_>, spec: &BodySpec, path: &Path<'_>) -> Markers {
    let mut out = Markers::default();
    for (k, (template, _)) in spec.nodes.iter().enumerate() {
        let path = path.field(template);
        match env.text(template, &path).filter(|n| check_name(env, n, &path)) {
            Some(name) => {
                out.poses.insert(name.into_owned(), Pose { node: Some(k), ..Pose::IDENTITY });
            }
            None => out.incomplete = true,
        }
    }
    out
}

/// Number of the node that a marker names.
pub(super) fn node_of(
    env: &Env<'_>,
    kind: BodyKind,
    name: Option<&str>,
    nodes: &Markers,
    path: &Path<'_>,
) -> Option<usize> {
    let path = path.field("node");
    let Some(name) = name else {
        env.missing(
            &path,
            &format!("a marker of {}", kind.label()),
            "name the node that carries it",
        );
        return None;
    };
    let name = env.text(name, &path)?;
    let found = nodes.poses.get(&*name).and_then(|pose| pose.node);
    if found.is_none() && !nodes.incomplete {
        env.unknown(&path, "node", &name, nodes.poses.keys().map(String::as_str));
    }
    found
}

struct Entry<'e> {
    env: &'e Env<'e>,
    planar: bool,
    /// Number of modes.
    n: usize,
}

impl Entry<'_> {
    fn modal(&self, spec: &ModesSpec, body: &Undeformed, path: &Path<'_>) -> Option<Modal> {
        let n = self.n;
        let mass = self.matrix(spec.mass.as_ref(), &path.field("mass"), Dim::MASS);
        let stiffness =
            self.matrix(spec.stiffness.as_ref(), &path.field("stiffness"), Dim::STIFFNESS);
        let damping = self.matrix(spec.damping.as_ref(), &path.field("damping"), Dim::DAMPING);
        let s1 = self.vectors(spec.moment.as_ref(), &path.field("moment"), &[n], Dim::MASS);
        let field = path.field("moment_pairs");
        let s2 = self.vectors(spec.moment_pairs.as_ref(), &field, &[n, n], MASS_PER_LENGTH);
        let j1 = self.inertias(spec.inertia.as_ref(), &path.field("inertia"), &[n], MASS_LENGTH);
        let field = path.field("inertia_pairs");
        let j2 = self.inertias(spec.inertia_pairs.as_ref(), &field, &[n, n], Dim::MASS);
        let h1 = self.turns(spec.momentum.as_ref(), &path.field("momentum"), &[n], MASS_LENGTH);
        let field = path.field("momentum_pairs");
        let h2 = self.turns(spec.momentum_pairs.as_ref(), &field, &[n, n], Dim::MASS);
        let c = body.com;
        let about_origin = (Mat3::identity() * c.dot(&c) - c * c.transpose()) * body.mass;
        Some(Modal {
            mass: body.mass,
            com: c,
            inertia: body.inertia + about_origin,
            s1: s1?,
            s2: s2?,
            j1: j1?,
            j2: j2?,
            h1: h1?,
            h2: h2?,
            mass_matrix: mass?,
            stiffness: stiffness?,
            damping: damping?,
            nodes: Vec::new(),
            followed: None,
        })
    }

    fn node(&self, name: &str, spec: &NodeSpec, path: &Path<'_>) -> Option<Node> {
        let n = self.n;
        let shape = if self.planar { Shape::Plane } else { Shape::Space };
        let at = match spec.at.as_slice() {
            [] => Some(Vec3::zeros()),
            list => vector(self.env, list, &path.field("at"), Dim::LENGTH, shape),
        };
        let given = spec.displacement.as_ref();
        let displacement = self.vectors(given, &path.field("displacement"), &[n], Dim::NONE);
        let shortening = match &spec.shortening {
            None => Some(Vec::new()),
            Some(given) => {
                let path = path.field("shortening");
                self.vectors(Some(given), &path, &[n, n], PER_LENGTH)
            }
        };
        let rotation =
            self.turns(spec.rotation.as_ref(), &path.field("rotation"), &[n], PER_LENGTH);
        Some(Node {
            name: name.to_owned(),
            at: at?,
            displacement: displacement?,
            shortening: shortening?,
            rotation: rotation?,
        })
    }

    /// Numbers in an array of this shape, in the order in which they are written.
    fn numbers(
        &self,
        x: &ArraySpec,
        path: &Path<'_>,
        shape: &[usize],
        dim: Dim,
    ) -> Option<Vec<f64>> {
        let env = self.env;
        match (x, shape) {
            (ArraySpec::Number(x), []) => env.constant(x, path, dim).map(|x| vec![x]),
            (ArraySpec::Number(_), [n, ..]) => {
                env.wrong_form(path, "one number", &format!("a list of {n}"));
                None
            }
            (ArraySpec::List(_), []) => {
                env.wrong_form(path, "a list", "one number");
                None
            }
            (ArraySpec::List(list), [n, ..]) if list.len() != *n => {
                env.shape(path, list.len(), &format!("{n}"));
                None
            }
            (ArraySpec::List(list), [_, rest @ ..]) => {
                let parts: Vec<Option<Vec<f64>>> = list
                    .iter()
                    .enumerate()
                    .map(|(k, x)| self.numbers(x, &path.index(k), rest, dim))
                    .collect();
                Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
        }
    }

    /// An array of this shape of things with `width` numbers each, or of zeros.
    fn array<T: Copy>(
        &self,
        x: Option<&ArraySpec>,
        (path, shape, dim): (&Path<'_>, &[usize], Dim),
        width: Option<usize>,
        zero: T,
        make: impl Fn(&[f64]) -> T,
    ) -> Option<Vec<T>> {
        let Some(x) = x else { return Some(vec![zero; shape.iter().product()]) };
        let full: Vec<usize> = shape.iter().copied().chain(width).collect();
        let numbers = self.numbers(x, path, &full, dim)?;
        Some(numbers.chunks(width.unwrap_or(1)).map(make).collect())
    }

    fn vectors(
        &self,
        x: Option<&ArraySpec>,
        path: &Path<'_>,
        shape: &[usize],
        dim: Dim,
    ) -> Option<Vec<Vec3>> {
        let width = if self.planar { 2 } else { 3 };
        let make = |x: &[f64]| Vec3::new(x[0], x[1], x.get(2).copied().unwrap_or(0.0));
        self.array(x, (path, shape, dim), Some(width), Vec3::zeros(), make)
    }

    /// Vectors about an axis: z alone in the plane.
    fn turns(
        &self,
        x: Option<&ArraySpec>,
        path: &Path<'_>,
        shape: &[usize],
        dim: Dim,
    ) -> Option<Vec<Vec3>> {
        if !self.planar {
            return self.vectors(x, path, shape, dim);
        }
        self.array(x, (path, shape, dim), None, Vec3::zeros(), |x| Vec3::z() * x[0])
    }

    fn inertias(
        &self,
        x: Option<&ArraySpec>,
        path: &Path<'_>,
        shape: &[usize],
        dim: Dim,
    ) -> Option<Vec<Mat3>> {
        let width = if self.planar { None } else { Some(6) };
        let make = |x: &[f64]| match *x {
            [xx, yy, zz, xy, xz, yz] => Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            [zz, ..] => Mat3::from_diagonal(&(Vec3::z() * zz)),
            [] => Mat3::zeros(),
        };
        self.array(x, (path, shape, dim), width, Mat3::zeros(), make)
    }

    /// A matrix by rows, or by its diagonal.
    fn matrix(&self, x: Option<&ArraySpec>, path: &Path<'_>, dim: Dim) -> Option<DMatrix<f64>> {
        let n = self.n;
        let flat = |x: &ArraySpec| matches!(x, ArraySpec::Number(_));
        match x {
            None => Some(DMatrix::zeros(n, n)),
            Some(x @ ArraySpec::List(list)) if list.iter().all(flat) => {
                Some(DMatrix::from_diagonal(&self.numbers(x, path, &[n], dim)?.into()))
            }
            Some(x) => Some(DMatrix::from_row_slice(n, n, &self.numbers(x, path, &[n, n], dim)?)),
        }
    }

    /// Some body has these numbers.
    fn check(&self, m: &Modal, path: &Path<'_>) -> Option<()> {
        let mut whole = m.clone();
        if self.planar {
            // any will do: it does not turn about them
            let zz = m.inertia[(2, 2)];
            whole.inertia = Mat3::from_diagonal(&Vec3::new(zz, zz, zz));
        }
        let help =
            "check units, signs, and that the integrals belong to the mass and inertia of the body";
        if let Err(e) = whole.check() {
            let fault = Diagnostic::error("E_MODES", path.to_string(), e.to_string());
            self.env.report(fault.help(help));
            return None;
        }
        let size = m.damping.amax();
        if size > 0.0 {
            let least = (&m.damping / size).symmetric_eigenvalues().min() * size;
            if least < -SLOP * size {
                let text = format!(
                    "the damping matrix has the negative eigenvalue {least:e}: it would feed energy into the body"
                );
                let path = path.field("damping");
                self.env.report(Diagnostic::error("E_MODES", path.to_string(), text).help(help));
                return None;
            }
        }
        Some(())
    }
}
