//! Numbers `[features, columns]`, feature after feature, as the forward pass keeps them. Depends on
//! `scalar`.

use super::scalar::Scalar;
use std::ops::{Deref, DerefMut};

/// Activations `[features, columns]`.
#[derive(Clone)]
pub(super) struct Activations<T> {
    numbers: Vec<T>,
    columns: usize,
}

impl<T: Scalar> Activations<T> {
    /// No features.
    pub fn none() -> Activations<T> {
        Activations {
            numbers: Vec::new(),
            // So that it can be divided by.
            columns: 1,
        }
    }

    /// All of them 0.
    pub fn zeros(features: usize, columns: usize) -> Activations<T> {
        Activations {
            numbers: vec![T::zero(); features * columns],
            columns,
        }
    }

    /// Makes room for so many; what stands there then is 0 or what stood there before.
    pub fn resize(&mut self, features: usize, columns: usize) {
        self.numbers.resize(features * columns, T::zero());
        self.columns = columns;
    }

    pub fn features(&self) -> usize {
        self.numbers.len() / self.columns
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn at(&self, feature: usize, column: usize) -> T {
        self.numbers[feature * self.columns + column]
    }
}

impl<T> Deref for Activations<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.numbers
    }
}

impl<T> DerefMut for Activations<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers
    }
}
