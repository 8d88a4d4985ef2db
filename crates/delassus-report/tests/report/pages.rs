//! Pages of whole models: sizes, hostile names, what the scene holds, glTF.

use delassus_io::model_file::{Limits, parse_str};
use delassus_io::results::MotionFile;
use delassus_model::{PoseForm, System, compile};
use delassus_report::*;
use serde_json::{Value, json};

fn system(text: &str) -> System {
    let loaded = parse_str(text, "m.toml", &Limits::default()).unwrap();
    System::new(compile(&loaded.spec).unwrap()).unwrap()
}

fn described(sys: &System, text: &str) -> Description {
    let model = ModelInfo {
        title: sys.model().title.clone(),
        file: "m.toml".to_owned(),
        text: text.to_owned(),
        sha256: "00".to_owned(),
        t_end: 10.0,
    };
    Description::new(sys, model, [("energy.kinetic", "J")].into_iter())
}

/// Smooth and different for every body and coordinate: what a run leaves, without running it.
fn moving(forms: Vec<PoseForm>, rows: usize) -> MotionFile {
    let t: Vec<f64> = (0..rows).map(|k| k as f64 * 0.01).collect();
    let mut m = MotionFile { forms, stride: 1, t, coordinates: Vec::new() };
    for t in m.t.clone() {
        for (b, form) in m.forms.clone().iter().enumerate() {
            let wave = |k: usize| ((1.0 + 0.13 * k as f64) * t + 0.7 * b as f64 + 0.3).sin();
            let at = m.coordinates.len();
            m.coordinates.extend((0..form.width()).map(wave));
            if *form == PoseForm::Spatial {
                let q = &mut m.coordinates[at + 3..];
                let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                q.iter_mut().for_each(|x| *x /= norm);
            }
        }
    }
    m
}

fn columns(n: usize, t: &[f64]) -> Vec<ReportColumn> {
    let column = |k: usize| ReportColumn {
        info: ChannelInfo { name: format!("c{k}"), group: "body/b".into(), ..Default::default() },
        values: t.iter().map(|t| (t * (1.0 + k as f64)).sin() + 1e-3 * (t * 997.0).sin()).collect(),
    };
    (0..n).map(column).collect()
}

fn report(sys: &System, text: &str, rows: usize, n_columns: usize) -> Report {
    let forms = sys.model().bodies.iter().map(|b| b.kind.pose_form()).collect();
    let motion = moving(forms, rows);
    let steps = Steps {
        t: motion.t.clone(),
        h: vec![0.01; rows],
        rejected: vec![0.0; rows],
        energy_error: motion.t.iter().map(|t| 1e-9 * t.sin()).collect(),
        drift_pos: motion.t.iter().map(|t| 1e-16 * (t * 77.0).sin().abs()).collect(),
        drift_vel: vec![1e-15; rows],
        drift_acc: vec![1e-13; rows],
    };
    Report {
        description: Some(described(sys, text)),
        summary: json!({ "status": "done", "method": "mdop5", "rtol": 1e-8, "version": "0.1.0" }),
        columns: columns(n_columns, &motion.t),
        column_t: motion.t.clone(),
        motion,
        steps,
        ..Report::default()
    }
}

fn chain(n: usize) -> String {
    let mut text = String::from("schema = 1\ntitle = \"chain\"\ngravity = [0, -9.81]\n");
    for k in 0..n {
        text.push_str(&format!(
            "body.b{k} = {{ type = \"planar\", mass = 1, inertia = 0.1, position = [{k}, 0], \
             markers = {{ end = [1, 0] }} }}\n"
        ));
        let before = if k == 0 { "ground".to_owned() } else { format!("b{}.end", k - 1) };
        text.push_str(&format!(
            "joint.j{k} = {{ type = \"revolute\", between = [\"{before}\", \"b{k}\"] }}\n"
        ));
    }
    text
}

