//! Where the arrays of a sparse matrix live: owned, borrowed for a while, or shared with whoever holds them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An array that something else holds, such as a mapped file; it lives as long as the last user.
pub type Shared<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// An array, wherever it lives.
#[derive(Clone)]
pub enum Array<'a, T> {
    /// Ours.
    Owned(Vec<T>),
    /// Somebody's, who outlives us.
    Borrowed(&'a [T]),
    /// Held together with others.
    Shared(Shared<T>),
}

impl<T> Array<'_, T> {
    /// True if it is ours.
    pub(super) fn is_owned(&self) -> bool {
        matches!(self, Self::Owned(_))
    }

    /// As ours: copied if it is not.
    pub(super) fn into_vec(self) -> Vec<T>
    where
        T: Clone,
    {
        match self {
            Self::Owned(all) => all,
            other => other.to_vec(),
        }
    }
}

impl<T> Deref for Array<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(all) => all,
            Self::Borrowed(all) => all,
            Self::Shared(all) => (**all).as_ref(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Array<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T> From<Vec<T>> for Array<'_, T> {
    fn from(all: Vec<T>) -> Self {
        Self::Owned(all)
    }
}

impl<'a, T> From<&'a [T]> for Array<'a, T> {
    fn from(all: &'a [T]) -> Self {
        Self::Borrowed(all)
    }
}

impl<T> From<Shared<T>> for Array<'_, T> {
    fn from(all: Shared<T>) -> Self {
        Self::Shared(all)
    }
}

impl<'a, T: Clone> From<Cow<'a, [T]>> for Array<'a, T> {
    fn from(all: Cow<'a, [T]>) -> Self {
        match all {
            Cow::Owned(all) => Self::Owned(all),
            Cow::Borrowed(all) => Self::Borrowed(all),
        }
    }
}

/// How wide the stored values are. Arithmetic is in 64 bits either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 64 bits.
    F64,
    /// 32 bits, each widened when it is used.
    F32,
}

/// The values of a sparse matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// In 64 bits.
    F64(Array<'a, f64>),
    /// In 32 bits, each widened when it is used.
    F32(Array<'a, f32>),
}

impl Values<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(all) => all.len(),
            Self::F32(all) => all.len(),
        }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How wide they are.
    pub fn width(&self) -> Width {
        match self {
            Self::F64(_) => Width::F64,
            Self::F32(_) => Width::F32,
        }
    }

    /// Bytes of one.
    pub(super) fn bytes_each(&self) -> u64 {
        match self {
            Self::F64(_) => 8,
            Self::F32(_) => 4,
        }
    }

    /// Bytes that [`to_mut`](Self::to_mut) allocates.
    pub(super) fn copied_to_write(&self) -> u64 {
        match self {
            Self::F64(Array::Owned(_)) => 0,
            _ => 8 * self.len() as u64,
        }
    }

    /// The first that is not finite.
    pub(super) fn not_finite(&self) -> Option<(usize, f64)> {
        fn find<T: Copy + Into<f64>>(all: &[T]) -> Option<(usize, f64)> {
            all.iter().map(|&x| x.into()).enumerate().find(|(_, x)| !x.is_finite())
        }
        match self {
            Self::F64(all) => find(all),
            Self::F32(all) => find(all),
        }
    }

    /// The values to write on: 64 bits, and ours; copied first if they are not.
    pub(super) fn to_mut(&mut self) -> &mut [f64] {
        let copy = match &*self {
            Self::F64(Array::Owned(_)) => None,
            Self::F64(all) => Some(all.to_vec()),
            Self::F32(all) => Some(all.iter().map(|&x| x.into()).collect()),
        };
        if let Some(copy) = copy {
            *self = Self::F64(copy.into());
        }
        match self {
            Self::F64(Array::Owned(all)) => all,
            _ => &mut [],
        }
    }
}

impl From<Vec<f64>> for Values<'_> {
    fn from(all: Vec<f64>) -> Self {
        Self::F64(all.into())
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(all: &'a [f64]) -> Self {
        Self::F64(all.into())
    }
}

impl From<Shared<f64>> for Values<'_> {
    fn from(all: Shared<f64>) -> Self {
        Self::F64(all.into())
    }
}

impl From<Vec<f32>> for Values<'_> {
    fn from(all: Vec<f32>) -> Self {
        Self::F32(all.into())
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(all: &'a [f32]) -> Self {
        Self::F32(all.into())
    }
}

impl From<Shared<f32>> for Values<'_> {
    fn from(all: Shared<f32>) -> Self {
        Self::F32(all.into())
    }
}
