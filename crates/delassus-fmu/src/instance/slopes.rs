//! Derivatives of rates and outputs along a direction of states and inputs.
//!
//! Rates are those at the consistent state next to the states of the host (`exchange.rs`). With δ for changes along the
//! direction, M, G, K and C of the crate `delassus-dae`, and P the step to the consistent state,
//!
//! ```text
//! δξ_c = P δξ        P x = x + M⁻¹Gᵀμ,  G P x = 0 for positions, and G δv_c + δ(Gv + g_t) = 0 for velocities
//! M δa − Gᵀδλ = −K δξ_c − C δv_c + F_z δz + F_u δu
//! G δa        = −δ(G a + γ) at fixed a
//! ```
//!
//! Every term is exact where the states of the host satisfy the joints. Where they do not, what is left out is in
//! proportion to their distance, which is as small as the tolerance of the solver.

use super::exchange::{Exchange, Kept};
use crate::variables::{Layout, Role};
use delassus::dae::{Problem, Quality, StateSlopes};
use delassus::model::{Along, Assembled, Given, InputSlopes};

/// What has no exact derivative; `None` if everything has.
pub fn without_slopes(model: &Assembled) -> Option<String> {
    model.system.without_directions()
}

/// Matrices at a state.
#[derive(Debug, Clone, Default)]
pub(super) struct Slopes {
    k: Vec<f64>,
    c: Vec<f64>,
    /// K with the multipliers of outputs.
    k_out: Vec<f64>,
    states: StateSlopes,
    inputs: Vec<InputSlopes>,
}

/// A direction: changes of states and inputs.
pub(super) struct Direction {
    pub states: Vec<f64>,
    pub inputs: Vec<f64>,
}

/// Changes of rates and outputs.
pub(super) struct Changes {
    rates: Vec<f64>,
    outputs: Vec<f64>,
}

impl Changes {
    /// Of a variable.
    pub fn of(&self, role: Role) -> Option<f64> {
        match role {
            Role::Rate(k) => self.rates.get(k).copied(),
            Role::Output(k) => self.outputs.get(k).copied(),
            _ => None,
        }
    }
}

/// out += c x.
fn add(out: &mut [f64], c: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += c * x;
    }
}

/// Half the product of a quaternion and a rotation in the body.
pub(super) fn half_product([w, x, y, z]: [f64; 4], [a, b, c]: [f64; 3]) -> [f64; 4] {
    [
        0.5 * (-x * a - y * b - z * c),
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
    ]
}

pub(super) fn four(q: &[f64], from: usize) -> [f64; 4] {
    [q[from], q[from + 1], q[from + 2], q[from + 3]]
}

pub(super) fn three(v: &[f64], from: usize) -> [f64; 3] {
    [v[from], v[from + 1], v[from + 2]]
}

impl Exchange {
    /// How rates and outputs change along a direction.
    pub(super) fn changes(&mut self, direction: &Direction) -> Result<Changes, String> {
        // sensors first: what expressions read lies in the workspace then
        self.measure().map_err(|e| e.to_string())?;
        let slopes = match self.slopes.take() {
            Some(known) => known,
            None => self.slopes_here()?,
        };
        let changes = self.changes_by(direction, &slopes);
        self.slopes = Some(slopes);
        changes
    }

