//! A progress bar on standard error, shown only on a terminal.

use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mmoc::Progress;

/// Shows the fits that have ended.
#[derive(Debug, Default)]
pub(crate) struct Bar(OnceLock<ProgressBar>);

impl Progress for Bar {
    fn begin(&self, total: usize) {
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} fits, {elapsed} gone, {eta} left")
                .expect("the template is well-formed");
        let bar = self
            .0
            .get_or_init(|| ProgressBar::new(total as u64).with_style(style));
        bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn advance(&self) {
        if let Some(bar) = self.0.get() {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.0.get() {
            bar.finish_and_clear();
        }
    }
}
