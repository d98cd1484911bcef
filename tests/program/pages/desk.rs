//! Tests of `desk`: the page on which settings are changed, in a browser.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
};

use serde_json::json;

use super::browser::{Browser, pictured};
use crate::support::Desk;

/// A running desk; dropping it ends the process.
pub(super) struct Served {
    child: Child,
    /// Address of the page, with the token.
    pub(super) address: String,
}

impl Served {
    pub(super) fn start(desk: &Desk, arguments: &str) -> Self {
        let mut child =
            desk.command(&format!("desk {arguments}")).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut address = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
        lines.read_line(&mut address).expect("it tells its address");
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        Self { child, address: address.trim_end().to_owned() }
    }

    /// Splits the address into the host with its port, and the path of the page.
    fn parts(&self) -> (&str, &str) {
        let rest = self.address.strip_prefix("http://").expect("an address");
        rest.split_at(rest.find('/').expect("a path"))
    }

    /// Sends a raw request, which need not come from a browser, and returns the answer.
    fn answer_to(&self, request: &str) -> String {
        let (host, _) = self.parts();
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Moves a slider as a reader would, and waits until the page shows the night planned again.
fn slide(browser: &mut Browser, setting: &str, to: &str) {
    browser.js("document.getElementById('time')?.remove()");
    browser.js(&format!(
        "(slider => {{ slider.value = {to}; slider.dispatchEvent(new Event('input', {{bubbles: true}})); }})
         (document.getElementById('setting-{setting}'))"
    ));
    browser.until("!!document.getElementById('time')");
}

#[test]
fn changed_setting_changes_fates_and_its_difference_can_be_copied() {
    let Some(mut browser) = Browser::open() else { return };
    let (desk, changed) = (Desk::new(), "document.querySelectorAll('.changed li').length");
    let served = Served::start(&desk, "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.getElementById('time')");
    assert_eq!(browser.js("document.querySelector('.verdict strong').textContent"), "As the story has it");
    assert_eq!(browser.js("[...document.querySelectorAll('#npc option')].length"), 6);
    assert_eq!(browser.js(changed), 0);
    assert_eq!(browser.js("document.getElementById('copy').disabled"), true);

    slide(&mut browser, "budget-storage", "0.15");
    let few = browser.js(changed).as_u64().expect("a number");
    assert!(few > 3, "{few}");
    assert_eq!(
        browser.js("document.getElementById('toml').textContent"),
        "[config.budget]\nstorage = 0.15\n"
    );
    for chart in ["map-chart", "flow-chart", "budget-chart"] {
        // Drawn once it has a width.
        browser.until(&format!("!!document.querySelector('#{chart} canvas')"));
    }
    // By the keyboard, too.
    browser.js(
        "document.getElementById('time').remove(); document.getElementById('setting-budget-storage').focus()",
    );
    browser.press("ArrowRight");
    browser.until("document.getElementById('toml')?.textContent === '[config.budget]\\nstorage = 0.16\\n'");

    // A value that cannot be is refused in words, and the desk goes on.
    browser.js("(number => { number.value = 7; number.dispatchEvent(new Event('input', {bubbles: true})); })
                (document.querySelector('input[type=number][title=\"budget.storage\"]'))");
    browser.until("!!document.querySelector('.wrong')");
    let wrong = browser.js("document.querySelector('.wrong').textContent");
    assert_eq!(wrong, "budget.storage is 7; it must lie between 0.01 and 1");
    browser.js("document.querySelector('.verdict .button').click()");
    browser.until("document.querySelector('.verdict strong')?.textContent === 'As the story has it'");
    assert_eq!(browser.js(changed), 0);

    // Another night is planned from what the one before left.
    browser.js(
        "(select => { select.selectedIndex = 1; select.dispatchEvent(new Event('change')); })(document.getElementById('night'))",
    );
    browser.until("[...document.querySelectorAll('.memory')].some(row => { row.open = true; return row.textContent.includes('-d2-'); })");
    // The browser itself logs that an answer was a refusal.
    let complaints = browser.complaints(&served.address);
    assert!(complaints.iter().all(|told| told.contains("422")), "{complaints:?}");
}

/// Importances of the listed changes, from top to bottom; `null` for unrated ones.
const WEIGHTS: &str = "[...document.querySelectorAll('.changed li .weight')].map(weight => Number(weight.lastChild.textContent) || 5)";

#[test]
fn settings_have_plain_names_and_stay_in_the_address() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let served = Served::start(&desk, "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.getElementById('time')");
    let label = "document.querySelector('label[for=setting-budget-storage]')";
    assert_eq!(
        browser.js(&format!("[{label}.textContent, {label}.title]")),
        json!(["Share of memories kept", "budget.storage"])
    );
    let keys = "[...document.querySelectorAll('.setting label')].filter(label => !label.title.includes('.') || label.textContent.includes('_')).length";
    assert_eq!(browser.js(keys), 0);

    slide(&mut browser, "budget-storage", "0.15");
    slide(&mut browser, "triage-important", "9");
    let weights = browser.js(WEIGHTS);
    let weights: Vec<u64> =
        weights.as_array().expect("a list").iter().filter_map(serde_json::Value::as_u64).collect();
    assert!(weights.len() > 3 && weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    let toml = "document.getElementById('toml')?.textContent";
    let (address, text) = (browser.js("location.href"), browser.js(toml));
    let address = address.as_str().expect("an address");
    assert!(address.contains("budget.storage=0.15") && address.contains("triage.important=9"), "{address}");

    // The link opens them again; what is no setting, or no value of one, is left out.
    browser.go("about:blank");
    browser
        .go(&format!("{address}&cluster.algorithm=magic&budget.storge=1&sleep.hours=many&input.max_list=3"));
    browser.until("!!document.getElementById('time')");
    assert_eq!(browser.js(toml), text);
    assert_eq!(
        browser.js("[...document.querySelectorAll('.changed-setting label')].map(label => label.title)"),
        json!(["budget.storage", "triage.important"])
    );
    assert_eq!(browser.js("document.getElementById('setting-budget-storage').value"), "0.15");
    assert_eq!(browser.js("location.href"), address);
    assert_eq!(browser.complaints(&served.address), Vec::<String>::new());
}

#[test]
fn desk_opens_at_the_most_eventful_npc_and_night() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let line = |id: &str, npc: &str, at: u32, text: &str| {
        json!({"id": id, "npc": npc, "at": at, "kind": "event", "text": text, "importance": 8}).to_string()
    };
    let days = [
        line("a", "Ann", 36_000, "I swept the yard."),
        line("b", "Bo", 36_000, "The ferry lies at the north bank."),
        line("c", "Bo", 122_400, "The ferry does not lie at the north bank."),
        line("d", "Bo", 208_800, "Hanne cooked fish soup."),
    ];
    desk.write("days.jsonl", days.join("\n"));
    let served = Served::start(&desk, "days.jsonl --by-day");
    browser.go(&served.address);
    browser.until("!!document.getElementById('time')");
    let chosen = "['npc', 'night'].map(id => document.getElementById(id).selectedIndex)";
    assert_eq!(browser.js(chosen), json!([1, 1]));
    browser.until("!!document.querySelector('.memory')");
    assert_eq!(
        browser.js("document.querySelector('.insight.superseded .successor .words').textContent"),
        "The ferry does not lie at the north bank."
    );
    assert_eq!(browser.complaints(&served.address), Vec::<String>::new());
}

#[test]
fn desk_fits_the_window_and_shows_hostile_text_as_text() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let hostile = [
        "</script><script>document.body.dataset.taken = 1</script>",
        "<img src=x onerror=alert(1)>",
        "\u{1b}[2J\u{202e}x",
    ];
    let lines = hostile.iter().enumerate().map(|(n, text)| {
        json!({"id": format!("m{n}"), "npc": "Mara <b>", "at": n, "kind": "chat", "text": text, "importance": 9}).to_string()
    });
    desk.write("day.jsonl", lines.collect::<Vec<_>>().join("\n"));
    let served = Served::start(&desk, "day.jsonl");
    for width in [390, 1280] {
        browser.size(width, 900);
        browser.go(&served.address);
        browser.until("!!document.getElementById('time')");
        assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth"), true, "{width}");
    }
    browser.until("!!document.querySelector('.memory')");
    let shown = browser.js("document.getElementById('main').textContent");
    let shown = shown.as_str().expect("a text");
    assert!(shown.contains("Mara <b>") && shown.contains("</script><script>document.body"), "{shown}");
    assert!(
        shown.contains("<img src=x onerror=alert(1)>") && shown.contains("\\u{1b}[2J\\u{202e}x"),
        "{shown}"
    );
    assert_eq!(browser.js("document.body.dataset.taken ?? document.querySelectorAll('main img').length"), 0);
    assert_eq!(browser.complaints(&served.address), Vec::<String>::new());
}

#[test]
fn requests_without_the_token_or_from_another_origin_are_refused() {
    let desk = Desk::new();
    desk.write(
        "day.jsonl",
        json!({"id": "a", "npc": "Bo", "at": 1, "kind": "event", "text": "the ferry sank"}).to_string(),
    );
    let served = Served::start(&desk, "day.jsonl");
    let (host, path) = served.parts();
    let get = |path: &str, headers: &str| {
        served.answer_to(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"))
    };
    let own = format!("Host: {host}\r\n");
    let page = get(path, &own);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Bo"), "{page}");
    assert!(page.contains("cache-control: no-store") && page.contains("frame-ancestors 'none'"));
    let port = host.split(':').nth(1).expect("a port");
    for (what, path, headers) in [
        ("no token", "/", own.clone()),
        ("a wrong token", "/0123456789abcdef0123456789abcdef/", own.clone()),
        ("a part of it", path.get(..20).expect("a path"), own.clone()),
        ("a name that leads here", path, format!("Host: evil.example:{port}\r\n")),
        ("no host", path, String::new()),
        ("another page", path, format!("{own}Origin: http://evil.example\r\n")),
        ("a page of another port", path, format!("{own}Origin: http://127.0.0.1:1\r\n")),
        ("no page at all", path, format!("{own}Origin: null\r\n")),
    ] {
        let answer = get(path, &headers);
        assert!(
            answer.starts_with("HTTP/1.1 403") || what == "no host" && answer.starts_with("HTTP/1.1 400"),
            "{what}: {answer}"
        );
        assert!(!answer.contains("ferry") && !answer.contains("Bo"), "{what}");
    }
    let post = |kind: &str, body: &str| {
        let length = body.len();
        served.answer_to(&format!(
            "POST {path}plan HTTP/1.1\r\nConnection: close\r\n{own}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    };
    let question = r#"{"npc":0,"night":0,"set":{}}"#;
    assert!(post("application/json", question).contains("the ferry sank"));
    assert!(post("text/plain", question).starts_with("HTTP/1.1 415"));
    for (body, said) in [
        (r#"{"npc":7,"night":0,"set":{}}"#, "the story has no night 0 of NPC 7"),
        (r#"{"npc":0,"night":0,"set":{"input.max_list":1}}"#, "there is no setting `input.max_list`"),
        ("[", "the request is not of the page's form"),
    ] {
        let answer = post("application/json", body);
        assert!(answer.starts_with("HTTP/1.1 422") && answer.contains(said), "{answer}");
    }
    let answer = post("application/json", &format!("\"{}\"", "x".repeat(100_000)));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[test]
fn connections_without_a_request_keep_nobody_out() {
    let desk = Desk::new();
    desk.write(
        "day.jsonl",
        json!({"id": "a", "npc": "Bo", "at": 1, "kind": "event", "text": "the ferry sank"}).to_string(),
    );
    let served = Served::start(&desk, "day.jsonl --set http.connections=32");
    let (host, path) = served.parts();
    let half_open: Vec<TcpStream> = (0..200)
        .map(|nth| {
            let mut stream = TcpStream::connect(host).expect("it listens");
            if nth % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").expect("it reads");
            }
            stream
        })
        .collect();
    let page = served.answer_to(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {host}\r\n\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Bo"), "{page}");
    drop(half_open);
}

#[test]
fn unusable_arguments_are_refused_at_the_start() {
    let desk = Desk::new();
    desk.write(
        "day.jsonl",
        json!({"id": "a", "npc": "Bo", "at": 1, "kind": "event", "text": "x"}).to_string(),
    );
    desk.run("desk day.jsonl --set judge.by=language").code_is(2, "a desk asks none");
    desk.run("desk nothing.jsonl").code_is(3, "nothing.jsonl");
    desk.run("desk {scenarios/riverbend} --by-day").code_is(2, "--by-day is for days");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    desk.run(&format!("desk day.jsonl --port {port}")).code_is(2, "cannot listen on 127.0.0.1");
}

#[test]
fn setting_is_found_by_its_meaning_and_story_comes_first() {
    let Some(mut browser) = Browser::open() else { return };
    let served = Served::start(&Desk::new(), "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.getElementById('time')");
    browser.js(
        "(field => { field.value = 'contradiction'; field.dispatchEvent(new Event('input', {bubbles: true})); })
         (document.getElementById('find-setting'))",
    );
    let shown = "[...document.querySelectorAll('.setting')].filter(s => s.checkVisibility()).map(s => s.querySelector('label').title)";
    let found = browser.js(shown);
    let found: Vec<&str> =
        found.as_array().expect("settings").iter().filter_map(|key| key.as_str()).collect();
    assert!(found.contains(&"judge.contradiction_from") && found.len() < 6, "{found:?}");
    // What is found can be turned at once: at nothing as a contradiction, nothing is superseded.
    slide(&mut browser, "judge-contradiction_from", "0.5");
    browser.until("!!document.querySelector('.memory')");
    let panels = browser.js("[...document.querySelectorAll('.results h2')].map(h => h.textContent)");
    let place = |name: &str| panels.as_array().expect("panels").iter().position(|panel| panel == name);
    let [story, memories] = ["What happened", "What became of each memory"].map(place);
    assert!(story.is_some() && story < memories, "{panels:?}");
}

/// Opens the row of the first memory of a fate, and returns the id that its detail names.
fn open_row(browser: &mut Browser, fate: &str) -> String {
    browser.until("!!document.querySelector('.memory')");
    browser.js(&format!(
        "(row => {{ row.open = true; row.scrollIntoView(); }})(document.querySelector('.memory[data-fate=\"{fate}\"]'))"
    ));
    browser.until("!!document.querySelector('.memory[open] .ask')");
    let detail = browser.js("document.querySelector('.memory[open] .detail > .small').textContent");
    detail.as_str().expect("a text").split(" · ").next().expect("an id").to_owned()
}

#[test]
fn expectations_flip_while_a_setting_is_turned_and_all_nights_are_side_by_side() {
    let Some(mut browser) = Browser::open() else { return };
    let served = Served::start(&Desk::new(), "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.querySelector('[aria-labelledby=expectations]')");
    assert_eq!(browser.js("document.querySelectorAll('.flipped').length"), 0);
    let nights = "document.querySelectorAll('.all-nights .cell').length";
    assert_eq!(browser.js(nights), 30);
    slide(&mut browser, "budget-storage", "0.05");
    browser.until("document.getElementById('flips').textContent.includes('flip')");
    assert!(browser.js("document.querySelectorAll('.flipped').length").as_u64() > Some(0));
    assert!(browser.js("document.querySelectorAll('.changed-night').length").as_u64() > Some(6));
    // A night of the list is opened by choosing it.
    browser.js("document.getElementById('time').remove(); document.querySelector('.all-nights > li:last-child .cell').click()");
    browser.until("!!document.getElementById('time')");
    assert_eq!(
        browser.js("document.querySelector('.all-nights > li:last-child h3').textContent"),
        browser.js("document.getElementById('npc').value")
    );
    // As it was, everything holds as before.
    browser.js("[...document.querySelectorAll('.verdict .button')].find(button => button.textContent === 'Reset all').click()");
    browser.until("document.querySelector('.verdict strong')?.textContent === 'As the story has it' && document.querySelectorAll('.flipped, .changed-night').length === 0");
    assert_eq!(browser.complaints(&served.address), Vec::<String>::new());
}

#[test]
fn memory_tells_what_would_keep_it_and_is_changed_by_hand() {
    let Some(mut browser) = Browser::open() else { return };
    let served = Served::start(&Desk::new(), "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.getElementById('time')");
    let id = open_row(&mut browser, "-");
    browser.js("document.querySelector('.memory[open] .ask').click()");
    browser.until("!!document.querySelector('.memory[open] .way')");
    let expectation = browser.js("document.getElementById('expectation-of-memory').textContent");
    assert!(
        expectation.as_str().is_some_and(|text| text.contains(&format!("forgotten = \"{id}\""))),
        "{expectation}"
    );
    browser
        .js("document.getElementById('time').remove(); document.querySelector('.memory[open] .way').click()");
    // The row stays open, and the memory stands in its own words.
    browser.until("document.querySelector('.memory[open]')?.dataset.fate === '+'");
    browser.js("[...document.querySelectorAll('.verdict .button')].find(button => button.textContent === 'Reset all').click()");
    browser.until("document.querySelector('.memory[open]')?.dataset.fate === '-'");

    // Another rating and other words are planned at once.
    browser.js("(row => {
            row.querySelector('.change').open = true;
            row.querySelector('textarea').value = 'The bridge fell on my brother.';
            row.querySelector('input[type=number]').value = 9;
            row.querySelector('form button[type=submit]').click();
        })(document.querySelector('.memory[open]'))");
    browser.until("document.querySelector('.memory[open]')?.dataset.fate === '+'");
    let text = browser.js("document.querySelector('.memory[open] .words').textContent");
    assert_eq!(text, "The bridge fell on my brother.");
    let told = browser.js("document.querySelector('.verdict').textContent");
    assert!(told.as_str().is_some_and(|told| told.contains("1 memory changed")), "{told}");
    // A rating that cannot be is refused in words.
    browser.js(
        "(row => { row.querySelector('form').noValidate = true; row.querySelector('input[type=number]').value = 11; row.querySelector('form button[type=submit]').click(); })
         (document.querySelector('.memory[open]'))",
    );
    browser.until("!!document.querySelector('.verdict .wrong')");
    let wrong = browser.js("document.querySelector('.wrong').textContent");
    assert!(wrong.as_str().is_some_and(|wrong| wrong.contains("a whole number from 1 to 10")), "{wrong}");
}

#[test]
fn picture_of_the_desk_shows_the_page_as_it_is() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    desk.run("init").ok();
    let served = Served::start(&desk, "scenarios/first-nights");
    browser.screen(1280, 900, 1.0);
    browser.go(&served.address);
    browser.until("!!document.querySelector('[aria-labelledby=expectations]')");
    slide(&mut browser, "triage-unimportant", "1");
    slide(&mut browser, "budget-storage", "1");
    browser.until("!!document.querySelector('.flipped') && !!document.querySelector('.changed-night')");
    // How long planning took is another number each time.
    browser.js("document.getElementById('time').textContent = 'planned in 5.0 ms'");
    pictured(&mut browser, "desk");
}