    fn changes_by(&mut self, direction: &Direction, slopes: &Slopes) -> Result<Changes, String> {
        let sys = self.sys.clone();
        let Layout { nq, nv, nz, .. } = self.layout;
        let d = sys.dims();
        let zero = vec![0.0; nv];
        let Kept { x: x_here, .. } = &self.kept;
        let (s, derived) = (&self.here, &self.derived);
        let structure = sys.structure();
        let fail = |e: &dyn std::fmt::Display| e.to_string();

        // from coordinates to variations, at the consistent state
        let mut xi = vec![0.0; nv];
        for (iv, place) in sys.manifold().places().iter().enumerate() {
            if let Some(iq) = place {
                xi[iv] = direction.states[*iq];
            }
        }
        for (iq, iv) in sys.manifold().rotations() {
            let given = four(x_here, iq);
            let size = given.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [w, x, y, z] = given.map(|x| x / size);
            let [dw, dx, dy, dz] = four(&direction.states, iq).map(|x| x / size);
            xi[iv] = 2.0 * (w * dx - x * dw - y * dz + z * dy);
            xi[iv + 1] = 2.0 * (w * dy - y * dw - z * dx + x * dz);
            xi[iv + 2] = 2.0 * (w * dz - z * dw - x * dy + y * dx);
        }
        let mut v = direction.states[nq..nq + nv].to_vec();

        // to the nearest consistent state
        let mut rows = vec![0.0; d.n_vel];
        let mut correction = vec![0.0; nv];
        if d.n_vel > 0 {
            self.acc.jac_mul(&xi, &mut rows);
            rows.iter_mut().for_each(|x| *x = -*x);
            rows[d.n_pos..].fill(0.0);
            self.acc.correct(&rows, &mut correction).map_err(|e| fail(&e))?;
            add(&mut xi, 1.0, &correction);
            let along = Along { xi: &xi, v: &v, a: &zero, a_here: &derived.a };
            rows = sys.rates_along(&self.ws, &along).0;
            rows.iter_mut().for_each(|x| *x = -*x);
            self.acc.correct(&rows, &mut correction).map_err(|e| fail(&e))?;
            add(&mut v, 1.0, &correction);
        }
        let along = Along { xi: &xi, v: &v, a: &zero, a_here: &derived.a };
        let mut z = vec![0.0; d.nz];
        z[..nz].copy_from_slice(&direction.states[nq + nv..nq + nv + nz]);
        // counters of turns follow from the coordinates
        let counted = sys.counters_along(&self.ws, &along);
        z[..counted.len()].copy_from_slice(&counted);

        // accelerations and multipliers
        let mut free = vec![0.0; nv];
        structure.tangent.mul_add(&slopes.c, -1.0, &v, &mut free);
        for &(i, k, x) in &slopes.states.force_by_z {
            free[i] += x * z[k];
        }
        for (slope, du) in slopes.inputs.iter().zip(&direction.inputs) {
            add(&mut free, *du, &slope.force);
        }
        let mut bent = sys.accelerations_along(&self.ws, &along);
        bent.iter_mut().for_each(|x| *x = -*x);
        let (mut a, mut lambda) = (vec![0.0; nv], vec![0.0; d.n_vel]);
        let mut f = free.clone();
        structure.tangent.mul_add(&slopes.k, -1.0, &xi, &mut f);
        self.acc.solve(&f, &bent, &mut a, &mut lambda).map_err(|e| fail(&e))?;
        let (_, counter_rates) = sys.rates_along(&self.ws, &along);

        // rates, and the pull towards the consistent state
        let mut rates = vec![0.0; self.layout.len()];
        let mut consistent = vec![0.0; nq + nv + nz];
        for (iv, place) in sys.manifold().places().iter().enumerate() {
            if let Some(iq) = place {
                (rates[*iq], consistent[*iq]) = (v[iv], xi[iv]);
            }
        }
        for (iq, iv) in sys.manifold().rotations() {
            let q = four(&s.q, iq);
            let dq = half_product(q, three(&xi, iv));
            let (turning, faster) =
                (half_product(dq, three(&s.v, iv)), half_product(q, three(&v, iv)));
            for k in 0..4 {
                (rates[iq + k], consistent[iq + k]) = (turning[k] + faster[k], dq[k]);
            }
        }
        rates[nq..nq + nv].copy_from_slice(&a);
        consistent[nq..nq + nv].copy_from_slice(&v);
        consistent[nq + nv..].copy_from_slice(&z[..nz]);
        let z_rates = &mut rates[nq + nv..nq + nv + nz];
        for &(i, k, x) in &slopes.states.rate_by_q {
            z_rates[i] += x * xi[k];
        }
        for &(i, k, x) in &slopes.states.rate_by_v {
            z_rates[i] += x * v[k];
        }
        for &(i, k, x) in &slopes.states.rate_by_z {
            z_rates[i] += x * z[k];
        }
        for (slope, du) in slopes.inputs.iter().zip(&direction.inputs) {
            for &(i, x) in &slope.rate {
                z_rates[i] += x * du;
            }
        }
        z_rates[..counter_rates.len()].copy_from_slice(&counter_rates);
        let pace = self.pace();
        let faster = |(v, dv): (&f64, &f64), size: &f64| match *size > 0.0 {
            true => (v / size) * (dv / size),
            false => 0.0,
        };
        let pairs = s.v.iter().zip(&v).zip(&self.scale);
        let change: f64 = pairs.map(|(pair, size)| faster(pair, size)).sum();
        let quickening = if pace > 0.0 { change / pace } else { 0.0 };
        let places = s.q.iter().chain(&s.v).chain(&s.z[..nz]);
        for (k, (place, dx)) in places.zip(&consistent).enumerate() {
            rates[k] -= (direction.states[k] - dx) * pace + (x_here[k] - place) * quickening;
        }

        // outputs, with multipliers of their own
        let (mut a_out, mut lambda_out) = (a.clone(), lambda.clone());
        if sys.measures_dynamics() {
            let mut f = free;
            structure.tangent.mul_add(&slopes.k_out, -1.0, &xi, &mut f);
            self.outputs.solve(&f, &bent, &mut a_out, &mut lambda_out).map_err(|e| fail(&e))?;
        }
        let along = Along { xi: &xi, v: &v, a: &a, a_here: &derived.a };
        let both = [self.lambda_out.as_slice(), lambda_out.as_slice()];
        let from = nq + nv + nz;
        let mut exchanged = [0.0; 2];
        exchanged[..self.layout.exchanged].copy_from_slice(&direction.states[from..]);
        let given = Given { states: &z, inputs: &direction.inputs, exchanged };
        let outputs = sys.sensors_along(&self.ws, &along, both, &given);
        if self.layout.exchanged > 0 {
            let power = sys.power_along(&self.ws, &along, &lambda, &outputs, &given);
            rates[from..].copy_from_slice(&power);
        }
        Ok(Changes { rates, outputs })
    }

    /// Matrices at the present state.
    fn slopes_here(&self) -> Result<Slopes, String> {
        let sys = self.sys.clone();
        let n = sys.structure().tangent.nnz();
        let a = &self.derived.a;
        let tangent = |lambda: &[f64], ck: f64, cc: f64| {
            let mut values = vec![0.0; n];
            let quality = sys.tangent(&self.ws, a, lambda, ck, cc, &mut values);
            match quality {
                Quality::Exact => Ok(values),
                Quality::Approximate => Err("there is no exact tangent".to_owned()),
            }
        };
        let mut states = StateSlopes::default();
        let k = tangent(&self.derived.lambda, 1.0, 0.0)?;
        let k_out = match sys.measures_dynamics() {
            true => tangent(&self.lambda_out, 1.0, 0.0)?,
            false => Vec::new(),
        };
        let c = tangent(&self.derived.lambda, 0.0, 1.0)?;
        sys.state_slopes(&self.ws, &mut states);
        let inputs = (0..self.kept.inputs.len()).map(|k| sys.input_slopes(&self.ws, k)).collect();
        Ok(Slopes { k, c, k_out, states, inputs })
    }
}
