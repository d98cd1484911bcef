//! Tests of `--report`: the page of a run, in a browser.

use serde_json::{Value, json};

use super::browser::{Browser, pictured};
use crate::{
    injections::hostile::HOSTILE,
    support::{Desk, GATES},
};

/// Number of different colours on the canvas of each chart.
const PAINTED: &str = "Object.fromEntries([...document.querySelectorAll('.chart')].map(chart => {
    const canvas = chart.querySelector('canvas');
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return [chart.id, new Set(new Uint32Array(data.buffer)).size];
}))";

/// Address of a page in the test's folder.
pub(super) fn address(desk: &Desk, name: &str, view: &str) -> String {
    format!("file://{}{view}", desk.path(name).display())
}

/// Asserts that each of these charts is there and shows something.
#[track_caller]
pub(super) fn painted(browser: &mut Browser, charts: &[&str]) {
    // Charts are drawn once they have a width.
    browser.js("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))");
    let colours = browser.js(PAINTED);
    for chart in charts {
        assert!(colours[chart].as_u64().is_some_and(|n| n > 8), "{chart}: {colours}");
    }
}

const RIVERBEND: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} {scenarios/riverbend/days/3.jsonl}";

/// Writes the report of these days.
fn reported(desk: &Desk, days: &str) {
    desk.run(&format!("sleep {days} --by-day --plan plan.json --report report.html")).ok();
}

/// Writes the report of three days of riverbend.
fn riverbend(desk: &Desk) {
    reported(desk, RIVERBEND);
}

