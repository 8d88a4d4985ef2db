//! Laws of compliant contact: which fields they have, in which range, and their stiffness.

use super::contacts::Entry;
use crate::fields::given;
use crate::spec::{EndType, LawType, NamesSpec, Scalar, StartType};
use crate::{ContactLaw, Diagnostic, Stiffness};
use delassus_dae::normal_law::{
    Damping, EndRule, Exact, Flores, Gonthier, HerbertMcWhannell, Hertz, HuGuo, HuntCrossley,
    KelvinVoigt, LankaraniNikravesh, LeeWang, NormalLaw, ZhiyingQishao,
};
use delassus_dae::{Compliance, StartRule};
use delassus_expr::Dim;
use std::sync::Arc;

/// Default exponent of Hertz-type laws.
const HERTZ: f64 = 1.5;
/// Largest exponent: beyond it a contact has hardly any force and then a wall.
const MOST: f64 = 10.0;
/// Default of the smallest approach speed that is latched, m/s.
const LEAST_SPEED: f64 = 1e-4;

/// Fields that only a contact with a law has.
const OF_LAWS: [&str; 9] = [
    "stiffness",
    "exponent",
    "material",
    "damping",
    "end",
    "least_speed",
    "start",
    "max_start_depth",
    "min_start_step",
];
/// Fields that a contact with a law does not have.
const OF_RIGID: [&str; 1] = ["restitution_law"];

