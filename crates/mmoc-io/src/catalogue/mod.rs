//! The public data sets that are known by name: where copies of them are, how they are fetched, how they are read.
//!
//! ```no_run
//! use mmoc_io::catalogue::{KnownDataset, Places};
//!
//! let scene = KnownDataset::of("scene").expect("it is in the catalogue");
//! let places = Places::new(None)?;
//! if let Some(found) = places.find(scene)? {
//!     let dataset = found.read()?.dataset;
//!     assert_eq!(dataset.rows(), scene.rows);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod digest;
mod download;
mod error;
mod find;
mod http;
mod known;
mod places;

#[cfg(test)]
mod download_tests;
#[cfg(test)]
mod invented;
#[cfg(test)]
#[path = "../../tests/common/server.rs"]
mod server;

pub use cache::{DatasetCache, FetchProgress, Fetched};
pub use digest::sha256_of_file;
pub use error::CatalogueError;
pub use find::{FoundDataset, FoundIn};
pub use http::{Client, proxy_of_environment};
pub use known::{BASE_ADDRESS, CATALOGUE, KnownDataset, KnownFile, Preparation};
pub use places::{Places, cache_folder, variable};
