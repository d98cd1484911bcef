//! The server's address.

use ureq::http::Uri;

use super::secret::HIDDEN;

/// Where questions are posted to, if the base is an address that may be used.
pub(super) fn chat_url(base: &str) -> Option<String> {
    let base = base.trim();
    // The parser drops a fragment without a word.
    if base.contains(['#', '\\']) {
        return None;
    }
    let uri: Uri = base.parse().ok()?;
    let scheme = uri.scheme_str().map(str::to_ascii_lowercase).filter(|s| s == "http" || s == "https")?;
    let authority = uri.authority()?;
    let (host, rest) = (authority.host(), authority.as_str().strip_prefix(authority.host())?);
    let port_is_right = rest.is_empty() || rest.strip_prefix(':')?.parse::<u16>().is_ok_and(|port| port != 0);
    if host.is_empty() || !port_is_right || uri.query().is_some() {
        return None;
    }
    Some(format!("{scheme}://{authority}{}/chat/completions", uri.path().trim_end_matches('/')))
}

/// What was given as an address, as an error may show it: credentials and query hidden, wherever they might stand.
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

/// Whether what is sent to this address leaves the machine unencrypted.
pub(super) fn is_open(chat_url: &str) -> bool {
    let Ok(uri) = chat_url.parse::<Uri>() else { return true };
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let loopback =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() != Some("https") && !loopback
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_path_is_kept_and_slashes_at_the_end_are_not() {
        for (base, url) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1///", "http://127.0.0.1:8080/v1/chat/completions"),
            (" http://localhost\n", "http://localhost/chat/completions"),
            ("http://localhost/", "http://localhost/chat/completions"),
            ("HTTPS://api.example.com/a/b/", "https://api.example.com/a/b/chat/completions"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
        ] {
            assert_eq!(chat_url(base).as_deref(), Some(url), "{base}");
        }
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
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
        ] {
            assert_eq!(chat_url(base), None, "{base}");
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
    fn only_plain_http_to_elsewhere_is_open() {
        for open in ["http://example.com/v1", "http://10.0.0.1/v1"] {
            assert!(is_open(open), "{open}");
        }
        for closed in
            ["http://localhost:1/v1", "http://127.0.0.9/v1", "http://[::1]:80/v1", "https://example.com/v1"]
        {
            assert!(!is_open(closed), "{closed}");
        }
    }

    proptest! {
        #[test]
        fn slashes_at_the_end_never_matter(path in "(/[a-z0-9]{1,5}){0,4}", slashes in 0_usize..4) {
            let base = format!("http://host:81{path}");
            prop_assert_eq!(chat_url(&base).unwrap(), format!("{base}/chat/completions"));
            prop_assert_eq!(chat_url(&format!("{base}{}", "/".repeat(slashes))), chat_url(&base));
        }

        #[test]
        fn no_text_breaks_the_check(base in "\\PC{0,40}") {
            if let Some(url) = chat_url(&base) {
                prop_assert!(url.parse::<Uri>().is_ok());
                prop_assert!(!url.contains('@'));
            }
        }
    }
}
