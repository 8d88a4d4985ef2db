//! Derivatives by differences, and the tangent against them.

use super::{Lab, Rng, close, dense};
use delassus_dae::{Problem, Quality, State};
use nalgebra::{DMatrix, DVector};

impl Lab {
    /// The state moved by (ξ, δv, δt).
    pub fn moved(&self, s: &State, xi: &DVector<f64>, dv: &DVector<f64>, dt: f64) -> State {
        let mut out = s.clone();
        self.sys.manifold().retract(&s.q, xi.as_slice(), &mut out.q);
        out.v = (DVector::from(s.v.clone()) + dv).as_slice().to_vec();
        out.t += dt;
        out
    }

    /// Derivative of `of` when the state moves at the rates (ξ, δv, δt): fourth order.
    pub fn slope(
        &mut self,
        s: &State,
        rates: (&DVector<f64>, &DVector<f64>, f64),
        mut of: impl FnMut(&mut Lab, &State) -> DVector<f64>,
    ) -> DVector<f64> {
        const H: f64 = 4e-4;
        let mut at = |c: f64| {
            let h = c * H;
            let moved = self.moved(s, &(rates.0 * h), &(rates.1 * h), rates.2 * h);
            of(self, &moved)
        };
        let (near, far) = (at(1.0) - at(-1.0), at(2.0) - at(-2.0));
        (near * 8.0 - far) / (12.0 * H)
    }

    /// ∂/∂ξ or ∂/∂v of `of`, one column per velocity.
    pub fn gradient(
        &mut self,
        s: &State,
        in_v: bool,
        mut of: impl FnMut(&mut Lab, &State) -> DVector<f64>,
    ) -> DMatrix<f64> {
        let n = self.sys.dims().nv;
        let zero = DVector::zeros(n);
        let columns: Vec<DVector<f64>> = (0..n)
            .map(|k| {
                let mut e = DVector::zeros(n);
                e[k] = 1.0;
                let rates = if in_v { (&zero, &e, 0.0) } else { (&e, &zero, 0.0) };
                self.slope(s, rates, &mut of)
            })
            .collect();
        DMatrix::from_columns(&columns)
    }

    /// K and C against differences of the residual. True when the system claims they are exact.
    pub fn check_tangent(&mut self, s: &State, rng: &mut Rng, what: &str) -> bool {
        let d = self.sys.dims();
        let (a, l) = (rng.vector(d.nv), rng.vector(d.n_vel));
        let (k, quality) = self.tangent(s, a.as_slice(), l.as_slice(), 1.0, 0.0);
        let (c, _) = self.tangent(s, a.as_slice(), l.as_slice(), 0.0, 1.0);
        if quality == Quality::Exact {
            let expected = self.gradient(s, false, |lab, s| lab.residual(s, &a, &l));
            close(&k, &expected, 1e-6, &format!("{what}: K"));
        }
        let expected = self.gradient(s, true, |lab, s| lab.residual(s, &a, &l));
        close(&c, &expected, 1e-6, &format!("{what}: C"));
        let (both, _) = self.tangent(s, a.as_slice(), l.as_slice(), 0.3, 0.7);
        close(&both, &(k * 0.3 + c * 0.7), 1e-12, &format!("{what}: 0.3 K + 0.7 C"));
        self.check_feedback(s, what);
        quality == Quality::Exact
    }

    /// What auxiliary states add to the tangent, against differences.
    fn check_feedback(&mut self, s: &State, what: &str) {
        let d = self.sys.dims();
        let z_dot = |lab: &mut Lab, s: &State| {
            lab.realize(s);
            let mut out = vec![0.0; d.nz];
            lab.sys.z_dot(&lab.ws, &mut out);
            DVector::from(out)
        };
        let by_z = DMatrix::from_fn(d.nv, d.nz, |i, k| {
            let mut at = |z: f64| {
                let mut moved = s.clone();
                moved.z[k] += z;
                self.force(&moved)[i]
            };
            const H: f64 = 1e-4;
            (at(H) - at(-H)) / (2.0 * H)
        });
        for (in_v, ck, cc) in [(false, 1.0, 0.0), (true, 0.0, 1.0)] {
            let expected = -&by_z * self.gradient(s, in_v, z_dot);
            self.realize(s);
            let pattern = &self.sys.structure().tangent;
            let mut values = vec![0.0; pattern.nnz()];
            self.sys.feedback(&self.ws, &vec![[ck, cc]; d.nz], &mut values);
            close(&dense(pattern, &values), &expected, 1e-6, &format!("{what}: feedback"));
        }
    }
}
