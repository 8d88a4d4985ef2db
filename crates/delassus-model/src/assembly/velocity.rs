//! Velocities: the given ones are kept, the others follow from the joints.

use super::AssemblyReport;
use super::unsolved::{unmoved, unsolved};
use crate::{Diagnostic, System};
use delassus_dae::{Accel, Problem, StepFailure};
use delassus_linalg::{Backend, CondensedKkt, Csr, KktError, KktOptions};
use delassus_math::{largest, max_abs};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// Mismatch, relative to the fastest velocity, that is worth a note.
const NOTEWORTHY: f64 = 1e-8;

/// Mismatch, relative to the fastest velocity, that is rounding.
const MET: f64 = 1e-10;

/// Mismatch, relative to the fastest velocity, up to which beams start as if they were rigid.
const RIGID: f64 = 1e-8;

/// Mismatch of what joints themselves require, relative to the fastest velocity, that is neither rounding nor a misfit
/// of lengths.
const CONTRADICTS: f64 = 1e-4;

/// Weight of motions that were not requested, and how often the smallest of them is sought again.
const UNASKED: f64 = 1e-7;
const SWEEPS: usize = 6;

/// Inertia of coordinates that have none, relative to typical ones of the model, for weighing given velocities.
const FLOOR: f64 = 1e-3;

/// Fraction of a body's own inertia that is added everywhere, for axes about which it has none.
const NOTHING: f64 = 1e-9;

/// A requested velocity: Σ c v = value.
#[derive(Clone)]
struct Wanted {
    path: String,
    /// Body whose velocity it is; `None` for the rate of a joint.
    body: Option<usize>,
    entries: Vec<(usize, f64)>,
    value: f64,
}

impl Wanted {
    fn of(&self, v: &[f64]) -> f64 {
        self.entries.iter().map(|(dof, c)| c * v[*dof]).sum()
    }

    /// Whether it is the same rate of the same bodies, perhaps counted the other way.
    fn says_the_same(&self, other: &Wanted) -> bool {
        let same = |sign: f64| {
            let near = |a: f64, b: f64| (a - sign * b).abs() <= 1e-9 * a.abs().max(b.abs());
            self.entries.len() == other.entries.len()
                && near(self.value, other.value)
                && self
                    .entries
                    .iter()
                    .zip(&other.entries)
                    .all(|(a, b)| a.0 == b.0 && near(a.1, b.1))
        };
        same(1.0) || same(-1.0)
    }
}

/// Everything needed to solve for velocities.
struct Setting<'a> {
    sys: &'a System,
    mass: Vec<f64>,
    jac: Vec<f64>,
    /// Right-hand side of the constraints, −g_t.
    rhs: Vec<f64>,
}

