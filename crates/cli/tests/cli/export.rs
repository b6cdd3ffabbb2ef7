//! Models into other systems, and back.

use crate::folder::{Folder, absent};

/// With `data.model`.
fn trained() -> Folder {
    let folder = Folder::with_data();
    folder.train("--scale standard");
    folder
}

#[test]
fn liblinear_there_and_back_predicts_the_same() {
    let folder = trained();
    let said = folder.line("export --to liblinear data.model out").ok().out;
    assert!(said.contains("written  out") && said.contains("of 6 features"), "{said}");
    let text = folder.read("out");
    assert!(text.contains("\nlabel 1 -1\nnr_feature 6\nbias 1\nw\n"), "{text}");
    folder.line("import --quiet --from liblinear out back.model").ok();
    for option in ["", "--decision "] {
        let predicted =
            |model: &str| folder.line(&format!("predict --quiet {option}data {model} -")).ok().out;
        assert_eq!(predicted("data.model"), predicted("back.model"));
    }
    let again = folder.line("export --to liblinear back.model -").ok().out;
    assert_eq!(again, text);

    let (ours, theirs) = (folder.model("data.model"), folder.model("back.model"));
    assert_eq!((&ours["weights"], &ours["intercept"]), (&theirs["weights"], &theirs["intercept"]));
    assert_eq!((theirs["version"].as_i64(), theirs["status"].as_str()), (Some(3), Some("imported")));
    let told = folder.line("inspect back.model").ok().out;
    assert!(told.contains("imported: another program trained it") && !told.contains("certificate"), "{told}");
    let json = folder.line("inspect --json back.model").ok().json();
    assert!(json["certificate"].is_null() && json["penalty"].is_null(), "{json}");
}

#[test]
fn every_format_goes_to_standard_output_too() {
    let folder = trained();
    for (format, begins) in
        [("liblinear", "solver_type"), ("c", "/* A linear classifier"), ("csv", "feature,name")]
    {
        folder.line(&format!("export --quiet --to {format} data.model out")).ok();
        let text = folder.line(&format!("export --to {format} data.model -")).ok().out;
        assert!(text.starts_with(begins), "{text}");
        assert_eq!(text, folder.read("out"));
    }
    folder.line("export --quiet --to onnx data.model out").ok();
    let bytes = std::fs::read(folder.path("out")).unwrap();
    let piped = folder.command(&["export", "--to", "onnx", "data.model", "-"]).output().unwrap();
    assert!(piped.status.success() && piped.stdout == bytes);
    // Only what is kept is in it.
    assert!(bytes.len() < 2000, "{}", bytes.len());
    let csv = folder.line("export --to csv data.model -").ok().out;
    assert!(
        csv.starts_with("feature,name,weight,scaled_weight\r\n1,,") && csv.contains("\r\n(intercept),,"),
        "{csv}"
    );
}

#[test]
fn a_header_is_named_by_its_model_or_by_you() {
    let folder = trained();
    std::fs::copy(folder.path("data.model"), folder.path("2-x y.model")).unwrap();
    let of = |args: &[&str]| folder.run(&[&["export", "--to", "c"], args].concat()).ok().out;
    assert!(of(&["data.model", "-"]).contains("double data_decision(const double *x)"));
    assert!(of(&["2-x y.model", "-"]).contains("double model_2_x_y_decision("));
    assert!(of(&["data.model", "-", "--name", "heart"]).contains("double heart_decision("));
    folder.line("export --to c --name 1x data.model out").refused("`1x` is no name in C");
    folder.line("export --to csv --name x data.model out").refused("--name is for --to c only");
    absent(&folder.path("out"));
}

#[test]
fn rankings_have_scores_and_no_labels() {
    let folder = Folder::new();
    folder.write("data", "2 qid:1 1:1 2:0.5\n1 qid:1 1:0.2\n1 qid:2 1:0.9\n0 qid:2 2:0.3\n");
    folder.line("train --quiet --task rank --lambda 0.01 data").ok();
    assert!(folder.line("export --to c data.model -").ok().out.contains("double data_score("));
    assert!(!folder.line("export --to csv data.model -").ok().out.contains("intercept"));
    folder.line("export --to liblinear data.model out").refused("it ranks");
    absent(&folder.path("out"));
}

#[test]
fn refusals_leave_no_file() {
    let folder = trained();
    let mut model = folder.read("data.model");
    model = model.replace("\"-1\"", "\"no\"").replace("\"1\"", "\"yes\"");
    folder.write("named.model", model);
    folder.line("export --to liblinear named.model out").refused("the label `no` is no whole number");
    folder.line("export --to csv data.model data.model").refused("overwrite the input");
    folder.line("export --to csv no.model out").refused("cannot open no.model");
    folder.line("export --to pmml data.model out").misused("possible values");
    folder.line("import --from liblinear data.model out").refused("data.model: line 1: found `{`");
    folder.line("import --from liblinear none out").refused("cannot open none");
    // What is announced is not believed before it is there.
    folder.write("huge", "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 4294967295\nbias -1\nw\n1\n");
    folder.line("import --from liblinear huge out").refused("line 8: the file ends after 1 lines of weights");
    absent(&folder.path("out"));
    let text = "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias -1\nw\n1 \n";
    let said = folder.line_with_input("import --from liblinear - out", text).ok().out;
    assert!(said.contains("1 of 1 feature"), "{said}");
    let three =
        "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n1.0 2.0 3.0 \n";
    folder.write("three", three);
    folder.line("import --from liblinear three three.model").ok();
    assert_eq!(folder.line("export --to liblinear --quiet three.model -").ok().out, three);
}
