//! The page to try a model, served as it is.

use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue};

use crate::reply::{Reply, content};

const PAGE: &str = include_str!("../page/index.html");

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const DRAWING: &str = "image/svg+xml";

/// The page has no script and no style inside, and talks to this server alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file that the page asks for.
struct Asset {
    name: &'static str,
    kind: &'static str,
    content: &'static str,
}

macro_rules! assets {
    ($($name:literal: $kind:ident,)+) => {
        const ASSETS: &[Asset] = &[$(Asset {
            name: $name,
            kind: $kind,
            content: include_str!(concat!("../page/", $name)),
        },)+];
    };
}

assets! {
    "api.js": SCRIPT,
    "cells.js": SCRIPT,
    "csv.js": SCRIPT,
    "dom.js": SCRIPT,
    "explanation.js": SCRIPT,
    "file.js": SCRIPT,
    "form.js": SCRIPT,
    "icon.svg": DRAWING,
    "main.js": SCRIPT,
    "result.js": SCRIPT,
    "style.css": STYLE,
    "text.js": SCRIPT,
}

/// The page.
pub(crate) fn page() -> Reply {
    let mut reply = fresh(HTML, PAGE);
    let policy = HeaderValue::from_static(POLICY);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    reply
}

/// A file of the page, if there is one of the name.
pub(crate) fn asset(name: &str) -> Option<Reply> {
    find(name).map(|asset| fresh(asset.kind, asset.content))
}

/// The media type of a file of the page, without parameters.
pub(crate) fn media_type(name: &str) -> &'static str {
    let kind = find(name).map_or("application/json", |asset| asset.kind);
    kind.split(';').next().unwrap_or(kind)
}

fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// Files of different versions of the server do not fit together, so that browsers ask again.
fn fresh(kind: &'static str, text: &'static str) -> Reply {
    let mut reply = content(kind, text);
    let again = HeaderValue::from_static("no-cache");
    reply.headers_mut().insert(CACHE_CONTROL, again);
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_the_page_names_is_there() {
        let texts = ASSETS.iter().map(|asset| asset.content);
        for text in texts.chain([PAGE]) {
            let names = text.split(['"', '\'']).filter_map(|word| {
                word.strip_prefix("./")
                    .or_else(|| word.strip_prefix("page/"))
            });
            for name in names {
                assert!(find(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn the_page_names_no_other_place() {
        let texts = ASSETS.iter().filter(|asset| asset.kind != DRAWING);
        for text in texts.map(|asset| asset.content).chain([PAGE]) {
            assert!(!text.contains("://"));
        }
    }
}
