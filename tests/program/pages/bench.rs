//! The page of `bench`.

use super::{
    browser::Browser,
    report::{address, painted},
};
use crate::support::Desk;

#[test]
fn bench_is_a_page_with_a_chart_and_the_measures() {
    let Some(mut browser) = Browser::open() else { return };
    let desk = Desk::new();
    let said = desk.run("bench --npcs 3 --memories 20 --seed 9 --report bench.html --json");
    let report = said.json();
    for width in [1280, 390] {
        browser.size(width, 900);
        browser.go("about:blank");
        browser.go(&address(&desk, "bench.html", ""));
        painted(&mut browser, &["steps-chart"]);
        assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth"), true, "{width}");
    }
    assert_eq!(browser.js("document.querySelector('h1').textContent"), "3 NPCs of 20 memories");
    let cells = browser.js("[...document.querySelectorAll('tbody tr:first-child > *')].map(cell => cell.textContent.replaceAll(',', ''))");
    let paces = [0, 1].map(|round| report["rounds"][round]["nights_per_second"].as_f64().expect("a pace"));
    let shown = cells.as_array().expect("cells");
    assert_eq!(shown[0], "nights a second");
    for (pace, cell) in paces.iter().zip(&shown[1..]) {
        let cell: f64 = cell.as_str().expect("text").parse().expect("a number");
        assert!((cell - pace).abs() <= 0.051, "{cell} for {pace}");
    }
    assert_eq!(browser.complaints("file://"), Vec::<String>::new());
}
