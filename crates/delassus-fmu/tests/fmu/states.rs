//! Saved, restored and serialised states continue with the same bits (R45).

use crate::support::{ERROR, Fmu, OK, Three, Use};

fn steps(i: &Three, vr: &[u32], from: usize, n: usize) -> Vec<u64> {
    let mut bits = Vec::new();
    for k in from..from + n {
        let (t, next) = (k as f64 * 0.013, (k + 1) as f64 * 0.013);
        assert_eq!(i.step(t, next - t).0, OK, "{:?}", i.log.take());
        bits.extend(i.get(vr).iter().map(|x| x.to_bits()));
    }
    bits
}

#[test]
fn rel_r45_restore_then_repeat_is_bitwise_the_same() {
    for (file, saves) in [
        ("pendulum.toml", [1, 30, 170]),
        ("motor_pid.toml", [7, 31, 120]),
        ("bouncing_ball.toml", [34, 47, 140]),
        ("box_on_incline.toml", [3, 20, 33]),
        ("benchmarks/J2_vehicle.toml", [2, 15, 30]),
    ] {
        let fmu = Fmu::of_file(file);
        let vr: Vec<u32> = fmu.outputs().iter().map(|(vr, _)| *vr).collect();
        let (one, other) = (fmu.co_simulation(), fmu.co_simulation());
        one.begin();
        let mut at = 0;
        for save in saves {
            steps(&one, &vr, at, save - at);
            let state = one.save();
            let bytes = one.bytes(state);
            let here: Vec<u64> = one.get(&vr).iter().map(|x| x.to_bits()).collect();
            let after = steps(&one, &vr, save, 12);
            assert_eq!(one.restore(state), OK, "{:?}", one.log.take());
            let again: Vec<u64> = one.get(&vr).iter().map(|x| x.to_bits()).collect();
            assert_eq!(here, again, "{file}");
            assert_eq!(after, steps(&one, &vr, save, 12), "{file}, {save}");
            // into an instance that has not even been initialised
            let read = other.read(&bytes).unwrap();
            assert_eq!(other.restore(read), OK, "{:?}", other.log.take());
            assert_eq!(after, steps(&other, &vr, save, 12), "{file}, {save}, as bytes");
            other.free_state(read);
            one.free_state(state);
            at = save + 12;
        }
    }
}

#[test]
fn damaged_and_foreign_states_are_refused() {
    let (fmu, other) = (Fmu::of_file("pendulum.toml"), Fmu::of_file("slider_crank.toml"));
    let i = fmu.co_simulation();
    i.begin();
    steps(&i, &[], 0, 3);
    let state = i.save();
    let bytes = i.bytes(state);
    for k in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut bad = bytes.clone();
        bad[k] ^= 0x10;
        assert_eq!(i.read(&bad).unwrap_err(), ERROR, "byte {k}");
        assert_eq!(i.read(&bytes[..k]).unwrap_err(), ERROR, "cut at {k}");
    }
    assert!(i.log.take().iter().all(|(_, text)| text.contains("E_FMU_STATE")));
    let foreign = other.co_simulation();
    let read = foreign.read(&bytes).unwrap();
    assert_eq!(foreign.restore(read), ERROR);
    assert!(foreign.log.take()[0].1.contains("another model"));
    foreign.free_state(read);
    let solver = fmu.three(Use::ModelExchange);
    assert_eq!(solver.restore(state), ERROR);
    i.free_state(state);
    // nothing has happened to it
    steps(&i, &[], 3, 2);
}
