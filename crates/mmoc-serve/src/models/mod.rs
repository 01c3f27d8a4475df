//! The models that are served.
//!
//! | file | what it is |
//! |---|---|
//! | `file` | from a file to a model that can be served |
//! | `served` | a model with its version and its descriptions |
//! | `reload` | replacing models whose files have changed |

mod file;
mod reload;
mod served;
mod typical;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) use file::Stamp;
pub(crate) use reload::watch;
pub(crate) use served::Served;

use crate::config::ModelFile;
use crate::error::Result;
use crate::refusal::Refusal;
use crate::route::Named;

/// All models, in the order of the command line.
pub(crate) struct Models(Vec<Slot>);

/// The place of a model, whose content is replaced when its file changes.
pub(crate) struct Slot {
    /// Its number among all.
    pub(crate) index: usize,
    pub(crate) file: ModelFile,
    current: RwLock<Arc<Served>>,
    /// The file when it was last looked at; none if it could not be found then.
    stamp: Mutex<Option<Stamp>>,
}

impl Models {
    /// Loads all of them.
    pub(crate) fn load(files: &[ModelFile]) -> Result<Self> {
        let slot = |(index, file): (usize, &ModelFile)| {
            let (served, stamp) = file::load(file)?;
            Ok(Slot {
                index,
                file: file.clone(),
                current: RwLock::new(Arc::new(served)),
                stamp: Mutex::new(Some(stamp)),
            })
        };
        let slots = files.iter().enumerate().map(slot);
        Ok(Self(slots.collect::<Result<_>>()?))
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Slot> {
        self.0.iter()
    }

    /// The place of a model.
    pub(crate) fn slot(&self, name: &str) -> Result<&Slot, Refusal> {
        let found = self.0.iter().find(|slot| slot.file.name == name);
        found.ok_or_else(|| Refusal::not_found("there is no such model"))
    }

    /// The place of a model that has the version, if one is named, with the model that it has now.
    pub(crate) fn find(&self, named: Named<'_>) -> Result<(&Slot, Arc<Served>), Refusal> {
        let slot = self.slot(named.name)?;
        let served = slot.served();
        match named.version {
            Some(version) if version != served.version => {
                Err(Refusal::not_found("the model has no such version"))
            }
            _ => Ok((slot, served)),
        }
    }
}

impl Slot {
    /// The model that it has now.
    pub(crate) fn served(&self) -> Arc<Served> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the model. Requests that have the old one finish with it.
    pub(crate) fn replace(&self, served: Served) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(served);
    }

    fn stamp(&self) -> Option<Stamp> {
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_stamp(&self, stamp: Option<Stamp>) {
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
    }
}
