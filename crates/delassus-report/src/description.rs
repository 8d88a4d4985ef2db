//! `scene.json`: what a results folder contains about its model.

use crate::channels::{ChannelInfo, channels_from, contact_channels, diagnostic};
use crate::scene::{Scene, scene_from};
use delassus_model::System;
use serde::{Deserialize, Serialize};

const FORMAT: &str = "delassus-scene";
const VERSION: u64 = 1;
/// Longer model files are cut: the page is not an archive.
const MOST_TEXT: usize = 256 << 10;

/// What a model looks like and what its columns mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    format: String,
    version: u64,
    /// The model file.
    pub model: ModelInfo,
    /// Columns of the results with their units.
    pub channels: Vec<ChannelInfo>,
    /// What is drawn.
    pub scene: Scene,
}

/// The model file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelInfo {
    /// Title.
    pub title: String,
    /// File as named by the user.
    pub file: String,
    /// Its text.
    pub text: String,
    /// SHA-256 of the files and the values set from outside.
    pub sha256: String,
    /// End of the run that was asked for, s.
    pub t_end: f64,
}

impl Description {
    /// Describes a model. `diagnostics` are names and units of the columns that are not sensors.
    pub fn new<'a>(
        sys: &System,
        mut model: ModelInfo,
        diagnostics: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Description {
        if model.text.len() > MOST_TEXT {
            let mut end = MOST_TEXT;
            while !model.text.is_char_boundary(end) {
                end -= 1;
            }
            let size = model.text.len();
            model.text.truncate(end);
            model.text.push_str(&format!("\n… {} of {size} bytes left out\n", size - end));
        }
        let mut channels = channels_from(sys.model());
        channels.extend(contact_channels(sys.model()));
        channels.extend(diagnostics.map(|(name, unit)| diagnostic(name, unit)));
        Description {
            format: FORMAT.to_owned(),
            version: VERSION,
            model,
            channels,
            scene: scene_from(sys),
        }
    }

    /// The text of the file: always the same for the same model.
    pub fn json(&self) -> String {
        // only maps whose keys are not text can fail, and there are none
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Description, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u64,
        }
        let broken = |e: serde_json::Error| match e.classify() {
            serde_json::error::Category::Eof => "the file is cut off".to_owned(),
            _ => format!("the file cannot be understood: {e}"),
        };
        let head: Head = serde_json::from_str(text).map_err(broken)?;
        if head.format != FORMAT {
            return Err(format!("this is no scene file but `{}`", head.format.escape_debug()));
        }
        if head.version != VERSION {
            return Err(format!(
                "the file is of version {}; this program reads version {VERSION}",
                head.version
            ));
        }
        serde_json::from_str(text).map_err(broken)
    }
}
