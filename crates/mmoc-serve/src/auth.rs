//! The token that requests must bear.

use std::path::Path;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};
use crate::refusal::Refusal;

/// Shorter tokens are guessed.
const SHORTEST: usize = 16;

/// The token that requests must bear. It is never shown.
pub(crate) struct Token(Vec<u8>);

impl Token {
    /// The token of a file: its text without blanks around it.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })?;
        let token = text.trim_ascii();
        let visible = token.iter().all(u8::is_ascii_graphic);
        if token.len() < SHORTEST || !visible {
            return Err(Error::Content {
                path: path.to_owned(),
                expected: format!("a token of at least {SHORTEST} visible ASCII characters"),
            });
        }
        Ok(Self(token.to_vec()))
    }

    /// Fails unless the headers have the token. The time that this takes does not tell how much of it is right.
    pub(crate) fn check(&self, headers: &HeaderMap) -> std::result::Result<(), Refusal> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(refusal(
                "this server needs one header 'Authorization: Bearer TOKEN'",
            ));
        };
        let value = value.as_bytes();
        let (scheme, token) = value.split_at(value.len().min("Bearer ".len()));
        if !scheme.eq_ignore_ascii_case(b"Bearer ") || !bool::from(self.0.as_slice().ct_eq(token)) {
            return Err(refusal("the token is not the one of this server"));
        }
        Ok(())
    }
}

fn refusal(message: &str) -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_alone_is_accepted() {
        let token = Token(b"0123456789abcdef".to_vec());
        let check = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            token.check(&headers).is_ok()
        };
        assert!(check(&["Bearer 0123456789abcdef"]));
        assert!(check(&["bearer 0123456789abcdef"]));
        assert!(!check(&[]));
        for wrong in [
            "",
            "Bearer",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
        ] {
            assert!(!check(&[wrong]), "{wrong}");
        }
        assert!(!check(&[
            "Bearer 0123456789abcdef",
            "Bearer 0123456789abcdef"
        ]));
    }
}
