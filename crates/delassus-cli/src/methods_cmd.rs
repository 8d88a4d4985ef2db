//! `delassus methods`.

use crate::console;
use crate::exit::{Exit, Failure};
use delassus::dae::integrator::METHODS;

/// Lists the methods.
pub fn methods() -> Result<Exit, Failure> {
    let mut text = String::new();
    for m in METHODS {
        let [q, v, l] = m.order;
        text.push_str(&format!("{}\n  {}\n", m.name, m.summary));
        text.push_str(&format!(
            "  order {q} in positions, {v} in velocities, {l} in reactions; default rtol {:e}\n",
            m.default_rtol
        ));
        text.push_str(&format!("  {}\n\n", m.citation));
    }
    console::print(text.trim_end_matches('\n')).and_then(|_| console::print("\n"))
}
