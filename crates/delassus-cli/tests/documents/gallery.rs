//! The pages of the gallery, made of what the library has: groups of its README, headers of the model files, pictures,
//! and the last row of the stored references.

use delassus::io::model_file::{Limits, load};
use delassus::model::{Model, compile};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Sets in the order of the book, and what their pages are called.
const SETS: [(&str, &str); 3] = [
    ("smooth", "Smooth motion"),
    ("impacts", "Contact, impact, friction"),
    ("flexible", "Bodies that bend"),
];
/// Most digits of an answer: more are of no use to a reader.
const DIGITS: usize = 10;

/// Pages by their path from the root, and what is missing.
pub fn pages(root: &Path) -> (Vec<(String, String)>, Vec<String>) {
    let mut faults = Vec::new();
    let pages = SETS
        .iter()
        .map(|(set, title)| {
            (format!("docs/src/gallery/{set}.md"), page(root, set, title, &mut faults))
        })
        .collect();
    (pages, faults)
}

fn page(root: &Path, set: &str, title: &str, faults: &mut Vec<String>) -> String {
    let folder = root.join("models/library").join(set);
    let readme = fs::read_to_string(root.join("models/library/README.md")).unwrap();
    let mut left = names(&folder);
    let mut out = format!(
        "# {title}\n\n{} mechanisms of `models/library/{set}`. [How to use them](README.md)\n",
        left.len()
    );
    for (group, patterns) in groups(&readme, set) {
        let of = |name: &String| patterns.iter().any(|p| fits(p, name));
        let (mine, others): (Vec<String>, Vec<String>) = left.into_iter().partition(of);
        left = others;
        if mine.is_empty() {
            faults.push(format!("models/library/README.md: no mechanism of {set} is in `{group}`"));
        }
        let mut heading = group.chars();
        let first = heading.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        let _ = write!(out, "\n## {first}{}\n", heading.as_str());
        for name in mine {
            out += &entry(root, set, &name, faults);
        }
    }
    faults
        .extend(left.iter().map(|n| format!("models/library/README.md: {set}/{n} is in no group")));
    out
}

/// Names of the mechanisms of a set in alphabetical order.
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let models = files.filter(|p| p.extension().is_some_and(|e| e == "toml"));
    let mut names: Vec<String> =
        models.map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Groups of a set with the patterns of their files: the rows of the table below ``In `SET`:``.
fn groups(readme: &str, set: &str) -> Vec<(String, Vec<String>)> {
    let lines = readme.lines().skip_while(|l| *l != format!("In `{set}`:")).skip(4);
    let rows = lines.take_while(|l| l.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|');
        let group = cells.next().unwrap_or_default().trim().to_owned();
        let files = cells.next().unwrap_or_default().split('`').skip(1).step_by(2);
        (group, files.map(str::to_owned).collect())
    })
    .collect()
}

/// `*` stands for anything at the end of a pattern.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// A mechanism: its picture, what it shows, where it is, and its certified answer.
fn entry(root: &Path, set: &str, name: &str, faults: &mut Vec<String>) -> String {
    let file = format!("models/library/{set}/{name}.toml");
    let spec = match load(&root.join(&file), &Limits::default()) {
        Ok(loaded) => loaded.spec,
        Err(e) => {
            faults.push(e.to_string());
            return String::new();
        }
    };
    let (title, text) =
        (spec.title.clone().unwrap_or_default(), spec.description.clone().unwrap_or_default());
    let picture = format!("images/gallery/{set}/{name}.webp");
    if !root.join("docs/src").join(&picture).is_file() {
        faults.push(format!(
            "{file}: no picture `docs/src/{picture}`; `cargo xtask gallery` takes it"
        ));
    }
    let mut out = format!(
        "\n### {title}\n\n<img class=\"gallery\" alt=\"{title}\" loading=\"lazy\" src=\"../{picture}\">\n"
    );
    for label in ["Shows", "Look at", "Source"] {
        let words = paragraph(&text, label);
        if words.is_empty() {
            faults.push(format!("{file}: its description has no paragraph `{label}:`"));
        }
        let mut letters = words.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        let _ = match label {
            "Shows" => write!(out, "\n{first}{}\n", letters.as_str()),
            _ => write!(out, "\n*{label}:* {words}\n"),
        };
    }
    let _ = write!(out, "\n`{file}`");
    let model = compile(&spec).map_err(|e| format!("{file}: {e:?}"));
    match model.and_then(|model| answer(root, set, name, &model)) {
        Ok(answer) => out + "\n\n" + &answer + "\n",
        Err(fault) => {
            faults.push(fault);
            out + "\n"
        }
    }
}

