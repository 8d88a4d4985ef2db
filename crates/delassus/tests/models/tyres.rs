//! Tyres against closed forms: the bicycle model, braking and standing, relaxation, wheel loads, bouncing on the spring.

use crate::support;

use delassus::model::{Assembled, ElementLoad};
use delassus::sim::RunOutcome;
use delassus::sim::analysis::{ModalOptions, modes, statics};
use support::{assembled, errors, parsed, run};

fn model(text: &str) -> Assembled {
    assembled(&parsed(&format!("schema = 1\n{text}")), &[])
}

fn by(m: &Assembled, method: &str, step: Option<f64>) -> RunOutcome {
    run(m, |o| {
        o.method = method.to_owned();
        o.step = step;
    })
}

fn column<'a>(out: &'a RunOutcome, name: &str) -> &'a [f64] {
    out.results.get(name).unwrap_or_else(|| panic!("no column {name}"))
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *column(out, name).last().unwrap()
}

fn close(found: f64, expected: f64, part: f64) {
    assert!((found - expected).abs() <= part * expected.abs(), "{found}, but {expected} expected");
}

/// A car with one tyre per axle, seen from above, with the front wheel turned to the left.
fn bicycle(front: f64, rear: f64, stiffness: [f64; 2], speed: f64, steer: f64, end: f64) -> String {
    let [cf, cr] = stiffness;
    let (s, c) = steer.sin_cos();
    format!(
        "[body.car]\ntype = 'planar'\nmass = 1500\ninertia = 2500\nvelocity = [{speed}, 0]\nrate = 0\n\
         markers = {{ f = [{front}, 0], r = [{}, 0] }}\n\
         [tyre.front]\ntype = 'linear'\nradius = 0.3\nload = 7e3\nstiffness = 2e5\nlateral = {cf}\nrelaxation = 0.4\n\
         [tyre.rear]\ntype = 'linear'\nradius = 0.3\nload = 7e3\nstiffness = 2e5\nlateral = {cr}\nrelaxation = 0.4\n\
         [force.f]\ntype = 'tyre'\nat = 'car.f'\naxis = [{}, {c}]\ntyre = 'front'\n\
         [force.r]\ntype = 'tyre'\nat = 'car.r'\ntyre = 'rear'\n\
         [sensor.w]\ntype = 'rate'\nof = 'car'\n[sensor.v]\ntype = 'velocity'\nof = 'car'\ncomponent = 'norm'\n\
         [sensor.f]\ntype = 'tyre'\ntyre = 'f'\n[sensor.r]\ntype = 'tyre'\ntyre = 'r'\n\
         [analysis]\nend = {end}\nsample = 0.1\n",
        -rear, -s
    )
}

/// Yaw rate over steering angle v/(L + K v²) with the understeer gradient K = m (b C_r − a C_f)/(L C_f C_r), and the
/// difference of the slip angles, which is δ − L/R.
#[test]
fn steady_cornering_is_that_of_the_bicycle_model() {
    let (m, a, b, cf, cr) = (1500.0, 1.2, 1.4, 80e3, 90e3);
    let gradient = m * (b * cr - a * cf) / ((a + b) * cf * cr);
    for speed in [8.0, 25.0] {
        let steer = 1e-3;
        let out = by(&model(&bicycle(a, b, [cf, cr], speed, steer, 6.0)), "bdf", None);
        let (w, v) = (last(&out, "w"), last(&out, "v"));
        close(w / steer, v / (a + b + gradient * v * v), 2e-4);
        let difference = last(&out, "f.angle") - last(&out, "r.angle");
        close(difference, steer - (a + b) * w / v, 1e-3);
    }
}

/// An oversteering car is stable below its critical speed √(−L/K) only.
#[test]
fn an_oversteering_car_has_its_critical_speed() {
    let (m, a, b, cf, cr) = (1500.0, 1.4, 1.2, 90e3, 80e3);
    let gradient = m * (b * cr - a * cf) / ((a + b) * cf * cr);
    let critical = f64::sqrt(-(a + b) / gradient);
    assert!((20.0..60.0).contains(&critical), "{critical}");
    let grows = |speed: f64| {
        let text = bicycle(a, b, [cf, cr], speed, 0.0, 8.0).replace("rate = 0", "rate = 1e-4");
        let out = by(&model(&text), "radau5", None);
        let w = column(&out, "w");
        w[80].abs() > w[40].abs()
    };
    assert!(!grows(0.97 * critical) && grows(1.03 * critical), "{critical}");
}

