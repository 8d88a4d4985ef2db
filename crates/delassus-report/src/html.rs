//! The page as text.

use crate::report::Report;
use crate::{fallback, template};

impl Report {
    /// The whole page: the viewer with the data, or still pictures if the program was built without the viewer. It
    /// needs neither a server nor a network.
    pub fn html(&self) -> String {
        if template::has_viewer() {
            // only maps whose keys are not text can fail, and there are none
            let json = serde_json::to_string(&self.payload()).unwrap_or_default();
            if let Some(page) = template::page("delassus-data", &json) {
                return page;
            }
        }
        self.still_html()
    }

    /// The page with still pictures.
    pub fn still_html(&self) -> String {
        fallback::page(self)
    }
}

/// Text escaped for HTML.
pub(crate) fn escape(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
