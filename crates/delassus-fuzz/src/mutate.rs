//! Changes of a model file that leave most of it intact: other numbers, names, types, tables, laws.

use crate::scan::{Kind, Token, tokens};
use crate::seeds::{Model, Seeds, blocks};
use delassus_adversary::random::Random;

/// Numbers that often cause trouble.
const NUMBERS: [&str; 26] = [
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "0.5",
    "1e-5",
    "1e5",
    "1e-9",
    "1e9",
    "-1e-3",
    "1e-23",
    "1e12",
    "1e16",
    "1e-300",
    "1e300",
    "-1e300",
    "5e-324",
    "1e308",
    "1e309",
    "nan",
    "inf",
    "9007199254740993",
    "0.1e-400",
];
/// Factors by which numbers are multiplied.
const FACTORS: [f64; 10] = [-1.0, 0.1, 10.0, 100.0, 1e-3, 1e3, 1e-6, 1e6, 1.0001, 0.999_999_999];
/// Replacements of a value in quotation marks; `{}` stands for it.
const WRAPS: [&str; 16] = [
    "-({})",
    "1/({})",
    "({})*t",
    "exp(1000*({}))",
    "sqrt({})",
    "({})^0.5",
    "sin(1e6*t)*({})",
    "if(t > 0.005, {}, 0)",
    "step(t, 0, 0, 0.01, {})",
    "({})/(t - 0.005)",
    "sign(sin(1e4*t))*({})",
    "((((((((((((((((((((((((((((((({})))))))))))))))))))))))))))))))",
    "{} m",
    "{} mm",
    "{} rad/s",
    "{}{}",
];
/// Bytes that often cause trouble for parsers.
const STRANGE: [&str; 12] =
    ["\0", "\u{feff}", "\u{202e}", "é", "\"", "\"\"\"", "[", "]]", "{", "=", "\\", "\u{1f980}"];

type Change = fn(&mut String, &Seeds, &mut Random);
/// A change and its relative frequency.
type Weighted = (usize, Change);
/// Changes that leave most models valid, for testing what comes after their check.
pub const GENTLE: [Weighted; 4] = [(30, scaled), (6, number), (3, wrap), (1, block_again)];
/// Changes of all kinds.
pub const ROUGH: [Weighted; 13] = [
    (15, scaled),
    (15, number),
    (8, value),
    (8, wrap),
    (6, word),
    (4, line_again),
    (5, line_gone),
    (4, block_again),
    (4, block_gone),
    (6, block_of_another),
    (3, vector),
    (2, strange),
    (1, cut),
];

/// A model of the seeds after one to four changes.
pub fn mutant(seeds: &Seeds, changes: &[Weighted], random: &mut Random) -> Model {
    let mut model = random.pick(&seeds.models);
    for _ in 0..random.whole(1, 4) {
        let all: usize = changes.iter().map(|c| c.0).sum();
        let mut left = random.whole(0, all - 1);
        for &(weight, change) in changes {
            if left < weight {
                change(&mut model.text, seeds, random);
                break;
            }
            left -= weight;
        }
    }
    model
}

fn pick_token(text: &str, random: &mut Random, wanted: impl Fn(&Token) -> bool) -> Option<Token> {
    let found: Vec<Token> = tokens(text).into_iter().filter(|t| wanted(t)).collect();
    (!found.is_empty()).then(|| random.pick(&found))
}

fn number(text: &mut String, _: &Seeds, random: &mut Random) {
    let Some(token) = pick_token(text, random, |t| t.kind == Kind::Number) else { return };
    text.replace_range(token.range, random.pick(&NUMBERS));
}

fn scaled(text: &mut String, _: &Seeds, random: &mut Random) {
    let Some(token) = pick_token(text, random, |t| t.kind == Kind::Number) else { return };
    if let Ok(x) = text[token.range.clone()].parse::<f64>() {
        text.replace_range(token.range, &format!("{:e}", x * random.pick(&FACTORS)));
    }
}

