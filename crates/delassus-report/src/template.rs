//! The page of the viewer, and how data is inserted into it.

/// Built from `web/`; empty if that was not possible.
const TEMPLATE: &str = include_str!(concat!(env!("OUT_DIR"), "/template.html"));
/// Where the data is inserted.
const MARKER: &str = "<!--DELASSUS-DATA-->";

/// Whether this program was built with the viewer.
pub fn has_viewer() -> bool {
    !TEMPLATE.is_empty()
}

/// The viewer's page with JSON data inserted as a script element; `None` without the viewer.
pub(crate) fn page(id: &str, json: &str) -> Option<String> {
    fill(TEMPLATE, id, json)
}

fn fill(template: &str, id: &str, json: &str) -> Option<String> {
    let (before, after) = template.split_once(MARKER)?;
    let mut out = String::with_capacity(template.len() + json.len() + 128);
    out.push_str(before);
    out.push_str("<script type=\"application/json\" id=\"");
    out.push_str(id);
    out.push_str("\">");
    push_inert(&mut out, json);
    out.push_str("</script>");
    out.push_str(after);
    Some(out)
}

/// JSON inside a script element. Names and texts of a model are data: no `<` is left, so they can neither end the
/// script nor begin a comment or another script.
pub(crate) fn push_inert(out: &mut String, json: &str) {
    let mut parts = json.split('<');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("\\u003c");
        out.push_str(part);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_the_script() {
        let evil = "</script><script>alert(1)</script><!-- <SCRIPT> ]]> & \u{2028}";
        let json = serde_json::to_string(&serde_json::json!({ "name": evil })).unwrap();
        let page = fill(&format!("<html>{MARKER}</html>"), "delassus-data", &json).unwrap();
        let inside = page
            .strip_prefix("<html><script type=\"application/json\" id=\"delassus-data\">")
            .and_then(|p| p.strip_suffix("</script></html>"))
            .unwrap();
        assert!(!inside.contains('<'));
        let back: serde_json::Value = serde_json::from_str(inside).unwrap();
        assert_eq!(back["name"], evil);
    }

    #[test]
    fn a_built_page_has_one_mark() {
        assert!(!has_viewer() || TEMPLATE.matches(MARKER).count() == 1);
        assert!(fill("", "x", "{}").is_none());
    }
}
