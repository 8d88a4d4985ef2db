//! The contract of methods, on the generalized-α family.

use crate::contract;
use crate::problems;

use contract::{Boxed, UNKNOWN, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

macro_rules! member {
    ($make:ident, $name:literal, $($option:literal = $value:expr),*) => {
        fn $make<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
            by_name($name, &Options::default()$(.with($option, $value))*, p)
        }
    };
    ($make:ident, $name:literal, form $form:literal $(, $option:literal = $value:expr)*) => {
        fn $make<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
            let options = Options::default().with_word("form", $form)$(.with($option, $value))*;
            by_name($name, &options, p)
        }
    };
}

member!(make_00, "gen-alpha", "rho_inf" = 0.0);
member!(make_60, "gen-alpha", "rho_inf" = 0.6);
member!(make_90, "gen-alpha", "rho_inf" = 0.9);
member!(make_100, "gen-alpha", "rho_inf" = 1.0);
member!(make_index2_00, "gen-alpha-index2", "rho_inf" = 0.0);
member!(make_index2_90, "gen-alpha-index2", "rho_inf" = 0.9);
member!(make_ggl_00, "gen-alpha-ggl", "rho_inf" = 0.0);
member!(make_ggl_60, "gen-alpha-ggl", "rho_inf" = 0.6);
member!(make_ggl_90, "gen-alpha-ggl", "rho_inf" = 0.9);
member!(make_hht, "hht",);
member!(make_hht_index2, "hht", form "index2");
member!(make_hht_ggl, "hht", form "ggl", "alpha" = -0.1);
member!(make_newmark, "newmark",);
member!(make_newmark_index2, "newmark", form "index2");

integrator_contract!(rho_00, make_00, order [2.0, 2.0, 2.0], constraints Position, trace None);
integrator_contract!(rho_60, make_60, order [2.0, 2.0, 2.0], constraints Position, trace None);
integrator_contract!(rho_90, make_90, order [2.0, 2.0, 2.0], constraints Position, trace None);
// without dissipation at infinity nothing damps the start-up oscillation of λ
integrator_contract!(rho_100, make_100, order [2.0, 2.0, UNKNOWN], constraints Position, trace None);
integrator_contract!(index2_00, make_index2_00, order [2.0, 2.0, 2.0], constraints Velocity, trace None);
integrator_contract!(index2_90, make_index2_90, order [2.0, 2.0, 2.0], constraints Velocity, trace None);
integrator_contract!(ggl_00, make_ggl_00, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(ggl_60, make_ggl_60, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(ggl_90, make_ggl_90, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(hht, make_hht, order [2.0, 2.0, 2.0], constraints Position, trace None);
integrator_contract!(hht_index2, make_hht_index2, order [2.0, 2.0, 2.0], constraints Velocity, trace None);
integrator_contract!(hht_ggl, make_hht_ggl, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(newmark, make_newmark, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(newmark_index2, make_newmark_index2, order [2.0, 2.0, 2.0], constraints Velocity, trace None);
