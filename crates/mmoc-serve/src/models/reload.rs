//! Replacing models whose files have changed.

use std::sync::Arc;
use std::time::Duration;

use super::{Models, Slot, Stamp, file};
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
    let Ok(stamp) = Stamp::at(&slot.file.path) else {
        return;
    };
    if stamp == slot.stamp() {
        return;
    }
    match file::load(&slot.file) {
        Ok((served, read)) => {
            slot.set_stamp(read);
            if served.version == slot.served().version {
                return;
            }
            log.event("loaded", &served.name, &served.version);
            metrics.loaded(&served.name);
            slot.replace(served);
        }
        Err(error) => {
            if !stamp.is_fresh() {
                slot.set_stamp(stamp);
            }
            metrics.load_failed(&slot.file.name);
            log.event("load failed", &slot.file.name, &error.to_string());
        }
    }
}
