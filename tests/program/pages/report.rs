//! `--report`: the page of a run, opened.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::{injections::hostile::HOSTILE, support::Desk};

/// What is painted of each chart: how many different colours there are on its canvas.
const PAINTED: &str = "Object.fromEntries([...document.querySelectorAll('.chart')].map(chart => {
    const canvas = chart.querySelector('canvas');
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return [chart.id, new Set(new Uint32Array(data.buffer)).size];
}))";

fn address(desk: &Desk, name: &str, view: &str) -> String {
    format!("file://{}{view}", desk.path(name).display())
}

/// Every one of these charts is there and shows something.
#[track_caller]
fn painted(browser: &mut Browser, charts: &[&str]) {
    // Charts are drawn once they have a width.
    browser.js("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))");
    let colours = browser.js(PAINTED);
    for chart in charts {
        assert!(colours[chart].as_u64().is_some_and(|n| n > 8), "{chart}: {colours}");
    }
}

fn riverbend(desk: &Desk) {
    let days = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} {scenarios/riverbend/days/3.jsonl}";
    desk.run(&format!("sleep {days} --by-day --plan plan.json --report report.html")).ok();
}

#[test]
fn what_players_wrote_is_text_and_nothing_else() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let own = [
        "</script><script>document.body.dataset.taken = 1</script><!--",
        "<img src=x onerror=\"document.body.dataset.taken = 1\"> <b>bold</b> &lt;i&gt; ${document.title} {a|b}",
        "\u{1b}[2J\u{202e}sdrawkcab\u{0} \u{2028}\u{9b}31m",
    ];
    let lines = HOSTILE.iter().chain(&own).chain(&own).enumerate().map(|(n, text)| {
        json!({"id": format!("<b>m{n}"), "npc": "Mara <i>\u{202e}Thorne", "at": 60 * n, "kind": "chat", "text": text,
               "importance": 1 + n % 10, "actors": [text], "tags": [text], "place": text})
        .to_string()
    });
    desk.write("day.jsonl", lines.collect::<Vec<_>>().join("\n"));
    desk.run("sleep day.jsonl --report report.html").ok();
    browser.go(&address(&desk, "report.html", "#npc=0"));
    painted(&mut browser, &["map-chart", "flow-chart"]);
    assert_eq!(
        browser.js("document.querySelector('h1').textContent"),
        "Mara <i>\\u{202e}Thorne, night of day-0"
    );
    // Opened, a memory says all that is known of it.
    browser.js("document.querySelectorAll('details').forEach(details => details.open = true)");
    browser.js("document.querySelectorAll('button[aria-expanded]').forEach(button => button.click())");
    browser.js("new Promise(done => setTimeout(done, 100))");
    let shown = browser.js("document.getElementById('main').textContent");
    let shown = shown.as_str().expect("a text");
    for text in [
        "</script><script>document.body",
        "<img src=x onerror=",
        "\\u{1b}[2J\\u{202e}sdrawkcab\\u{0}",
        "{a|b}",
        "<b>m",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    let steers = |c: &char| {
        c.is_control() && *c != '\n' || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
    };
    assert_eq!(shown.chars().find(steers), None);
    let made = "[document.body.dataset.taken ?? 'nobody', document.querySelectorAll('main img, main script, main b, main i').length]";
    assert_eq!(browser.js(made), json!(["nobody", 0]));
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn a_village_is_found_filtered_and_read() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    browser.go(&address(&desk, "report.html", ""));
    painted(&mut browser, &["nights-chart"]);
    let names = "[...document.querySelectorAll('.people tbody a')].map(a => a.textContent)";
    assert_eq!(browser.js(&format!("{names}.length")), 6);
    browser.js("document.getElementById('filter').focus()");
    browser.types("mara");
    assert_eq!(browser.js(names), json!(["Mara Thorne"]));
    browser.js("document.querySelector('.people tbody a').click()");
    browser.until("document.querySelector('h1').textContent === 'Mara Thorne'");
    painted(&mut browser, &["map-chart", "flow-chart", "budget-chart", "history-chart"]);

    // What is let go, and of that what speaks of the hearth.
    let rows = "[...document.querySelectorAll('.memory')].map(row => row.dataset.fate)";
    let all = browser.js(&format!("{rows}.length")).as_u64().expect("a number");
    browser.js("document.querySelectorAll('.chip input').forEach(box => box.value === '-' || box.click())");
    let gone = browser.js(rows);
    let gone = gone.as_array().expect("a list");
    assert!(!gone.is_empty() && (gone.len() as u64) < all && gone.iter().all(|fate| fate == "-"), "{gone:?}");
    browser.js("document.getElementById('filter').focus()");
    browser.types("swept");
    let found = browser.js("[...document.querySelectorAll('.memory .words')].map(text => text.textContent)");
    let found: Vec<&str> = found.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(found.len() < gone.len() && found.iter().all(|text| text.contains("swept")), "{found:?}");

    // An insight says what it rests on.
    browser.js("document.querySelector('#insights').closest('section').querySelector('button').click()");
    assert!(
        browser
            .js("document.querySelectorAll('.insight .sources li').length")
            .as_u64()
            .is_some_and(|n| n > 1)
    );

    // Whatever anybody remembers is found from anywhere.
    browser.js("document.getElementById('find').focus()");
    browser.types("grey cloak");
    browser.until("document.querySelectorAll('.hits mark').length > 3");
    assert!(browser.js("new Set([...document.querySelectorAll('.hits a')].map(a => a.textContent.split(',')[0])).size > 1") == true);
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn the_keyboard_reaches_everything_and_the_page_is_as_wide_as_the_window() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    for (view, width) in [("", 1280), ("#npc=2&night=2", 1280), ("#npc=2&night=2", 390), ("", 390)] {
        browser.size(width, 900);
        browser.go("about:blank");
        browser.go(&address(&desk, "report.html", view));
        painted(&mut browser, &[]);
        assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth"), true, "{view} {width}");
        // Radio buttons are one stop together, and what is shut or switched off is none.
        let stops = "window.stops = [...document.querySelectorAll('a[href], button, input, summary')]
            .filter(at => at.checkVisibility() && !at.disabled && (at.type !== 'radio' || at.checked)); stops.length";
        let stops = browser.js(stops).as_u64().expect("a number");
        assert!(stops > 10, "{stops}");
        browser.js("window.reached = new Set()");
        for _ in 0..stops + 10 {
            browser.press("Tab");
            browser.js("reached.add(document.activeElement)");
        }
        let missed = browser.js("stops.filter(at => !reached.has(at)).map(at => at.outerHTML.slice(0, 200))");
        assert_eq!(missed, json!([]), "{view}");
        let named =
            "stops.filter(at => !(at.textContent.trim() || at.ariaLabel || at.labels?.length)).length";
        assert_eq!(browser.js(named), 0, "each says what it is");
    }
    let paper = "getComputedStyle(document.documentElement).backgroundColor";
    let dark = "document.querySelector('input[value=dark]').click()";
    let before = browser.js(paper);
    browser.js(dark);
    assert_ne!(browser.js(paper), before);
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn the_page_counts_what_the_plan_counts() {
    let desk = Desk::new();
    riverbend(&desk);
    let plan: Value = serde_json::from_slice(&desk.read("plan.json")).expect("a plan");
    let page = String::from_utf8(desk.read("report.html")).expect("UTF-8");
    let from = page.split("id=\"summary\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let summary: Value = serde_json::from_str(from.expect("a summary")).expect("JSON");
    let sum =
        |of: &dyn Fn(&Value) -> u64| summary["npcs"].as_array().expect("NPCs").iter().map(of).sum::<u64>();
    let fate = |n: usize| sum(&|npc| npc["fates"][n].as_u64().expect("a number"));
    let [kept, told, known, contested, replaced, repeats, gone] = std::array::from_fn(fate);
    let counted = |name: &str| plan["report"][name].as_u64().expect("a number");
    let blank = plan["report"]["input"]["blank"].as_u64().expect("a number");
    assert!(kept > 0 && told > 0 && known > 0 && repeats > 0 && gone > 0);
    assert_eq!(kept + contested + replaced, counted("stored"));
    assert_eq!((told, known, gone), (counted("chunked"), counted("corroborated"), counted("pruned") + blank));
    assert_eq!(kept + told + known + contested + replaced + repeats + gone, counted("memories"));
    assert_eq!(sum(&|npc| npc["insights"].as_u64().expect("a number")), counted("reflections"));
}

#[test]
fn a_saved_plan_makes_the_page_without_a_map() {
    let desk = Desk::new();
    riverbend(&desk);
    let page = desk.read("report.html");
    riverbend(&desk);
    assert!(page == desk.read("report.html"), "the same run, the same bytes");
    desk.run("show plan.json --report later.html --npc Mara_Thorne").ok();
    let later = String::from_utf8(desk.read("later.html")).expect("UTF-8");
    assert_eq!(later.matches("class=\"npc\">").count(), 1);
    let Some(mut browser) = Browser::open() else { return };
    browser.go(&address(&desk, "later.html", "#npc=0"));
    painted(&mut browser, &["map-chart", "flow-chart", "budget-chart"]);
    let caption = browser
        .js("document.querySelector('#map').closest('section').querySelector('figcaption').textContent");
    assert!(caption.as_str().is_some_and(|text| text.contains("saved without a map")), "{caption}");
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn a_page_that_cannot_be_written_is_known_before_anything_is() {
    let desk = Desk::new();
    desk.write(
        "day.jsonl",
        json!({"id": "a", "npc": "Bo", "at": 1, "kind": "event", "text": "x"}).to_string(),
    );
    let sleep = "sleep day.jsonl --store town.db --apply";
    desk.run(&format!("{sleep} --report nowhere/page.html")).code_is(2, "/nowhere does not exist");
    desk.run(&format!("{sleep} --report day.jsonl")).code_is(2, "reads or writes that file already");
    desk.run(&format!("{sleep} --plan p.json --report p.json"))
        .code_is(2, "reads or writes that file already");
    assert!(!desk.path("town.db").exists());
}
