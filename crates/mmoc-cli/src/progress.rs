//! Progress on standard error, shown only on a terminal.

use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use mmoc::Progress;

use crate::output::is_quiet;

/// How often what is shown is brought up to date.
const TICK: Duration = Duration::from_millis(200);

/// Shows the fits that have ended.
#[derive(Debug, Default)]
pub(crate) struct Bar(OnceLock<ProgressBar>);

impl Progress for Bar {
    fn begin(&self, total: usize) {
        let bar = self.0.get_or_init(|| {
            if is_quiet() {
                ProgressBar::hidden()
            } else {
                bar_of_fits(total)
            }
        });
        bar.enable_steady_tick(TICK);
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

fn bar_of_fits(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:40} {percent}%, {pos}/{len} fits, {elapsed} gone, {eta} left",
    );
    let style = style.expect("the template is well-formed");
    ProgressBar::new(total as u64).with_style(style)
}

/// Shows what is being done, and for how long.
#[derive(Debug)]
pub(crate) struct Stages(ProgressBar);

impl Stages {
    pub(crate) fn new() -> Self {
        Self(spinner("{spinner} {msg}, {elapsed} gone"))
    }
}

impl Progress for Stages {
    fn begin(&self, _total: usize) {}

    fn advance(&self) {}

    fn stage(&self, name: &str) {
        self.0.set_message(name.to_owned());
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Counts rows, unless they are shown on the terminal themselves.
#[derive(Debug)]
pub(crate) struct RowCount(ProgressBar);

impl RowCount {
    pub(crate) fn new(shown: bool) -> Self {
        if shown {
            Self(spinner(
                "{spinner} {human_pos} rows, {rate} a second, {elapsed} gone",
            ))
        } else {
            Self(ProgressBar::hidden())
        }
    }

    pub(crate) fn add(&self, rows: usize) {
        self.0.inc(rows as u64);
    }
}

impl Drop for RowCount {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn spinner(template: &str) -> ProgressBar {
    if is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template)
        .expect("the template is well-formed")
        .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            // What cannot be shown is no failure of the work.
            let _ = write!(out, "{:.0}", state.per_sec());
        });
    let bar = ProgressBar::new_spinner()
        .with_style(style)
        .with_message("beginning");
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::{ProgressDrawTarget, TermLike};

    use super::*;

    /// A terminal that keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            120
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn fits_are_shown_with_their_share_and_the_time_that_is_left() {
        let (screen, bar) = (Screen::default(), bar_of_fits(8));
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(screen.clone())));
        bar.inc(2);
        bar.abandon();
        let shown = screen.0.lock().unwrap();
        assert!(shown.contains(" 25%, 2/8 fits, "), "{shown}");
        assert!(shown.trim_end().ends_with(" left"), "{shown}");
    }
}
