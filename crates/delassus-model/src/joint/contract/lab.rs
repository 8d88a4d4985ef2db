//! A system whose functions can be evaluated at any state.
//!
//! Used only by tests: if a model of theirs cannot be made, the test ends with the reason.

use super::{ROPES, TELESCOPES, dense};
use crate::spec::ModelSpec;
use crate::system::body::{roping, telescoping};
use crate::{Model, System, Workspace, compile};
use delassus_dae::problem::mass_mul_add;
use delassus_dae::{Problem, Quality, State};
use nalgebra::{DMatrix, DVector};

/// A system whose functions can be evaluated at any state.
pub(crate) struct Lab {
    pub sys: System,
    pub ws: Workspace,
}

impl Lab {
    pub fn new(text: &str) -> Lab {
        let spec: ModelSpec = toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut model = compile(&spec).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        if text.starts_with(TELESCOPES) {
            telescoping(&mut model);
        }
        if let Some(nodes) = text.strip_prefix(ROPES).and_then(|rest| rest.lines().next()) {
            roping(&mut model, nodes.parse().unwrap_or_else(|e| panic!("{e}: {nodes}")));
        }
        let sys = System::new(model).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let ws = sys.workspace();
        Lab { sys, ws }
    }

    pub fn model(&self) -> &Model {
        self.sys.model()
    }

    pub fn realize(&mut self, s: &State) {
        self.sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        self.sys.realize_velocity(&s.v, &s.z, &mut self.ws);
    }

    pub fn force(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().nv];
        self.sys.force(&self.ws, &mut out);
        out.into()
    }

    pub fn position_rows(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_pos];
        self.sys.residual_pos(&self.ws, &mut out);
        out.into()
    }

    pub fn velocity_rows(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_vel];
        self.sys.residual_vel(&self.ws, &mut out);
        out.into()
    }

    pub fn bias(&mut self, s: &State) -> DVector<f64> {
        self.realize(s);
        let mut out = vec![0.0; self.sys.dims().n_vel];
        self.sys.bias(&self.ws, &mut out);
        out.into()
    }

    pub fn jacobian(&mut self, s: &State) -> DMatrix<f64> {
        self.realize(s);
        let pattern = &self.sys.structure().jac;
        let mut values = vec![0.0; pattern.nnz()];
        self.sys.jacobian(&self.ws, &mut values);
        dense(pattern, &values)
    }

    /// Mass matrix, column by column.
    pub fn mass(&mut self, s: &State) -> DMatrix<f64> {
        self.realize(s);
        let blocks = &self.sys.structure().mass;
        let mut values = vec![0.0; blocks.value_len()];
        self.sys.mass(&self.ws, &mut values);
        let n = self.sys.dims().nv;
        let mut out = DMatrix::zeros(n, n);
        for k in 0..n {
            let e: DVector<f64> = DVector::from_fn(n, |i, _| f64::from(u8::from(i == k)));
            let mut y = vec![0.0; n];
            mass_mul_add(blocks, &values, e.as_slice(), &mut y);
            out.set_column(k, &DVector::from(y));
        }
        out
    }

    /// M a − f − Gᵀλ.
    pub fn residual(&mut self, s: &State, a: &DVector<f64>, l: &DVector<f64>) -> DVector<f64> {
        self.mass(s) * a - self.force(s) - self.jacobian(s).transpose() * l
    }

    pub fn tangent(
        &mut self,
        s: &State,
        a: &[f64],
        l: &[f64],
        ck: f64,
        cc: f64,
    ) -> (DMatrix<f64>, Quality) {
        self.realize(s);
        let pattern = &self.sys.structure().tangent;
        let mut values = vec![0.0; pattern.nnz()];
        let quality = self.sys.tangent(&self.ws, a, l, ck, cc, &mut values);
        (dense(pattern, &values), quality)
    }
}
