//! Interactions along scalars: stops of joints, ropes, clutches, dry friction, sums of
//! coordinates. Gap, rows and biases are those of the scalars, as in constraint rows.
//!
//! ```text
//! g = offset + Σ c s,   u_N = Σ c ṡ,   u_T = Σ c′ ṡ′
//! ```

use crate::Contact;
use crate::system::scalar::{Gradient, PairScalar};
use crate::system::{System, Workspace};
use delassus_dae::{ContactPoint, PointLaw};

/// An interaction with one or two points.
#[derive(Debug, Clone)]
pub(crate) struct ScalarContact {
    /// Its index in [`crate::Model::contacts`].
    pub contact: usize,
    pub points: Vec<ScalarPoint>,
}

/// One point of it.
#[derive(Debug, Clone)]
pub(crate) struct ScalarPoint {
    /// Terms of the gap, or of the rate if the law has no gap.
    pub terms: Vec<(f64, PairScalar)>,
    pub offset: f64,
    /// Terms of the slip velocity.
    pub slip: Vec<(f64, PairScalar)>,
    pub law: PointLaw,
    /// Velocities of all bodies that take part, ascending.
    pub cols: Vec<usize>,
    /// Its label beside the name of the interaction: "upper".
    pub label: &'static str,
}

impl ScalarPoint {
    pub fn has_gap(&self) -> bool {
        matches!(self.law, PointLaw::Contact { .. })
    }

    /// Change of the gap if all of a model of this length moves by one metre (angles: at its length).
    pub fn per_metre(&self, length: f64) -> f64 {
        let of = |s: &PairScalar| if s.kind.is_length() { 1.0 } else { 1.0 / length };
        self.terms.iter().map(|(c, s)| c.abs() * of(s)).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    fn row(&self, k: usize) -> &[(f64, PairScalar)] {
        if k == 0 { &self.terms } else { &self.slip }
    }
}

impl System {
    pub(crate) fn scalar_gap(&self, ws: &Workspace, p: &ScalarPoint) -> f64 {
        if !p.has_gap() {
            return 0.0;
        }
        let sum =
            |gap: f64, (c, s): &(f64, PairScalar)| gap + c * s.kind.value(&self.pair(ws, s), &ws.z);
        p.terms.iter().fold(p.offset, sum)
    }

    /// Gap and rows.
    pub(super) fn scalar_position(&self, ws: &Workspace, p: &ScalarPoint, out: &mut ContactPoint) {
        out.gap = self.scalar_gap(ws, p);
        out.features = [0, 0];
        out.cols.clear();
        out.cols.extend_from_slice(&p.cols);
        out.normal = [0.0; 3];
        for k in 0..p.law.rows() {
            let row = &mut out.rows[k];
            row.clear();
            row.resize(p.cols.len(), 0.0);
            for (c, s) in p.row(k) {
                let h = s.kind.gradient(&self.pair(ws, s));
                self.add_scalar_row(ws, s, *c, &h, &p.cols, row);
                if k == 0 && s.kind.is_length() {
                    let n = h.b_lin * *c;
                    out.normal = [n.x, n.y, n.z];
                }
            }
        }
        if let Some((_, s)) = p.terms.first() {
            let at = ws.kin.frames[s.b].p;
            out.at = [at.x, at.y, at.z];
        }
    }

    /// row += c H on the columns.
    fn add_scalar_row(
        &self,
        ws: &Workspace,
        s: &PairScalar,
        c: f64,
        h: &Gradient,
        cols: &[usize],
        row: &mut [f64],
    ) {
        for (frame, lin, ang) in [(s.a, h.a_lin, h.a_ang), (s.b, h.b_lin, h.b_ang)] {
            let Some(j) = self.jac(&ws.kin, frame) else { continue };
            let Ok(at) = cols.binary_search(&j.span().start) else { continue };
            j.transpose_mul(&(lin * c), &(ang * c), &mut row[at..at + j.len()]);
        }
    }

    /// Rates and biases.
    pub(super) fn scalar_rates(&self, ws: &Workspace, p: &ScalarPoint, out: &mut ContactPoint) {
        for k in 0..p.law.rows() {
            let (mut rate, mut bias) = (0.0, 0.0);
            for (c, s) in p.row(k) {
                let pair = self.pair(ws, s);
                let h = s.kind.gradient(&pair);
                rate += c * pair.rate(&h);
                bias += c * pair.add_bias(s.kind.bias(&pair), &h);
            }
            out.rate[k] = rate;
            out.bias[k] = bias;
        }
    }

    pub(crate) fn contact(&self, k: usize) -> &Contact {
        &self.model.contacts[k]
    }
}
