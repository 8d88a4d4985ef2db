//! Columns of text under headings.

/// Rows of cells; the first column is aligned to the left, the others to the right.
pub struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// An empty table.
    pub fn new(headings: &[&str]) -> Grid {
        Grid { rows: vec![headings.iter().map(|h| (*h).to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The same as a table in Markdown.
    pub fn markdown(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for (k, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|c| c.replace('|', "\\|")).collect();
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
            if k == 0 {
                out.push_str(&format!("|---|{}\n", "--:|".repeat(columns.saturating_sub(1))));
            }
        }
        out
    }

    /// The text, one line per row.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |k: usize| {
            self.rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (k, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[k].saturating_sub(cell.chars().count()));
                if k == 0 {
                    line.push_str(cell);
                    line.push_str(&pad);
                } else {
                    line.push_str("  ");
                    line.push_str(&pad);
                    line.push_str(cell);
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut g = Grid::new(&["a", "λ"]);
        g.row(vec!["bcd".to_owned(), "1".to_owned()]);
        g.row(vec!["e".to_owned(), "10".to_owned()]);
        assert_eq!(g.text(), "a     λ\nbcd   1\ne    10\n");
        g.row(vec!["f|g".to_owned(), String::new()]);
        assert_eq!(g.markdown(), "| a | λ |\n|---|--:|\n| bcd | 1 |\n| e | 10 |\n| f\\|g |  |\n");
    }
}
