//! `mmoc serve` through the real binary, asked over sockets.
#![cfg(all(feature = "serve", unix))]

#[path = "../common/mod.rs"]
mod common;

mod client;
mod endpoints;
mod ends;
mod hostile;
mod reload;
mod slow;
mod starts;