#[test]
fn five_hundred_bodies_for_ten_seconds_stay_below_eight_megabytes() {
    let text = chain(500);
    let r = report(&system(&text), &text, 1001, 40);
    let json = r.payload();
    assert_eq!(json["motion"]["poses"]["shape"][1], 501);
    assert_eq!(json["motion"]["poses"]["shape"][2], 3, "x y angle");
    let frames = json["motion"]["t"]["shape"][0].as_u64().unwrap();
    assert!(frames >= 250, "{frames}");
    assert_eq!(json["meta"]["down_sampled"]["from"], 1001);
    assert_eq!(json["meta"]["down_sampled"]["to"], frames);
    let page = r.html().len();
    let data = json.to_string().len();
    // a page without the viewer leaves room for one: it takes about a megabyte
    assert!(page < 8_000_000 && data < 6_500_000, "{page} {data}");
    assert!(r.still_html().len() < 8_000_000);
}

#[test]
fn an_ordinary_model_stays_below_three_megabytes() {
    let mut text = String::from("schema = 1\n");
    for k in 0..30 {
        text.push_str(&format!(
            "body.b{k} = {{ type = \"rigid\", mass = 1, inertia = [1, 1, 1] }}\n"
        ));
    }
    let r = report(&system(&text), &text, 1001, 60);
    let json = r.payload();
    assert_eq!(json["motion"]["poses"]["shape"], json!([1001, 31, 7]));
    assert!(json["meta"]["down_sampled"].is_null());
    let (page, data) = (r.html().len(), json.to_string().len());
    assert!(page < 3_000_000 && data < 1_900_000, "{page} {data}");
}

#[test]
fn names_and_texts_are_data() {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
    let text =
        format!("schema = 1\ntitle = '''{evil}'''\nbody.b = {{ type = \"point\", mass = 1 }}\n");
    let sys = system(&text);
    let mut r = report(&sys, &text, 3, 1);
    r.columns[0].info.name = evil.to_owned();
    r.columns[0].info.group = evil.to_owned();
    r.columns[0].info.unit = evil.to_owned();
    r.problems.push(evil.to_owned());
    r.summary["errors"] = json!([{ "code": evil, "message": evil, "help": evil }]);
    r.summary["notes"] = json!([{ "code": evil, "message": evil }]);
    r.summary["method"] = evil.into();
    r.events.push(ReportEvent {
        t: 0.0,
        kind: evil.to_owned(),
        contact: evil.to_owned(),
        speed_before: f64::NAN,
        speed_after: 0.0,
        impulse: 0.0,
        energy_lost: 0.0,
        depth: 0.0,
    });
    let plain = report(&sys, &text, 3, 1);
    for (page, harmless) in [(r.html(), plain.html()), (r.still_html(), plain.still_html())] {
        assert!(!page.contains("alert(1)</script>") && !page.contains("<img src=x"));
        // the same elements as without the names
        assert_eq!(page.matches("<script").count(), harmless.matches("<script").count());
        assert_eq!(page.matches("</script").count(), harmless.matches("</script").count());
        assert_eq!(page.matches("<!--").count(), harmless.matches("<!--").count());
    }
    if has_viewer() {
        let page = r.html();
        let start = page.find("id=\"delassus-data\">").unwrap() + "id=\"delassus-data\">".len();
        let end = start + page[start..].find("</script>").unwrap();
        let data: Value = serde_json::from_str(&page[start..end]).unwrap();
        assert_eq!(data["meta"]["title"], evil);
        assert_eq!(data["events"][0]["contact"], evil);
        assert!(data["events"][0]["speed_before"].is_null());
    }
}

const MACHINE: &str = r#"schema = 1
title = "machine"
gravity = [0, 0, -9.81]
[body]
arm = { type = "rigid", mass = 2, inertia = [1, 2, 2.5], com = [0.5, 0, 0], markers = { tip = [1, 0, 0], spare = [2, 0, 0] } }
wheel = { type = "rigid", mass = 1, inertia = [1, 1, 1], position = [1, 0, 0] }
bead = { type = "point", mass = 1, position = [0, 3, 0] }
[joint]
pin = { type = "revolute", between = ["ground", "arm"], axis = [0, 1, 0] }
axle = { type = "revolute", between = ["arm.tip", "wheel"], axis = [0, 1, 0] }
mesh = { type = "gear", joints = ["pin", "axle"], ratio = -3 }
[force]
rope = { type = "spring", between = ["arm.tip", "bead"], stiffness = 1, damping = 0 }
[sensor]
turn = { type = "joint", joint = "pin" }
fx = { type = "reaction", joint = "axle", component = "fx" }
fz = { type = "reaction", joint = "axle", component = "fz" }
tip = { type = "position", of = "arm.tip", component = "x" }
"#;

