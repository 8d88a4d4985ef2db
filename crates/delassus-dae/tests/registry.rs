//! The list of methods: names, options, descriptions.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod problems;

use delassus_dae::Settings;
use delassus_dae::integrator::{METHODS, info, make};
use problems::{Dense, Pendulum};

#[test]
fn methods_have_names_of_their_own() {
    let p = Dense::new(Pendulum);
    for (k, m) in METHODS.iter().enumerate() {
        assert!(METHODS[..k].iter().all(|o| o.name != m.name));
        assert_eq!(make(m.name, &p, &Settings::default()).unwrap().unwrap().info(), *m);
        assert!(!m.summary.is_empty() && !m.citation.is_empty() && m.default_rtol > 0.0);
    }
    assert!(make("no such method", &p, &Settings::default()).is_none());
    assert!(info("no such method").is_none());
}