fn value(text: &mut String, seeds: &Seeds, random: &mut Random) {
    let Some(token) = pick_token(text, random, |t| t.kind == Kind::Text) else { return };
    // mostly a value of the same file: a known name, of something else
    let own = pick_token(text, random, |t| t.kind == Kind::Text);
    let new = match own {
        Some(other) if random.chance(0.6) => text[other.range].to_owned(),
        _ => random.pick(&seeds.texts),
    };
    text.replace_range(token.range, &new);
}

fn wrap(text: &mut String, _: &Seeds, random: &mut Random) {
    let wanted = |t: &Token| t.kind == Kind::Text || (t.kind == Kind::Number && !t.quoted);
    let Some(token) = pick_token(text, random, wanted) else { return };
    let old = &text[token.range.clone()];
    let mut new = random.pick(&WRAPS).replace("{}", old);
    if token.kind == Kind::Number {
        new = format!("\"{new}\"");
    }
    text.replace_range(token.range, &new);
}

fn word(text: &mut String, seeds: &Seeds, random: &mut Random) {
    let Some(token) = pick_token(text, random, |t| t.kind == Kind::Word) else { return };
    let new = random.pick(&seeds.words);
    text.replace_range(token.range, &new);
}

/// The beginning of a line and of the next one.
fn line(text: &str, random: &mut Random) -> std::ops::Range<usize> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
    let i = random.whole(0, starts.len() - 1);
    starts[i]..starts.get(i + 1).copied().unwrap_or(text.len())
}

fn line_again(text: &mut String, _: &Seeds, random: &mut Random) {
    let copied = text[line(text, random)].to_owned();
    let to = line(text, random).start;
    text.insert_str(to, &copied);
}

fn line_gone(text: &mut String, _: &Seeds, random: &mut Random) {
    let gone = line(text, random);
    text.replace_range(gone, "");
}

/// A copy of a table under another name: more of the same, in the same place.
fn block_again(text: &mut String, _: &Seeds, random: &mut Random) {
    let all = blocks(text);
    if all.is_empty() {
        return;
    }
    let block = text[random.pick(&all)].to_owned();
    let renamed = block.replacen(']', &format!("_{}]", random.whole(2, 9)), 1);
    text.push('\n');
    text.push_str(&renamed);
}

fn block_gone(text: &mut String, _: &Seeds, random: &mut Random) {
    let all = blocks(text);
    if !all.is_empty() {
        text.replace_range(random.pick(&all), "");
    }
}

fn block_of_another(text: &mut String, seeds: &Seeds, random: &mut Random) {
    let block = random.pick(&seeds.blocks);
    text.push('\n');
    text.push_str(&block);
}

/// A vector of another length, or of vectors.
fn vector(text: &mut String, _: &Seeds, random: &mut Random) {
    let commas: Vec<usize> = text.match_indices(", ").map(|(i, _)| i).collect();
    if commas.is_empty() {
        return;
    }
    let at = random.pick(&commas);
    text.insert_str(
        at,
        random.pick(&[", 0", ", [1, 0, 0]", ", \"t\"", ", true", ", []", ", 1e300"]),
    );
}

fn strange(text: &mut String, _: &Seeds, random: &mut Random) {
    let at = boundary(text, random);
    text.insert_str(at, random.pick(&STRANGE));
}

fn cut(text: &mut String, _: &Seeds, random: &mut Random) {
    text.truncate(boundary(text, random));
}

/// A place between two characters.
fn boundary(text: &str, random: &mut Random) -> usize {
    let mut at = random.whole(0, text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_works_on_anything() {
        let seeds = Seeds {
            models: vec![Model { name: "a".into(), text: "a = [1, \"b\"]\n[c]\né = 2".into() }],
            words: vec!["word".into()],
            texts: vec!["text".into()],
            blocks: vec!["[d]\n".into()],
        };
        let mut random = Random::new(5);
        for (_, change) in GENTLE.into_iter().chain(ROUGH) {
            for start in ["", "\n", "é", "a = 1, 2", &seeds.models[0].text] {
                let mut text = start.to_owned();
                for _ in 0..20 {
                    change(&mut text, &seeds, &mut random);
                }
            }
        }
        let twice = |seed| mutant(&seeds, &ROUGH, &mut Random::new(seed)).text;
        assert_eq!(twice(7), twice(7));
    }
}
