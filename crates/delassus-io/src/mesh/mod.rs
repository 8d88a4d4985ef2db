//! Triangles from STL (binary and text) and OBJ files. Whether they make a solid is checked by the
//! compiler of models; here only what the bytes say.

mod obj;
mod stl;

use delassus_model::spec::Triangles;

/// Formats by the end of the file name.
const KNOWN: &str = "use an STL or OBJ file (.stl, .obj)";

/// What is wrong with a file, and what to do.
pub(crate) type Fault = (String, &'static str);

/// Reads the bytes of a mesh file; its name decides the format.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Triangles, Fault> {
    let end = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match end.as_str() {
        "stl" => stl::parse(bytes),
        "obj" => obj::parse(text(bytes)?),
        _ => Err((format!("\"{name}\" is of an unknown format"), KNOWN)),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|e| {
        let what = format!("byte {} of the file is not valid UTF-8", e.valid_up_to());
        (what, "export the file again")
    })
}

/// A number of a text file.
fn number(word: Option<&str>, line: usize) -> Result<f64, Fault> {
    word.and_then(|w| w.parse::<f64>().ok()).ok_or_else(|| {
        let found = word.map_or("nothing".to_owned(), |w| {
            format!("`{}`", w.chars().take(20).collect::<String>())
        });
        (format!("line {line}: found {found}, expected a number"), "export the file again")
    })
}