#[test]
fn the_scene_holds_what_is_drawn() {
    let sys = system(MACHINE);
    let d = described(&sys, MACHINE);
    let s = &d.scene;
    assert!(!s.planar);
    assert_eq!((s.up, s.gravity[2]), ([0.0, 0.0, 1.0], -9.81));
    let names: Vec<&str> = s.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["ground", "arm", "wheel", "bead"]);
    let kinds: Vec<&str> = s.bodies.iter().map(|b| b.kind.as_str()).collect();
    assert_eq!(kinds, ["ground", "spatial", "spatial", "point"]);
    assert_eq!(s.bodies[1].com, [0.5, 0.0, 0.0]);
    assert_eq!(s.bodies[1].markers.len(), 1, "what nothing refers to is no place of interest");
    assert_eq!((s.joints[1].a.body, s.joints[1].b.body), (1, 2));
    assert_eq!(s.joints[1].a.p, [1.0, 0.0, 0.0]);
    // z of a joint's frame is its axis
    let q = delassus_math::Quat(s.joints[0].a.r).matrix();
    assert!((q.column(2) - delassus_math::Vec3::y()).norm() < 1e-12);
    let gear = &s.joints[2];
    assert_eq!((gear.kind.as_str(), gear.joints.as_slice()), ("gear", &[0, 1][..]));
    assert_eq!(gear.ratio, Some(-3.0));
    assert_eq!((s.forces[0].a.body, s.forces[0].b.map(|b| b.body)), (1, Some(3)));
    let arrows: Vec<(&str, &str, Option<usize>)> =
        s.arrows.iter().map(|a| (a.name.as_str(), a.kind.as_str(), a.load)).collect();
    let want = [
        ("pin", "force", Some(0)),
        ("pin", "torque", Some(1)),
        ("axle", "force", Some(2)),
        ("axle", "torque", Some(3)),
    ];
    assert_eq!(arrows, want, "joints with a place");
    assert_eq!((s.arrows[2].body, s.arrows[2].group.as_str()), (2, "reaction"));
    let groups: Vec<&str> = d.channels.iter().map(|c| c.group.as_str()).collect();
    assert_eq!(groups, ["joint/pin", "joint/axle", "joint/axle", "body/arm", "energy"]);
    assert!(s.size > 3.0 && s.size < 4.0, "{}", s.size);
    // what is written is read back, and again the same
    let back = Description::read(&d.json()).unwrap();
    assert_eq!(back, d);
    assert_eq!(back.json(), d.json());
}

#[test]
fn of_very_many_joints_those_with_sensors_have_arrows() {
    let text = r#"schema = 1
[body."bead{i}"]
repeat = "i = 1..201"
type = "point"
mass = 1
position = ["i", 0, 0]
[joint."rod{i}"]
repeat = "i = 1..201"
type = "distance"
between = ["ground", "bead{i}"]
[sensor]
fx = { type = "reaction", joint = "rod7", component = "fx" }
fz = { type = "reaction", joint = "rod7", component = "fz" }
"#;
    let scene = delassus_report::scene_from(&system(text));
    assert_eq!(scene.arrows.len(), 1);
    let arrow = &scene.arrows[0];
    assert_eq!((arrow.name.as_str(), arrow.body, arrow.load), ("rod7", 7, None));
    assert_eq!(arrow.columns, [Some("fx".to_owned()), None, Some("fz".to_owned())]);
}