pub(super) fn solve(
    sys: &System,
    t: f64,
    q: &[f64],
    z: &[f64],
    report: &mut AssemblyReport,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let d = sys.dims();
    let mut ws = sys.workspace();
    sys.realize_position(t, q, z, &mut ws);
    let wanted = wanted(sys, &ws);
    let s = sys.structure();
    let fail = |e: KktError| unsolved(sys, "E_START", &e);
    let mut mass = vec![0.0; s.mass.value_len()];
    sys.mass(&ws, &mut mass);
    let mut jac = vec![0.0; s.jac.nnz()];
    sys.jacobian(&ws, &mut jac);
    let zero = vec![0.0; d.nv];
    sys.realize_velocity(&zero, z, &mut ws);
    let mut rhs = vec![0.0; d.n_vel];
    sys.residual_vel(&ws, &mut rhs);
    for x in &mut rhs {
        *x = -*x;
    }
    let setting = Setting { sys, mass, jac, rhs };
    let all: Vec<&Wanted> = wanted.iter().collect();
    let mut v = setting.exactly(&all).map_err(fail)?;
    let size = |v: &[f64]| max_abs(v.iter().chain(wanted.iter().map(|w| &w.value)));
    let rounding = MET * size(&v);
    if wanted.iter().any(|w| !((w.of(&v) - w.value).abs() <= rounding)) {
        v = setting.closest(&wanted).map_err(fail)?;
    }
    if size(&v) > 0.0
        && let Some(rigid) = setting.undeforming(&wanted, &ws, report).map_err(fail)?
    {
        v = rigid;
    }
    // the rest is decided by the joints, in the mass metric and by the rank of the run
    let mut acc = Accel::new(sys).map_err(fail)?;
    let mut residual = vec![0.0; d.n_vel];
    let mut dv = vec![0.0; d.nv];
    sys.realize_position(t, q, z, &mut ws);
    let stop = |e: StepFailure| unmoved(sys, "E_START", &e);
    acc.factor_realized(sys, &ws).map_err(stop)?;
    sys.realize_velocity(&v, z, &mut ws);
    sys.residual_vel(&ws, &mut residual);
    for r in &mut residual {
        *r = -*r;
    }
    acc.correct(&residual, &mut dv).map_err(stop)?;
    for (v, d) in v.iter_mut().zip(&dv) {
        *v += d;
    }
    sys.realize_velocity(&v, z, &mut ws);
    sys.residual_vel(&ws, &mut residual);
    let asked = max_abs(&setting.rhs).max(size(&v));
    if let Some(fault) = contradiction(sys, &residual, asked, report) {
        return Err(vec![fault]);
    }
    report.start_energy = setting.energies(&wanted, &v);
    let fastest = size(&v);
    for w in &wanted {
        let got = w.of(&v);
        if (got - w.value).abs() > NOTEWORTHY * fastest {
            report.notes.push(
                Diagnostic::note(
                    "N_VELOCITY_PROJECTED",
                    w.path.clone(),
                    format!("the joints allow {got:.6e} instead of the given {:.6e}", w.value),
                )
                .help("give fewer starting velocities, or ones that fit the joints; rates of joints come before velocities of bodies, and of these the kinetic energy of what is changed is least"),
            );
        }
    }
    Ok(v)
}

/// Velocities that joints require and that are incompatible: two motions of one joint, with different rates. `left` is
/// the mismatch of the rows, `asked` the fastest of all.
fn contradiction(
    sys: &System,
    left: &[f64],
    asked: f64,
    report: &AssemblyReport,
) -> Option<Diagnostic> {
    let worst = (0..left.len()).max_by(|i, j| left[*i].abs().total_cmp(&left[*j].abs()))?;
    // subnormal rates have no digits that could agree
    if !(left[worst].abs() > (CONTRADICTS * asked).max(f64::MIN_POSITIVE)) {
        return None;
    }
    let row = sys.row_name(worst);
    // the row that yields is the one that depends on others, or the other way round
    let partners = report.redundancy.iter().find_map(|r| match r.row == row {
        true => Some(r.depends_on.clone()),
        false => r.depends_on.contains(&row).then(|| vec![r.row.clone()]),
    });
    let others = partners.unwrap_or_default();
    if others.is_empty() {
        return None;
    }
    let joint = &sys.model().joints[sys.row_origins().get(worst)?.joint.0].name;
    Some(
        Diagnostic::error(
            "E_CONFLICT",
            format!("joint.{joint}"),
            format!(
                "at the start {row} contradicts {}: the rates that they ask for differ by {:.4e}",
                others.join(", "),
                left[worst].abs()
            ),
        )
        .help("prescribe each coordinate once, or with the same rate everywhere"),
    )
}

