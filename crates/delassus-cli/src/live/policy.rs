//! Which scripts the served page may run: only its own, identified by their hashes.

use delassus_report::base64;
use sha2::{Digest, Sha256};

/// A content security policy for this page.
pub fn policy(html: &str) -> String {
    let mut scripts = String::new();
    for script in scripts_of(html) {
        scripts.push_str(&format!(" 'sha256-{}'", base64(&Sha256::digest(script))));
    }
    if scripts.is_empty() {
        scripts.push_str(" 'none'");
    }
    // styles are also set by the plots; they cannot send anything anywhere
    format!(
        "default-src 'none'; script-src{scripts}; style-src 'unsafe-inline'; img-src data: blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Texts of the scripts in a page; data is not a script.
fn scripts_of(html: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at..];
        let Some(open) = rest.find('>') else { break };
        let (tag, body) = rest.split_at(open + 1);
        let Some(end) = body.find("</script") else { break };
        if !tag.contains("application/json") {
            out.push(&body[..end]);
        }
        rest = &body[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_named_and_data_is_not() {
        let html = "<html><script type=\"application/json\">{}</script>\
                    <script type=\"module\" crossorigin>alert(1)</script></html>";
        assert_eq!(scripts_of(html), ["alert(1)"]);
        let p = policy(html);
        // openssl dgst -sha256 -binary | base64
        assert!(
            p.contains("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"),
            "{p}"
        );
        assert!(policy("<p>").contains("script-src 'none'"));
    }
}
