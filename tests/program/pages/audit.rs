//! Every page is there for everybody: with low vision, by keyboard, by ear, on a phone.

use super::{browser::Browser, desk::Served};
use crate::support::Desk;

const AUDIT: &str = include_str!("audit.js");

/// Looks at the page in both colour schemes and at both widths, and asserts that nothing is wrong.
#[track_caller]
fn is_sound(browser: &mut Browser, page: &str) {
    // Focus is drawn for those who use the keyboard.
    browser.press("Tab");
    for scheme in ["light", "dark"] {
        browser.js(&format!("document.querySelector('[name=scheme][value={scheme}]').click()"));
        for width in [390, 1280] {
            browser.size(width, 900);
            let wide = browser.js("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(wide, false, "{page}, {scheme}, {width}: wider than the window");
            let wrong = browser.js(&format!("({AUDIT})()"));
            let wrong = wrong.as_array().expect("a list");
            assert!(wrong.is_empty(), "{page}, {scheme}, {width}: {wrong:#?}");
        }
    }
}

#[test]
fn desk_is_there_for_everybody() {
    let Some(mut browser) = Browser::open() else { return };
    let served = Served::start(&Desk::new(), "{scenarios/riverbend}");
    browser.go(&served.address);
    browser.until("!!document.querySelector('[aria-labelledby=expectations]')");
    browser.js("document.querySelectorAll('details').forEach(details => { details.open = true; })");
    is_sound(&mut browser, "the desk");
    browser
        .js("(slider => { slider.value = 0.05; slider.dispatchEvent(new Event('input', {bubbles: true})); })
         (document.getElementById('setting-budget-storage'))");
    browser.until("!!document.querySelector('.flipped')");
    browser.js("document.querySelector('.memory[open] .ask').click()");
    browser.until("!!document.querySelector('.memory[open] .ways')");
    is_sound(&mut browser, "the desk, turned");
}

#[test]
fn report_is_there_for_everybody() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    desk.run("replay {scenarios/riverbend} --report town.html").ok();
    for view in ["", "#npc=0", "#find=bridge"] {
        // Another view of the same page is no other page to load.
        browser.go("about:blank");
        browser.go(&format!("file://{}{view}", desk.path("town.html").display()));
        browser.until("!!document.querySelector('h1')");
        browser.js("document.querySelectorAll('details').forEach(details => { details.open = true; })");
        is_sound(&mut browser, &format!("the report {view}"));
    }
}

#[test]
fn comparison_puts_two_settings_side_by_side_for_everybody() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let with = "--with budget.storage=0.5,budget.storage=0.05";
    let told = desk.run(&format!("compare {{scenarios/riverbend}} {with} --report two.html"));
    assert!(told.err.contains("report: two.html"), "{}", told.err);
    told.ok();
    assert!(desk.read("two.html").len() < 2_000_000);
    let address = format!("file://{}", desk.path("two.html").display());
    browser.go(&address);
    browser.until("!!document.querySelector('.changed li')");
    let heads = browser.js("[...document.querySelectorAll('.pair h2')].map(head => head.textContent)");
    assert_eq!(heads, serde_json::json!(["budget.storage=0.5", "budget.storage=0.05"]));
    assert!(browser.js("document.querySelectorAll('.flipped').length").as_u64() > Some(0));
    is_sound(&mut browser, "the comparison");
    // Another night is opened by choosing it, and its address opens it again.
    browser.js("document.querySelector('.all-nights > li:last-child .cell').click()");
    browser.until("location.hash.startsWith('#npc=')");
    let named = "document.querySelector('.all-nights > li:last-child h3').textContent";
    let (name, heading) = (browser.js(named), browser.js("document.getElementById('night').textContent"));
    assert!(heading.as_str().expect("a heading").starts_with(name.as_str().expect("a name")), "{heading}");
    assert_eq!(browser.complaints(&address), Vec::<String>::new());

    desk.run("compare {scenarios/riverbend} --report five.html").code_is(2, "two settings side by side");
}
