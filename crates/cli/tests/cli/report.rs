//! Reports: one page that needs nothing but itself.

use crate::folder::{Folder, absent, wide_rows};

/// Parts of a page, as their headings' sections are called.
const PARTS: [&str; 7] = ["score", "path", "selected", "held-out", "certificate", "data", "settings"];

fn wide() -> Folder {
    let folder = Folder::new();
    folder.write("data", wide_rows(80, 30, ["-1", "+1"]));
    folder
}

/// Asserts that the page has these parts and no others, and needs nothing from elsewhere.
#[track_caller]
fn has(page: &str, parts: &[&str]) {
    for part in PARTS {
        let found = page.contains(&format!("<section id=\"{part}\""));
        assert_eq!(found, parts.contains(&part), "{part}");
    }
    for outside in ["http:", "https:", "//cdn", "@import", "url(", "<iframe", "<link rel=\"stylesheet"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<script").count(), 2);
}

#[test]
fn every_command_shows_what_it_has() {
    let folder = wide();
    let said = folder.line("train --report train.html data").ok().out;
    assert!(said.contains("report") && said.contains("train.html"), "{said}");
    let page = folder.read("train.html");
    has(&page, &PARTS);
    for part in ["of 30", "±", "class balance", "Confusion matrix", "is better by more than", "in folds"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<code>sparsvm train --report train.html data</code>"));
    folder.line("cv --quiet --outer 3 --report cv.html data").ok();
    has(&folder.read("cv.html"), &PARTS);
    assert!(folder.read("cv.html").contains("of the whole procedure"));
    folder.line("select --quiet --pairs 10 --report select.html data").ok();
    has(&folder.read("select.html"), &["selected", "data", "settings"]);
    folder.line("path --quiet --report path.html data").ok();
    has(&folder.read("path.html"), &["path", "selected", "certificate", "data", "settings"]);
    folder.line("path --quiet --test data --report tested.html data").ok();
    has(&folder.read("tested.html"), &["score", "path", "selected", "certificate", "data", "settings"]);
    folder.line("train --quiet --lambda 0.1 --report given.html data").ok();
    has(&folder.read("given.html"), &["selected", "certificate", "data", "settings"]);
    // Nothing is kept: that is said.
    folder.line("train --quiet --lambda 100 --report none.html data").ok();
    assert!(folder.read("none.html").contains("No feature is kept."));
}

#[test]
fn a_saved_run_gives_the_same_page() {
    let folder = wide();
    for line in ["cv --score auc --scale standard", "path --n-lambda 20", "select --pairs 5"] {
        let both = format!("{line} --quiet --out run.json --report direct.html data");
        folder.line(&both).ok();
        folder.line("report run.json --out again.html").ok();
        assert_eq!(folder.read("direct.html"), folder.read("again.html"), "{line}");
        // And another time the same bytes.
        folder.line(&both).ok();
        assert_eq!(folder.read("direct.html"), folder.read("again.html"), "{line}");
    }
    assert_eq!(folder.files(), ["again.html", "data", "direct.html", "run.json"]);
}

#[test]
fn names_from_files_stay_text() {
    let folder = wide();
    let bad = "</script><script>alert(1)</script><b title=\"'&";
    let args = ["path", "--quiet", "--n-lambda", "10", "--out", "run.json", "data"];
    folder.run(&args).ok();
    let mut run = folder.model("run.json");
    let count = run["report"]["path"]["feature"].as_array().unwrap().len();
    run["report"]["path"]["names"] = vec![bad; count].into();
    run["report"]["data"]["name"] = bad.into();
    run["report"]["command"] = bad.into();
    for row in run["report"]["features"]["rows"].as_array_mut().unwrap() {
        row["name"] = bad.into();
    }
    folder.write("run.json", run.to_string());
    folder.line("report run.json --quiet --out bad.html").ok();
    let page = folder.read("bad.html");
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(!page.contains("<b title") && page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
}

#[test]
fn what_is_no_run_or_no_page_is_refused() {
    let folder = wide();
    folder.line("cv --report page.txt data").refused("must end in .html");
    folder.line("cv --report no/such/page.html data").refused("there is no folder");
    folder.line("train --report x.html data x.html").refused("--report cannot be the same file");
    folder.line("report data --out page.html").refused("is no run");
    folder.line("report missing.json").refused("cannot open");
    folder.write("other.json", "{\"objective\": 1}");
    folder.line("report other.json").refused("has no field `report`");
    folder.line("path --quiet --n-lambda 3 --out run.json data").ok();
    let newer = folder.read("run.json").replace("\"version\": 1", "\"version\": 99");
    folder.write("run.json", newer);
    folder.line("report run.json").refused("version 99");
    absent(&folder.path("report.html"));
}

#[test]
fn a_page_appears_whole_or_not_at_all() {
    let folder = wide();
    folder.write("page.html", "old");
    // The work fails after the place was checked: the old page stays, and nothing else is left.
    folder.line("cv --folds 81 --report page.html data").refused("the most is 80");
    assert_eq!(folder.read("page.html"), "old");
    assert_eq!(folder.files(), ["data", "page.html"]);
}
