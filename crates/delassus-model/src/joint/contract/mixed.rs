//! Every kind of body with every other.

use super::{Lab, MODES, PLANAR_MODES, Pose, Rng, TELESCOPES, check_rows};

/// Every kind of body with every other, for what joins and pulls points.
#[test]
fn all_kinds_of_bodies_can_be_mixed() {
    let body = |name: &str, kind: &str| {
        let data = match kind {
            "planar" => "inertia = 0.7\ncom = [0.1, 0.2]\nmarkers.p = [0.6, -0.3]",
            "rigid" => {
                "inertia = [0.7, 0.9, 1.1]\ncom = [0.1, 0.2, 0.3]\nmarkers.p = [0.6, -0.3, 0.2]"
            }
            "planar-modal" => &format!(
                "inertia = 0.7\ncom = [0.1, 0.2]\n{}[body.{name}.markers.q]\nnode = 'p'\n\
                 position = [0.1, 0.2]",
                PLANAR_MODES.replace("NAME", name)
            ),
            "modal" => &format!(
                "inertia = [0.7, 0.9, 1.1]\ncom = [0.1, 0.2, 0.3]\n{}[body.{name}.markers.q]\n\
                 node = 'p'\nposition = [0.1, 0.2, -0.1]",
                MODES.replace("NAME", name)
            ),
            "point" => "position = [0.5, 0.4, 0.3]",
            _ => "position = [0.5, 0.4]",
        };
        let marker = match data {
            _ if kind.ends_with("modal") => ".q",
            _ if data.contains("markers") => ".p",
            _ => "",
        };
        let text = format!("[body.{name}]\ntype = \"{kind}\"\nmass = 1.5\n{data}\n");
        (text, format!("{name}{marker}"))
    };
    let kinds = ["planar", "rigid", "point", "planar-point", "planar-modal", "modal"];
    let pairs = kinds.iter().flat_map(|a| kinds.map(|b| (*a, b, "")));
    let telescopes = kinds.iter().map(|a| (*a, "rigid", TELESCOPES));
    for (a, b, first) in pairs.chain(telescopes) {
        let ((text_a, end_a), (text_b, end_b)) = (body("a", a), body("b", b));
        for element in [
            "[joint.j]\ntype = \"spherical\"",
            "[joint.j]\ntype = \"distance\"\nlength = 1.2",
            "[joint.j]\ntype = \"point-on-line\"\naxis = [0.6, 0.8]",
            "[joint.j]\ntype = \"point-on-plane\"\naxis = [0.6, 0.8]",
            "[joint.j]\ntype = \"motion\"\naxis = [0.6, 0.8]\ncoordinate = \"position\"\nvalue = \"t^3\"",
            "[force.f]\ntype = \"spring\"\nstiffness = 30\ndamping = 2\nlength = 0.2",
            "[force.f]\ntype = \"bushing\"\nstiffness = [30, 20, 10, 1, 2, 3]\ndamping = [3, 2, 1, 1, 2, 3]",
        ] {
            let what = format!("{first}{a} {b} {element}");
            let mut lab = Lab::new(&format!(
                "{first}schema = 1\ngravity = [1, 2]\n{text_a}{text_b}{element}\nbetween = [\"{end_a}\", \"{end_b}\"]\n"
            ));
            let mut rng = Rng(23);
            let s = lab.state(&mut rng, Pose::Free, None);
            check_rows(&mut lab, &s, &what);
            assert!(lab.check_tangent(&s, &mut rng, &what), "{what}");
        }
    }
}
