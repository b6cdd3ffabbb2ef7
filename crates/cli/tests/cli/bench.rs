//! The paper's experiment in small.

use serde_json::Value;

use crate::folder::{Folder, Ran, rows};

/// With a file that is called like one of the paper's sets.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("data")).unwrap();
    folder.write("data/heart_scale", rows(80, ["-1", "+1"]));
    folder
}

fn paper(folder: &Folder, options: &str) -> Ran {
    let line = format!("bench paper --quick --data data --datasets heart_scale --out out {options}");
    folder.run(&line.split_whitespace().collect::<Vec<_>>())
}

/// The lines of a CSV file, split into fields; quotes are understood.
fn fields(text: &str) -> Vec<Vec<String>> {
    let split = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    };
    text.split("\r\n").filter(|line| !line.is_empty()).map(split).collect()
}

/// Every tag is closed in its turn.
#[track_caller]
fn assert_well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').unwrap_or_else(|| panic!("an open tag: {tag}"));
        let name = inside.split_whitespace().next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{inside}");
        } else if !(inside.ends_with('/') || name == "!DOCTYPE" || name == "meta") {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn tables_figures_and_page_are_written_with_published_figures_beside() {
    let folder = folder();
    let ran = paper(&folder, "").ok();
    for text in ["heart_scale, SCAD", "heart_scale, MCP", "RankSVM-MCP", "96.67", "5.59e-4", "Guan"] {
        assert!(ran.out.contains(text), "{text} is not in {}", ran.out);
    }
    let lines = fields(&folder.read("out/table.csv"));
    assert_eq!(lines.len(), 1 + 8);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{lines:?}");
    let column = |name: &str| lines[0].iter().position(|field| field == name).unwrap();
    let methods: Vec<&str> = lines[1..].iter().map(|line| line[column("method")].as_str()).collect();
    assert_eq!(methods[..4], ["FEADMM", "GIST", "SCAD SVM", "exact"]);
    assert_eq!(methods[4..], ["FEADMM", "GIST", "RankSVM-MCP", "exact"]);
    assert_eq!(lines[1][column("published_iterations")], "12");
    for line in &lines[1..] {
        let number = |name: &str| line[column(name)].parse::<f64>().unwrap();
        assert!((0.5..=1.0).contains(&number("accuracy")), "{line:?}");
        assert!(number("objective") < 1.0 && number("running_seconds") > 0.0, "{line:?}");
        assert_eq!((number("training_rows"), number("test_rows"), number("features")), (72.0, 8.0, 6.0));
        // No method gets below the exact solver on its own problem by more than the tolerance.
        if line[column("method")] != "exact" {
            assert!(number("objective") > number("exact_objective") * (1.0 - 1e-3), "{line:?}");
        }
    }
    let markdown = folder.read("out/table.md");
    let widths: Vec<usize> =
        markdown.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect();
    assert!(widths.len() == 2 * 6 && widths.iter().all(|width| *width == widths[0]), "{markdown}");
    let html = folder.read("out/index.html");
    assert_well_formed(&html);
    assert!(html.matches("<svg ").count() == 2 && html.matches("<table>").count() == 2);
    assert!(!html.contains("NaN") && html.contains("var(--ink)") && !html.contains("src="));
    assert!(folder.read("out/accuracy.svg").trim_end().ends_with("</svg>"));
    assert!(std::fs::read(folder.path("out/accuracy.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_resumed_run_repeats_nothing_that_is_finished() {
    let folder = folder();
    paper(&folder, "--quiet").ok();
    let (table, page) = (folder.read("out/table.csv"), folder.read("out/index.html"));
    paper(&folder, "").refused("--resume");

    let cell = "out/cells/heart_scale.scad.gist.json";
    let measured = folder.read(cell);
    std::fs::remove_file(folder.path(cell)).unwrap();
    folder.write("out/cells/heart_scale.mcp.gist.json", "half a fi");
    paper(&folder, "--quiet --resume").ok();
    // Measured anew: the same figures, but for the seconds.
    let [before, after]: [Value; 2] =
        [&measured, &folder.read(cell)].map(|text| serde_json::from_str(text).unwrap());
    let figure = |record: &Value, name: &str| record["outcome"]["measured"][name].clone();
    for name in ["objective", "accuracy", "iterations", "features", "gap", "chosen"] {
        assert_eq!(figure(&before, name), figure(&after, name), "{name}");
    }
    assert_ne!(measured, folder.read(cell));
    let others = |table: &str| -> Vec<Vec<String>> {
        fields(table).into_iter().filter(|line| line[3] != "GIST").collect()
    };
    assert_eq!(others(&table), others(&folder.read("out/table.csv")));

    let (table, resumed) = (folder.read("out/table.csv"), paper(&folder, "--resume --json").ok().json());
    assert_eq!(resumed["records"].as_array().unwrap().len(), 8);
    assert_eq!(folder.read("out/table.csv"), table);
    assert_ne!(folder.read("out/index.html"), page);
}

#[test]
fn a_missing_set_is_left_out_with_a_note() {
    let folder = folder();
    let ran = folder.line("bench paper --quick --data data --datasets heart_scale,real-sim --out out");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for text in [&ran.err, &ran.out.replace('\n', " "), &folder.read("out/table.md")] {
        assert!(text.contains("real-sim from https://www.csie.ntu.edu.tw/~cjlin/libsvmtools"), "{text}");
    }
    folder.line("bench paper --data data --datasets nothing --out other").refused("nothing");
    folder.line("bench paper --data elsewhere --out other").refused("no such folder");
}

#[test]
fn limits_show_as_unable() {
    let folder = folder();
    let ran = paper(&folder, "--time-limit 0.000001").ok();
    assert!(ran.out.contains("unable") && ran.out.contains("no lambda was tried"), "{}", ran.out);
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let ran = paper(&folder, "--memory-limit 1").ok();
    assert_eq!(ran.out.matches("unable: ").count(), 8, "{}", ran.out);
    assert_well_formed(&folder.read("out/index.html"));
    paper(&folder, "--resume --time-limit 0").refused("--time-limit");
}

#[test]
fn broken_data_and_strange_tasks_are_refused() {
    let folder = folder();
    folder.write("data/heart_scale", "+1 1:x\n");
    paper(&folder, "").refused("line 1");
    folder.run(&["bench", "cell", "{}"]).refused("own use");
    folder.line("bench paper --quick --full-grid").misused("--full-grid");
}

#[test]
fn exponents_are_fitted_and_join_the_page() {
    let folder = Folder::new();
    let report = folder.line("bench scaling --quick --json --out out").ok().json();
    let curves = report["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 4 + 4 + 3);
    for curve in curves {
        assert!(curve["fitted"].as_f64().unwrap().is_finite(), "{curve}");
    }
    // The d × d factor falls behind, whatever else runs on this machine.
    let gains = curves[10]["points"].as_array().unwrap();
    assert!(gains[3][1].as_f64().unwrap() > 3.0 * gains[0][1].as_f64().unwrap(), "{gains:?}");
    let page = folder.read("out/index.html");
    assert_well_formed(&page);
    assert_eq!(page.matches("<svg ").count(), 4);
    assert!(folder.read("out/scaling.csv").lines().count() > 20);
    assert!(folder.read("out/scaling.md").contains("| claimed | fitted |"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_is_finished_and_leaves_no_process() {
    use std::process::{Command, Stdio};
    let folder = folder();
    let line = "bench paper --data data --datasets heart_scale,text-like --out out --quiet --jobs 1";
    let mut child =
        folder.command(&line.split(' ').collect::<Vec<_>>()).stderr(Stdio::null()).spawn().unwrap();
    // The small set is done long before the large one.
    let last = folder.path("out/cells/heart_scale.mcp.exact.json");
    while !last.exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let lines = fields(&folder.read("out/table.csv"));
    assert_eq!(lines.len(), 1 + 16);
    assert!(lines.iter().any(|line| line.contains(&"not run".to_owned())), "{lines:?}");
    assert_well_formed(&folder.read("out/index.html"));
}