/// The rest of the first line that begins like this.
fn line<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines().find_map(|l| l.strip_prefix(start)).unwrap_or_default()
}

/// A labelled paragraph of the description as one line.
fn paragraph(text: &str, label: &str) -> String {
    let start = format!("{label}: ");
    let lines = text.lines().skip_while(|l| !l.starts_with(&start));
    let words: Vec<&str> = lines.take_while(|l| !l.is_empty()).collect();
    words.join(" ").strip_prefix(&start).unwrap_or_default().trim().to_owned()
}

/// The last row of the reference with its uncertainty, in words.
fn answer(root: &Path, set: &str, name: &str, model: &Model) -> Result<String, String> {
    let path = format!("models/library/{set}/reference/{name}.csv");
    let text = fs::read_to_string(root.join(&path)).map_err(|_| {
        format!("{path}: no such file; `cargo xtask library --make {name}` makes it")
    })?;
    let widths: Vec<&str> = line(&text, "# uncertainty: ").split(',').collect();
    let mut rows = text.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<&str> = rows.next().unwrap_or_default().split(',').collect();
    let last: Vec<&str> = rows.next_back().unwrap_or_default().split(',').collect();
    let number = |x: &str| x.parse::<f64>().map_err(|_| format!("{path}: `{x}` is no number"));
    if names.len() != last.len() || widths.len() + 1 != names.len() {
        return Err(format!("{path}: its rows differ in length"));
    }
    let mut out = format!("*At {} s:*", number(last[0])?);
    for (k, name) in names.iter().enumerate().skip(1) {
        let sensor = model.sensors.iter().find(|s| s.name == *name);
        let unit = sensor.map(|s| s.unit.clone()).ok_or(format!("{path}: no sensor `{name}`"))?;
        let unit = if unit.is_empty() || unit == "1" { String::new() } else { format!(" {unit}") };
        let (value, width) = (number(last[k])?, number(widths[k - 1])?);
        let comma = if k > 1 { "," } else { "" };
        let (value, width) = (shown(value, width), significant(width, 2));
        let _ = write!(out, "{comma} `{name}` = {value}{unit} (± {width})");
    }
    let exact = root.join(format!("models/library/{set}/exact/{name}.csv"));
    if let Ok(text) = fs::read_to_string(exact) {
        let _ = write!(out, "\n\n*Confirmed by:* {}", line(&text, "# source: "));
    }
    Ok(out)
}

/// A value with the digits that its uncertainty leaves.
fn shown(value: f64, width: f64) -> String {
    if value.abs() <= width {
        return "0".to_owned();
    }
    let (size, known) = (value.abs().log10().floor(), width.log10().floor());
    let digits = if size.is_finite() && known.is_finite() { size - known + 1.0 } else { f64::MAX };
    significant(value, digits.clamp(1.0, DIGITS as f64) as usize)
}

/// A number with so many significant digits, without zeros at its end.
fn significant(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let places = usize::try_from(digits as i32 - 1 - exponent);
    if let (true, Ok(places)) = (exponent >= -4, places) {
        return short(&format!("{value:.places$}"));
    }
    format!("{}e{exponent}", short(mantissa))
}

#[test]
fn numbers_have_the_digits_that_are_known() {
    assert_eq!(shown(0.123456789012345, 3e-9), "0.123456789");
    assert_eq!(shown(-12.3456, 0.02), "-12.35");
    assert_eq!(shown(3.0, 1e-14), "3");
    assert_eq!(shown(1.5e-9, 1e-11), "1.5e-9");
    assert_eq!(shown(1e-14, 2e-9), "0");
    assert_eq!(shown(0.0, 0.0), "0");
    assert_eq!(shown(123456.7, 30.0), "1.2346e5");
}

#[test]
fn groups_are_read_from_the_table() {
    let readme =
        "In `a`:\n\n| group | files |\n|---|---|\n| x, y | `p_*`, `q` |\n| z | `r` |\n\nmore";
    let groups = groups(readme, "a");
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[0], ("x, y".to_owned(), vec!["p_*".to_owned(), "q".to_owned()]));
    assert!(fits("p_*", "p_one") && fits("q", "q") && !fits("q", "q2"));
}