/// A step of the slip angle: the force comes as 1 − exp(−v t/σ).
#[test]
fn the_force_follows_the_relaxation_length() {
    let text = "[body.sled]\ntype = 'planar'\nmass = 1e12\ninertia = 1e12\nvelocity = [12, 0.3]\nrate = 0\n\
        [tyre.t]\ntype = 'linear'\nradius = 0.3\nload = 3000\nstiffness = 2e5\nlateral = 5e4\nrelaxation = 0.6\n\
        [force.t]\ntype = 'tyre'\nat = 'sled'\ntyre = 't'\n[sensor.w1]\ntype = 'tyre'\ntyre = 't'\n\
        [analysis]\nend = 0.3\nsample = 0.01\n";
    for (method, step, part) in
        [("mdop5", None, 1e-5), ("bdf", None, 1e-4), ("gen-alpha", Some(1e-3), 1e-4)]
    {
        let out = by(&model(text), method, step);
        for (t, f) in out.results.t.iter().zip(column(&out, "w1.fy")).skip(1) {
            // the spring is in proportion to the ratio, the law to its angle
            let ratio = -0.3 / 12.0 * (1.0 - f64::exp(-12.0 * t / 0.6));
            assert!((f - 5e4 * ratio.atan()).abs() < part * 1250.0, "{method}: {f} at {t}");
        }
    }
}

/// Four locked wheels at the corners of a box on a road.
fn box_on_wheels(road: &str, speed: f64, end: f64) -> String {
    format!(
        "gravity = [0, 0, -9.81]\n[road.r]\n{road}\n\
         [body.box]\ntype = 'rigid'\nmass = 1200\ninertia = [400, 1500, 1600]\nposition = [0, 0, 0.585]\n\
         velocity = [{speed}, 0, 0]\nrate = [0, 0, 0]\n\
         [body.box.markers]\nw0 = [1.1, 0.7, -0.3]\nw1 = [1.1, -0.7, -0.3]\nw2 = [-1.5, 0.7, -0.3]\nw3 = [-1.5, -0.7, -0.3]\n\
         [tyre.t]\ntype = 'tanh'\nradius = 0.3\nload = 3000\nstiffness = 2e5\ndamping = 6e3\nlateral = 6e4\n\
         longitudinal = 9e4\nfriction = 0.8\nrelaxation = [0.2, 0.4]\nslip_damping = 0.02\n\
         [force.'t{{i}}']\nrepeat = 'i = 0..3'\ntype = 'tyre'\nat = 'box.w{{i}}'\ntyre = 't'\nroad = 'r'\n\
         [sensor.'t{{i}}']\nrepeat = 'i = 0..3'\ntype = 'tyre'\ntyre = 't{{i}}'\n\
         [sensor.x]\ntype = 'position'\nof = 'box'\n[sensor.v]\ntype = 'velocity'\nof = 'box'\n\
         [sensor.a]\ntype = 'acceleration'\nof = 'box'\n\
         [sensor.e]\ntype = 'energy'\ncomponent = 'balance'\n[sensor.w]\ntype = 'energy'\ncomponent = 'work'\n\
         [sensor.lost]\ntype = 'energy'\ncomponent = 'dissipated'\n\
         [analysis]\nend = {end}\nsample = 0.01\n"
    )
}

/// Sliding with locked wheels: v²/(2 μ g), the load that moves forward is m a h/L, and then it stands.
#[test]
fn braking_takes_its_distance_and_moves_the_load() {
    let (speed, mu, g) = (30.0, 0.8, 9.81);
    let out = by(&model(&box_on_wheels("", speed, 8.0)), "mdop5", None);
    let expected = speed * speed / (2.0 * mu * g);
    close(last(&out, "x.x"), expected, 5e-3);
    assert!(last(&out, "v.x").abs() < 1e-3, "{}", last(&out, "v.x"));
    let k = 200;
    let load = |i: usize| column(&out, &format!("t{i}.fz"))[k];
    let (front, rear) = (load(0) + load(1), load(2) + load(3));
    let (a, h) = (column(&out, "a.x")[k], column(&out, "x.z")[k]);
    close(a, -mu * g, 1e-3);
    let (weight, base) = (1200.0 * g, 2.6);
    close(front, weight * 1.5 / base - 1200.0 * a * h / base, 5e-3);
    close(rear, weight * 1.1 / base + 1200.0 * a * h / base, 5e-3);
    // all of the motion is lost in the tyres, none of it to the road
    let energy = 0.5 * 1200.0 * speed * speed;
    assert!(column(&out, "e").iter().all(|e| e.abs() < 1e-5 * energy));
    assert!(column(&out, "w").iter().all(|w| w.abs() < 1e-5 * energy));
    close(last(&out, "lost"), energy, 2e-3);
}

