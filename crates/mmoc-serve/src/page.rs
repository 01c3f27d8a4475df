//! The page to try a model, served as it is.

use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue};

use crate::reply::{Reply, content};

const PAGE: &str = include_str!("../page/index.html");

/// The page has its script and style inside and talks to this server alone.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page.
pub(crate) fn page() -> Reply {
    let mut reply = content("text/html; charset=utf-8", PAGE);
    let policy = HeaderValue::from_static(POLICY);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    reply
}
