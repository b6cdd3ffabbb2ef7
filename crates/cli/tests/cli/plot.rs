//! Pictures of paths.

use crate::folder::{Folder, wide_rows};

fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&bytes[12..16], b"IHDR");
    assert_eq!(&bytes[bytes.len() - 8..bytes.len() - 4], b"IEND");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

fn svg(folder: &Folder, options: &str) -> String {
    folder.line(&format!("path --quiet {options} --plot path.svg data")).ok();
    let text = folder.read("path.svg");
    assert!(text.starts_with("<svg width=\"960\" height=\"640\" viewBox=\"0 0 9600 6400\""), "{text}");
    assert!(text.trim_end().ends_with("</svg>"));
    assert!(!text.contains("NaN") && !text.contains("inf"));
    text
}

/// The texts in a picture.
fn texts(svg: &str) -> Vec<&str> {
    let inside = svg.split("<text").skip(1).map(|part| part.split("</text>").next().unwrap());
    inside.map(|part| part.split_once('>').unwrap().1.trim()).collect()
}

#[test]
fn few_features_are_named() {
    let folder = Folder::with_data();
    let drawn = svg(&folder, "--penalty l1 --n-lambda 30");
    let texts = texts(&drawn);
    for text in ["1", "2", "3", "4", "5", "6", "features kept", "coefficient", "feature"] {
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
    assert!(texts.contains(&"data: coefficients along the path"));
    assert!(texts.contains(&"hinge loss + l1; 80 rows, 6 features"));
    assert!(texts.iter().any(|text| text.starts_with("λ (log scale")));
    assert!(drawn.matches("<polyline").count() >= 12 && drawn.contains("font-family=\"sans-serif\""));
}

#[test]
fn of_many_features_the_largest_are_named() {
    let folder = Folder::new();
    folder.write("data", wide_rows(50, 200, ["-1", "+1"]));
    let drawn = svg(&folder, "--penalty l1 --n-lambda 30 --scale standard");
    let texts = texts(&drawn);
    assert!(texts.iter().any(|text| text.ends_with("the 15 largest at the end are named")), "{texts:?}");
    assert!(texts.contains(&"coefficient per standard deviation"));
    assert!(texts.contains(&"1"));
    folder.line("path --quiet --n-lambda 10 --plot path.png data").ok();
    assert_eq!(size_of_png(&std::fs::read(folder.path("path.png")).unwrap()), (1920, 1280));
}

#[test]
fn pictures_can_be_empty_and_names_odd() {
    let folder = Folder::with_data();
    svg(&folder, "--n-lambda 1");
    folder.line("path --quiet --n-lambda 1 --plot path.PNG data").ok();
    size_of_png(&std::fs::read(folder.path("path.PNG")).unwrap());
    std::fs::rename(folder.path("data"), folder.path("a<b&c")).unwrap();
    folder.line("path --quiet --penalty l1 --n-lambda 3 --plot odd.svg a<b&c").ok();
    assert!(folder.read("odd.svg").contains("a&lt;b&amp;c: coefficients"));
}

#[test]
fn the_same_path_gives_the_same_picture() {
    let folder = Folder::with_data();
    for name in ["a.png", "b.png", "a.svg", "b.svg"] {
        folder.line(&format!("path --quiet --penalty l1 --n-lambda 8 --plot {name} data")).ok();
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("a.png") == read("b.png") && read("a.svg") == read("b.svg"));
}
