//! Pages of analyses: modes of a model, its equilibrium, a rotor over its speed.
//!
//! A page is that of a run with a single position, and with the answer of the analysis beside it. Without the viewer it has
//! still pictures and tables.

use crate::encode::Array;
use crate::report::Report;
use crate::{drawing, fallback, template};
use delassus_io::plot::{Plot, panels};
use serde_json::{Value, json};

/// Modes at each speed of a rotor that a page has, from the lowest on.
const WHIRLS: usize = 40;
/// Modes that are drawn without the viewer.
const STILL_MODES: usize = 6;
/// Largest displacement in still pictures, in parts of the size of the model.
const STILL_SIZE: f64 = 0.15;

/// A mode as a page shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModePage {
    /// Growth, 1/s.
    pub real: f64,
    /// Circular frequency, rad/s.
    pub imag: f64,
    /// Damping over critical damping.
    pub damping_ratio: f64,
    /// What kind of motion it is, in words.
    pub kind: String,
    /// The bodies that move most.
    pub moves: String,
    /// For each body without the ground: displacement and rotation of its frame, ground components, real part, then
    /// imaginary part.
    pub shape: Vec<[[f64; 3]; 4]>,
}

/// A vibration of a rotor.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WhirlPage {
    /// Growth, 1/s.
    pub real: f64,
    /// Circular frequency, rad/s.
    pub imag: f64,
    /// Damping over critical damping.
    pub damping_ratio: f64,
    /// In which sense it turns: a number of [`WhirlPage::KINDS`].
    pub kind: usize,
}

impl WhirlPage {
    /// Words of the kinds.
    pub const KINDS: [&'static str; 4] = ["forward", "backward", "planar", "axial"];
}

/// The answer of a rotor to unbalance at one speed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrbitPage {
    /// Semi-axes across the axis, m; the second negative where it runs against the spin.
    pub semi_axes: [f64; 2],
    /// Amplitudes along x, y, z, m.
    pub amplitude: [f64; 3],
    /// By how much these are ahead of the unbalance, rad.
    pub phase: [f64; 3],
}

/// The answer of some bodies of a rotor to unbalance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnbalancePage {
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Their orbits by speed, rad/s.
    pub orbits: Vec<(f64, Vec<OrbitPage>)>,
}

/// What is known of a rotor over its speed.
#[derive(Debug, Clone, Default)]
pub struct RotorPage {
    /// Unit vector along its axis.
    pub axis: [f64; 3],
    /// Its vibrations by speed, rad/s.
    pub campbell: Option<Vec<(f64, Vec<WhirlPage>)>>,
    /// Critical speeds, rad/s, with the kind of their vibration.
    pub critical: Option<Vec<(f64, usize)>>,
    /// Orbits of some bodies by speed.
    pub unbalance: Option<UnbalancePage>,
    /// The same as still pictures.
    pub plots: Vec<Plot>,
}

/// A force or torque of an equilibrium.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RestLoad {
    /// Name of the joint, force or contact.
    pub name: String,
    /// `reaction`, `force` or `contact`.
    pub kind: &'static str,
    /// In words with units.
    pub text: String,
}

impl Report {
    /// A page of modes next to the only position of the report. `about` says in words what they are next to.
    pub fn modes_html(&self, about: &str, modes: &[ModePage]) -> String {
        self.special_html("modes", mode_payload(about, modes), || self.still_modes(about, modes))
    }

    /// A page of a rotor.
    pub fn rotor_html(&self, rotor: &RotorPage) -> String {
        self.special_html("rotor", rotor_payload(rotor), || still_rotor(rotor))
    }

    /// A page of an equilibrium at the only position of the report.
    pub fn statics_html(&self, words: &str, loads: &[RestLoad]) -> String {
        let list: Vec<Value> = loads
            .iter()
            .map(|l| json!({ "name": l.name, "kind": l.kind, "text": l.text }))
            .collect();
        self.special_html("statics", json!({ "words": words, "loads": list }), || {
            let rows = loads.iter().map(|l| [l.kind.to_owned(), l.name.clone(), l.text.clone()]);
            let picture = drawing::svg(self).unwrap_or_default();
            fallback::words(words) + &picture + &fallback::table(&["", "name", "force"], rows)
        })
    }