#[test]
fn hostile_text_is_shown_as_text() {
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
fn npcs_and_memories_can_be_filtered_searched_and_traced() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    browser.go(&address(&desk, "report.html", ""));
    painted(&mut browser, &["nights-chart"]);
    // What was important and ended stands in front of all else.
    let ended = browser.js("document.querySelector('[aria-labelledby=ended]').textContent");
    assert!(ended.as_str().is_some_and(|ended| ended.contains("important, and ended: ")), "{ended}");
    let names = "[...document.querySelectorAll('.people tbody a')].map(a => a.textContent)";
    assert_eq!(browser.js(&format!("{names}.length")), 6);
    browser.js("document.getElementById('filter').focus()");
    browser.types("mara");
    assert_eq!(browser.js(names), json!(["Mara Thorne"]));
    browser.js("document.querySelector('.people tbody a').click()");
    browser.until("document.querySelector('h1').textContent === 'Mara Thorne'");
    painted(&mut browser, &["map-chart", "flow-chart", "budget-chart", "history-chart"]);

    // Themes come by strength, and say what they earn by it.
    let strengths =
        browser.js("[...document.querySelectorAll('.themes .small')].map(told => told.textContent)");
    let strengths: Vec<&str> =
        strengths.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(
        strengths.len() > 1 && strengths.is_sorted_by(|a, b| a.get(..19) >= b.get(..19)),
        "{strengths:?}"
    );
    assert!(
        strengths.iter().all(|told| told.starts_with("hangs together ") && told.contains(" places")),
        "{strengths:?}"
    );

    // Pruned memories, and of those the ones about sweeping.
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

    // An insight, here of Elsbeth's third night, says what it rests on.
    browser.js("location.hash = '#npc=1&night=2'");
    browser.until("document.querySelector('#insights') !== null");
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
fn keyboard_reaches_every_control_and_the_page_fits_the_window() {
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
fn page_and_plan_have_the_same_counts() {
    let desk = Desk::new();
    reported(&desk, &format!("{RIVERBEND} {GATES}"));
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
    let fates = [kept, told, known, contested, replaced, repeats, gone];
    assert!(fates.iter().all(|number| *number > 0), "{fates:?}");
    assert_eq!(kept + contested + replaced, counted("stored"));
    assert_eq!((told, known, gone), (counted("chunked"), counted("corroborated"), counted("pruned") + blank));
    assert_eq!(kept + told + known + contested + replaced + repeats + gone, counted("memories"));
    assert_eq!(sum(&|npc| npc["insights"].as_u64().expect("a number")), counted("reflections"));
}

#[test]
fn report_of_a_saved_plan_has_no_map() {
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
fn unwritable_report_is_refused_before_anything_is_written() {
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

/// Writes the report of two nights of one NPC: the first statement is superseded on the second night, and the
/// first night has more memories.
fn ferry(desk: &Desk) {
    let line = |id: &str, at: u32, text: &str, importance: u8| {
        json!({"id": id, "npc": "Bo", "at": at, "kind": "event", "text": text, "importance": importance})
            .to_string()
    };
    let mut lines = vec![line("north", 36_000, "The ferry lies at the north bank.", 8)];
    let idle = (0..12).map(|n| {
        line(&format!("idle{n}"), 40_000 + n * 60, &format!("I mended net number {n} by the pier."), 3)
    });
    lines.extend(idle);
    lines.push(line("south", 86_400 + 36_000, "The ferry does not lie at the north bank.", 8));
    lines.push(line("soup", 86_400 + 40_000, "Hanne cooked fish soup.", 3));
    desk.write("days.jsonl", lines.join("\n"));
    desk.run("sleep days.jsonl --by-day --plan plan.json --report report.html").ok();
    let plan: Value = serde_json::from_slice(&desk.read("plan.json")).expect("a plan");
    assert_eq!(plan["report"]["superseded"], 1, "{}", plan["report"]);
}

#[test]
fn superseded_belief_shows_its_successor_on_its_own_night_and_in_the_search() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    ferry(&desk);
    // Of the night on which it was kept, later superseded.
    browser.go(&address(&desk, "report.html", "#npc=0&night=0"));
    let row = "document.querySelector('.memory.superseded')";
    assert_eq!(
        browser.js(&format!("{row}.querySelector('.what > .words').textContent")),
        "The ferry lies at the north bank."
    );
    let now = browser.js(&format!("{row}.querySelector('.successor').textContent"));
    let now = now.as_str().expect("a text");
    assert!(
        now.contains("superseded") && now.ends_with("The ferry does not lie at the north bank."),
        "{now}"
    );
    // Of the night that supersedes it: the older entry, with what holds now.
    browser.go("about:blank");
    browser.go(&address(&desk, "report.html", "#npc=0&night=1"));
    let older = browser.js("document.querySelector('.insight.superseded .successor .words').textContent");
    assert_eq!(older, "The ferry does not lie at the north bank.");
    // The successor holds words that the query does not.
    browser.js("location.hash = 'find=lies+at+the+north'");
    browser.until("document.querySelectorAll('.hits li [data-fate=\"!\"]').length === 1");
    let hit = browser.js("document.querySelector('.hits li:has([data-fate=\"!\"])').textContent");
    let hit = hit.as_str().expect("a text");
    assert!(hit.contains("superseded") && hit.contains("The ferry does not lie at the north bank."), "{hit}");
    browser.js("location.hash = 'find=does+not+lie'");
    browser.until("document.querySelector('h1').textContent.includes('does not lie')");
    assert_eq!(browser.js("document.querySelectorAll('.hits li.superseded').length"), 0);
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn page_opens_at_the_most_eventful_npc_and_night() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    ferry(&desk);
    // The second night has fewer memories, but supersedes a belief.
    browser.go(&address(&desk, "report.html", "#npc=0"));
    assert_eq!(browser.js("document.querySelectorAll('.nights a').length"), 2);
    assert_eq!(browser.js("[...document.querySelectorAll('.nights a')].findIndex(a => a.ariaCurrent)"), 1);
    browser.js("location.hash = 'npc=0&night=0'");
    browser.until("[...document.querySelectorAll('.nights a')].findIndex(a => a.ariaCurrent) === 0");

    riverbend(&desk);
    browser.go(&address(&desk, "report.html", ""));
    let sorted = browser.js(
        "(() => {
            const rows = [...document.querySelectorAll('.people tbody a')].map(a => SUMMARY.npcs[Number(a.hash.slice(5))].events);
            return rows.every((row, i) => {
                const differs = i && row.findIndex((n, e) => n !== rows[i - 1][e]);
                return !i || differs < 0 || row[differs] < rows[i - 1][differs];
            }) && rows.length;
        })()",
    );
    assert_eq!(sorted, 6);
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn search_and_filters_without_a_result_say_so() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    ferry(&desk);
    browser.go(&address(&desk, "report.html", ""));
    browser.js("document.getElementById('find').focus()");
    browser.types("<b>dragon");
    browser.until("document.querySelector('.nothing')?.textContent === 'Nothing found for “<b>dragon”.'");
    assert_eq!(browser.js("document.getElementById('live').textContent"), "Nothing found for “<b>dragon”");
    assert_eq!(browser.js("document.querySelectorAll('main b, .hits li').length"), 0);
    for view in ["#", "#npc=0&night=0"] {
        browser.js(&format!("document.getElementById('find').blur(); location.hash = '{view}'"));
        browser.until("!!document.getElementById('filter')");
        browser.js("document.getElementById('filter').focus()");
        browser.types("dragon");
        browser.until("document.querySelector('.nothing')?.textContent === 'Nothing found for “dragon”.'");
    }
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn tooltip_appears_beside_the_pointer_and_goes_when_the_page_scrolls() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    browser.size(1280, 500);
    browser.go(&address(&desk, "report.html", ""));
    painted(&mut browser, &["nights-chart"]);
    // The foot of the first bar: whatever is kept begins at the axis.
    browser.js("document.getElementById('nights-chart').scrollIntoView({block: 'center'})");
    let at = browser.js("(() => {
            const {x, y, width, height} = document.getElementById('nights-chart').getBoundingClientRect();
            return [x + 44 + (width - 44) / 6, y + height - 26 - 8];
        })()");
    let (x, y) = (at[0].as_f64().expect("a number"), at[1].as_f64().expect("a number"));
    browser.js("new Promise(done => setTimeout(done, 100))");
    browser.point(x, y);
    browser.until("!tip.hidden");
    let shown = browser.js("(({left, top}) => [left, top])(tip.getBoundingClientRect())");
    let near = |n: usize, to: f64| (shown[n].as_f64().expect("a number") - to).abs() < 200.0;
    assert!(near(0, x) && near(1, y), "{shown} for {x}, {y}");
    browser.js("scrollBy(0, 60)");
    browser.until("tip.hidden");
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn charts_are_as_sharp_as_the_screen() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    browser.go(&address(&desk, "report.html", ""));
    painted(&mut browser, &["nights-chart"]);
    for (wider, ratio) in [(1, 2.0), (2, 1.0), (3, 1.5)] {
        // An emulated screen reports its new ratio only with a new size. The chart has its greatest width already: that alone
        // would not draw it again.
        browser.screen(1280 + wider, 900, ratio);
        browser.until(&format!(
            "(canvas => Math.abs(canvas.width - canvas.clientWidth * {ratio}) <= 1)(document.querySelector('#nights-chart canvas'))"
        ));
    }
    painted(&mut browser, &["nights-chart"]);
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

/// Contrast of the fills of repeats and pruned memories, whether their patterns differ from each other and
/// from a plain fill, and whether any series of the chart of nights lets the grid show through.
const FILLS: &str = "(() => {
    const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = (hex) => [1, 3, 5].map((at) => channel(parseInt(hex.slice(at, at + 2), 16))).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const [a, b] = ['repeat', 'gone'].map((name) => luminance(colour(name)));
    const [repeats, pruned, kept] = ['&', '-', '+'].map((sign) => {
        const style = getComputedStyle(document.querySelector(`.key .swatch[data-fate='${sign}']`));
        return [style.backgroundImage, style.boxShadow].join();
    });
    const opaque = FATES.map(fillOf).every(({ color, opacity }) => /^#[0-9a-f]{6}$/.test(color) && opacity === undefined);
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), repeats !== pruned && repeats !== kept && pruned !== kept, opaque];
})()";

