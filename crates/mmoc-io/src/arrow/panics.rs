//! Panics of the Arrow crates, turned into errors.
//!
//! Damaged files still make the crates panic in places. A panic there is an error about the file, so it is caught, and
//! its message goes into the error instead of standard error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::fault::{Found, damaged};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs what calls the crates; a panic becomes a fault of the file.
pub(super) fn catch<T>(work: impl FnOnce() -> Found<T>) -> Found<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_caught_panics);
    let before = CAUGHT.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    outcome.unwrap_or_else(|panic| Err(damaged(message(panic.as_ref()))))
}

/// Panics that are caught here print nothing; all others are reported as before.
fn silence_caught_panics() {
    let report = take_hook();
    set_hook(Box::new(move |panic| {
        if !CAUGHT.get() {
            report(panic);
        }
    }));
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("a panic of its reader")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault_with_its_message() {
        let fault = catch::<()>(|| panic!("offset {} too large", 7)).unwrap_err();
        let expected = "f: expected intact data, found (offset 7 too large)";
        assert_eq!(fault.at("f", None, None).to_string(), expected);
        assert_eq!(catch(|| Ok(1)), Ok(1));
    }
}
