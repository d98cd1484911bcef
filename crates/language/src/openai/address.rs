//! Address of the server.

use std::cell::Cell;

use url::{Host, Url};

use super::secret::HIDDEN;

/// Returns the address that questions are posted to; `None` if the base address is not allowed.
///
/// Texts that the URL standard repairs (backslashes, a missing slash, control characters inside) are refused: the
/// repaired address might not be the intended one.
pub(super) fn chat_url(base: &str) -> Option<Url> {
    let base = base.trim();
    let repaired = Cell::new(false);
    let note_repair = |_| repaired.set(true);
    let mut url = Url::options().syntax_violation_callback(Some(&note_repair)).parse(base).ok()?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.port() != Some(0);
    // The standard reads a colon without a port as the default port.
    let is_port_missing = base.split('/').nth(2)?.ends_with(':');
    if !matches!(url.scheme(), "http" | "https") || !is_plain || is_port_missing || repaired.get() {
        return None;
    }
    let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url)
}

/// Returns a base address as an error may show it: credentials and query hidden, wherever they might stand.
pub(super) fn without_secrets(base: &str) -> String {
    let (before, query) = base.split_at(base.find('?').unwrap_or(base.len()));
    let (start, rest) = before.split_at(before.find("//").map_or(0, |at| at + 2));
    let mut shown = match rest.rsplit_once('@') {
        Some((_, host)) => format!("{start}{HIDDEN}@{host}"),
        None => before.to_owned(),
    };
    if !query.is_empty() {
        shown.push('?');
        shown.push_str(HIDDEN);
    }
    shown
}

/// True if requests to this address leave the machine unencrypted.
pub(super) fn is_unencrypted(url: &Url) -> bool {
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() != "https" && !is_loopback
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ureq::http::Uri;

    use super::*;

    fn chat_text(base: &str) -> Option<String> {
        chat_url(base).map(String::from)
    }

    #[test]
    fn path_is_kept_without_trailing_slashes() {
        for (base, url) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1///", "http://127.0.0.1:8080/v1/chat/completions"),
            (" http://localhost\n", "http://localhost/chat/completions"),
            ("http://localhost/", "http://localhost/chat/completions"),
            ("HTTPS://api.example.com/a/b/", "https://api.example.com/a/b/chat/completions"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
            ("http://host/a%20b", "http://host/a%20b/chat/completions"),
        ] {
            assert_eq!(chat_text(base).as_deref(), Some(url), "{base}");
        }
    }

    #[test]
    fn address_that_is_not_plain_http_is_refused() {
        for base in [
            "",
            "/v1",
            "127.0.0.1:8080/v1",
            "ftp://host/v1",
            "file:///etc/passwd",
            "http://",
            "http:///v1",
            "http://:8080/v1",
            "http://host:/v1",
            "http://host:0/v1",
            "http://host:65536/v1",
            "http://bob@host/v1",
            "http://bob:pw@host/v1",
            "http://host/v1?key=1",
            "http://host/v1#here",
            "http://ho st/v1",
            "http:\\\\host\\v1",
            "http:host/v1",
            "http:/host/v1",
            "http:////host/v1",
            "http://host\\v1",
            "http://ho\tst/v1",
            "http://host/a b",
            "http://@host/v1",
            "http://host/v1?",
            "http://[::1/v1",
            "http://256.1.1.1/v1",
            "http://h%00st/v1",
            "http://schl\u{fc}ssel.example/v1",
        ] {
            assert_eq!(chat_url(base), None, "{base}");
        }
    }

    #[test]
    fn address_is_normalised_as_the_url_standard_says() {
        for (base, url) in [
            ("http://API.Example.com/V1", "http://api.example.com/V1/chat/completions"),
            ("http://host:80/v1", "http://host/v1/chat/completions"),
            ("https://host:443/v1", "https://host/v1/chat/completions"),
            ("https://host:80/v1", "https://host:80/v1/chat/completions"),
            ("http://host/a/../v1", "http://host/v1/chat/completions"),
            ("http://127.1/v1", "http://127.0.0.1/v1/chat/completions"),
            ("http://[0:0:0:0:0:0:0:1]/v1", "http://[::1]/v1/chat/completions"),
            ("http://host/caf\u{e9}", "http://host/caf%C3%A9/chat/completions"),
        ] {
            assert_eq!(chat_text(base).as_deref(), Some(url), "{base}");
        }
    }

    #[test]
    fn secrets_in_an_address_are_hidden() {
        for (given, shown) in [
            ("https://bob:pw@host/v1", "https://***@host/v1"),
            ("https://bob:p/w@ho@host/v1", "https://***@host/v1"),
            ("bob:pw@host", "***@host"),
            ("https://host/v1?key=1", "https://host/v1?***"),
            ("https://bob:pw@host/v1?key=1", "https://***@host/v1?***"),
            ("https://host", "https://host"),
        ] {
            assert_eq!(without_secrets(given), shown);
        }
    }

    #[test]
    fn only_plain_http_to_another_machine_is_unencrypted() {
        for open in [
            "http://example.com/v1",
            "http://10.0.0.1/v1",
            "http://localhost.example.com/v1",
            "http://[::2]/v1",
        ] {
            assert!(is_unencrypted(&chat_url(open).unwrap()), "{open}");
        }
        for closed in [
            "http://localhost:1/v1",
            "http://LOCALHOST/v1",
            "http://127.0.0.9/v1",
            "http://127.1/v1",
            "http://[::1]:80/v1",
            "https://example.com/v1",
        ] {
            assert!(!is_unencrypted(&chat_url(closed).unwrap()), "{closed}");
        }
    }

    proptest! {
        #[test]
        fn trailing_slashes_never_matter(path in "(/[a-z0-9]{1,5}){0,4}", slashes in 0_usize..4) {
            let base = format!("http://host:81{path}");
            prop_assert_eq!(chat_text(&base).unwrap(), format!("{base}/chat/completions"));
            prop_assert_eq!(chat_url(&format!("{base}{}", "/".repeat(slashes))), chat_url(&base));
        }

        #[test]
        fn any_text_can_be_checked_as_an_address(base in "\\PC{0,40}") {
            if let Some(url) = chat_url(&base) {
                prop_assert!(url.as_str().parse::<Uri>().is_ok(), "ureq takes it");
                prop_assert!(!url.authority().contains('@'));
            }
        }
    }
}