#[test]
fn repeats_and_pruned_memories_differ_by_contrast_and_by_pattern() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    riverbend(&desk);
    browser.go(&address(&desk, "report.html", ""));
    for scheme in ["light", "dark"] {
        browser.js(&format!("document.querySelector('input[value={scheme}]').click()"));
        let told = browser.js(FILLS);
        assert!(told[0].as_f64().is_some_and(|contrast| contrast > 2.0), "{scheme}: {told}");
        assert_eq!((&told[1], &told[2]), (&json!(true), &json!(true)), "{scheme}: {told}");
    }
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn phone_shows_the_time_of_day_and_the_label_of_the_last_night() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let line = |day: u32| {
        json!({"id": format!("m{day}"), "npc": "Bo", "at": 86_400 * day + 36_000 + 60 * day, "kind": "event",
               "text": format!("Boat number {day} came in."), "importance": 8})
        .to_string()
    };
    desk.write("days.jsonl", (0..9).map(line).collect::<Vec<_>>().join("\n"));
    desk.run("sleep days.jsonl --by-day --report report.html").ok();
    browser.size(360, 800);
    browser.go(&address(&desk, "report.html", "#npc=0&night=2"));
    let time = "document.querySelector('.memory time')";
    assert_eq!(browser.js(&format!("{time}.textContent")), "10:02");
    assert_eq!(browser.js(&format!("{time}.checkVisibility() && {time}.clientWidth > 20")), true);
    assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth"), true);
    browser.js("location.hash = ''");
    painted(&mut browser, &["nights-chart"]);
    let labels = browser.js("(() => {
            const width = document.getElementById('nights-chart').clientWidth;
            const labels = SUMMARY.nights.map(({ night }) => night);
            const { axis, right } = nightAxis(labels, width, 44);
            const slot = (width - 44 - right) / labels.length;
            MEASURE.font = `12px ${getComputedStyle(document.body).fontFamily}`;
            const end = width - right - slot / 2 + MEASURE.measureText(labels.at(-1)).width / 2;
            return [labels.map((_, i) => axis.axisLabel.interval(i)), end <= width];
        })()");
    let shown = labels[0].as_array().expect("a list");
    assert!(shown.last() == Some(&json!(true)) && shown.iter().any(|label| label == false), "{labels}");
    assert_eq!(labels[1], true, "it is not cut off");
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}

