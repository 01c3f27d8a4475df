//! Replacing models whose files have changed.

use std::sync::Arc;
use std::time::Duration;

use super::{Models, Served, Slot, Stamp, file};
use crate::error::Error;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::shutdown::Stop;

/// Looks at all files again and again until the server stops.
pub(crate) fn watch(
    models: &Arc<Models>,
    metrics: &Arc<Metrics>,
    log: &Log,
    every: Duration,
    stop: &Stop,
) {
    while !stop.wait(every) {
        for slot in models.iter() {
            look_at(slot, metrics, log);
        }
    }
}

/// Loads a file that has changed. One that does not load is tried again when it changes, or as long as it is fresh.
fn look_at(slot: &Slot, metrics: &Metrics, log: &Log) {
    let failed = |error: &Error| {
        metrics.load_failed(&slot.file.name);
        log.event("load failed", &slot.file.name, &error.to_string());
    };
    let stamp = match Stamp::at(&slot.file.path) {
        Ok(stamp) => stamp,
        Err(source) => {
            let path = slot.file.path.clone();
            if slot.stamp().is_some() {
                slot.set_stamp(None);
                failed(&Error::File { path, source });
            }
            return;
        }
    };
    if slot.stamp() == Some(stamp) {
        return;
    }
    match file::load(&slot.file) {
        Ok((served, read)) => {
            slot.set_stamp(Some(read));
            replace(slot, served, metrics, log);
        }
        Err(error) => {
            if !stamp.is_fresh() {
                slot.set_stamp(Some(stamp));
            }
            failed(&error);
        }
    }
}

/// Replaces a model by another version of it.
fn replace(slot: &Slot, served: Served, metrics: &Metrics, log: &Log) {
    let old = slot.served();
    if served.version == old.version {
        return;
    }
    log.event("loaded", &served.name, &served.version);
    metrics.replaced(&old);
    metrics.loaded(&served);
    slot.replace(served);
}
