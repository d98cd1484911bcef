//! Themes: comparing settings, reading vectors from a file, and agreement with themes labelled by people.

use serde_json::{Value, json};

use crate::support::{Desk, shared_folder};

const DAY_ONE: &str = "{scenarios/riverbend/days/1.jsonl}";
const RIVERBEND: &str = "{scenarios/riverbend}";

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn settings_are_compared_on_the_same_nights_without_writing() {
    let settings = ["kmeans", "hierarchical", "single+budget.storage=0.3"];
    let compare = format!("compare {DAY_ONE} --with {}", settings.join(","));
    let desk = Desk::new();
    let outcomes = desk.run(&format!("{compare} --json")).json();
    let [kmeans, hierarchical, tight] = list(&outcomes) else { panic!("{outcomes}") };
    assert_eq!([&kmeans["setting"], &hierarchical["setting"], &tight["setting"]], settings);
    for outcome in list(&outcomes) {
        assert_eq!((&outcome["nights"], &outcome["distinct"]), (&json!(6), &kmeans["distinct"]));
        assert_eq!(outcome["important_kept"], outcome["important"], "{outcome}");
    }
    let [by_kmeans, by_hierarchical, by_tight] =
        [kmeans, hierarchical, tight].map(|outcome| number(&outcome["reduction"]));
    assert!(by_tight > by_kmeans && by_tight > by_hierarchical, "{outcomes}");
    // Clusters a night.
    assert!(tight["clusters"] == 1.0 && number(&kmeans["clusters"]) > 1.0, "{outcomes}");

    let table = desk.run(&compare).ok();
    let cells = |first: &str| -> Vec<Vec<&str>> {
        let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.filter(|cells| cells.first() == Some(&first)).collect()
    };
    let [headings] = cells("setting").try_into().expect("one header");
    let kept = headings.iter().position(|h| *h == "kept").expect("a column of what is kept");
    for outcome in list(&outcomes) {
        let [row] = cells(outcome["setting"].as_str().expect("a name")).try_into().expect("one line");
        assert_eq!(row[kept], outcome["kept"].to_string(), "{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 110), "{table}");
    assert_eq!(std::fs::read_dir(desk.path("")).expect("the desk").count(), 0, "something was written");
}

#[test]
fn incomparable_setting_is_reported_with_the_comparable_ones() {
    let desk = Desk::new();
    let told = |with: &str| {
        let ran = desk.run(&format!("compare {DAY_ONE} --with kmeans,{with}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        ran.err
    };
    let algorithm = told("nonsense");
    for word in ["nonsense", "kmeans", "hierarchical", "dbscan", "hdbscan", "single"] {
        assert!(algorithm.contains(&format!("`{word}`")), "{word} is not in: {algorithm}");
    }
    let key = told("single+budget.storge=1");
    assert!(key.contains("`budget.storge`") && key.contains("did you mean `budget.storage`?"), "{key}");
    // The days are read once, and are the same under all settings.
    let day = told("kmeans+day.turns~at=14400");
    assert!(
        day.contains("day.turns_at=14400") && day.contains("hint: set it for all of them with --set"),
        "{day}"
    );
}

#[test]
fn vectors_from_a_file_cluster_like_embedded_texts() {
    let desk = Desk::new();
    desk.run(&format!("embed {DAY_ONE} --out day.npy")).ok();
    for how in ["--algorithm kmeans --k 3", "--algorithm hierarchical"] {
        let embedded = desk.run(&format!("cluster {DAY_ONE} {how} --json")).json();
        assert!(number(&embedded["clusters"]) > 1.0, "{embedded}");
        // Without a model: what is in the file is all there is.
        let given = desk
            .command(&format!("cluster {DAY_ONE} {how} --json --vectors day.npy --offline"))
            .env("XDG_CACHE_HOME", desk.path("empty"))
            .env("HOME", desk.path("empty"))
            .env_remove("NIGHTFOLD_MODELS")
            .output()
            .expect("the program starts");
        assert!(given.status.success(), "{}", String::from_utf8_lossy(&given.stderr));
        let given: Value = serde_json::from_slice(&given.stdout).expect("output is JSON");
        assert_eq!(given, embedded, "{how}");
    }
}

#[test]
fn file_without_the_needed_vectors_is_reported() {
    let desk = Desk::new();
    desk.write("two.txt", "Salt is dear\nThe healer brewed willow bark\n");
    desk.write("three.txt", "Salt is dear\nThe healer brewed willow bark\nThe gate is shut\n");
    desk.run("embed two.txt --lines --out two.npy").ok();
    for (vectors, words) in [
        ("two.npy", "holds 2 vectors for 3 texts"),
        ("two.txt", "not a .npy file"),
        ("none.npy", "cannot read"),
    ] {
        let ran = desk.run(&format!("cluster three.txt --lines --vectors {vectors}"));
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{vectors}: {}", ran.err);
        assert!(ran.err.contains(vectors) && ran.err.contains(words), "{vectors}: {}", ran.err);
        assert!(ran.err.contains("hint: give what `nightfold embed` wrote"), "{vectors}: {}", ran.err);
    }
}

#[test]
fn algorithm_without_k_refuses_a_number_of_clusters() {
    let desk = Desk::new();
    desk.run(&format!("embed {DAY_ONE} --out day.npy")).ok();
    for algorithm in ["dbscan", "hdbscan", "single"] {
        let ran = desk.run(&format!("cluster {DAY_ONE} --vectors day.npy --algorithm {algorithm} --k 3"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{algorithm}: {}", ran.err);
        assert!(ran.err.contains(&format!("{algorithm} finds its own number of clusters")), "{}", ran.err);
    }
}

#[test]
fn riverbend_clusters_agree_with_human_labels() {
    let measured = ["single", "kmeans", "dbscan", "hdbscan", "hierarchical"];
    let algorithms = measured.join(",");
    let report = Desk::new()
        .run(&format!("evaluate clusters --scenario {RIVERBEND} --algorithm {algorithms} --json"))
        .json();
    // Of one that can be told how many themes there are, both ways are measured.
    let own = |algorithm: &str| {
        let scores = list(&report["scores"]).iter();
        let mut found = scores.filter(|s| s["algorithm"] == algorithm && s["told_k"] == false);
        found.next().unwrap_or_else(|| panic!("no score of {algorithm}: {report}"))
    };
    for algorithm in measured {
        assert_eq!((&own(algorithm)["set"], &own(algorithm)["days"]), (&json!("riverbend"), &json!(30)));
    }
    for score in list(&report["scores"]) {
        assert!(measured.iter().any(|algorithm| score["algorithm"] == *algorithm), "{score}");
        let [v, nmi] = ["v_measure", "nmi"].map(|measure| number(&score["agreement"][measure]));
        assert!((v - nmi).abs() < 1e-9, "{score}");
    }
    let [least, most] = [0, 1].map(|end| number(&own("kmeans")["clusters_between"][end]));
    assert!(3.0 <= least && most <= 7.0, "{}", own("kmeans"));
    let v = |algorithm| number(&own(algorithm)["agreement"]["v_measure"]);
    assert!(v("kmeans") > v("single"), "{report}");
}

#[test]
fn cosine_cohesion_correlates_with_theme_purity() {
    let weights = "--set cohesion.cosine=0 --set cohesion.inverse~variance=2";
    let report =
        Desk::new().run(&format!("evaluate cohesion --scenario {RIVERBEND} {weights} --json")).json();
    assert_eq!(report["sets"], json!(["riverbend"]));
    let configured = &report["configured"]["weights"];
    assert_eq!((&configured["cosine"], &configured["inverse_variance"]), (&json!(0.0), &json!(2.0)));
    let only_cosine = |weights: &Value| {
        let mut parts = weights.as_object().expect("weights").iter();
        parts.all(|(part, weight)| (number(weight) > 0.0) == (part == "cosine"))
    };
    let by_cosine = list(&report["combinations"]).iter().find(|c| only_cosine(&c["weights"]));
    let by_cosine = by_cosine.expect("the cosine alone is among the combinations");
    assert!(number(&by_cosine["spearman"][0]) > 0.2, "{by_cosine}");
}

#[test]
fn missing_evaluation_data_is_reported_with_the_expected_files() {
    let desk = Desk::new();
    for (call, code, words) in [
        ("clusters", 2, "--data <DIR>"),
        ("clusters --json", 2, "--data <DIR>"),
        ("cohesion --json", 2, "--data <DIR>"),
        ("clusters --scenario .", 3, "there is no days in ."),
        ("clusters --scenario nowhere", 3, "there is no days in nowhere"),
        ("clusters --data .", 3, "clustering/banking77/banking~data~test.csv"),
        ("cohesion --data .", 3, "clustering/clinc150/data~full.json"),
    ] {
        let ran = desk.run(&format!("evaluate {call}"));
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{call}: {}", ran.err);
        assert!(ran.err.contains(&words.replace('~', "_")), "{call}: {}", ran.err);
    }
}

#[test]
fn k_means_matches_scikit_learn_on_labelled_texts() {
    let folders = ["clustering/banking77", "clustering/clinc150", "clustering/gsdmm"];
    let Some(data) = shared_folder(&folders) else { return };
    let desk = Desk::new();
    let output = desk
        .command("evaluate clusters --algorithm kmeans --json --data")
        .arg(data)
        .output()
        .expect("the program starts");
    // It exits with 1 where k-means is worse by more than this.
    let margin = 0.01;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("output is JSON");
    let sets: Vec<&Value> = list(&report["reference"]).iter().map(|r| &r["set"]).collect();
    assert_eq!(sets, ["banking77", "clinc150", "tweets"]);
    for theirs in list(&report["reference"]) {
        let same =
            |s: &&Value| s["set"] == theirs["set"] && s["algorithm"] == "kmeans" && s["told_k"] == true;
        let ours = &list(&report["scores"]).iter().find(same).expect("a score")["agreement"];
        for measure in ["v_measure", "ari"] {
            assert!(number(&ours[measure]) >= number(&theirs[measure]) - margin, "{theirs}: {ours}");
        }
    }
}
