//! Faulty contacts, shapes and meshes: each is rejected with its code, its place and advice.

use crate::support;
use std::fs;
use support::Bench;

/// A ball over a floor in the plane; places are counted in this text.
const BALL: &str = "\
schema = 1
gravity = [0, -9.81]
[body.b]
type = 'planar'
mass = 1
inertia = 0.1
position = [0, 0.5]
[shape.ball]
type = 'circle'
body = 'b'
radius = 0.1
[shape.floor]
type = 'half-plane'
body = 'ground'
[contact.bounce]
between = ['ball', 'floor']
restitution = 0.5
friction = 0.3
[sensor.y]
type = 'position'
of = 'b'
component = 'y'
";

fn broken(from: &str, to: &str) -> Bench {
    assert!(BALL.contains(from), "{from}");
    Bench::new(&BALL.replace(from, to))
}

/// Laws of friction of contacts that yield, and of those that do not.
#[test]
fn laws_of_friction() {
    let law = "law = 'exact'\nstiffness = 1e6\nfriction = 0.3";
    let with = |more: &str| broken("friction = 0.3", &format!("{law}\n{more}"));
    with("").refuses("E_MISSING_FIELD", "m.toml:15", "friction_law");
    let creeps = with("friction_law = 'threlfall'\ncreep_speed = -1e-3");
    creeps.refuses("E_RANGE", "m.toml:22:15", "more than 0");
    let lugre = "friction_law = 'lugre'\nbristle_damping = 1\nbristle_stiffness";
    with(&format!("{lugre} = 0")).refuses("E_RANGE", "m.toml:23:21", "more than 0");
    let less = with(&format!("{lugre} = 1e3\nstatic_friction = 0.2"));
    less.refuses("E_FRICTION", "m.toml:24:19", "less than");
    let rigid = broken("friction = 0.3", "friction = 0.3\nfriction_law = 'ambrosio'");
    rigid.refuses("E_FRICTION_LAW", "m.toml:19:16", "compliant `law`");
    let none = broken(
        "restitution = 0.5\nfriction = 0.3",
        "law = 'flores'\nstiffness = 1e6\nrestitution = 0",
    );
    none.refuses("E_RESTITUTION", "m.toml:19:15", "divides by");
    let flat = broken(
        "restitution = 0.5\nfriction = 0.3",
        "law = 'hertz'\nstiffness = 1e6\nexponent = 0.9",
    );
    flat.refuses("E_RANGE", "m.toml:19:12", "from 1 to 10");
}

