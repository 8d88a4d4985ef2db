//! Result files: bits survive, nothing non-finite gets out, old files stay whole.

use delassus_io::results::*;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::tempdir;

fn column<'a>(name: &'a str, unit: &'a str, values: &'a [f64]) -> Column<'a> {
    Column { name, unit, frame: "ground", values, may_lack: false }
}

const HARD: [f64; 14] = [
    0.0,
    -0.0,
    0.1,
    1.0 / 3.0,
    1e15,
    123456789012345680.0,
    1e-5,
    9.999e-6,
    5e-324,
    f64::MAX,
    f64::MIN_POSITIVE,
    -1e22,
    2.5e-300,
    std::f64::consts::PI,
];

fn csv(columns: &[Column<'_>]) -> String {
    let mut out = Vec::new();
    write_csv(&mut out, columns).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn csv_is_plain_and_exact() {
    let t: Vec<f64> = (0..HARD.len()).map(|i| i as f64).collect();
    let columns = [column("t", "s", &t), column("x,\"y\"", "m", &HARD)];
    let text = csv(&columns);
    assert!(text.starts_with("t,\"x,\"\"y\"\"\"\n0,0\n1,-0\n2,0.1\n"), "{text}");
    assert!(text.contains("\n8,5e-324\n") && text.contains("\n9,1.7976931348623157e308\n"));
    assert!(!text.contains('\r'));
    let back = read_csv_from(text.as_bytes()).unwrap();
    assert_eq!(back.names, ["t", "x,\"y\""]);
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(back.column("x,\"y\"").unwrap()), bits(&HARD));
    assert_eq!(csv(&columns), text);
    assert_eq!(csv(&[column("t", "s", &[])]), "t\n");
}

#[test]
fn rel_g2_bad_columns_are_refused_before_a_byte_is_written() {
    let t = [0.0, 1.0];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let x = [1.0, bad];
        let columns = [column("t", "s", &t), column("x", "m", &x)];
        let mut out = Vec::new();
        let e = write_csv(&mut out, &columns).unwrap_err();
        assert!(matches!(&e, WriteError::NonFinite { column, row: 1 } if column == "x"), "{e}");
        let e = write_parquet(&mut out, &columns, &[]).unwrap_err();
        assert!(matches!(e, WriteError::NonFinite { .. }));
        assert!(out.is_empty());
    }
    let short = [1.0];
    let e = write_csv(Vec::new(), &[column("t", "s", &t), column("x", "m", &short)]).unwrap_err();
    assert!(matches!(e, WriteError::Length { expected: 2, found: 1, .. }));
    let e = write_csv(Vec::new(), &[column("t", "s", &t), column("t", "m", &t)]).unwrap_err();
    assert!(matches!(e, WriteError::DuplicateColumn { .. }));
}

/// What is not known is an empty field where the column allows it, and no fault when it is read.
#[test]
fn what_is_not_known_is_empty() {
    let (t, gap) = ([0.0, 1.0, 2.0], [0.5, f64::NAN, 0.25]);
    let columns = [column("t", "s", &t), Column { may_lack: true, ..column("c.gap", "m", &gap) }];
    let mut out = Vec::new();
    write_csv(&mut out, &columns).unwrap();
    assert_eq!(out, b"t,c.gap\n0,0.5\n1,\n2,0.25\n");
    let (table, problems) = salvage_csv(&out[..]);
    assert!(problems.is_empty(), "{problems:?}");
    let back = table.column("c.gap").unwrap();
    assert!(back[0] == 0.5 && back[1].is_nan() && back[2] == 0.25, "{back:?}");
    let endless = [0.5, f64::INFINITY, 0.25];
    let columns = [column("t", "s", &t), Column { may_lack: true, ..column("g", "m", &endless) }];
    assert!(matches!(write_csv(Vec::new(), &columns), Err(WriteError::NonFinite { row: 1, .. })));
}