impl Entry<'_> {
    /// The law of a contact of shapes: `Some(None)` if it has none.
    pub(super) fn compliance(&self) -> Option<Option<ContactLaw>> {
        let refuse = |fields: &[&'static str], owner: &str, help: &str| {
            let given = given(self.spec);
            for name in fields.iter().filter(|f| given.contains(f)) {
                let text = format!("`{name}` is given, but has no meaning for {owner}");
                let path = self.path.field(name).to_string();
                self.env.report(Diagnostic::error("E_FIELD_UNUSED", path, text).help(help));
            }
            !fields.iter().any(|f| given.contains(f))
        };
        let Some(word) = self.spec.law else {
            let help = "remove it, or give `law`, such as \"lankarani-nikravesh\"";
            return refuse(&OF_LAWS, "a contact without `law`", help).then_some(None);
        };
        let rigid = refuse(
            &OF_RIGID,
            "a contact with a compliant `law`",
            "remove it: the law says itself what comes back",
        );
        let law = self.law(word);
        let stiffness = law.as_ref().and_then(|law| self.stiffness(word, law.exponent()));
        let friction = self.friction_law();
        let least_speed = self.number("least_speed", &self.spec.least_speed);
        let start = self.start();
        let (start, max_start_depth, min_start_step) = start?;
        let compliance = Compliance {
            law: law?,
            least_speed: least_speed?.unwrap_or(LEAST_SPEED),
            start,
            max_start_depth,
            min_start_step,
        };
        let stiffness = stiffness?;
        let friction = friction?;
        rigid.then_some(Some(ContactLaw { compliance, stiffness, friction }))
    }

    pub(super) fn number(&self, name: &str, value: &Option<Scalar>) -> Option<Option<f64>> {
        self.env.number(self.path, self.spec.kind.entry(), name, value.as_ref())
    }

    fn start(&self) -> Option<(StartRule, f64, f64)> {
        let least = self.number("min_start_step", &self.spec.min_start_step)?;
        let depth = self.number("max_start_depth", &self.spec.max_start_depth)?;
        let path = self.path.field("max_start_depth");
        let start = self.spec.start.unwrap_or_default();
        if least.is_some() && start != StartType::Shrink {
            let path = self.path.field("min_start_step").to_string();
            let text = "`min_start_step` is given, but only `start = \"shrink\"` has it";
            let fault = Diagnostic::error("E_FIELD_UNUSED", path, text);
            self.env.report(fault.help("remove it: other starts are not sought by halving steps"));
            return None;
        }
        match (start, depth) {
            (StartType::Shrink, Some(depth)) => {
                Some((StartRule::Shrink, depth, least.unwrap_or(0.0)))
            }
            (StartType::Shrink, None) => {
                let help = "say how deep a contact may begin, such as \"1 um\"";
                self.env.missing(&path, "`start = \"shrink\"`", help);
                None
            }
            (_, Some(_)) => {
                let text = "`max_start_depth` is given, but only `start = \"shrink\"` has it";
                let fault = Diagnostic::error("E_FIELD_UNUSED", path.to_string(), text);
                let help = "remove it: other contacts begin where the gap is zero";
                self.env.report(fault.help(help));
                None
            }
            (StartType::Locate, None) => Some((StartRule::Locate, 0.0, 0.0)),
            (StartType::Interpolate, None) => Some((StartRule::Interpolate, 0.0, 0.0)),
        }
    }

    fn law(&self, word: LawType) -> Option<Arc<dyn NormalLaw>> {
        let name = word.name();
        let unused = |field: &'static str, given: bool| {
            if given {
                let text = format!("`{field}` is given, but has no meaning for the law {name}");
                let path = self.path.field(field).to_string();
                let help = format!("remove it, or take another law than {name}");
                self.env.report(Diagnostic::error("E_FIELD_UNUSED", path, text).help(help));
            }
            !given
        };
        if word == LawType::KelvinVoigt {
            let linear = unused("exponent", self.spec.exponent.is_some());
            let damping = self.damping(word);
            let end = match self.spec.end.unwrap_or_default() {
                EndType::Force => EndRule::Force,
                EndType::Gap => EndRule::Gap,
            };
            return linear.then_some(Arc::new(KelvinVoigt { damping: damping?, end }));
        }
        let fits = [
            unused("damping", self.spec.damping.is_some()),
            unused("end", self.spec.end.is_some()),
        ];
        let exponent = self.number("exponent", &self.spec.exponent)?.unwrap_or(HERTZ);
        if !(1.0..=MOST).contains(&exponent) {
            let text = format!("the exponent is {exponent}, but must be from 1 to {MOST}");
            let help = "3/2 is that of round bodies, 1 that of a linear spring";
            self.env.range(&self.path.field("exponent"), text, help);
            return None;
        }
        if word == LawType::Hertz {
            let lossless = unused("restitution", self.spec.restitution.is_some());
            return (lossless && fits == [true; 2]).then_some(Arc::new(Hertz { exponent }));
        }
        let restitution = self.restitution_of(word)?;
        if fits != [true; 2] {
            return None;
        }
        Some(match word {
            LawType::HuntCrossley => Arc::new(HuntCrossley { exponent, restitution }),
            LawType::HerbertMcwhannell => Arc::new(HerbertMcWhannell { exponent, restitution }),
            LawType::LeeWang => Arc::new(LeeWang { exponent, restitution }),
            LawType::LankaraniNikravesh => Arc::new(LankaraniNikravesh { exponent, restitution }),
            LawType::Gonthier => Arc::new(Gonthier { exponent, restitution }),
            LawType::Flores => Arc::new(Flores { exponent, restitution }),
            LawType::ZhiyingQishao => Arc::new(ZhiyingQishao { exponent, restitution }),
            LawType::HuGuo => Arc::new(HuGuo { exponent, restitution }),
            // the other two returned above
            LawType::Exact | LawType::Hertz | LawType::KelvinVoigt => {
                Arc::new(Exact::new(exponent, restitution))
            }
        })
    }

    fn damping(&self, word: LawType) -> Option<Damping> {
        let path = self.path.field("damping");
        match (&self.spec.damping, &self.spec.restitution) {
            (Some(_), Some(_)) => {
                let text =
                    "`damping` and `restitution` are given, but the one follows from the other";
                let fault = Diagnostic::error("E_FIELD_UNUSED", path.to_string(), text);
                self.env.report(fault.help("remove one of the two"));
                None
            }
            (Some(_), None) => self.number("damping", &self.spec.damping)?.map(Damping::Given),
            (None, _) => self.restitution_of(word).map(Damping::Restitution),
        }
    }

    /// The coefficient of restitution within the range of the law.
    fn restitution_of(&self, word: LawType) -> Option<f64> {
        if self.spec.restitution.is_none() {
            let owner = format!("the law {}", word.name());
            let help =
                "give the coefficient of restitution; the law hertz has no losses and needs none";
            self.env.missing(&self.path.field("restitution"), &owner, help);
            return None;
        }
        let e = self.restitution()?.e;
        if e > 0.0 || !word.divides_by_restitution() {
            return Some(e);
        }
        let text = format!(
            "the law {} divides by the coefficient of restitution, which is {e}, but must be more than 0",
            word.name()
        );
        let path = self.path.field("restitution").to_string();
        let help = "take a small one such as 0.01, or a law that allows 0, such as zhiying-qishao";
        self.env.report(Diagnostic::error("E_RESTITUTION", path, text).help(help));
        None
    }

    fn stiffness(&self, word: LawType, n: f64) -> Option<Stiffness> {
        let (path, entry) = (self.path, self.spec.kind.entry());
        match (&self.spec.stiffness, &self.spec.material) {
            (Some(_), Some(_)) => {
                let text =
                    "`stiffness` and `material` are given, but the one follows from the other";
                let path = path.field("material").to_string();
                let fault = Diagnostic::error("E_FIELD_UNUSED", path, text);
                self.env.report(fault.help("remove one of the two"));
                None
            }
            (None, None) => {
                let owner = format!("the law {}", word.name());
                let help = "give the stiffness K of F = K δⁿ, or `material` for round bodies";
                self.env.missing(&path.field("stiffness"), &owner, help);
                None
            }
            (Some(k), None) => {
                // fractional powers of a metre have no unit: N/m^1.5 is a plain number
                let dim = if n.fract() == 0.0 { Dim::known(1 - n as i8, 1, -2) } else { Dim::NONE };
                let k = self.env.number_in(path, entry, "stiffness", Some(k), dim)?;
                k.map(Stiffness::Given)
            }
            (None, Some(_)) if n != HERTZ => {
                let text = format!(
                    "`material` gives the stiffness of laws with exponent 3/2, but that of this {} is {n}",
                    word.name()
                );
                self.env.range(
                    &path.field("material"),
                    text,
                    "give `stiffness`, or leave `exponent` out",
                );
                None
            }
            (None, Some(names)) => {
                let modulus = self.modulus(names)?;
                Some(Stiffness::Material { modulus })
            }
        }
    }

    /// E* of the materials of both sides, Pa.
    fn modulus(&self, names: &NamesSpec) -> Option<f64> {
        let path = self.path.field("material");
        let list: Vec<&str> = match names {
            NamesSpec::One(name) => vec![name],
            NamesSpec::Many(list) => list.iter().map(String::as_str).collect(),
        };
        if !(1..=2).contains(&list.len()) {
            self.env.shape(&path, list.len(), "2 materials (or one name for both)");
            return None;
        }
        let known = self.parts.materials;
        let sigma = |name: &str| match known.get(name) {
            // a faulty material was already reported
            Some(material) => material.map(|m| m.softness()),
            None => {
                self.env.unknown(&path, "material", name, known.keys().map(String::as_str));
                None
            }
        };
        let sigmas: Option<Vec<f64>> = list.iter().map(|name| sigma(name)).collect();
        let sigmas = sigmas?;
        // one name stands for both sides
        Some(1.0 / (sigmas.first()? + sigmas.last()?))
    }
}