/// A car that stands on a slope stays there, held by the deflection of its tyres: no creep within 100 s.
#[test]
fn a_parked_car_does_not_creep() {
    for method in ["mdop5", "bdf", "lin-euler"] {
        let step = (method == "lin-euler").then_some(1e-3);
        let end = if step.is_some() { 40.0 } else { 100.0 };
        let out = by(&model(&box_on_wheels("height = '-0.2*x + 0.1*y'", 0.0, end)), method, step);
        let n = column(&out, "x.x").len();
        let (settled, at_end) = (n / 2, n - 1);
        for name in ["x.x", "x.y", "x.z"] {
            let x = column(&out, name);
            let creep = (x[at_end] - x[settled]).abs();
            assert!(creep < 1e-7, "{method} {name}: {creep:.1e}");
        }
        let along: f64 = (0..4).map(|i| last(&out, &format!("t{i}.fx"))).sum();
        let across: f64 = (0..4).map(|i| last(&out, &format!("t{i}.fy"))).sum();
        let normal: f64 = (0..4).map(|i| last(&out, &format!("t{i}.fz"))).sum();
        // force over load is the tangent of the slope, 0.2 and 0.1 along both ways
        close(along.hypot(across) / normal, f64::hypot(0.2, 0.1), 1e-4);
    }
}

/// At most what friction holds: a slope of 0.9 is too steep for μ = 0.8.
#[test]
fn too_steep_a_slope_does_not_hold() {
    let out = by(&model(&box_on_wheels("height = '-0.9*x'", 0.0, 3.0)), "mdop5", None);
    let slope = 0.9_f64.atan();
    let rate = 9.81 * (slope.sin() - 0.8 * slope.cos());
    let v = column(&out, "v.x");
    let found = (v[300] - v[200]) / slope.cos();
    close(found, rate, 0.05);
}

/// A ball on the spring of its tyre: the height after each bounce, and when it lands, as the oscillator says. The force
/// has a kink there; steps end at it, so that the error follows the tolerance.
#[test]
fn a_bouncing_wheel_keeps_its_height_and_time() {
    let (k, m, drop, g) = (2e5, 40.0, 0.2, 9.81);
    let text = format!(
        "gravity = [0, 0, -9.81]\n[body.wheel]\ntype = 'rigid'\nmass = {m}\ninertia = [1, 1, 1]\n\
         position = [0, 0, {}]\nvelocity = [0, 0, 0]\nrate = [0, 0, 0]\n\
         [tyre.t]\ntype = 'linear'\nradius = 0.3\nload = 400\nstiffness = {k}\nlateral = 5e4\nrelaxation = 0\n\
         [force.t]\ntype = 'tyre'\nat = 'wheel'\ntyre = 't'\n\
         [sensor.z]\ntype = 'position'\nof = 'wheel'\ncomponent = 'z'\n[analysis]\nend = 6\nsample = 0.01\n",
        0.3 + drop
    );
    let (fall, w) = (f64::sqrt(2.0 * drop / g), f64::sqrt(k / m));
    let landing = f64::sqrt(2.0 * drop * g);
    // the spring turns it round within half a period, and a little more for the weight
    let turn = 2.0 * (std::f64::consts::PI - f64::atan(landing * w / g)) / w;
    let period = 2.0 * fall + turn;
    let exact = |t: f64| {
        let t = t % period;
        if t < fall {
            0.3 + drop - 0.5 * g * t * t
        } else if t < fall + turn {
            let s = t - fall;
            0.3 - g / (w * w) + g / (w * w) * (w * s).cos() - landing / w * (w * s).sin()
        } else {
            let s = t - fall - turn;
            0.3 + landing * s - 0.5 * g * s * s
        }
    };
    let error = |rtol: f64| {
        let out = run(&model(&text), |o| {
            o.method = "mdop5".to_owned();
            o.rtol = Some(rtol);
        });
        let z = column(&out, "z");
        let of = out.results.t.iter().zip(z).map(|(t, z)| (z - exact(*t)).abs());
        delassus::math::largest(of)
    };
    let (coarse, fine) = (error(1e-6), error(1e-9));
    assert!(coarse < 1e-3 && fine < 2e-6, "{coarse:.1e} {fine:.1e}");
}