    fn special_html(&self, kind: &str, own: Value, still: impl FnOnce() -> String) -> String {
        if template::has_viewer() {
            let mut payload = self.payload();
            payload["kind"] = kind.into();
            payload[kind] = own;
            // only maps whose keys are not text can fail, and there are none
            let json = serde_json::to_string(&payload).unwrap_or_default();
            if let Some(page) = template::page("delassus-data", &json) {
                return page;
            }
        }
        fallback::analysis(self, kind, &still())
    }

    fn still_modes(&self, about: &str, modes: &[ModePage]) -> String {
        let number = |x: f64| format!("{x:.6}");
        let rows = modes.iter().enumerate().map(|(k, m)| {
            [
                (k + 1).to_string(),
                number(m.imag / std::f64::consts::TAU),
                number(m.real),
                format!("{:.5}", m.damping_ratio),
                m.kind.clone(),
                m.moves.clone(),
            ]
        });
        let head = ["mode", "Hz", "growth, 1/s", "damping", "kind", "moves most"];
        let mut out = fallback::words(about) + &fallback::table(&head, rows);
        for (k, m) in modes.iter().take(STILL_MODES).enumerate() {
            out += &format!("<h2>Mode {}</h2>\n", k + 1);
            out += &drawing::mode_svg(self, &m.shape, STILL_SIZE).unwrap_or_default();
        }
        out
    }
}

fn mode_payload(about: &str, modes: &[ModePage]) -> Value {
    let bodies = modes.first().map_or(0, |m| m.shape.len());
    let shapes = modes.iter().flat_map(|m| &m.shape).flatten().flatten().copied();
    let shapes: Vec<f64> = shapes.collect();
    let list = modes.iter().map(|m| {
        json!({
            "real": m.real,
            "imag": m.imag,
            "damping_ratio": m.damping_ratio,
            "kind": m.kind,
            "moves": m.moves,
        })
    });
    json!({
        "about": about,
        "list": list.collect::<Vec<_>>(),
        "shapes": Array::f32(&[modes.len(), bodies, 12], shapes.into_iter()),
    })
}

fn rotor_payload(r: &RotorPage) -> Value {
    let speeds = |list: Vec<f64>| Array::f64(&[list.len()], list.into_iter());
    let campbell = r.campbell.as_ref().map(|ladder| {
        let most = ladder.iter().map(|(_, list)| list.len()).max().unwrap_or(0).min(WHIRLS);
        let none = WhirlPage { real: f64::NAN, imag: f64::NAN, damping_ratio: f64::NAN, kind: 0 };
        let at = |list: &[WhirlPage], k: usize| list.get(k).copied().unwrap_or(none);
        let all = || ladder.iter().flat_map(|(_, list)| (0..most).map(move |k| at(list, k)));
        let numbers: Vec<f64> = all().flat_map(|m| [m.imag, m.real, m.damping_ratio]).collect();
        let kinds: Vec<u32> = all().map(|m| m.kind as u32).collect();
        json!({
            "speed": speeds(ladder.iter().map(|(s, _)| *s).collect()),
            "modes": Array::f32(&[ladder.len(), most, 3], numbers.into_iter()),
            "kinds": Array::u32(&[ladder.len(), most], kinds.into_iter()),
        })
    });
    let critical = r.critical.as_ref().map(|list| {
        list.iter()
            .map(|(speed, kind)| json!({ "speed": speed, "kind": WhirlPage::KINDS.get(*kind) }))
            .collect::<Vec<_>>()
    });
    let unbalance = r.unbalance.as_ref().map(|UnbalancePage { bodies, orbits: ladder }| {
        let numbers = ladder.iter().flat_map(|(_, orbits)| orbits).flat_map(|o| {
            let [a, b] = o.semi_axes;
            [a, b].into_iter().chain(o.amplitude).chain(o.phase)
        });
        let numbers: Vec<f64> = numbers.collect();
        json!({
            "bodies": bodies,
            "speed": speeds(ladder.iter().map(|(s, _)| *s).collect()),
            "orbits": Array::f32(&[ladder.len(), bodies.len(), 8], numbers.into_iter()),
        })
    });
    json!({
        "axis": r.axis,
        "kinds": WhirlPage::KINDS,
        "campbell": campbell,
        "critical": critical,
        "unbalance": unbalance,
    })
}

