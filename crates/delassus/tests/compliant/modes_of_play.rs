//! What a joint with play does: free flight, impact, following.

use crate::support;

use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

fn ran(text: &str) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |_| {})
}

/// A wheel that falls in its bearing, in the plane or in space, where each end of its journal has half of the stiffness.
fn falling(space: bool, gravity: f64, law: &str) -> String {
    let stiffness = if space { 0.5e9 } else { 1e9 };
    let law = law.replace("STIFF", &format!("stiffness = {stiffness:e}"));
    let (z, body) = match space {
        false => ("", "type = 'planar'\nmass = 2\ninertia = 0.01\nvelocity = [0, -0.05]\n"),
        true => (
            ", 0",
            "type = 'rigid'\nmass = 2\ninertia = [0.02, 0.03, 0.01]\nvelocity = [0, -0.05, 0]\n",
        ),
    };
    let length = if space { "length = '40 mm'\n" } else { "" };
    format!(
        "schema = 1\ngravity = [0, {}{z}]\n[body.b]\n{body}\
         [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nradius = '10 mm'\n{length}{law}\n\
         [sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n[analysis]\nend = 0.12\nsample = '20 us'\n[method]\nrtol = 1e-9\n",
        -gravity
    )
}

/// The mode at every sample, which is free flight where nothing acts.
fn modes<'a>(out: &'a RunOutcome, joint: &str) -> &'a [f64] {
    out.results.get(&format!("{joint}.play")).unwrap()
}

const DAMPED: &str = "law = 'lankarani-nikravesh'\nrestitution = 0.3\nSTIFF";

/// Under a constant load what follows does not part, and what does not part any more follows before long.
#[test]
fn what_follows_does_not_part() {
    for law in [
        DAMPED,
        "law = 'flores'\nrestitution = 0.05\nSTIFF",
        "law = 'exact'\nrestitution = 0.6\nSTIFF",
    ] {
        let out = ran(&falling(false, 9.81, law));
        let (t, play) = (&out.results.t, modes(&out, "pin"));
        let force = out.results.get("pin.normal").unwrap();
        let parts: Vec<f64> =
            out.events.iter().filter(|e| e.kind == EventKind::Part).map(|e| e.t).collect();
        let last = out.events.iter().rfind(|e| e.kind == EventKind::Touch).unwrap().t;
        assert!(parts.iter().all(|p| *p < last), "{law}: it is still bouncing");
        let (mut impacts, mut follows) = (0, 0);
        for k in 0..t.len() {
            assert_eq!(play[k] == 0.0, force[k] == 0.0, "{law}: {}", t[k]);
            impacts += usize::from(play[k] == 1.0);
            follows += usize::from(play[k] == 2.0);
            assert!(play[k] != 2.0 || parts.iter().all(|p| *p < t[k]), "{law}: {}", t[k]);
        }
        assert!(impacts > 10 && follows > 100, "{law}: {impacts} {follows}");
        // and stays so; what loses almost all creeps back from where its first impact took it
        let from = play.iter().position(|p| *p == 2.0).unwrap();
        assert!(t[from] >= last && t[from] < last + 0.05, "{law}: {} after {last}", t[from]);
        assert!(play[from..].iter().all(|p| *p == 2.0), "{law}: from {}", t[from]);
    }
}

/// Both ends of a journal in space make one impact.
#[test]
fn ends_of_a_journal_follow_together() {
    let (flat, shaft) = (ran(&falling(false, 9.81, DAMPED)), ran(&falling(true, 9.81, DAMPED)));
    let differ = modes(&flat, "pin").iter().zip(modes(&shaft, "pin")).filter(|(a, b)| a != b);
    assert!(differ.count() <= 2);
}

/// Without a load nothing follows, whatever it loses; without losses neither.
#[test]
fn free_impacts_do_not_follow() {
    for (gravity, law) in [
        (0.0, DAMPED),
        (0.0, "law = 'flores'\nrestitution = 0.05\nSTIFF"),
        (9.81, "law = 'hertz'\nSTIFF"),
    ] {
        for space in [false, true] {
            let out = ran(&falling(space, gravity, law));
            let play = modes(&out, "pin");
            assert!(play.contains(&1.0) && !play.contains(&2.0), "{law}: {space}");
        }
    }
    // four corners at once: each has less of the mass behind it than a quarter
    let text = format!(
        "schema = 1\n[body.b]\ntype = 'rigid'\nmass = 2\ninertia = [1e-4, 2e-4, 2e-4]\nvelocity = [0, -0.2, 0]\n\
         [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nlength = '100 mm'\n\
         width = '50 mm'\nheight = '40 mm'\n{}\n[sensor.p]\ntype = 'position'\nof = 'b'\n\
         [analysis]\nend = 0.01\nsample = '10 us'\n[method]\nrtol = 1e-9\n",
        DAMPED.replace("STIFF", "stiffness = 1e8")
    );
    let out = ran(&text);
    let play = modes(&out, "guide");
    assert_eq!(out.events[..4].iter().filter(|e| e.kind == EventKind::Touch).count(), 4);
    assert!(play.contains(&1.0) && !play.contains(&2.0));
}

/// Rigid play that is closed follows: its impacts take no time.
#[test]
fn rigid_play_follows_where_it_is_closed() {
    let out = ran(&falling(false, 9.81, "restitution = 0.2"));
    let (play, closed) = (modes(&out, "pin"), out.results.get("pin.mode").unwrap());
    assert!(play.iter().zip(closed).all(|(p, c)| if *c > 0.0 { *p == 2.0 } else { *p == 0.0 }));
    assert!(play.first() == Some(&0.0) && play.last() == Some(&2.0));
}
