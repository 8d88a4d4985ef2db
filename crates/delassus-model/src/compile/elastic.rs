//! Stiffness and inertia of beams: by section and material, or given as they are.

use super::context::{Env, Path};
use super::materials::{Material, Materials};
use super::scalars::constants;
use super::sections::{Section, Sections};
use crate::Diagnostic;
use crate::spec::{BodySpec, ForceSpec, InertiaSpec, RateSpec, Scalar};
use delassus_expr::Dim;
use delassus_math::Vec6;

/// N m².
const BENDING: Dim = Dim::known(3, 1, -2);
/// kg/m.
const LINE_DENSITY: Dim = Dim::known(-1, 1, 0);
/// kg m.
const LINE_INERTIA: Dim = Dim::known(1, 1, 0);

/// What a beam refers to.
#[derive(Clone, Copy)]
pub(super) struct Tables<'t> {
    pub(super) sections: &'t Sections,
    pub(super) materials: &'t Materials,
}

/// A beam per length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Properties {
    /// EA, GA along y and z (infinite without shear), GJ, EI about y and z.
    pub(super) stiffness: Vec6,
    /// kg/m; zero where no mass is asked for.
    pub(super) mass: f64,
    /// Moments of inertia of the section about y and z, kg m.
    pub(super) inertia: [f64; 2],
    /// Time of stiffness-proportional damping, s.
    pub(super) damping: f64,
    /// Half of the extent of the section along y and z, m.
    pub(super) reach: [f64; 2],
}

/// What is written about stiffness and inertia.
pub(super) struct Given<'s> {
    section: Option<&'s String>,
    material: Option<&'s String>,
    shear: Option<bool>,
    damping: Option<&'s Scalar>,
    ea: Option<&'s Scalar>,
    ga: Option<&'s RateSpec>,
    ei: Option<&'s RateSpec>,
    gj: Option<&'s Scalar>,
    mass: Option<&'s Scalar>,
    inertia: Option<&'s RateSpec>,
    /// It is an element without mass.
    massless: bool,
}

impl<'s> Given<'s> {
    pub(super) fn of_body(s: &'s BodySpec) -> Given<'s> {
        Given {
            section: s.section.as_ref(),
            material: s.material.as_ref(),
            shear: s.shear,
            damping: s.damping.as_ref(),
            ea: s.ea.as_ref(),
            ga: s.ga.as_ref(),
            ei: s.ei.as_ref(),
            gj: s.gj.as_ref(),
            mass: s.mass_per_length.as_ref(),
            inertia: s.inertia_per_length.as_ref(),
            massless: false,
        }
    }

    pub(super) fn of_force(s: &'s ForceSpec) -> Given<'s> {
        let damping = match &s.damping {
            Some(InertiaSpec::Planar(x)) => Some(x),
            _ => None,
        };
        Given {
            section: s.section.as_ref(),
            material: s.material.as_ref(),
            shear: s.shear,
            damping,
            ea: s.ea.as_ref(),
            ga: s.ga.as_ref(),
            ei: s.ei.as_ref(),
            gj: s.gj.as_ref(),
            mass: None,
            inertia: None,
            massless: true,
        }
    }
}

/// Reads what an entry says.
pub(super) struct Reader<'e> {
    pub(super) env: &'e Env<'e>,
    pub(super) path: &'e Path<'e>,
    /// What messages call it.
    pub(super) owner: &'e str,
    pub(super) planar: bool,
}

impl Reader<'_> {
    pub(super) fn properties(&self, given: &Given<'_>, tables: Tables<'_>) -> Option<Properties> {
        let direct = [
            ("EA", given.ea.is_some()),
            ("GA", given.ga.is_some()),
            ("EI", given.ei.is_some()),
            ("GJ", given.gj.is_some()),
            ("mass_per_length", given.mass.is_some()),
            ("inertia_per_length", given.inertia.is_some()),
        ];
        if given.section.is_none() && given.material.is_none() && direct.iter().any(|d| d.1) {
            return self.direct(given);
        }
        let owner = format!("{} with a `section` or a `material`", self.owner);
        self.env.unused(self.path, &owner, &direct, &["section", "material", "shear", "damping"]);
        let material = self.named(given.material, "material", tables.materials);
        let section = self.named(given.section, "section", tables.sections);
        let damping = self.damping(given);
        let (material, section) = (material?, section?);
        let found = self.of_section(given, &section, &material);
        if direct.iter().any(|d| d.1) {
            return None;
        }
        Some(Properties { damping: damping?.unwrap_or(material.damping), ..found? })
    }

    /// The entry of a table that is named; what is faulty has been reported.
    fn named<T: Copy>(
        &self,
        name: Option<&String>,
        what: &'static str,
        table: &std::collections::BTreeMap<String, Option<T>>,
    ) -> Option<T> {
        let path = self.path.field(what);
        let Some(name) = name else {
            let help = format!("name a {what}, or give `EA`, `EI` and the others instead");
            self.env.missing(&path, self.owner, &help);
            return None;
        };
        let name = self.env.text(name, &path)?;
        match table.get(&*name) {
            Some(found) => *found,
            None => {
                self.env.unknown(&path, what, &name, table.keys().map(String::as_str));
                None
            }
        }
    }

