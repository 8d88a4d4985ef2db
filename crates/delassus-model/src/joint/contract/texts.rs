//! Joints as written.

use crate::{AxisPair, JointKind};

/// The joint as written, one text per variant.
pub(super) fn texts(name: &str, kind: &str, [first, second]: [&str; 2]) -> Vec<String> {
    let between = format!("between = [\"{first}\", \"{second}\"]");
    let planar = kind.starts_with("planar");
    let skew = if planar {
        "axis = [0.6, 0.8]\naxis2 = [0.8, -0.6]"
    } else {
        "axis = [1, -2, 3]\naxis2 = [2, 1, 0.5]"
    };
    // joints that turn do so about z between planar bodies
    let axis = if planar { "" } else { skew };
    let joint = |name: &str, kind: &str, rest: &str| {
        format!("[joint.{name}]\ntype = \"{kind}\"\n{between}\n{rest}\n")
    };
    let one = |rest: &str| joint("j", &name.replace('_', "-"), rest);
    match name {
        "prismatic" => vec![one(skew)],
        "point_on_line" | "point_on_plane" => {
            let axis = skew.lines().next().unwrap_or("");
            vec![one(axis)]
        }
        "spherical" | "fixed" => vec![one("")],
        "distance" => vec![one(""), one("length = 1.7")],
        "screw" => vec![one(&format!("{axis}\npitch = 0.3"))],
        "motion" => [("angle", axis), ("position", skew)]
            .iter()
            .map(|(c, axis)| {
                one(&format!("{axis}\ncoordinate = \"{c}\"\nvalue = \"0.3 + sin(2*t)\""))
            })
            .collect(),
        "rolling" if planar => vec![
            one("axis = [0.6, 0.8]\nradius = 0.4"),
            one("axis = [0.6, 0.8]\nradius = 0.4\nshape = \"sphere\""),
        ],
        "rolling" => vec![
            one(&format!("{skew}\nradius = 0.4")),
            one("axis = [1, -2, 3]\nradius = 0.4\nshape = \"sphere\""),
        ],
        "coupling" => {
            let (turning, sliding) =
                if planar { ("revolute", "prismatic") } else { ("cylindrical", "cylindrical") };
            vec![
                joint("turn", turning, axis)
                    + &joint("slide", sliding, skew)
                    + "[joint.j]\ntype = \"coupling\"\nterms = [\
                       { joint = \"turn\", coordinate = \"angle\", coefficient = 1.5 }, \
                       { joint = \"slide\", coordinate = \"position\", coefficient = -0.7 }]\n",
            ]
        }
        _ => vec![one(axis)],
    }
}

/// The frames of a joint; of a coupling those of its first coordinate.
pub(super) fn pair(kind: &JointKind) -> &AxisPair {
    match kind {
        JointKind::Coupling(terms, _) => &terms[0].0.pair,
        _ => kind.pair().unwrap(),
    }
}
