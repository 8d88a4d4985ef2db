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
use delassus_math::{Mat3, Vec3, largest};
use nalgebra::allocator::Allocator;
use nalgebra::{DMatrix, DefaultAllocator, DimName, OMatrix};

/// Asymmetry, and negative eigenvalues, that are attributed to rounding, as a fraction of the largest entry.
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
        env.missing(&at, kind.label(), "give a table with `mass` and `stiffness` of its modes");
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
    let list = |spec: &Option<ArraySpec>, name: &str, dim| {
        optional(spec.as_ref(), |x| entry.numbers(x, &at.field(name), &[n], dim))
    };
    let amplitudes = list(&modes.amplitudes, "amplitudes", Dim::LENGTH);
    let rates = list(&modes.rates, "rates", Dim::VELOCITY);
    let path = path.field("nodes");
    let nodes: Vec<Option<Node>> =
        spec.nodes.iter().map(|(name, spec)| entry.node(name, spec, &path.field(name))).collect();
    let mut modal = modal?;
    modal.nodes = nodes.into_iter().collect::<Option<_>>()?;
    let modal = modal.about_mass_centre();
    let amplitudes = amplitudes?.unwrap_or_else(|| vec![0.0; n]);
    entry.check(&modal, &at)?;
    Some(Flexible { modal, amplitudes, rates: rates? })
}

/// Nodes as markers, in the order of the file.
pub(super) fn node_markers(env: &Env<'_>, spec: &BodySpec, path: &Path<'_>, out: &mut Markers) {
    for (k, (template, _)) in spec.nodes.iter().enumerate() {
        let path = path.field(template);
        match env.text(template, &path).filter(|n| check_name(env, n, &path)) {
            Some(name) => {
                out.poses.insert(name.into_owned(), Pose { node: Some(k), ..Pose::IDENTITY });
            }
            None => out.incomplete = true,
        }
    }
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
        let s2 = s2.filter(|x| self.symmetric(x, &field));
        let j1 = self.inertias(spec.inertia.as_ref(), &path.field("inertia"), &[n], MASS_LENGTH);
        let field = path.field("inertia_pairs");
        let j2 = self.inertias(spec.inertia_pairs.as_ref(), &field, &[n, n], Dim::MASS);
        let j2 = j2.filter(|x| self.symmetric(x, &field));
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
                let pairs = self.vectors(Some(given), &path, &[n, n], PER_LENGTH);
                pairs.filter(|x| self.symmetric(x, &path))
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

    /// A symmetric matrix without negative eigenvalues.
    fn matrix(&self, x: Option<&ArraySpec>, path: &Path<'_>, dim: Dim) -> Option<DMatrix<f64>> {
        let n = self.n;
        let m = match x {
            None => return Some(DMatrix::zeros(n, n)),
            Some(x @ ArraySpec::List(rows))
                if rows.iter().all(|r| matches!(r, ArraySpec::Number(_))) =>
            {
                let diagonal = self.numbers(x, path, &[n], dim)?;
                DMatrix::from_diagonal(&diagonal.into())
            }
            Some(x) => DMatrix::from_row_slice(n, n, &self.numbers(x, path, &[n, n], dim)?),
        };
        let size = m.amax();
        let asymmetry = (&m - m.transpose()).amax();
        if asymmetry > SLOP * size {
            let text = format!(
                "the matrix is not symmetric: mirrored entries differ by up to {asymmetry:e}"
            );
            return self.refuse(path, text, "give the same entries above and below the diagonal");
        }
        let m = (&m + m.transpose()) * 0.5;
        if n > 0 && size > 0.0 {
            let least = (&m / size).symmetric_eigenvalues().min() * size;
            if least < -SLOP * size {
                let text = format!(
                    "the smallest eigenvalue of the matrix is {least:e}, but must not be negative"
                );
                return self.refuse(path, text, "check the signs of its entries");
            }
        }
        Some(m)
    }

    /// Whether what belongs to pair ij is the same for ji.
    fn symmetric<R: DimName, C: DimName>(
        &self,
        list: &[OMatrix<f64, R, C>],
        path: &Path<'_>,
    ) -> bool
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let n = self.n;
        let size = largest(list.iter().map(|x| x.amax()));
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        for (i, j) in pairs {
            let off = (&list[i * n + j] - &list[j * n + i]).amax();
            if off > SLOP * size {
                let text = format!(
                    "the entries of modes {} and {} differ by {off:e} from those of modes {} and {}",
                    i + 1,
                    j + 1,
                    j + 1,
                    i + 1
                );
                let help = "give the same for a pair of modes in both orders";
                return self.refuse::<()>(path, text, help).is_some();
            }
        }
        true
    }

    fn refuse<T>(&self, path: &Path<'_>, text: String, help: &str) -> Option<T> {
        self.env.report(Diagnostic::error("E_MODES", path.to_string(), text).help(help));
        None
    }

    /// Some body has these masses: every motion of the undeformed body has kinetic energy.
    fn check(&self, m: &Modal, path: &Path<'_>) -> Option<()> {
        let turning: &[usize] = if self.planar { &[2] } else { &[0, 1, 2] };
        let moving = if self.planar { 2 } else { 3 };
        // rotations without inertia, such as that of a thin rod about its axis, are examined with the joints
        let turning: Vec<usize> = turning
            .iter()
            .copied()
            .filter(|k| m.inertia[(*k, *k)] > SLOP * m.inertia.amax())
            .collect();
        let (t, n) = (moving + turning.len(), self.n);
        let mut full = DMatrix::zeros(t + n, t + n);
        for i in 0..moving {
            full[(i, i)] = m.mass;
        }
        for (i, a) in turning.iter().enumerate() {
            for (j, b) in turning.iter().enumerate() {
                full[(moving + i, moving + j)] = m.inertia[(*a, *b)];
            }
        }
        for k in 0..n {
            let column: Vec<f64> = (0..moving)
                .map(|i| m.s1[k][i])
                .chain(turning.iter().map(|a| m.h1[k][*a]))
                .collect();
            for (i, x) in column.into_iter().enumerate() {
                full[(i, t + k)] = x;
                full[(t + k, i)] = x;
            }
            for i in 0..n {
                full[(t + i, t + k)] = m.mass_matrix[(i, k)];
            }
        }
        // without units: pivots relative to the diagonal
        let d: Vec<f64> = (0..t + n).map(|i| full[(i, i)]).collect();
        let scaled = DMatrix::from_fn(t + n, t + n, |i, j| full[(i, j)] / (d[i] * d[j]).sqrt());
        if let Some(k) = (0..n).find(|k| !(d[t + k] > 0.0)) {
            let text =
                format!("the mass of mode {} is {}, but must be more than 0", k + 1, d[t + k]);
            return self.refuse(&path.field("mass"), text, "leave out modes that move no mass");
        }
        let least = if t + n == 0 { 1.0 } else { scaled.symmetric_eigenvalues().min() };
        if !(least > SLOP) {
            let text = format!(
                "some motion of the modes together with the whole body has no kinetic energy or a negative one: the \
                 smallest eigenvalue of their mass matrix, scaled to a diagonal of 1, is {least:e}"
            );
            let help = "leave out modes that are combinations of others or move the body as one, and check `mass`, \
                        `moment` and `momentum` against the mass and the inertia of the body";
            return self.refuse(path, text, help);
        }
        Some(())
    }
}
