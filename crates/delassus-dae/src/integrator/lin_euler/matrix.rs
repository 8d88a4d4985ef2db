//! The matrix of a step, factored with pivoting or by the same operations in every step.

use crate::failure::StepFailure;
use crate::problem::Structure;
use delassus_linalg::{Backend, Csr, FixedKkt, KktError, TangentKkt};

/// Solver of the matrix of a step.
#[expect(
    clippy::large_enum_variant,
    reason = "one per method; boxing would add a pointer to every step"
)]
pub(super) enum Matrix {
    Pivoting(TangentKkt),
    Fixed(FixedKkt),
}

impl Matrix {
    pub fn new(st: &Structure, jac: &Csr, fixed_cost: bool) -> Result<Matrix, KktError> {
        let (s, jac) = (st.tangent.clone(), jac.clone());
        let massless = st.mass_floor.iter().any(|m| *m > 0.0);
        Ok(match fixed_cost {
            true => Matrix::Fixed(FixedKkt::new(s, jac, &st.mass, massless)?),
            false => Matrix::Pivoting(TangentKkt::new(s, jac, Backend::Auto)?),
        })
    }

    /// Factors; returns the smallest relative pivot.
    pub fn factor(&mut self, s: &[f64], jac: &[f64]) -> Result<f64, StepFailure> {
        match self {
            Matrix::Pivoting(kkt) => Ok(kkt.factor(s, jac, jac)?.min_relative_pivot),
            Matrix::Fixed(kkt) => Ok(kkt.factor(s, jac)),
        }
    }

    pub fn solve(
        &mut self,
        r: &[f64],
        b: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        match self {
            Matrix::Pivoting(kkt) => kkt.solve(r, b, x, y),
            Matrix::Fixed(kkt) => {
                kkt.solve(r, b, x, y);
                Ok(())
            }
        }
    }
}
