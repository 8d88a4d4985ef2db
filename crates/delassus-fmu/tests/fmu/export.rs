//! What is in an exported file.

use crate::support::{Fmu, OK, export, export_as, loaded, model_path};
use delassus::io::model_file::{self, LoadOptions};
use delassus_fmu::Version;
use delassus_fmu::archive::{Archive, Limits};

fn text(bytes: &[u8], path: &str) -> String {
    let archive = Archive::open(bytes, Limits::default()).unwrap();
    String::from_utf8(archive.read(path).unwrap()).unwrap()
}

#[test]
fn two_exports_are_the_same_bytes() {
    for version in [Version::Two, Version::Three] {
        let made = || export_as(loaded("slider_crank.toml"), version, &[]).unwrap().bytes;
        assert_eq!(made(), made());
    }
    let set = [("r".to_owned(), "60 mm".to_owned())];
    let plain = export_as(loaded("slider_crank.toml"), Version::Three, &[]).unwrap().bytes;
    let other = export_as(loaded("slider_crank.toml"), Version::Three, &set).unwrap().bytes;
    let token = |bytes: &[u8]| {
        let xml = text(bytes, "modelDescription.xml");
        xml.split_once("instantiationToken=\"").unwrap().1[..34].to_owned()
    };
    assert_ne!(token(&plain), token(&other));
}

#[test]
fn all_files_of_a_model_are_packed() {
    let made = export("spring_tetrahedron.toml");
    let archive = Archive::open(&made.bytes, Limits::default()).unwrap();
    let files: Vec<&str> = archive.files().collect();
    for file in
        ["spring_tetrahedron.toml", "spring_tetrahedron/mass.mtx", "spring_tetrahedron/nodes.csv"]
    {
        assert!(files.contains(&format!("resources/model/{file}").as_str()), "{files:?}");
    }
    let fmu = Fmu::of(made);
    let i = fmu.co_simulation();
    i.begin();
    assert_eq!(i.step(0.0, 1e-3).0, OK);
}

#[test]
fn includes_in_folders_keep_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("parts");
    std::fs::create_dir(&sub).unwrap();
    std::fs::write(sub.join("curve.csv"), "x,y\n0,0\n1,2\n").unwrap();
    std::fs::write(
        sub.join("part.toml"),
        "[table.curve]\nfile = \"curve.csv\"\n[body.m]\ntype = \"planar-point\"\nmass = 1\n",
    )
    .unwrap();
    let main = folder.path().join("main.toml");
    std::fs::write(
        &main,
        "schema = 1\ninclude = [\"parts/part.toml\"]\n[force.f]\ntype = \"force\"\nat = \"m\"\n\
         force = [\"curve(t)\", 0]\n[sensor.x]\ntype = \"position\"\nof = \"m\"\ncomponent = \"x\"\n",
    )
    .unwrap();
    let fmu = Fmu::of_model(model_file::load(&main, &Default::default()).unwrap());
    let i = fmu.co_simulation();
    i.begin();
    assert_eq!(i.step(0.0, 0.9).0, OK, "{:?}", i.log.take());
    // a force of 2t: x = t^3/3
    assert!((i.get(&[fmu.vr("x")])[0] - 0.243).abs() < 1e-9);
}

#[test]
fn files_outside_the_folder_of_the_model_are_not_packed() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    std::fs::create_dir(&own).unwrap();
    std::fs::create_dir(&other).unwrap();
    let body = "[body.m]\ntype = \"planar-point\"\nmass = 1\n";
    std::fs::write(other.join("part.toml"), body).unwrap();
    let main = own.join("main.toml");
    std::fs::write(&main, "schema = 1\ninclude = [\"../other/part.toml\"]\n[sensor.x]\ntype = \"position\"\nof = \"m\"\n")
        .unwrap();
    let options = LoadOptions { allowed_dirs: vec![other], ..LoadOptions::default() };
    let loaded = model_file::load_with(&main, &options).unwrap();
    let e = export_as(loaded, Version::Three, &[]).unwrap_err();
    assert_eq!(e.code, "E_PATH_ESCAPE", "{e}");
}

#[test]
fn names_and_units_are_described() {
    let xml = text(&export("arm_by_torque.toml").bytes, "modelDescription.xml");
    for part in [
        "fmiVersion=\"3.0\"",
        "<Float64 name=\"L\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\" initial=\"exact\" unit=\"m\" start=\"0.5\"/>",
        "causality=\"calculatedParameter\"",
        "name=\"torque\"",
        "unit=\"N*m\" min=\"-50.0\" max=\"50.0\" start=\"0.0\"",
        "<BaseUnit kg=\"1\" m=\"2\" s=\"-2\"/>",
        "canSerializeFMUState=\"true\"",
        "<DefaultExperiment startTime=\"0.0\" stopTime=\"3.0\" stepSize=\"0.01\"/>",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
    let two = export_as(loaded("arm_by_torque.toml"), Version::Two, &[]).unwrap();
    let xml = text(&two.bytes, "modelDescription.xml");
    assert!(xml.contains("fmiVersion=\"2.0\"") && xml.contains("numberOfEventIndicators=\"0\""));
}

#[test]
fn names_that_are_special_in_xml_or_taken() {
    let text_of = "schema = 1\ntitle = 'a < b & \"c\"'\n[parameters]\nwidth = 2\ntime = 3\n\
        [body.m]\ntype = 'planar-point'\nmass = 'width + time'\n\
        [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n";
    let fmu = Fmu::of_text(text_of);
    let names: Vec<&str> = fmu.variables.list.iter().map(|v| v.name.as_str()).collect();
    assert!(["time", "width", "parameter time"].iter().all(|n| names.contains(n)), "{names:?}");
    let i = fmu.co_simulation();
    assert_eq!(i.set(fmu.vr("parameter time"), 7.0), OK);
    i.begin();
}

#[test]
fn a_model_without_sensors_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.toml");
    std::fs::write(&path, "schema = 1\n[body.m]\ntype = \"planar-point\"\nmass = 1\n").unwrap();
    let loaded = model_file::load(&path, &Default::default()).unwrap();
    let e = export_as(loaded, Version::Three, &[]).unwrap_err();
    assert!(e.message.contains("no sensors"), "{e}");
    assert!(model_path("pendulum.toml").is_file());
}
