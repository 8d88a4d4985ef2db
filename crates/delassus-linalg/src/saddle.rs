//! Layout of `[[S, −Gᵀ], [G, 0]]` shared by the dense and sparse LU.

use crate::pattern::Csr;

/// Below this pivot (equilibrated matrix) constraints count as redundant.
pub(crate) const PIVOT_WEAK: f64 = 1e-11;
/// Below this pivot not even the regularised matrix can be inverted.
pub(crate) const PIVOT_LOST: f64 = 1e-13;

/// Entries of the saddle matrix in the order their values arrive: `S`, `G` of
/// the constraint rows, `−Gᵀ` of the multiplier columns, then the multiplier
/// diagonal that regularisation needs.
#[derive(Debug, Clone)]
pub(crate) struct Saddle {
    pub(crate) n: usize,
    pub(crate) nv: usize,
    pub(crate) entries: Vec<(u32, u32)>,
}

impl Saddle {
    pub(crate) fn new(s: &Csr, jac: &Csr) -> Saddle {
        let nv = s.nrows;
        let mut entries = Vec::with_capacity(s.nnz() + 2 * jac.nnz());
        for i in 0..nv {
            entries.extend(s.row(i).iter().map(|&j| (i as u32, j as u32)));
        }
        for i in 0..jac.nrows {
            let row = (nv + i) as u32;
            entries.extend(jac.row(i).iter().map(|&j| (row, j as u32)));
        }
        for i in 0..jac.nrows {
            let column = (nv + i) as u32;
            entries.extend(jac.row(i).iter().map(|&j| (j as u32, column)));
        }
        Saddle { n: nv + jac.nrows, nv, entries }
    }
}

/// Power of two near `1/x` (1 for zero, subnormal or non-finite `x`).
pub(crate) fn power_of_two_inverse(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) & 0x7ff;
    if exponent == 0 || exponent >= 0x7fe {
        return 1.0;
    }
    f64::from_bits((0x7fe - exponent) << 52)
}

#[cfg(test)]
mod tests {
    use super::power_of_two_inverse;

    #[test]
    fn powers_of_two() {
        assert_eq!(power_of_two_inverse(1.0), 1.0);
        assert_eq!(power_of_two_inverse(1.9), 1.0);
        assert_eq!(power_of_two_inverse(8.5), 0.125);
        assert_eq!(power_of_two_inverse(0.3), 4.0);
        assert_eq!(power_of_two_inverse(0.0), 1.0);
    }
}
