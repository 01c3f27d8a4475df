//! Concurrent requests for the same model are predicted together.
//!
//! No request waits for others: a free worker takes what is there, be it one request. Requests that come while all
//! workers are busy wait, and are taken together.
//!
//! | file | what it is |
//! |---|---|
//! | `queue` | requests that wait, bounded for each model |
//! | `worker` | takes them, parses them, answers them |
//! | `group` | requests that can be predicted together |
//! | `stack` | the features of several requests as one matrix |

mod group;
mod queue;
mod stack;
mod worker;

pub(crate) use queue::{Job, Queues};
pub(crate) use worker::start;
