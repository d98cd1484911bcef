//! Address of the server.

use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use super::secret::HIDDEN;

/// Returns the address that questions are posted to; `None` if the base address is not allowed.
pub(super) fn chat_address(base: &str) -> Option<Uri> {
    let base = base.trim().trim_end_matches('/');
    let address: Uri = format!("{base}/chat/completions").parse().ok()?;
    let (authority, host) = (address.authority()?.as_str(), address.host()?);
    let is_web = matches!(address.scheme_str(), Some("http" | "https"));
    let has_port = authority.len() == host.len() || address.port_u16().is_some_and(|port| port > 0);
    let is_plain = base.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\\".contains(&byte));
    (is_web && is_plain && has_port && !host.is_empty() && !authority.contains('@')).then_some(address)
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
pub(super) fn is_unencrypted(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default();
    let is_loopback = host == "localhost"
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || host.trim_matches(['[', ']']).parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    address.scheme_str() != Some("https") && !is_loopback
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat_text(base: &str) -> Option<String> {
        chat_address(base).map(|address| address.to_string())
    }

    #[test]
    fn path_is_kept_without_trailing_slashes() {
        for (base, address) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1///", "http://127.0.0.1:8080/v1/chat/completions"),
            (" http://localhost\n", "http://localhost/chat/completions"),
            ("HTTPS://api.example.com/a/b/", "https://api.example.com/a/b/chat/completions"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
            ("http://host/a%20b", "http://host/a%20b/chat/completions"),
        ] {
            assert_eq!(chat_text(base).as_deref(), Some(address), "{base}");
        }
    }

    #[test]
    fn address_that_is_not_plain_http_is_refused() {
        for base in [
            "",
            "/v1",
            "127.0.0.1:8080/v1",
            "ftp://host/v1",
            "http://",
            "http://:8080/v1",
            "http://host:/v1",
            "http://host:0/v1",
            "http://host:65536/v1",
            "http://bob:pw@host/v1",
            "http://@host/v1",
            "http://host/v1?key=1",
            "http://host/v1#here",
            "http://ho st/v1",
            "http:\\\\host\\v1",
            "http:host/v1",
            "http://host/a b",
            "http://[::1/v1",
            "http://schl\u{fc}ssel.example/v1",
        ] {
            assert_eq!(chat_text(base), None, "{base}");
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
        for (base, unencrypted) in [
            ("http://example.com/v1", true),
            ("http://10.0.0.1/v1", true),
            ("http://localhost.example.com/v1", true),
            ("http://[::2]/v1", true),
            ("http://localhost:1/v1", false),
            ("http://127.0.0.9/v1", false),
            ("http://[::1]:80/v1", false),
            ("https://example.com/v1", false),
        ] {
            assert_eq!(is_unencrypted(&chat_address(base).unwrap()), unencrypted, "{base}");
        }
    }
}