/// Play is drawn as the ideal joint, by sticks, with its clearance and orbit for who asks; shapes of the file stay.
#[test]
fn play_is_drawn_as_the_joint() {
    let text = r#"schema = 1
[body.arm]
type = "planar"
mass = 1
inertia = 0.1
com = [0.1, 0]
[body.block]
type = "planar"
mass = 1
inertia = 0.1
position = [1, 0]
[shape.own]
type = "circle"
body = "block"
radius = 0.1
[shape.wall]
type = "half-plane"
body = "ground"
at = [0, -1]
[contact.own]
between = ["own", "wall"]
[joint.pin]
type = "revolute"
between = ["ground", "arm"]
clearance = "0.5 mm"
radius = "10 mm"
exaggerate = "2*25"
[joint.guide]
type = "prismatic"
between = ["ground", "block"]
clearance = "1 mm"
length = 0.1
width = 0.05
[joint.ideal]
type = "revolute"
between = ["arm", "block"]
[sensor]
orbit = { type = "eccentricity", joint = "pin" }
still = { type = "eccentricity", joint = "ideal" }
place = { type = "position", of = "arm" }
[sensor.pin_size]
type = "expression"
value = "1"
unit = "m"
"#;
    let scene = delassus_report::scene_from(&system(text));
    let shapes: Vec<usize> = scene.bodies.iter().map(|b| b.shapes.len()).collect();
    assert_eq!(shapes, [1, 0, 1]);
    let joints: Vec<_> =
        scene.joints.iter().map(|j| (j.kind.as_str(), j.clearance, j.exaggerate)).collect();
    let [pin, guide] = [("revolute", Some(5e-4), Some(50.0)), ("prismatic", Some(1e-3), None)];
    assert_eq!(joints, [pin, guide, ("revolute", None, None)]);
    assert_eq!(scene.joints[1].block, Some([0.05, 0.0, 0.1]));
    let orbits: Vec<_> = scene
        .orbits
        .iter()
        .map(|o| (o.name.as_str(), o.x.as_str(), o.y.as_str(), o.clearance))
        .collect();
    let still = ("still", "still.x", "still.y", None);
    assert_eq!(orbits, [("orbit", "orbit.x", "orbit.y", Some(5e-4)), still]);
}

/// A block of rectangular section, on an axis of its own and a body that starts turned.
const CHANNEL: &str = r#"schema = 1
[body.block]
type = "rigid"
mass = 1
inertia = [0.1, 0.1, 0.1]
orientation = { axis = [1, -2, 3], angle = 0.7 }
[joint.guide]
type = "prismatic"
between = ["ground", "block"]
axis = [0.36, 0.48, 0.8]
axis2 = [AXIS2]
clearance = "1 mm"
length = 0.1
width = 0.05
height = 0.03
exaggerate = 40
"#;

/// Frames of a block have width, height and axis of guide and block, which agree at the start.
#[test]
fn frames_of_a_block_agree_at_the_start() {
    let turn = delassus_math::Quat::from_axis_angle(
        &delassus_math::Vec3::new(1.0, -2.0, 3.0).normalize(),
        0.7,
    );
    let axis = turn.matrix().tr_mul(&delassus_math::Vec3::new(0.36, 0.48, 0.8));
    let axis = format!("{:e}, {:e}, {:e}", axis.x, axis.y, axis.z);
    let scene = delassus_report::scene_from(&system(&CHANNEL.replace("AXIS2", &axis)));
    let guide = &scene.joints[0];
    assert_eq!((guide.block, guide.exaggerate), (Some([0.05, 0.03, 0.1]), Some(40.0)));
    let own = |r: [f64; 4]| delassus_math::Quat(r).matrix();
    let (a, b) = (own(guide.a.r), turn.matrix() * own(guide.b.r));
    assert!((a - b).amax() < 1e-12, "{a}{b}");
    // the width is in the x-y plane, across the axis
    let width = [-0.48 / 0.6, 0.36 / 0.6, 0.0];
    for k in 0..3 {
        assert!((a[(k, 0)] - width[k]).abs() < 1e-12, "{a}");
        assert!((a[(k, 2)] - [0.36, 0.48, 0.8][k]).abs() < 1e-12, "{a}");
    }
}

