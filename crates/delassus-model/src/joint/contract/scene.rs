//! The scene in which elements are tried.

/// Two bodies of a kind with markers off their mass centres, and two ground markers.
pub(crate) fn scene(kind: &str) -> String {
    match kind {
        "planar" => PLANE.to_owned(),
        "rigid" => SPACE.to_owned(),
        "modal" => deforming(SPACE),
        "planar-modal" => deforming(PLANE),
        _ => format!("{TELESCOPES}{SPACE}"),
    }
}

/// First line of a model whose rigid bodies should be telescopes, which model files do not support.
pub(crate) const TELESCOPES: &str = "# telescopes\n";
/// First line, up to a number of nodes, of a model whose planar bodies should be ropes.
pub(crate) const ROPES: &str = "# ropes ";

/// Mode shapes of a body in the plane, with two modes and every integral; its node `p` has them all.
pub(crate) const PLANAR_MODES: &str = r#"
[body.NAME.modes]
mass = [[0.5, 0.06], [0.06, 0.4]]
stiffness = [[30, 4], [4, 50]]
damping = [[0.3, 0.1], [0.1, 0.2]]
moment = [[0.11, 0.2], [-0.14, 0.07]]
moment_pairs = [[[0.05, -0.04], [0.02, 0.03]], [[0.02, 0.03], [-0.06, 0.01]]]
inertia = [0.06, -0.04]
inertia_pairs = [[0.03, 0.02], [0.02, -0.05]]
momentum = [0.09, -0.08]
momentum_pairs = [[0.02, 0.07], [-0.05, 0.03]]
amplitudes = [0.1, -0.2]
[body.NAME.nodes.p]
at = [0.4, -0.2]
displacement = [[0.5, 0.4], [-0.3, 0.7]]
shortening = [[[0.2, -0.1], [0.15, 0.1]], [[0.15, 0.1], [-0.1, 0.25]]]
rotation = [0.6, -0.8]
"#;

/// The same in space.
pub(crate) const MODES: &str = r#"
[body.NAME.modes]
mass = [[0.5, 0.06], [0.06, 0.4]]
stiffness = [[30, 4], [4, 50]]
damping = [[0.3, 0.1], [0.1, 0.2]]
moment = [[0.11, 0.2, -0.05], [-0.14, 0.07, 0.09]]
moment_pairs = [[[0.05, -0.04, 0.02], [0.02, 0.03, 0.01]], [[0.02, 0.03, 0.01], [-0.06, 0.01, 0.03]]]
inertia = [[0.06, -0.05, 0.04, 0.02, 0.03, -0.01], [-0.04, 0.03, 0.02, 0.01, -0.02, 0.03]]
inertia_pairs = [[[0.03, 0.02, 0.04, 0.01, 0, 0.02], [0.02, 0.01, 0.03, 0, 0.01, 0.02]], [[0.02, 0.01, 0.03, 0, 0.01, 0.02], [-0.05, 0.02, 0, 0.01, 0.03, 0]]]
momentum = [[0.09, 0.05, -0.04], [-0.08, 0.03, 0.06]]
momentum_pairs = [[[0.02, 0.01, 0.03], [0.07, -0.02, 0.01]], [[-0.05, 0.04, 0.02], [0.03, 0.01, -0.02]]]
amplitudes = [0.1, -0.2]
[body.NAME.nodes.p]
at = [0.4, -0.2, 0.3]
displacement = [[0.5, 0.4, -0.2], [-0.3, 0.7, 0.6]]
shortening = [[[0.2, -0.1, 0.1], [0.15, 0.1, -0.2]], [[0.15, 0.1, -0.2], [-0.1, 0.25, 0.1]]]
rotation = [[0.6, 0.3, -0.4], [-0.8, 0.5, 0.7]]
"#;

/// A scene whose bodies deform, with their markers on nodes.
fn deforming(scene: &str) -> String {
    let planar = scene == PLANE;
    let (of, own) = if planar { ("planar", "planar-modal") } else { ("rigid", "modal") };
    let modes = if planar { PLANAR_MODES } else { MODES };
    let text = scene.replace(&format!("\"{of}\""), &format!("\"{own}\""));
    let text = text.replace("markers.m = {", "markers.m = { node = 'p',");
    // heavy enough for deformations of a metre and more: beyond some size no body has integrals up to second order
    let text = text.replace("mass = 0.8", "mass = 1.8");
    let text = text
        .replace("[0.3, 0.5, 0.4, ", "[0.9, 1.1, 1.0, ")
        .replace("inertia = 0.3", "inertia = 0.9");
    // forces on it are to be conservative
    let modes = modes.replace("damping = [[0.3, 0.1], [0.1, 0.2]]\n", "");
    let text = text.replace("markers.n = {", "markers.n = { node = 'p',");
    format!("{text}{}{}", modes.replace("NAME", "a"), modes.replace("NAME", "b"))
}

const PLANE: &str = r#"
schema = 1
gravity = [0.4, -9.81]
[ground.markers]
m = { position = [0.2, -0.1], angle = 0.4 }
n = { position = [-0.3, 0.5], angle = -0.9 }
[body.a]
type = "planar"
mass = 1.3
inertia = 0.7
com = [0.1, 0.2]
position = [0.3, 0.1]
angle = 0.5
markers.m = { position = [0.6, -0.3], angle = 0.7 }
[body.b]
type = "planar"
mass = 0.8
inertia = 0.3
com = [-0.2, 0.1]
position = [1.1, 0.9]
angle = -0.3
markers.n = { position = [-0.4, 0.5], angle = -1.1 }
"#;

const SPACE: &str = r#"
schema = 1
gravity = [0.4, -9.81, 1.2]
[ground.markers]
m = { position = [0.2, -0.1, 0.3], orientation = { axis = [1, 2, -1], angle = 0.8 } }
n = { position = [-0.3, 0.5, 0.1], orientation = { axis = [-1, 1, 2], angle = 1.3 } }
[body.a]
type = "rigid"
mass = 1.3
inertia = [0.7, 0.9, 1.1, 0.05, -0.1, 0.08]
com = [0.1, 0.2, -0.1]
position = [0.3, 0.1, 0.2]
orientation = { axis = [0, 1, 1], angle = 0.5 }
markers.m = { position = [0.6, -0.3, 0.2], orientation = { axis = [1, -1, 2], angle = 0.7 } }
[body.b]
type = "rigid"
mass = 0.8
inertia = [0.3, 0.5, 0.4, -0.02, 0.03, 0.05]
com = [-0.2, 0.1, 0.15]
position = [1.1, 0.9, -0.4]
orientation = { axis = [1, 0, 2], angle = -0.6 }
markers.n = { position = [-0.4, 0.5, -0.3], orientation = { axis = [2, 1, 1], angle = -1.1 } }
"#;

/// First and second frame; the elements are tried on all of them.
pub(crate) const ENDS: [[&str; 2]; 3] = [["a.m", "b.n"], ["ground.m", "b.n"], ["a.m", "ground.n"]];
