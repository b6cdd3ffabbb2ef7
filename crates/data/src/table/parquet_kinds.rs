//! Of which kind the fields of Parquet's metadata and of its pages' headers are (parquet.thrift of the format's own
//! repository). The decoder goes by their numbers alone: were one of another kind, it would read on where no field begins.

use super::thrift::Fields;
use super::thrift::Kind::{Boolean, Byte, Bytes, Double, List, Number, Struct};

/// The file's metadata.
pub(super) const METADATA: Fields = &[
    (1, Number),
    (2, List(&Struct(SCHEMA_ELEMENT))),
    (3, Number),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(KEY_VALUE))),
    (6, Bytes),
    (7, List(&Struct(&[(1, EMPTY), (2, EMPTY)]))),
    (8, EMPTY),
    (9, Bytes),
];

/// A page's header.
pub(super) const PAGE: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Struct(&[(1, Number), (2, Number), (3, Number), (4, Number), (5, Struct(STATISTICS))])),
    (6, EMPTY),
    (7, Struct(&[(1, Number), (2, Number), (3, Boolean)])),
    (8, Struct(DATA_PAGE_2)),
];

/// A struct in which no field is known.
const EMPTY: super::thrift::Kind = Struct(&[]);

const SCHEMA_ELEMENT: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Bytes),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
    (10, Struct(LOGICAL_TYPE)),
];

const LOGICAL_TYPE: Fields = &[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Struct(&[(1, Number), (2, Number)])),
    (6, EMPTY),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, Byte), (2, Boolean)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Bytes)])),
    (18, Struct(&[(1, Bytes), (2, Number)])),
    (19, EMPTY),
];

const TIME: Fields = &[(1, Boolean), (2, Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]))];

const KEY_VALUE: Fields = &[(1, Bytes), (2, Bytes)];

const ROW_GROUP: Fields = &[
    (1, List(&Struct(COLUMN_CHUNK))),
    (2, Number),
    (3, Number),
    (4, List(&Struct(&[(1, Number), (2, Boolean), (3, Boolean)]))),
    (5, Number),
    (6, Number),
    (7, Number),
];

const COLUMN_CHUNK: Fields = &[
    (1, Bytes),
    (2, Number),
    (3, Struct(COLUMN)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, EMPTY),
    (9, Bytes),
];

const COLUMN: Fields = &[
    (1, Number),
    (2, List(&Number)),
    (3, List(&Bytes)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, List(&Struct(KEY_VALUE))),
    (9, Number),
    (10, Number),
    (11, Number),
    (12, Struct(STATISTICS)),
    (13, List(&Struct(&[(1, Number), (2, Number), (3, Number)]))),
    (14, Number),
    (15, Number),
    (16, Struct(&[(1, Number), (2, List(&Number)), (3, List(&Number))])),
    (17, Struct(&[(1, Struct(BOX)), (2, List(&Number))])),
];

const STATISTICS: Fields = &[
    (1, Bytes),
    (2, Bytes),
    (3, Number),
    (4, Number),
    (5, Bytes),
    (6, Bytes),
    (7, Boolean),
    (8, Boolean),
    (9, Number),
];

/// Where places on the earth lie.
const BOX: Fields =
    &[(1, Double), (2, Double), (3, Double), (4, Double), (5, Double), (6, Double), (7, Double), (8, Double)];

const DATA_PAGE_2: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Boolean),
    (8, Struct(STATISTICS)),
];
