//! Arrow's arrays as numbers and as texts. What is not there, NaN included, is missing.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::DataType;

/// A text for each row.
pub(crate) type Texts<'a> = Vec<Option<Cow<'a, str>>>;

/// What a type is called if it holds neither numbers nor texts.
pub(crate) fn stranger(kind: &DataType) -> Option<&'static str> {
    match kind {
        DataType::Dictionary(_, values) => stranger(values),
        DataType::Null => Some("null (no value at all)"),
        DataType::Timestamp(..) => Some("timestamp"),
        DataType::Date32 | DataType::Date64 => Some("date"),
        DataType::Time32(_) | DataType::Time64(_) => Some("time"),
        DataType::Duration(_) => Some("duration"),
        DataType::Interval(_) => Some("interval"),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Some("binary")
        }
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..) => Some("list"),
        DataType::Struct(_) => Some("struct"),
        DataType::Map(..) => Some("map"),
        DataType::Union(..) => Some("union"),
        DataType::RunEndEncoded(..) => Some("run-end encoded"),
        _ => None,
    }
}

/// The numbers of a column, NaN where there is none; nothing if it holds texts.
pub(crate) fn numbers(array: &dyn Array) -> Option<Vec<f64>> {
    Some(match array.data_type() {
        DataType::Boolean => {
            array.as_boolean().iter().map(|x| x.map_or(f64::NAN, |x| f64::from(u8::from(x)))).collect()
        }
        DataType::Int8 => primitive::<Int8Type>(array, f64::from),
        DataType::Int16 => primitive::<Int16Type>(array, f64::from),
        DataType::Int32 => primitive::<Int32Type>(array, f64::from),
        DataType::Int64 => primitive::<Int64Type>(array, |x| x as f64),
        DataType::UInt8 => primitive::<UInt8Type>(array, f64::from),
        DataType::UInt16 => primitive::<UInt16Type>(array, f64::from),
        DataType::UInt32 => primitive::<UInt32Type>(array, f64::from),
        DataType::UInt64 => primitive::<UInt64Type>(array, |x| x as f64),
        DataType::Float16 => primitive::<Float16Type>(array, |x| x.to_f64()),
        DataType::Float32 => primitive::<Float32Type>(array, f64::from),
        DataType::Float64 => primitive::<Float64Type>(array, |x| x),
        DataType::Decimal32(_, scale) => primitive::<Decimal32Type>(array, |x| decimal(&x, *scale)),
        DataType::Decimal64(_, scale) => primitive::<Decimal64Type>(array, |x| decimal(&x, *scale)),
        DataType::Decimal128(_, scale) => primitive::<Decimal128Type>(array, |x| decimal(&x, *scale)),
        DataType::Decimal256(_, scale) => primitive::<Decimal256Type>(array, |x| decimal(&x, *scale)),
        DataType::Dictionary(..) => {
            let values = numbers(array.as_any_dictionary().values())?;
            by_key(array, |key| values[key], f64::NAN)
        }
        _ => return None,
    })
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    match array.nulls() {
        None => array.values().iter().map(|&x| number(x)).collect(),
        Some(_) => array.iter().map(|x| x.map_or(f64::NAN, &number)).collect(),
    }
}

/// The f64 nearest to digits / 10^scale: the standard library's parser rounds once.
fn decimal(digits: &impl ToString, scale: i8) -> f64 {
    let text = format!("{}e{}", digits.to_string(), -i32::from(scale));
    text.parse().unwrap_or(f64::NAN)
}

/// What the keys of a dictionary stand for.
fn by_key<T: Clone>(array: &dyn Array, value: impl Fn(usize) -> T, none: T) -> Vec<T> {
    let array = array.as_any_dictionary();
    if array.values().is_empty() {
        return vec![none; array.len()];
    }
    let keys = array.normalized_keys();
    let is_null = |i: usize| array.keys().is_null(i);
    keys.into_iter().enumerate().map(|(i, key)| if is_null(i) { none.clone() } else { value(key) }).collect()
}

/// The texts of a column; numbers as they are written, a bool as 0 or 1. As in text files, blanks around a text
/// do not count, and an empty one is missing.
pub(crate) fn texts(array: &dyn Array) -> Texts<'_> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(clean).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(clean).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(clean).collect(),
        DataType::Dictionary(..) => {
            let values = texts(array.as_any_dictionary().values());
            by_key(array, |key| values[key].clone(), None)
        }
        DataType::Int64 => written(array.as_primitive::<Int64Type>(), |x| x.to_string()),
        DataType::UInt64 => written(array.as_primitive::<UInt64Type>(), |x| x.to_string()),
        DataType::Float16 => written(array.as_primitive::<Float16Type>(), |x| x.to_f32().to_string()),
        DataType::Float32 => written(array.as_primitive::<Float32Type>(), |x| x.to_string()),
        DataType::Decimal32(..) => of_decimals::<Decimal32Type>(array),
        DataType::Decimal64(..) => of_decimals::<Decimal64Type>(array),
        DataType::Decimal128(..) => of_decimals::<Decimal128Type>(array),
        DataType::Decimal256(..) => of_decimals::<Decimal256Type>(array),
        // Every other number is an f64.
        _ => match numbers(array) {
            Some(numbers) => numbers.into_iter().map(|x| number(x.to_string())).collect(),
            None => vec![None; array.len()],
        },
    }
}

fn clean(text: Option<&str>) -> Option<Cow<'_, str>> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(Cow::Borrowed)
}

fn written<'a, T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    text: impl Fn(T::Native) -> String,
) -> Texts<'a> {
    array.iter().map(|x| x.and_then(|x| number(text(x)))).collect()
}

fn of_decimals<'a, T: DecimalType + ArrowPrimitiveType>(array: &dyn Array) -> Texts<'a> {
    let array = array.as_primitive::<T>();
    let text = |i| array.is_valid(i).then(|| Cow::Owned(array.value_as_string(i)));
    (0..array.len()).map(text).collect()
}

/// A number's text, unless it is none. There is one zero.
fn number<'a>(text: String) -> Option<Cow<'a, str>> {
    match text.as_str() {
        "NaN" => None,
        "-0" => Some(Cow::Borrowed("0")),
        _ => Some(Cow::Owned(text)),
    }
}
