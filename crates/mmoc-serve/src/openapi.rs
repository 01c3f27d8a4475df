//! The description of all endpoints for machines, served as it is.

use crate::reply::{Reply, json_bytes};

const DESCRIPTION: &str = include_str!("../openapi.json");

/// The description.
pub(crate) fn description() -> Reply {
    json_bytes(DESCRIPTION)
}
