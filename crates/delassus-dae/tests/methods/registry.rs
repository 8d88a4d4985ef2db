//! The list of methods: names, options, descriptions.

use crate::problems;

use delassus_dae::Settings;
use delassus_dae::integrator::{METHODS, OptionKind, OptionValue, Options, info, make};
use problems::{Dense, Pendulum};

#[test]
fn no_name_stands_for_two_methods() {
    let mut names: Vec<&str> =
        METHODS.iter().flat_map(|m| m.aliases.iter().copied().chain([m.name])).collect();
    for name in &names {
        assert!(!name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == ','));
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn methods_are_made_by_their_names_and_describe_themselves() {
    let p = Dense::new(Pendulum);
    for m in METHODS {
        for name in m.aliases.iter().chain([&m.name]) {
            assert_eq!(info(name), Some(*m));
            assert_eq!(make(name, &p, &Settings::default()).unwrap().unwrap().info(), *m);
        }
        assert!(!m.summary.is_empty() && !m.citation.is_empty(), "{}", m.name);
        assert!(m.default_rtol > 0.0 && m.default_rtol < 1.0, "{}", m.name);
        assert!((1..=3).contains(&m.index), "{}", m.name);
        assert!(m.order.iter().all(|o| *o > 0) && m.dense_order > 0, "{}", m.name);
        // an estimate is no better than the solution it belongs to
        assert!((1..=m.order[0] + 1).contains(&m.error_order), "{}", m.name);
    }
    assert!(make("no such method", &p, &Settings::default()).is_none());
    assert!(info("no such method").is_none());
}

/// All values that an option names (default, borders, words) pass the check and make a method.
#[test]
fn every_stated_value_of_an_option_is_accepted() {
    let p = Dense::new(Pendulum);
    for m in METHODS {
        for (k, o) in m.options.iter().enumerate() {
            assert!(m.options[..k].iter().all(|other| other.name != o.name));
            assert!(!o.summary.is_empty(), "{} {}", m.name, o.name);
            let (values, bad) = match o.kind {
                OptionKind::Number { .. } | OptionKind::Rate { .. } | OptionKind::Whole { .. } => {
                    let [default, min, max] = o.kind.range().unwrap();
                    assert!(min < max, "{} {}", m.name, o.name);
                    let values = [default, min, max].map(OptionValue::Number).to_vec();
                    (values, OptionValue::Number(max + 1.0))
                }
                OptionKind::Choice { default, choices } => {
                    assert!(choices.len() > 1, "{} {}", m.name, o.name);
                    let words = choices.iter().chain([&default]);
                    let values = words.map(|w| OptionValue::Word((*w).to_owned())).collect();
                    (values, OptionValue::Word("no such word".to_owned()))
                }
            };
            for value in values {
                let mut options = Options::default();
                options.set(o.name, value);
                options.check(m).unwrap_or_else(|e| panic!("{}: {e}", m.name));
                let settings = Settings { options, ..Default::default() };
                assert_eq!(make(m.name, &p, &settings).unwrap().unwrap().info().name, m.name);
            }
            let mut options = Options::default();
            options.set(o.name, bad);
            assert!(options.check(m).is_err(), "{} {}", m.name, o.name);
        }
    }
}

#[test]
fn whole_numbers_have_no_fractions() {
    let bdf = info("bdf").unwrap();
    Options::default().with("max_order", 3.0).check(&bdf).unwrap();
    let error = Options::default().with("max_order", 2.5).check(&bdf).unwrap_err();
    assert_eq!(error.to_string(), "max_order is 2.5, but must be a whole number from 1 to 5");
}
