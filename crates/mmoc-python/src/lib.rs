//! The Python package of `mmoc` will live here; the crate only reserves its place in the workspace.
