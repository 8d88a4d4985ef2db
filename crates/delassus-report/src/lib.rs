//! One page that shows a run: the moving mechanism, plots, events and the information needed to judge whether to trust
//! the numbers.
//!
//! [`Description`] says what a model looks like and is stored with the results (`scene.json`). Together with the
//! motion, the columns and the summary of a run it makes a [`Report`]: from memory right after the run, or with
//! [`read_folder`] from a results folder. [`Report::html`] is the page, [`Report::glb`] the motion as glTF. Nothing
//! here knows equations; files are only read.
//!
//! The page is built from `web/` when this crate is compiled (`build.rs`); if Node.js was not available then, it has
//! still pictures instead ([`has_viewer`]).

mod analysis;
mod belonging;
mod channels;
mod coarse;
mod contacts;
mod description;
mod drawing;
mod drawing_play;
mod drawing_shapes;
mod encode;
mod events;
mod fallback;
mod folder;
mod gltf;
mod html;
mod live;
mod loads;
mod payload;
mod report;
mod scene;
mod sections;
mod shapes;
mod template;
mod thin;

pub use analysis::{ModePage, OrbitPage, RestLoad, RotorPage, UnbalancePage, WhirlPage};
pub use channels::{ChannelInfo, channels_from, diagnostic};
pub use contacts::LiveContact;
pub use description::{Description, ModelInfo};
pub use encode::{Array, base64};
pub use folder::{
    COMPLETE, CONTACTS_BIN, EVENTS_CSV, FILES, FolderError, LOADS_BIN, MOTION_BIN, SCENE_JSON,
    SECTIONS_BIN, STEPS_CSV, UNFINISHED, place_of, read_folder, read_thinned,
};
pub use live::{LiveFrames, live_page};
pub use report::{Report, ReportColumn, ReportEvent, Steps};
pub use scene::{
    Attachment, Geometry, Scene, SceneArrow, SceneBody, SceneContact, SceneFlexible, SceneForce,
    SceneJoint, SceneMarker, SceneSection, SceneShape, scene_from,
};
pub use template::has_viewer;