#[test]
fn picture_of_the_report_shows_the_page_as_it_is() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    desk.run("sleep {scenarios/riverbend/days/1.jsonl} --report report.html").ok();
    browser.screen(1280, 900, 1.0);
    browser.go(&address(&desk, "report.html", ""));
    pictured(&mut browser, "report");
}

#[test]
fn report_begins_with_what_happened_and_lists_memories_before_charts() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    desk.run("replay {scenarios/betrayal} --report story.html").ok();
    browser.size(1280, 900);
    browser.go(&address(&desk, "story.html", ""));
    let panels = "[...document.querySelectorAll('main h2')].map(h => h.textContent)";
    let first: Vec<Value> = browser.js(panels).as_array().expect("panels").clone();
    assert_eq!(browser.js("document.querySelector('h1').textContent"), "The chart of the Narrows");
    let at = |name: &str| {
        first.iter().position(|panel| panel == name).unwrap_or_else(|| panic!("{name}: {first:?}"))
    };
    assert!(at("What changed") < at("What the scenario expects"));
    assert!(at("Who, and what happened") < at("In numbers"));
    let cards = browser.js("[...document.querySelectorAll('.cards > li')].map(card => card.textContent)");
    assert_eq!(cards.as_array().expect("cards").len(), 3);
    let holds = browser.js("document.querySelector('[aria-labelledby=expectations] header p').textContent");
    assert!(holds.as_str().is_some_and(|words| words.ends_with("expectations hold")), "{holds}");
    // A column of zeros says nothing.
    let heads = browser.js("[...document.querySelectorAll('.people thead th')].map(th => th.textContent)");
    assert!(!heads.as_array().expect("columns").contains(&json!("Important lost")), "{heads}");

    browser.js("document.querySelector('.cards a').click()");
    browser.until("!!document.querySelector('.crumbs')");
    let night: Vec<Value> = browser.js(panels).as_array().expect("panels").clone();
    let at = |name: &str| {
        night.iter().position(|panel| panel == name).unwrap_or_else(|| panic!("{name}: {night:?}"))
    };
    assert_eq!(at("What happened"), 0);
    assert!(at("What became of each memory") < at("The day as a map"), "{night:?}");
    assert_eq!(browser.complaints("file:"), Vec::<String>::new());
}
