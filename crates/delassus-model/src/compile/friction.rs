//! Laws of friction: which fields they have, in which range, and which contacts may have them.

use super::contacts::Entry;
use super::context::Path;
use super::coordinates::rate_dim;
use crate::fields::{Value, given};
use crate::spec::{FrictionLawType, Scalar};
use crate::{CoordinateKind, Diagnostic};
use delassus_dae::FrictionLaw;
use delassus_dae::friction_law::{Ambrosio, BengisuAkay, Falling, LuGre, Stribeck, Threlfall};
use delassus_expr::Dim;
use std::sync::Arc;

/// Default exponent of the falling curve.
const GAUSS: f64 = 2.0;
/// Largest one: beyond it the curve is a step.
const MOST: f64 = 10.0;

/// Fields that belong to laws of friction.
const OF_LAWS: [&str; 8] = [
    "creep_speed",
    "dead_speed",
    "fall_rate",
    "stribeck_speed",
    "stribeck_exponent",
    "bristle_stiffness",
    "bristle_damping",
    "viscous_friction",
];

/// Those of them that a law has, on a rigid contact or a compliant one.
fn fields(law: FrictionLawType, rigid: bool) -> &'static [&'static str] {
    match law {
        FrictionLawType::Threlfall => &["creep_speed"],
        FrictionLawType::Ambrosio => &["creep_speed", "dead_speed"],
        FrictionLawType::BengisuAkay => &["creep_speed", "fall_rate"],
        FrictionLawType::Stribeck if rigid => &["stribeck_speed", "stribeck_exponent"],
        FrictionLawType::Stribeck => {
            &["stribeck_speed", "stribeck_exponent", "creep_speed", "viscous_friction"]
        }
        FrictionLawType::Lugre => &[
            "stribeck_speed",
            "stribeck_exponent",
            "bristle_stiffness",
            "bristle_damping",
            "viscous_friction",
        ],
    }
}