#[test]
fn rel_r10_coefficients() {
    for e in ["-0.1", "1.01", "'3/2'"] {
        let bench = broken("restitution = 0.5", &format!("restitution = {e}"));
        bench.refuses("E_RESTITUTION", "m.toml:17:15", "from 0 to 1");
    }
    broken("restitution = 0.5", "restitution = nan").refuses(
        "E_NONFINITE",
        "m.toml:17:15",
        "finite",
    );
    let word = broken("restitution = 0.5", "restitution = 0.5\nrestitution_law = 'plastic'");
    word.refuses("E_UNKNOWN_VALUE", "m.toml:18:19", "energetic");
    broken("friction = 0.3", "friction = -0.3").refuses("E_FRICTION", "m.toml:18:12", "-0.3");
    // an angle of friction is not its coefficient
    broken("friction = 0.3", "friction = '30 deg'").refuses(
        "E_DIMENSION",
        "m.toml:18:12",
        "tan(30 deg)",
    );
    let angle = broken("restitution = 0.5", "restitution = '0.5 rad'");
    angle.refuses("E_DIMENSION", "m.toml:17:15", "plain number");
    broken("friction = 0.3", "friction = 1e12").refuses("E_FRICTION", "m.toml:18:12", "no slip");
    for good in ["1e4", "'tan(30 deg)'"] {
        let ran = broken("friction = 0.3", &format!("friction = {good}")).run(&["check", "m.toml"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for row in ["shapes", "2  ball, floor", "contacts", "1  bounce", "hybrid"] {
            assert!(ran.stdout.contains(row), "no {row} in\n{}", ran.stdout);
        }
    }
    let less = broken("friction = 0.3", "friction = 0.3\nstatic_friction = 0.2");
    less.refuses("E_FRICTION", "m.toml:19:19", "less than");
}

#[test]
fn a_body_with_itself() {
    let own = broken("['ball', 'floor']", "['ball', 'ball']");
    own.refuses("E_SAME_BODY", "m.toml:16:11", "itself");
    let second = "[shape.other]\ntype = 'point'\nbody = 'b'\n[contact.bounce]";
    let bench = Bench::new(
        &BALL.replace("[contact.bounce]", second).replace("['ball', 'floor']", "['ball', 'other']"),
    );
    bench.refuses("E_SAME_BODY", "m.toml:19:11", "the body `b`");
    let ground = broken("body = 'b'\nradius", "body = 'ground'\nradius");
    ground.refuses("E_SAME_BODY", "m.toml:16:11", "ground");
    broken("['ball', 'floor']", "['ball', 'flor']").refuses(
        "E_UNKNOWN_NAME",
        "m.toml:16:",
        "floor",
    );
}

/// All pairs that overlap are listed with their depths; a contact may allow it.
#[test]
fn rel_r25_overlap_at_the_start() {
    let two = "[shape.wall]\ntype = 'half-plane'\nbody = 'ground'\nat = [0.06, 0]\nnormal = [-1, 0]\n\
               [contact.side]\nbetween = ['ball', 'wall']\n[sensor.y]";
    let text =
        BALL.replace("position = [0, 0.5]", "position = [0, 0.07]").replace("[sensor.y]", two);
    let ran = Bench::new(&text).refuses("E_OVERLAP", "m.toml:", "allow_overlap");
    for part in ["bounce", "`floor` by 3.000e-2", "side", "`ball` and `wall` by 4.000e-2"] {
        assert!(ran.stderr.contains(part), "no {part} in\n{}", ran.stderr);
    }
    let allowed = text
        .replace("friction = 0.3", "friction = 0.3\nallow_overlap = true")
        .replace("['ball', 'wall']", "['ball', 'wall']\nallow_overlap = true");
    let bench = Bench::new(&allowed);
    for scheme in ["hybrid", "time-stepping"] {
        let ran = bench.run(&["run", "m.toml", "--scheme", scheme, "--end", "0.1", "--force"]);
        assert_eq!(ran.code, 0, "{scheme}: {}", ran.stderr);
    }
}

/// Bodies that hide in each other: no corner of one is just below a face of the other.
#[test]
fn rel_r25_deep_overlap_at_the_start() {
    let text = |x: f64, y: f64| {
        let profile = |name: &str, body: &str, w: f64, h: f64| {
            format!(
                "[shape.{name}]\ntype = 'profile'\nbody = '{body}'\n\
                 points = [[-{w}, -{h}], [{w}, -{h}], [{w}, {h}], [-{w}, {h}]]\n"
            )
        };
        format!(
            "schema = 1\n[body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.1\nposition = [{x}, {y}]\n\
             {}{}[contact.c]\nbetween = ['A', 'B']\n",
            profile("A", "b", 0.05, 0.05),
            profile("B", "ground", 0.05, 0.05),
        )
    };
    for (x, y, depth) in [(0.0, 0.091, "9.000e-3"), (0.0, 0.0, "1.000e-1"), (0.03, 0.0, "7.000e-2")]
    {
        Bench::new(&text(x, y)).refuses("E_OVERLAP", "m.toml:", depth);
    }
    for (x, y) in [(0.0, 0.1), (0.1, 0.1), (0.03, 0.1), (0.0, 0.10000001)] {
        let ran = Bench::new(&text(x, y)).run(&["check", "m.toml"]);
        assert_eq!(ran.code, 0, "{x} {y}: {}", ran.stderr);
    }
    let solid = |z: f64, size: &str| {
        format!(
            "schema = 1\n[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\nposition = [0.3, 0.2, {z}]\n\
             [shape.A]\ntype = 'box'\nbody = 'b'\nsize = [4, 0.1, 0.1]\n\
             [shape.B]\ntype = 'box'\nbody = 'ground'\nsize = {size}\n[contact.c]\nbetween = ['A', 'B']\n"
        )
    };
    Bench::new(&solid(0.05, "[0.1, 4, 0.1]")).refuses("E_OVERLAP", "m.toml:", "5.000e-2");
    Bench::new(&solid(0.0, "[9, 9, 9]")).refuses("E_OVERLAP", "m.toml:", "4.35");
}

/// Found when the model is put together, with the names of both shapes and of the contact.
#[test]
fn pairs_without_a_gap() {
    let text = BALL.replace("type = 'circle'", "type = 'half-plane'").replace("radius = 0.1\n", "");
    let ran = Bench::new(&text).refuses("E_PAIR_UNSUPPORTED", "m.toml:", "half-plane");
    for part in ["bounce", "ball", "floor"] {
        assert!(ran.stderr.contains(part), "no {part} in\n{}", ran.stderr);
    }
    let bench = Bench::new(&text);
    let ran = bench.run(&["check", "m.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    // listed clockwise: a hole
    let hole = "type = 'profile'\nbody = 'b'\npoints = [[0, 0], [0, 0.2], [0.2, 0]]";
    broken("type = 'circle'\nbody = 'b'\nradius = 0.1", hole).refuses(
        "E_PAIR_UNSUPPORTED",
        "m.toml:",
        "counter-clockwise",
    );
    let solid = broken(
        "type = 'circle'\nbody = 'b'\nradius = 0.1",
        "type = 'sphere'\nbody = 'b'\nradius = 0.1",
    );
    solid.refuses("E_SHAPE_BODY", "m.toml:10:8", "solid");
}

/// A tetrahedron.
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn mesh(file: &str) -> String {
    format!(
        "schema = 1\n[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\n\
         [shape.s]\ntype = 'mesh'\nbody = 'b'\nfile = '{file}'\n\
         [shape.f]\ntype = 'half-space'\nbody = 'ground'\nat = [0, 0, -1]\n\
         [contact.c]\nbetween = ['s', 'f']\n"
    )
}

/// A binary STL file: an announced count, and triangles.
fn stl(count: u32, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0u8; 80];
    bytes.extend(count.to_le_bytes());
    for t in triangles {
        bytes.extend([0u8; 12]);
        bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0u8; 2]);
    }
    bytes
}

fn tetrahedron() -> Vec<[[f32; 3]; 3]> {
    let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t: [usize; 3]| t.map(|k| p[k])).to_vec()
}

