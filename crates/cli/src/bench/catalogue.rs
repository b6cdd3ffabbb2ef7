//! The data sets of the paper, and what stands in for them where they are not at hand.

/// A set, known by its file in LIBSVM's collection.
#[derive(Debug)]
pub(super) struct Entry {
    /// The file's name, without the ending of a compression.
    pub(super) file: &'static str,
    /// Its own test file; without one a tenth of the rows is held out.
    pub(super) test: Option<&'static str>,
    /// What the paper's tables call it.
    pub(super) published: &'static str,
    /// Taken only if the paper's own set is not there, or by name.
    pub(super) stand_in: bool,
}

/// In the order of the paper's tables.
pub(super) const ENTRIES: [Entry; 8] = [
    Entry { file: "heart_scale", test: None, published: "heart_scale", stand_in: false },
    Entry { file: "mushrooms", test: None, published: "mushrooms", stand_in: false },
    Entry { file: "real-sim", test: None, published: "real_sim", stand_in: false },
    Entry { file: "imdb", test: None, published: "real_sim", stand_in: true },
    Entry {
        file: "rcv1_train.binary",
        test: Some("rcv1_test.binary"),
        published: "rcv1.binary",
        stand_in: false,
    },
    Entry {
        file: "rcv1sub.binary",
        test: Some("rcv1sub.binary.t"),
        published: "rcv1.binary",
        stand_in: true,
    },
    Entry { file: "news20.binary", test: None, published: "news20", stand_in: false },
    Entry { file: "news20like.binary", test: None, published: "news20", stand_in: true },
];

/// Where LIBSVM's collection is.
pub(super) const COLLECTION: &str = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html";

impl Entry {
    /// True if someone who writes `name` means this one.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let short = |text: &str| text.trim_end_matches(".binary").replace('-', "_");
        short(name) == short(self.file) || !self.stand_in && short(name) == short(self.published)
    }

    /// The files that users fetch.
    pub(super) fn files(&self) -> String {
        self.test.map_or_else(|| self.file.to_owned(), |test| format!("{} and {test}", self.file))
    }
}