fn still_rotor(r: &RotorPage) -> String {
    let mut out = format!("<div>{}</div>\n", panels(&r.plots));
    if let Some(list) = &r.critical {
        let rows = list.iter().map(|(speed, kind)| {
            let word = WhirlPage::KINDS.get(*kind).copied().unwrap_or_default();
            let rpm = speed * 60.0 / std::f64::consts::TAU;
            [format!("{rpm:.4}"), format!("{speed:.6}"), word.to_owned()]
        });
        out += &fallback::table(&["critical speed, rpm", "rad/s", "whirl"], rows);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::description::Description;
    use crate::scene::{Scene, SceneBody};
    use delassus_io::plot::{Axis, Series};
    use delassus_io::results::MotionFile;
    use delassus_model::PoseForm;

    /// A single body at (2, 1).
    fn report() -> Report {
        let body = |name: &str| SceneBody { name: name.to_owned(), ..SceneBody::default() };
        let mut d = Description::default();
        d.scene = Scene {
            planar: true,
            size: 2.0,
            bodies: vec![body("ground"), body("disc")],
            ..Scene::default()
        };
        let motion = MotionFile {
            forms: vec![PoseForm::Planar],
            stride: 1,
            t: vec![0.5],
            coordinates: vec![2.0, 1.0, 0.0],
        };
        Report { description: Some(d), motion, ..Report::default() }
    }

    fn mode() -> ModePage {
        let shape = vec![[[0.5, 0.0, 0.0], [0.0; 3], [0.0, 0.25, 0.0], [0.0; 3]]];
        let kind = "damped vibration <b>".to_owned();
        ModePage {
            real: -1.0,
            imag: 10.0,
            damping_ratio: 0.0995,
            kind,
            shape,
            ..ModePage::default()
        }
    }

    #[test]
    fn still_pages_of_analyses() {
        let r = report();
        let page = fallback::analysis(&r, "modes", &r.still_modes("next to <rest>", &[mode()]));
        assert!(
            page.contains("delassus modes … --report") && page.contains("next to &lt;rest&gt;")
        );
        assert!(page.contains("damped vibration &lt;b&gt;") && page.contains("1.591549"));
        // a circle faintly where it rests, and one displaced by 0.15 of the size
        let circles: Vec<f64> = page
            .split("<circle cx=\"")
            .skip(1)
            .map(|c| c.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(circles.len(), 2);
        assert!((circles[1] - circles[0]).abs() > 100.0, "{circles:?}");
        let plot = Plot {
            series: vec![Series::new("forward", vec![(0.0, 1.0), (1.0, 2.0)])],
            ..Plot::new("rotor", Axis::linear("rpm"), Axis::linear("Hz"))
        };
        let rotor = RotorPage {
            critical: Some(vec![(10.0, 1)]),
            plots: vec![plot],
            ..RotorPage::default()
        };
        let page = still_rotor(&rotor);
        assert!(page.contains("<svg") && page.contains("95.4930") && page.contains("backward"));
    }

    #[test]
    fn data_of_modes_and_rotors() {
        let v = mode_payload("about", &[mode(), mode()]);
        assert_eq!(v["shapes"]["shape"], json!([2, 1, 12]));
        let a: Array = serde_json::from_value(v["shapes"].clone()).unwrap();
        assert_eq!(a.numbers().unwrap()[..8], [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25]);
        let at = |imag: f64, kind: usize| WhirlPage { imag, kind, ..WhirlPage::default() };
        let ladder = vec![(0.0, vec![at(5.0, 2)]), (1.0, vec![at(4.0, 1), at(6.0, 0)])];
        let orbit = OrbitPage { semi_axes: [2.0, -1.0], ..OrbitPage::default() };
        let rotor = RotorPage {
            campbell: Some(ladder),
            unbalance: Some(UnbalancePage {
                bodies: vec!["disc".to_owned()],
                orbits: vec![(1.0, vec![orbit])],
            }),
            ..RotorPage::default()
        };
        let v = rotor_payload(&rotor);
        assert_eq!(v["campbell"]["modes"]["shape"], json!([2, 2, 3]));
        let a: Array = serde_json::from_value(v["campbell"]["modes"].clone()).unwrap();
        let numbers = a.numbers().unwrap();
        // a speed with fewer vibrations has no number there
        assert!(numbers[0] == 5.0 && numbers[3].is_nan() && numbers[9] == 6.0);
        assert_eq!(v["unbalance"]["orbits"]["shape"], json!([1, 1, 8]));
        assert!(v["critical"].is_null());
    }
}
