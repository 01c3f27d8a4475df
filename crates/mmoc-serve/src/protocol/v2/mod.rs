//! Tensors: the Open Inference Protocol with its extension for tensors as bytes.
//!
//! | file | what it is |
//! |---|---|
//! | `request` | from a body to features |
//! | `datatype` | the types of tensors, as JSON and as bytes |
//! | `flatten` | tensors in JSON, flat or nested |
//! | `answer` | from predictions to a body |
//! | `metadata` | what a model takes and gives |

mod answer;
mod datatype;
mod flatten;
mod metadata;
mod request;

pub(crate) use answer::Tensors;
pub(crate) use metadata::metadata;
pub(crate) use request::InferCall;
