//! Methods with accelerations of their own (`mal`, `mns`) let the user choose the tableau.

use super::{Explicit, dopri5, rk4};
use crate::integrator::{MethodInfo, OptionInfo, OptionKind, Settings};
use crate::problem::Problem;

/// Which tableau.
pub(in crate::integrator) const DRIVER: OptionInfo = OptionInfo {
    name: "driver",
    summary: "explicit formula: dopri5 (order 5, adaptive) or rk4 (order 4, fixed step)",
    kind: OptionKind::Choice { default: "dopri5", choices: &["dopri5", "rk4"] },
};

/// The method `info`, which has the option [`DRIVER`] and is described with `dopri5`.
pub(in crate::integrator) fn driven<P: Problem, E>(
    p: &P,
    s: &Settings,
    info: MethodInfo,
    eval: E,
) -> Explicit<E> {
    match s.options.word(&info, DRIVER.name) {
        "rk4" => {
            let MethodInfo { order, dense_order, adaptive, error_order, .. } = rk4::RK4.info;
            let info = MethodInfo { order, dense_order, adaptive, error_order, ..info };
            Explicit::with(p, info, &rk4::TABLEAU, eval)
        }
        _ => Explicit::with(p, info, &dopri5::TABLEAU, eval),
    }
}