/// In still pictures a journal that touches touches its ring, and a block its wall; the page says how much is enlarged.
#[test]
fn still_pictures_enlarge_play() {
    let text = r#"schema = 1
[body.arm]
type = "planar"
mass = 1
inertia = 0.1
com = [0.3, 0]
[body.block]
type = "planar"
mass = 1
inertia = 0.1
[joint.pin]
type = "revolute"
between = ["ground", "arm"]
clearance = "0.5 mm"
radius = "10 mm"
exaggerate = 50
[joint.guide]
type = "prismatic"
between = ["ground", "block"]
clearance = "1 mm"
length = 0.1
width = 0.05
exaggerate = 30
"#;
    let sys = system(text);
    let mut r = report(&sys, text, 1, 0);
    // the pin touches; the block has slid, and one of its corners touches the upper wall
    r.motion.coordinates = vec![3e-4, 4e-4, 0.0, 0.2, 0.4e-3, 0.6e-3 / 0.05];
    let page = r.still_html();
    for words in ["<code>pin</code> drawn 50 times", "<code>guide</code> drawn 30 times"] {
        assert!(page.contains(words), "{words}");
    }
    let numbers = |s: &str| -> Vec<f64> {
        s.split(|c: char| !c.is_ascii_digit() && !".-".contains(c))
            .filter_map(|x| x.parse().ok())
            .collect()
    };
    let polygons: Vec<Vec<f64>> = page
        .split("<polygon points=")
        .skip(1)
        .map(|p| numbers(p.split(" fill").next().unwrap()))
        .collect();
    let [ring, block, lower, upper] = &polygons[..] else { panic!("{}", polygons.len()) };
    let mean = |at: usize| ring.iter().skip(at).step_by(2).sum::<f64>() / 48.0;
    let radius = (ring[0] - mean(0)).hypot(ring[1] - mean(1));
    let journal = page.split("<circle").skip(1).find(|c| c.contains("#c62828")).unwrap();
    let journal = numbers(&journal.replace("c62828", ""));
    let away = (journal[0] - mean(0)).hypot(journal[1] - mean(1));
    assert!((away + 6.0 - radius).abs() < 0.2 && away > 10.0, "{away} {radius}");
    assert!(ring.iter().all(|x| (0.0..760.0).contains(x)), "in the picture: {ring:?}");
    // y goes down in pictures
    let top = block.iter().skip(1).step_by(2).copied().fold(f64::INFINITY, f64::min);
    assert!(
        (top - upper[1]).abs() < 0.3 && lower[1] > upper[1] + 20.0,
        "{top} {upper:?} {lower:?}"
    );
    // without the word nothing of this is there
    let plain = text.replace("exaggerate = 50\n", "").replace("exaggerate = 30\n", "");
    let page = report(&system(&plain), &plain, 1, 0).still_html();
    assert!(!page.contains("enlarged") && !page.contains("<polygon"));
}

/// A beam is drawn by its nodes, each with half of the elements beside it, in one colour; also as a still picture and as glTF.
#[test]
fn beams_are_drawn_by_their_nodes() {
    for (kind, more, vectors) in [
        ("planar-beam", "EI = 1\npoints = [[0, 0], [1, 0], [1, 1]]", 3),
        ("beam", "EI = [1, 2]\nGJ = 1\nlength = 2\ncurvature = [0, 0, 0.5]", 7),
    ] {
        let text = format!(
            "schema = 1\n[body.b]\ntype = \"{kind}\"\nelements = 4\nEA = 1e4\nmass_per_length = 1\n{more}\n"
        );
        let sys = system(&text);
        let mut r = report(&sys, &text, 1, 0);
        let scene = r.description.as_ref().map(|d| d.scene.clone()).unwrap();
        let bodies = &scene.bodies[1..];
        assert_eq!(bodies.len(), 5);
        assert!(bodies.iter().all(|b| b.of_beam == Some(1) && b.color == bodies[0].color));
        assert!(scene.forces.is_empty());
        // two halves where the corner is, one piece elsewhere
        let counts: Vec<usize> = bodies.iter().map(|b| b.shapes.len()).collect();
        assert_eq!(counts, if vectors == 3 { [1, 1, 2, 1, 1] } else { [1; 5] }, "{kind}");
        assert_eq!(r.motion.coordinates.len(), 5 * vectors, "{kind}");
        for (k, b) in sys.model().bodies.iter().enumerate() {
            let at = &mut r.motion.coordinates[k * vectors..(k + 1) * vectors];
            at.fill(0.0);
            at[..2].copy_from_slice(&[b.position.x, b.position.y]);
            if vectors == 7 {
                at[3..].copy_from_slice(&b.rotation.0);
            }
        }
        let page = r.still_html();
        assert!(page.matches("<polyline").count() >= 5, "{kind}");
        assert!(!page.contains("<circle"), "{kind}: nodes are no bodies of their own");
    }
}