impl Entry<'_> {
    /// Friction of a compliant contact: `Some(None)` if it has none.
    pub(super) fn friction_law(&self) -> Option<Option<Arc<dyn FrictionLaw>>> {
        let Some(word) = self.spec.friction_law else {
            let fit = self.refuse_friction_fields(&[], "a contact without `friction_law`");
            let given = given(self.spec);
            let coefficient =
                ["friction", "static_friction"].into_iter().find(|f| given.contains(f));
            let Some(field) = coefficient else { return fit.then_some(None) };
            let text = format!(
                "`{field}` is given, but a contact with a compliant `law` does not stick by itself and needs \
                 `friction_law`"
            );
            let path = self.path.field("friction_law").to_string();
            let help = "give \"threlfall\", \"ambrosio\", \"bengisu-akay\" or \"stribeck\" with `creep_speed`, or \
                        \"lugre\", which holds without creeping";
            self.env.report(Diagnostic::error("E_MISSING_FIELD", path, text).help(help));
            return None;
        };
        let owner = format!("the friction law {} of a compliant contact", word.name());
        let fit = self.refuse_friction_fields(fields(word, false), &owner);
        let coefficients = self.coefficients(word, &owner);
        let law: Option<Arc<dyn FrictionLaw>> = match word {
            FrictionLawType::Threlfall => {
                let creep_speed = self.needs("creep_speed", &self.spec.creep_speed, &owner);
                let (friction, _) = coefficients?;
                Some(Arc::new(Threlfall { friction, creep_speed: creep_speed? }))
            }
            FrictionLawType::Ambrosio => {
                let creep_speed = self.needs("creep_speed", &self.spec.creep_speed, &owner);
                let dead = self.number("dead_speed", &self.spec.dead_speed);
                let ((friction, _), creep_speed) = (coefficients?, creep_speed?);
                let dead_speed = dead?.unwrap_or(0.0);
                if dead_speed >= creep_speed {
                    let text = format!(
                        "`dead_speed` is {dead_speed}, but must be below `creep_speed`, which is {creep_speed}"
                    );
                    let help = "friction rises from `dead_speed` to `creep_speed`";
                    self.env.range(&self.path.field("dead_speed"), text, help);
                    return None;
                }
                Some(Arc::new(Ambrosio { friction, dead_speed, creep_speed }))
            }
            FrictionLawType::BengisuAkay => {
                let creep_speed = self.needs("creep_speed", &self.spec.creep_speed, &owner);
                let fall_rate = self.needs("fall_rate", &self.spec.fall_rate, &owner);
                let (sliding, at_rest) = coefficients?;
                let (creep_speed, fall_rate) = (creep_speed?, fall_rate?);
                Some(Arc::new(BengisuAkay { sliding, at_rest, creep_speed, fall_rate }))
            }
            FrictionLawType::Stribeck => {
                let creep_speed = self.needs("creep_speed", &self.spec.creep_speed, &owner);
                let viscous = self.number("viscous_friction", &self.spec.viscous_friction);
                let falling = self.falling(coefficients?, Dim::VELOCITY, &owner);
                let (creep_speed, viscous) = (creep_speed?, viscous?.unwrap_or(0.0));
                Some(Arc::new(Stribeck { falling: falling?, creep_speed, viscous }))
            }
            FrictionLawType::Lugre => {
                let stiffness =
                    self.needs("bristle_stiffness", &self.spec.bristle_stiffness, &owner);
                let damping = self.needs("bristle_damping", &self.spec.bristle_damping, &owner);
                let viscous = self.number("viscous_friction", &self.spec.viscous_friction);
                let falling = self.falling(coefficients?, Dim::VELOCITY, &owner);
                let (stiffness, damping) = (stiffness?, damping?);
                let viscous = viscous?.unwrap_or(0.0);
                Some(Arc::new(LuGre { falling: falling?, stiffness, damping, viscous }))
            }
        };
        fit.then_some(Some(law?))
    }

    /// The falling curve of dry friction in a joint: `Some(None)` if it has none.
    pub(super) fn dry_curve(
        &self,
        bounds: (f64, f64),
        kind: CoordinateKind,
    ) -> Option<Option<Falling>> {
        match self.spec.friction_law {
            None => {
                let owner = "dry friction without `friction_law`";
                self.refuse_friction_fields(&[], owner).then_some(None)
            }
            Some(FrictionLawType::Stribeck) => {
                let owner = "the friction law stribeck of dry friction";
                let falling = self.falling(bounds, rate_dim(kind), owner)?;
                Some(Some(falling))
            }
            Some(word) => {
                let text = format!(
                    "the friction law {} is one of compliant contact of shapes, but this is dry friction in a joint",
                    word.name()
                );
                let path = self.path.field("friction_law").to_string();
                let help = "take \"stribeck\", or remove it";
                self.env.report(Diagnostic::error("E_FRICTION_LAW", path, text).help(help));
                None
            }
        }
    }

    /// The falling curve of a rigid contact: `Some(None)` if it has none.
    pub(super) fn rigid_curve(&self, coefficients: (f64, f64)) -> Option<Option<Falling>> {
        let Some(word) = self.spec.friction_law else {
            let owner = "a contact without `friction_law`";
            return self.refuse_friction_fields(&[], owner).then_some(None);
        };
        if word != FrictionLawType::Stribeck {
            let text = format!(
                "the friction law {} is one of compliant contact, but this contact is rigid: it sticks and slides by \
                 itself",
                word.name()
            );
            let path = self.path.field("friction_law").to_string();
            let help = "give a compliant `law` too, or remove it; \"stribeck\" fits both";
            self.env.report(Diagnostic::error("E_FRICTION_LAW", path, text).help(help));
            return None;
        }
        let owner = "the friction law stribeck of a rigid contact";
        let fit = self.refuse_friction_fields(fields(word, true), owner);
        if self.spec.friction.is_none() {
            self.miss_friction(owner);
            return None;
        }
        let falling = self.falling(coefficients, Dim::VELOCITY, owner)?;
        fit.then_some(Some(falling))
    }

    /// Reports fields of friction laws that this one does not have.
    fn refuse_friction_fields(&self, own: &[&str], owner: &str) -> bool {
        let given = given(self.spec);
        let strange = |f: &&&str| given.contains(*f) && !own.contains(*f);
        for name in OF_LAWS.iter().filter(strange) {
            let text = format!("`{name}` is given, but has no meaning for {owner}");
            let path = self.path.field(name).to_string();
            let help = "remove it, or name a `friction_law` that has it";
            self.env.report(Diagnostic::error("E_FIELD_UNUSED", path, text).help(help));
        }
        OF_LAWS.iter().filter(strange).count() == 0
    }

    fn miss_friction(&self, owner: &str) {
        let help = "give the coefficient of sliding friction";
        self.env.missing(&self.path.field("friction"), owner, help);
    }

    /// Sliding and static coefficients within the range of the law.
    fn coefficients(&self, word: FrictionLawType, owner: &str) -> Option<(f64, f64)> {
        if self.spec.friction.is_none() {
            self.miss_friction(owner);
            return None;
        }
        if !word.has_static() && self.spec.static_friction.is_some() {
            let path = self.path.field("static_friction").to_string();
            let text = format!("`static_friction` is given, but has no meaning for {owner}");
            let help = "remove it, or take bengisu-akay, stribeck or lugre";
            self.env.report(Diagnostic::error("E_FIELD_UNUSED", path, text).help(help));
            return None;
        }
        let (sliding, at_rest) = self.friction_bounds()?;
        if sliding > 0.0 || word != FrictionLawType::Lugre {
            return Some((sliding, at_rest));
        }
        let text = "`friction` is 0, but the law lugre divides by it and needs more".to_owned();
        let path = self.path.field("friction").to_string();
        let help = "remove `friction_law` for a contact without friction";
        self.env.report(Diagnostic::error("E_FRICTION", path, text).help(help));
        None
    }

    fn falling(&self, (sliding, at_rest): (f64, f64), dim: Dim, owner: &str) -> Option<Falling> {
        let exponent = self.number("stribeck_exponent", &self.spec.stribeck_exponent);
        // a curve that does not fall has no speed at which it does
        let speed = match (&self.spec.stribeck_speed, at_rest > sliding) {
            (None, false) => Some(1.0),
            (value, _) => self.needs_in("stribeck_speed", value, dim, owner),
        };
        let exponent = exponent?.unwrap_or(GAUSS);
        if !(1.0..=MOST).contains(&exponent) {
            let text = format!("`stribeck_exponent` is {exponent}, but must be from 1 to {MOST}");
            let help = "1 falls at once, 2 begins flat";
            self.env.range(&self.path.field("stribeck_exponent"), text, help);
            return None;
        }
        Some(Falling { sliding, at_rest, speed: speed?, exponent })
    }

    /// A number that the law requires.
    fn needs(&self, name: &str, value: &Option<Scalar>, owner: &str) -> Option<f64> {
        let dim = match self.spec.kind.entry().field(name).map(|f| f.value) {
            Some(Value::Number(dim)) => dim,
            _ => Dim::Any,
        };
        self.needs_in(name, value, dim, owner)
    }

    /// The same for a number whose dimension depends on what the entry refers to.
    fn needs_in(&self, name: &str, value: &Option<Scalar>, dim: Dim, owner: &str) -> Option<f64> {
        let entry = self.spec.kind.entry();
        if value.is_none() {
            let path: Path<'_> = self.path.field(name);
            let help = entry.field(name).map_or("", |f| f.help);
            self.env.missing(&path, owner, help);
            return None;
        }
        self.env.number_in(self.path, entry, name, value.as_ref(), dim)?
    }
}