/// A wheel that is pulled along a level road at 30 m/s meets a bump 30 cm long after 20 m: steps that could pass over it
/// must not.
#[test]
fn a_short_bump_is_not_passed_over() {
    let text = "gravity = [0, 0, -9.81]\n[road.r]\n\
        height = 'if(x > 20 && x < 20.3, 0.005*(1 - cos(2*pi*(x - 20)/0.3)), 0)'\n\
        [body.sled]\ntype = 'rigid'\nmass = 40\ninertia = [1, 1, 1]\nposition = [0, 0, 0.298038]\nvelocity = [30, 0, 0]\n\
        rate = [0, 0, 0]\n[joint.guide]\ntype = 'planar'\nbetween = ['ground', 'sled']\naxis = [0, 1, 0]\n\
        [joint.level]\ntype = 'parallel-axes'\nbetween = ['ground', 'sled']\naxis = [1, 0, 0]\n\
        [tyre.t]\ntype = 'linear'\nradius = 0.3\nload = 400\nstiffness = 2e5\ndamping = 8\nlateral = 5e4\n\
        [force.t]\ntype = 'tyre'\nat = 'sled'\ntyre = 't'\nroad = 'r'\nfree = true\n\
        [sensor.z]\ntype = 'position'\nof = 'sled'\ncomponent = 'z'\n[analysis]\nend = 1\nsample = 0.01\n";
    let fine = by(&model(text), "mdop5", Some(1e-4));
    for method in ["bdf", "radau5", "mdop5"] {
        let out = by(&model(text), method, None);
        let (a, b) = (column(&out, "z"), column(&fine, "z"));
        let d = delassus::math::largest(a.iter().zip(b).map(|(a, b)| (a - b).abs()));
        let rise = b.iter().fold(0.0_f64, |most, z| most.max(z - b[0]));
        assert!(rise > 1e-3 && d < 0.02 * rise, "{method}: {d:.1e} of {rise:.1e}");
    }
}

/// A quarter of a car: the depth at rest is load over stiffness, and the two frequencies are those of two masses.
#[test]
fn a_quarter_car_rests_and_vibrates_as_two_masses() {
    let (k, c, tyre, body, wheel) = (20e3, 0.0, 2e5, 300.0, 40.0);
    let text = format!(
        "gravity = [0, 0, -9.81]\n\
         [body.body]\ntype = 'rigid'\nmass = {body}\ninertia = [1, 1, 1]\nposition = [0, 0, 0.8]\n\
         [body.wheel]\ntype = 'rigid'\nmass = {wheel}\ninertia = [1, 1, 1]\nposition = [0, 0, 0.3]\n\
         [joint.a]\ntype = 'prismatic'\nbetween = ['ground', 'body']\naxis = [0, 0, 1]\n\
         [joint.b]\ntype = 'prismatic'\nbetween = ['body', 'wheel']\naxis = [0, 0, 1]\n\
         [force.strut]\ntype = 'spring'\nbetween = ['body', 'wheel']\nstiffness = {k}\ndamping = {c}\nlength = 0.65\n\
         [tyre.t]\ntype = 'linear'\nradius = 0.3\nload = 3300\nstiffness = {tyre}\nlateral = 5e4\n\
         [force.t]\ntype = 'tyre'\nat = 'wheel'\ntyre = 't'\n[sensor.w1]\ntype = 'tyre'\ntyre = 't'\n[analysis]\nend = 1\n"
    );
    let m = model(&text);
    let rest = statics(&m).unwrap();
    let load = (body + wheel) * 9.81;
    let z = rest.positions.iter().find(|b| b.name == "wheel").unwrap().position[2];
    close(0.3 - z, load / tyre, 1e-9);
    let force = rest.forces.iter().find(|f| f.0 == "t").unwrap().1;
    assert!(
        matches!(force, ElementLoad::Wrench(f, _) if (f.z - load).abs() < 1e-6 * load),
        "{force:?}"
    );
    let found = modes(&m, ModalOptions::default()).unwrap();
    let (sum, product) = (k / body + (k + tyre) / wheel, k * tyre / (body * wheel));
    let root = f64::sqrt(0.25 * sum * sum - product);
    let swinging = found.modes.iter().filter(|m| m.imag > 1.0);
    for (mode, w2) in swinging.zip([0.5 * sum - root, 0.5 * sum + root]) {
        close(mode.imag, w2.sqrt(), 1e-6);
    }
}