#[test]
fn rel_r32_meshes_of_text() {
    let good = Bench::new(&mesh("part.obj")).with("part.obj", OBJ);
    assert_eq!(good.run(&["check", "m.toml"]).code, 0);
    let turned = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
    for (text, word) in [
        (OBJ.replace("v 1 0 0", "v nan 0 0"), "not finite"),
        (OBJ.replace("v 1 0 0", "v inf 0 0"), "not finite"),
        (OBJ.replace("f 2 3 4\n", ""), "open"),
        (turned.to_owned(), "inside out"),
        (OBJ.replace("f 2 3 4", "f 2 4 3"), "turned over"),
        (OBJ.replace("f 2 3 4", "f 2 3 9"), "vertex 9"),
        (OBJ.replace("f 2 3 4", "f 2 2 4"), "no area"),
        (String::new(), "no triangles"),
    ] {
        let bench = Bench::new(&mesh("part.obj")).with("part.obj", &text);
        bench.refuses("E_MESH", "m.toml:9:8", word);
    }
}

#[test]
fn rel_r31_r32_binary_meshes() {
    let refuse = |bytes: &[u8], word: &str| {
        let bench = Bench::new(&mesh("part.stl")).with("part.stl", "");
        fs::write(bench.path("part.stl"), bytes).unwrap();
        bench.refuses("E_MESH", "m.toml:9:8", word);
    };
    let t = tetrahedron();
    let bench = Bench::new(&mesh("part.stl")).with("part.stl", "");
    fs::write(bench.path("part.stl"), stl(4, &t)).unwrap();
    assert_eq!(bench.run(&["check", "m.toml"]).code, 0);
    refuse(&stl(1_000_000, &t), "announces 1000000 triangles");
    refuse(&stl(u32::MAX, &t), "announces 4294967295 triangles");
    refuse(&stl(3, &t), "announces 3 triangles");
    refuse(&stl(4, &t)[..150], "announces 4 triangles");
    refuse(&stl(3, &t[..3]), "open");
    let turned: Vec<_> = t.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    refuse(&stl(4, &turned), "inside out");
    let mut none = t.clone();
    none[0][0][0] = f32::NAN;
    refuse(&stl(4, &none), "not finite");
    refuse(&[0u8; 40], "");
}

#[test]
fn files_that_are_not_there_or_not_inside() {
    let bench = Bench::new(&mesh("part.stl"));
    bench.refuses("E_MESH", "m.toml:9:8", "cannot be read");
    let bench = Bench::new(&mesh("part.step")).with("part.step", OBJ);
    bench.refuses("E_MESH", "m.toml:9:8", "format");
    for outside in ["../part.obj", "/etc/passwd", "a/../../part.obj", "file:part.obj"] {
        let bench = Bench::new(&mesh(outside));
        bench.refuses("E_PATH_ESCAPE", "m.toml:9:8", "");
    }
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("part.obj"), OBJ).unwrap();
        let bench = Bench::new(&mesh("part.obj")).with("part.obj", "");
        fs::remove_file(bench.path("part.obj")).unwrap();
        let link =
            std::os::unix::fs::symlink(elsewhere.path().join("part.obj"), bench.path("part.obj"));
        link.unwrap();
        bench.refuses("E_PATH_ESCAPE", "m.toml:9:8", "");
    }
}