impl Setting<'_> {
    /// The motion of least kinetic energy in which beams and modal bodies without given velocities move as if they were
    /// rigid, where the joints and the given velocities allow it.
    fn undeforming(
        &self,
        wanted: &[Wanted],
        ws: &crate::Workspace,
        report: &mut AssemblyReport,
    ) -> Result<Option<Vec<f64>>, KktError> {
        let mut rows = self.sys.rigid_beam_rows(ws);
        for (k, b) in self.sys.model().bodies.iter().enumerate() {
            if b.flexible.as_ref().is_some_and(|f| f.rates.is_none()) {
                let at = self.sys.body_span(k).0;
                rows.extend(self.sys.amplitudes_of(k).map(|i| vec![(at + i, 1.0)]));
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let rigid = |entries| Wanted { path: String::new(), body: None, entries, value: 0.0 };
        let rigid: Vec<Wanted> = rows.into_iter().map(rigid).collect();
        let all: Vec<&Wanted> = wanted.iter().chain(&rigid).collect();
        let v = self.exactly(&all)?;
        let fastest = max_abs(v.iter().chain(wanted.iter().map(|w| &w.value)));
        let mut left: Vec<f64> = self.rhs.iter().map(|x| -x).collect();
        self.sys.structure().jac.mul_add(&self.jac, 1.0, &v, &mut left);
        let met = |miss: f64| miss.abs() <= RIGID * fastest;
        if left.iter().all(|x| met(*x)) && all.iter().all(|w| met(w.of(&v) - w.value)) {
            return Ok(Some(v));
        }
        report.notes.push(
            Diagnostic::note(
                "N_BEAM_START",
                "",
                "the joints and the given velocities do not let the beams and modal bodies start as if they were rigid; \
                 they start with the least kinetic energy",
            )
            .help(
                "give `velocity` and `rate` of the beams and `modes.rates` of the bodies, or let them start at rest",
            ),
        );
        Ok(None)
    }

    /// The motion of least kinetic energy with all these velocities, if there is one.
    fn exactly(&self, wanted: &[&Wanted]) -> Result<Vec<f64>, KktError> {
        self.least(wanted, &[], &[])
    }

    /// The motion closest to velocities that the joints do not allow together.
    ///
    /// Rates of joints come first, weighted by the inertia that each would have to move alone; then velocities of
    /// bodies, by the kinetic energy of the difference. Joints are exact throughout, so it does not matter how many of
    /// them state the same, their order or the axes of the ground.
    fn closest(&self, wanted: &[Wanted]) -> Result<Vec<f64>, KktError> {
        let (rates, others): (Vec<&Wanted>, Vec<&Wanted>) =
            wanted.iter().partition(|w| w.body.is_none());
        let rates = without_repetitions(rates);
        let inertia = |w: &&Wanted| vec![self.inertia_along(w)];
        let v = self.least(&[], &rates, &rates.iter().map(inertia).collect::<Vec<_>>())?;
        let met: Vec<Wanted> =
            rates.iter().map(|w| Wanted { value: w.of(&v), ..(*w).clone() }).collect();
        let blocks = self.body_blocks(&others);
        self.least(&met.iter().collect::<Vec<_>>(), &others, &blocks)
    }

    /// Least kinetic energy with `hard` velocities among the motions that come closest to the
    /// `soft` ones, in the metric of the blocks, which follow each other along `soft`.
    ///
    /// Each soft one gets a slack: minimise ε|v − v₀|²/2 + |s|²/2 subject to C v + s = c, repeatedly from the last v;
    /// what is not requested stays at zero.
    fn least(
        &self,
        hard: &[&Wanted],
        soft: &[&Wanted],
        blocks: &[Vec<f64>],
    ) -> Result<Vec<f64>, KktError> {
        let d = self.sys.dims();
        let s = self.sys.structure();
        let n = d.nv + soft.len();
        let first_soft = d.n_vel + hard.len();
        let rows = hard.iter().chain(soft).enumerate();
        let pairs = (0..d.n_vel)
            .flat_map(|i| s.jac.row(i).iter().map(move |c| (i, *c)))
            .chain(
                rows.flat_map(|(k, w)| w.entries.iter().map(move |(dof, _)| (d.n_vel + k, *dof))),
            )
            .chain((0..soft.len()).map(|k| (first_soft + k, d.nv + k)));
        let pattern = Csr::from_pairs(first_soft + soft.len(), n, pairs)?;
        let mut values = vec![0.0; pattern.nnz()];
        values[..self.jac.len()].copy_from_slice(&self.jac);
        for (k, w) in hard.iter().chain(soft).enumerate() {
            for (dof, c) in &w.entries {
                if let Some(slot) = pattern.slot(d.n_vel + k, *dof) {
                    values[slot] += c;
                }
            }
        }
        for k in 0..soft.len() {
            if let Some(slot) = pattern.slot(first_soft + k, d.nv + k) {
                values[slot] = 1.0;
            }
        }
        let small = if soft.is_empty() { 1.0 } else { UNASKED };
        let sizes = blocks.iter().map(|b| b.len().isqrt());
        let shape = s.mass.followed_by(sizes);
        let mass: Vec<f64> =
            self.mass.iter().map(|m| small * m).chain(blocks.iter().flatten().copied()).collect();
        let mut floor: Vec<f64> = s.mass_floor.iter().map(|m| small * m).collect();
        floor.resize(n, 0.0);
        let opts = KktOptions { backend: Backend::Auto, mass_floor: floor, redundant: true };
        let mut kkt = CondensedKkt::new(shape, pattern, opts)?;
        kkt.set_mass(&mass)?;
        kkt.factor(&values)?;
        let rhs: Vec<f64> =
            self.rhs.iter().copied().chain(hard.iter().chain(soft).map(|w| w.value)).collect();
        let (mut x, mut l, mut f) = (vec![0.0; n], vec![0.0; rhs.len()], vec![0.0; n]);
        for _ in 0..if soft.is_empty() { 1 } else { SWEEPS } {
            kkt.solve(&f, &rhs, &mut x, &mut l)?;
            f.fill(0.0);
            s.mass.mul_add(&mass, &x, &mut f);
        }
        x.truncate(d.nv);
        Ok(x)
    }

    /// (C M⁻¹ Cᵀ)⁻¹ with each body by itself: the inertia that the rate would have to move.
    fn inertia_along(&self, w: &Wanted) -> f64 {
        let mut bodies: Vec<usize> =
            w.entries.iter().filter_map(|e| self.sys.dof_owner(e.0)).map(|o| o.0).collect();
        bodies.dedup();
        let softness: f64 = bodies.iter().map(|b| 1.0 / self.body_block(*b, &[w])[0]).sum();
        if softness > 0.0 { 1.0 / softness } else { 1.0 }
    }

    /// Mass of a body, with a substitute where there is none.
    fn body_mass(&self, body: usize) -> DMatrix<f64> {
        let own_mass = self.sys.body_mass(body, &self.mass);
        let n = own_mass.nrows();
        let rotation = self.sys.model().bodies[body].kind.rotation();
        let own = |i: usize| own_mass[(i, i)];
        let most = |range: std::ops::Range<usize>| largest(range.map(own));
        // almost nothing compared with its own inertia; a body with none at all takes that of others
        let (mass, inertia) = (most(0..rotation.start), most(rotation.clone()));
        let typical = if mass > 0.0 { mass } else { self.typical_mass() };
        let moving = if mass > 0.0 { NOTHING * mass } else { FLOOR * typical };
        let turning = match inertia > 0.0 {
            true => NOTHING * inertia,
            false => FLOOR * typical * self.sys.length_scale().powi(2),
        };
        DMatrix::from_fn(n, n, |i, j| {
            let floor = if rotation.contains(&i) { turning } else { moving };
            own_mass[(i, j)] + if i == j { floor } else { 0.0 }
        })
    }

    fn typical_mass(&self) -> f64 {
        let masses: Vec<f64> =
            self.sys.model().bodies.iter().map(|b| b.mass).filter(|m| *m > 0.0).collect();
        if masses.is_empty() { 1.0 } else { masses.iter().sum::<f64>() / masses.len() as f64 }
    }

    /// Kinetic energy of the velocities given for bodies, and of what they become in v, J.
    fn energies(&self, wanted: &[Wanted], v: &[f64]) -> [f64; 2] {
        let of_bodies: Vec<&Wanted> = wanted.iter().filter(|w| w.body.is_some()).collect();
        let mut energies = [0.0; 2];
        let mut from = 0;
        for block in self.body_blocks(&of_bodies) {
            let n = block.len().isqrt();
            let own = &of_bodies[from..from + n];
            from += n;
            for (energy, velocity) in energies.iter_mut().zip([None, Some(v)]) {
                let x: Vec<f64> =
                    own.iter().map(|w| velocity.map_or(w.value, |v| w.of(v))).collect();
                let product = |i: usize| (0..n).map(|j| block[i * n + j] * x[j]).sum::<f64>();
                *energy += 0.5 * (0..n).map(|i| x[i] * product(i)).sum::<f64>();
            }
        }
        energies
    }

    /// Kinetic energy of a difference in the velocities given for a body: one block per body, in
    /// terms of the velocity of its origin and its rate, as far as they are given.
    fn body_blocks(&self, wanted: &[&Wanted]) -> Vec<Vec<f64>> {
        let mut out = Vec::new();
        let mut from = 0;
        while from < wanted.len() {
            let body = wanted[from].body;
            let to = from + wanted[from..].iter().take_while(|w| w.body == body).count();
            if let Some(body) = body {
                out.push(self.body_block(body, &wanted[from..to]));
            }
            from = to;
        }
        out
    }

    /// (C M⁻¹ Cᵀ)⁻¹ for the given velocities C v: the energy of the smallest motion of the body that makes up a
    /// difference in them.
    fn body_block(&self, body: usize, given: &[&Wanted]) -> Vec<f64> {
        let (at, n) = self.sys.body_span(body);
        let k = given.len();
        let c = DMatrix::from_fn(k, n, |r, j| {
            given[r].entries.iter().filter(|e| e.0 == at + j).map(|e| e.1).sum::<f64>()
        });
        let block = self
            .body_mass(body)
            .cholesky()
            .map(|m| &c * m.solve(&c.transpose()))
            .and_then(|w| w.cholesky())
            .map_or_else(|| DMatrix::identity(k, k), |w| w.inverse());
        block.iter().copied().collect()
    }
}

/// Removes repeated requests, which say nothing new.
fn without_repetitions(wanted: Vec<&Wanted>) -> Vec<&Wanted> {
    let mut out: Vec<&Wanted> = Vec::new();
    let mut of_the_same: BTreeMap<Vec<usize>, Vec<&Wanted>> = BTreeMap::new();
    for w in wanted {
        let known = of_the_same.entry(w.entries.iter().map(|e| e.0).collect()).or_default();
        if !known.iter().any(|o| o.says_the_same(w)) {
            known.push(w);
            out.push(w);
        }
    }
    out
}

fn wanted(sys: &System, ws: &crate::Workspace) -> Vec<Wanted> {
    let mut out = Vec::new();
    for (k, b) in sys.model().bodies.iter().enumerate() {
        let (at, turning) = (sys.body_span(k).0, b.kind.rotation());
        if let Some(v) = &b.velocity {
            // velocity of the body frame's origin in terms of the mass centre's coordinates
            for i in 0..turning.start {
                out.push(Wanted {
                    body: Some(k),
                    path: format!("body.{}.velocity[{i}]", b.name),
                    entries: sys.origin_velocity_row(ws, k, i),
                    value: v[i],
                });
            }
        }
        let given = b.flexible.as_ref().and_then(|f| f.rates.as_ref());
        for (i, (dof, value)) in sys.amplitudes_of(k).zip(given.into_iter().flatten()).enumerate() {
            out.push(Wanted {
                body: Some(k),
                path: format!("body.{}.modes.rates[{i}]", b.name),
                entries: vec![(at + dof, 1.0)],
                value: *value,
            });
        }
        if let Some(w) = &b.rate {
            // about z only, or about the body's axes
            let about_z = turning.len() == 1;
            for (i, dof) in turning.enumerate() {
                let place = if about_z { String::new() } else { format!("[{i}]") };
                out.push(Wanted {
                    body: Some(k),
                    path: format!("body.{}.rate{place}", b.name),
                    entries: vec![(at + dof, 1.0)],
                    value: if about_z { w.z } else { w[i] },
                });
            }
        }
    }
    for j in &sys.model().joints {
        if let Some(rate) = j.initial_rate
            && let Some(entries) = sys.coordinate_rate_row(ws, j)
        {
            out.push(Wanted {
                body: None,
                path: format!("joint.{}.initial_rate", j.name),
                entries,
                value: rate,
            });
        }
    }
    out
}