/// Benchmark J1 with its front wheels as massless bodies and all six tyres as elements.
#[test]
fn j1_by_tyres_follows_the_reference() {
    let out = by(&support::load("vehicles/trailer_in_the_plane.toml", &[]), "mdop5", None);
    let places = &["x1", "y1", "psi1", "x2", "y2", "psi2", "articulation1"];
    let (place, _) = errors("J1_vehicle_trailer", &out, Some(places));
    let (force, _) = errors("J1_vehicle_trailer", &out, Some(&["hitch_fx1", "hitch_fy1"]));
    assert!(place < 1e-4 && force < 0.1, "{place:.2e} m, {force:.2e} N");
}

/// A wheel that spins in place slides with a slip of 1, and its deflection stays within the relaxation length.
#[test]
fn a_spinning_wheel_slides_with_a_slip_of_one() {
    for ahead in [0.0, 0.2, 3.0] {
        let text = format!(
            "gravity = [0, 0, -9.81]\n[body.sled]\ntype = 'rigid'\nmass = 1e9\ninertia = [1e9, 1e9, 1e9]\nposition = [0, 0, 0.29]\n\
             velocity = [{ahead}, 0, 0]\nrate = [0, 0, 0]\n[body.wheel]\ntype = 'rigid'\nmass = 1\ninertia = [1e9, 1e9, 1e9]\n\
             position = [0, 0, 0.29]\n[joint.hub]\ntype = 'revolute'\nbetween = ['sled', 'wheel']\naxis = [0, 1, 0]\n\
             initial_rate = 100\n[tyre.t]\ntype = 'linear'\nradius = 0.3\nload = 3000\nstiffness = 2e5\nlateral = 5e4\n\
             [ground.markers]\ng = [0, 0, 0.29]\n\
             [joint.guide]\ntype = 'prismatic'\nbetween = ['ground.g', 'sled']\naxis = [1, 0, 0]\n\
             [force.t]\ntype = 'tyre'\nat = 'wheel'\ntyre = 't'\n[sensor.s]\ntype = 'tyre'\ntyre = 't'\n\
             [analysis]\nend = 0.5\nsample = 0.01\n"
        );
        let out = by(&model(&text), "bdf", None);
        close(last(&out, "s.slip"), 1.0, 5e-3);
        close(last(&out, "s.ux"), 0.3, 5e-3);
    }
}

/// A fixed step passes a bump: no step sees it, and the run says so, with the tyre. A step that meets it says nothing.
#[test]
fn a_bump_between_fixed_steps_is_told() {
    let text = "gravity = [0, 0, -9.81]\n\
        [road.r]\nheight = 'if(x > 5.02 && x < 5.12, 0.01*(1 - cos(2*pi*(x - 5.02)/0.1)), 0)'\n\
        [body.box]\ntype = 'rigid'\nmass = 300\ninertia = [40, 50, 50]\nposition = [0, 0, 0.2853]\nvelocity = [20, 0, 0]\n\
        rate = [0, 0, 0]\n[joint.upright]\ntype = 'parallel-axes'\nbetween = ['ground', 'box']\naxis = [0, 1, 0]\n\
        [joint.guide]\ntype = 'point-on-plane'\nbetween = ['ground', 'box']\naxis = [0, 1, 0]\n\
        [tyre.t]\ntype = 'tanh'\nradius = 0.3\nload = 3000\nstiffness = 2e5\ndamping = 6e3\nlateral = 6e4\n\
        longitudinal = 9e4\nfriction = 0.8\n\
        [force.front]\ntype = 'tyre'\nat = 'box'\ntyre = 't'\nroad = 'r'\nfree = true\n\
        [sensor.x]\ntype = 'position'\nof = 'box'\n[analysis]\nend = 0.4\nsample = 0.01\n";
    let m = model(text);
    let told = |step: f64| {
        let found = by(&m, "lin-euler", Some(step)).summary.stepped_over;
        found.map(|s| (s.name, s.t))
    };
    let (name, t) = told(0.01).unwrap();
    assert!(name.contains("road below force \"front\"") && (t - 0.26).abs() < 0.011, "{name} {t}");
    assert!(told(5e-4).is_none());
}