#[test]
fn glb_is_consistent() {
    let sys = system(MACHINE);
    let r = report(&sys, MACHINE, 50, 0);
    let bytes = r.glb().unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let n = word(12);
    assert_eq!((&bytes[16..20], n % 4), (&b"JSON"[..], 0));
    let root: Value = serde_json::from_slice(&bytes[20..20 + n]).unwrap();
    let at = 20 + n;
    let (size, binary) = (word(at), &bytes[at + 8..]);
    assert_eq!((&bytes[at + 4..at + 8], size), (&b"BIN\0"[..], binary.len()));
    assert_eq!(root["asset"]["version"], "2.0");
    assert_eq!(root["buffers"][0]["byteLength"], size);
    let list = |key: &str| root[key].as_array().unwrap().clone();
    let number = |v: &Value| usize::try_from(v.as_u64().unwrap()).unwrap();
    // every accessor lies in its view, every view in the buffer
    for view in list("bufferViews") {
        let start = number(&view["byteOffset"]);
        assert!(start % 4 == 0 && start + number(&view["byteLength"]) <= size);
    }
    let (views, accessors) = (list("bufferViews"), list("accessors"));
    for a in &accessors {
        let width = match a["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other}"),
        };
        let view = &views[number(&a["bufferView"])];
        assert_eq!(number(&a["count"]) * width * 4, number(&view["byteLength"]));
    }
    let nodes = list("nodes");
    let mut parents = vec![0; nodes.len()];
    for node in &nodes {
        for child in node["children"].as_array().into_iter().flatten() {
            parents[number(child)] += 1;
        }
        if let Some(mesh) = node.get("mesh") {
            let primitive = &list("meshes")[number(mesh)]["primitives"][0];
            let corners = &accessors[number(&primitive["attributes"]["POSITION"])];
            assert!(corners["min"].is_array() && corners["max"].is_array());
            assert!(number(&primitive["material"]) < list("materials").len());
        }
    }
    let root_node = number(&root["scenes"][0]["nodes"][0]);
    for (k, n) in parents.iter().enumerate() {
        assert_eq!(*n, usize::from(k != root_node), "a tree");
    }
    // two channels per body that moves, with the positions of the motion
    let animation = &root["animations"][0];
    assert_eq!(animation["channels"].as_array().unwrap().len(), 2 * 3);
    let floats = |accessor: &Value| -> Vec<f32> {
        let view = &views[number(&accessors[number(accessor)]["bufferView"])];
        let from = number(&view["byteOffset"]);
        let bytes = &binary[from..from + number(&view["byteLength"])];
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    for channel in animation["channels"].as_array().unwrap() {
        let sampler = &animation["samplers"][number(&channel["sampler"])];
        let (input, output) = (floats(&sampler["input"]), floats(&sampler["output"]));
        assert_eq!(input.len(), 50);
        assert!(input.windows(2).all(|w| w[0] < w[1]));
        let node = &nodes[number(&channel["target"]["node"])];
        if channel["target"]["path"] == "rotation" {
            for q in output.chunks_exact(4) {
                assert!((q.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
            }
            for pair in output.chunks_exact(4).collect::<Vec<_>>().windows(2) {
                assert!(pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum::<f32>() > 0.0);
            }
        } else if node["name"] == "arm" {
            let row = r.motion.row(49).unwrap();
            assert_eq!(output[3 * 49..], [row[0] as f32, row[1] as f32, row[2] as f32]);
        }
    }
    let mut nothing = r.clone();
    nothing.motion = MotionFile::default();
    assert!(nothing.glb().unwrap_err().contains("motion"));
}