    fn of_section(
        &self,
        given: &Given<'_>,
        section: &Section,
        material: &Material,
    ) -> Option<Properties> {
        let torsion = match section.torsion {
            Some(j) => j,
            // nothing twists in the plane
            None if self.planar => 1.0,
            None => {
                let text = format!(
                    "the section `{}` has no torsion constant, but {} in space twists",
                    given.section.map_or("", String::as_str),
                    self.owner
                );
                self.env.range(
                    &self.path.field("section"),
                    text,
                    "give `torsion` of the section, or use a body of type `planar-beam`",
                );
                return None;
            }
        };
        let density = match (material.density, given.massless) {
            (Some(density), _) => density,
            (None, true) => 0.0,
            (None, false) => {
                let text = format!(
                    "the material `{}` has no density, but {} has mass",
                    given.material.map_or("", String::as_str),
                    self.owner
                );
                let fault = Diagnostic::error(
                    "E_MISSING_FIELD",
                    self.path.field("material").to_string(),
                    text,
                );
                self.env.report(fault.help("give `density` of the material, such as 7850"));
                return None;
            }
        };
        let (e, g, a) = (material.young, material.shear, section.area);
        let factors = section.shear_factors(material.poisson);
        let shear = |k: usize| match given.shear {
            Some(false) => f64::INFINITY,
            _ => factors[k] * g * a,
        };
        let [iy, iz] = section.inertia;
        Some(Properties {
            stiffness: Vec6::new(e * a, shear(0), shear(1), g * torsion, e * iy, e * iz),
            mass: density * a,
            inertia: [density * iy, density * iz],
            damping: 0.0,
            reach: section.reach,
        })
    }

    fn direct(&self, given: &Given<'_>) -> Option<Properties> {
        let needed = |value: Option<&Scalar>, field: &str, dim: Dim, help: &str| match value {
            Some(value) => self.positive(value, field, dim),
            None => {
                self.env.missing(&self.path.field(field), self.owner, help);
                None
            }
        };
        let ea = needed(given.ea, "EA", Dim::FORCE, "give the axial stiffness in N");
        let ei = match given.ei {
            Some(value) => self.pair(value, "EI", BENDING),
            None => {
                let help = "give the bending stiffness in N*m^2";
                self.env.missing(&self.path.field("EI"), self.owner, help);
                None
            }
        };
        let ga = match given.ga {
            Some(value) => self.pair(value, "GA", Dim::FORCE).map(Some),
            None => Some(None),
        };
        if given.shear.is_some() {
            let owner = format!("{} with `EA`", self.owner);
            let used = ["EA", "GA", "EI", "GJ"];
            self.env.unused(self.path, &owner, &[("shear", true)], &used);
        }
        let gj = if self.planar {
            self.env.unused(
                self.path,
                self.owner,
                &[("GJ", given.gj.is_some())],
                &["EA", "GA", "EI"],
            );
            Some(1.0)
        } else {
            needed(given.gj, "GJ", BENDING, "give the torsional stiffness in N*m^2")
        };
        let mass = match given.massless {
            true => Some(0.0),
            false => needed(
                given.mass,
                "mass_per_length",
                LINE_DENSITY,
                "give the mass per length in kg/m",
            ),
        };
        let inertia = match given.inertia {
            Some(value) => self.pair(value, "inertia_per_length", LINE_INERTIA).map(Some),
            None => Some(None),
        };
        let damping = self.damping(given);
        let (ea, ei, ga, gj, mass) = (ea?, ei?, ga?, gj?, mass?);
        let [gy, gz] = ga.unwrap_or([f64::INFINITY; 2]);
        // I/A = EI/EA of a homogeneous section
        let inertia = inertia?.unwrap_or(ei.map(|ei| mass * ei / ea));
        Some(Properties {
            stiffness: Vec6::new(ea, gy, gz, gj, ei[0], ei[1]),
            mass,
            inertia,
            damping: damping?.unwrap_or(0.0),
            reach: [ei[1], ei[0]].map(|ei| (3.0 * ei / ea).sqrt()),
        })
    }

    /// `Some(None)` where it is not given.
    fn damping(&self, given: &Given<'_>) -> Option<Option<f64>> {
        let Some(value) = given.damping else { return Some(None) };
        let path = self.path.field("damping");
        let x = self.env.constant(value, &path, Dim::TIME)?;
        if x >= 0.0 {
            return Some(Some(x));
        }
        let text = format!("`damping` is {x} s, but must not be negative");
        self.env.range(&path, text, "give a time of zero or more");
        None
    }

    pub(super) fn positive(&self, value: &Scalar, field: &str, dim: Dim) -> Option<f64> {
        let path = self.path.field(field);
        let x = self.env.constant(value, &path, dim)?;
        self.check(x, field, &path)
    }

    fn check(&self, x: f64, field: &str, path: &Path<'_>) -> Option<f64> {
        if x > 0.0 {
            return Some(x);
        }
        let text = format!("`{field}` is {x}, but must be more than 0");
        self.env.range(path, text, "give a value above zero");
        None
    }

    /// About or along y and z: one number in the plane, two in space.
    fn pair(&self, value: &RateSpec, field: &str, dim: Dim) -> Option<[f64; 2]> {
        let path = self.path.field(field);
        match (self.planar, value) {
            (true, RateSpec::Planar(x)) => self.positive(x, field, dim).map(|x| [x; 2]),
            (false, RateSpec::Spatial(list)) => {
                if list.len() != 2 {
                    self.env.shape(&path, list.len(), "2 numbers, for y and z");
                    return None;
                }
                let values = constants(self.env, list, &path, dim)?;
                let y = self.check(values[0], field, &path.index(0));
                let z = self.check(values[1], field, &path.index(1));
                Some([y?, z?])
            }
            (true, RateSpec::Spatial(_)) => {
                self.env.wrong_form(&path, "a list", "one number");
                None
            }
            (false, RateSpec::Planar(_)) => {
                self.env.wrong_form(&path, "one number", "a list of 2 numbers, for y and z");
                None
            }
        }
    }
}