#[test]
fn parquet_reads_back() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("r.parquet");
    let t: Vec<f64> = (0..HARD.len()).map(|i| i as f64).collect();
    let columns = [column("t", "s", &t), column("theta.x", "rad", &HARD)];
    let extra = [("model.hash".to_owned(), "abc".to_owned())];
    atomic_write(&path, |w| write_parquet(w, &columns, &extra)).unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let meta = reader.metadata().file_metadata();
    assert_eq!(meta.num_rows(), HARD.len() as i64);
    let pairs = meta.key_value_metadata().unwrap();
    let get = |k: &str| pairs.iter().find(|p| p.key == k).and_then(|p| p.value.clone());
    assert_eq!(get("unit.theta.x").as_deref(), Some("rad"));
    assert_eq!(get("frame.theta.x").as_deref(), Some("ground"));
    assert_eq!(get("model.hash").as_deref(), Some("abc"));
    for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
        let row = row.unwrap();
        assert_eq!(row.get_double(1).unwrap().to_bits(), HARD[i].to_bits());
    }
    let first = fs::read(&path).unwrap();
    atomic_write(&path, |w| write_parquet(w, &columns, &extra)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), first, "same input, same bytes");
    let mut empty = Vec::new();
    write_parquet(&mut empty, &[column("t", "s", &[])], &[]).unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn rel_r38_failed_writes_leave_the_old_file() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("r.csv");
    atomic_write(&path, |w| Ok(w.write_all(b"old")?)).unwrap();
    let bad = [f64::NAN];
    let e = atomic_write(&path, |w| {
        w.write_all(&[b'x'; 100_000])?;
        write_csv(w, &[column("t", "s", &bad)])
    });
    assert!(matches!(e, Err(WriteError::NonFinite { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    let e = atomic_write(&path, |w| {
        w.write_all(&[b'x'; 100_000])?;
        Err(std::io::Error::other("pulled the plug").into())
    });
    let Err(WriteError::Io { path: Some(named), bytes_written, .. }) = e else { panic!() };
    assert_eq!(named, path);
    assert!(bytes_written >= 100_000 - 8192, "{bytes_written}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    let panicked = std::panic::catch_unwind(|| atomic_write(&path, |_| panic!("bug")));
    assert!(panicked.is_err());
    assert_eq!(names(dir.path()), ["r.csv"]);
    atomic_write(&path, |w| Ok(w.write_all(b"new")?)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(dir.path()), ["r.csv"]);

    for gone in [dir.path().join("no/r.csv"), dir.path().to_owned()] {
        let e = atomic_write(&gone, |_| Ok(())).unwrap_err();
        assert!(matches!(e, WriteError::Io { path: Some(ref p), .. } if *p == gone), "{e}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn rel_r38_full_disk_is_named_through_parquet_too() {
    let t = vec![1.0; 100_000];
    for parquet in [false, true] {
        let e = atomic_write(Path::new("/dev/full"), |w| {
            let columns = [column("t", "s", &t)];
            if parquet { write_parquet(w, &columns, &[]) } else { write_csv(w, &columns) }
        });
        let Err(WriteError::Io { path, source, .. }) = e else { panic!("{e:?}") };
        assert_eq!(path.as_deref(), Some(Path::new("/dev/full")));
        assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
    }
    // Devices are written to, not replaced.
    atomic_write(Path::new("/dev/null"), |w| Ok(w.write_all(b"x")?)).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let dir = tempdir().unwrap();
    let (file, link) = (dir.path().join("f"), dir.path().join("l"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink("f", &link).unwrap();
    atomic_write(&link, |w| Ok(w.write_all(b"new")?)).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn csv_faults_have_lines() {
    for (text, line) in [
        ("", 1),
        ("t,\"x", 1),
        ("t,x\n1,2\n1\n", 3),
        ("t,x\n1,2,3\n", 2),
        ("t\n1\nabc\n", 3),
        ("t\nNaN\n", 2),
        ("t\n1,5\n", 2),
    ] {
        let e = read_csv_from(text.as_bytes()).unwrap_err();
        assert!(matches!(e, CsvError::Invalid { line: l, .. } if l == line), "{text:?}: {e}");
    }
    assert!(read_csv_from(&b"t\n\xFF\n"[..]).is_err());
    assert_eq!(read_csv_from(&b"\xEF\xBB\xBFt,x\r\n1, 2\r\n"[..]).unwrap().columns, [[1.0], [2.0]]);
    assert!(matches!(read_csv(Path::new("/none/x.csv")), Err(CsvError::Io(_))));
}
