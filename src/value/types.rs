//! `TypeSet`: the types that the values of an s-op may have, as far as they are known without an
//! input.

use super::atom::Value;
use std::fmt;

/// A set of atom types. Empty means that no value is possible: the operation always fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type.
    pub const NONE: TypeSet = TypeSet(0);
    /// Ints.
    pub const INT: TypeSet = TypeSet(1);
    /// Floats.
    pub const FLOAT: TypeSet = TypeSet(2);
    /// Bools.
    pub const BOOL: TypeSet = TypeSet(4);
    /// Strings.
    pub const STR: TypeSet = TypeSet(8);
    /// Ints, floats and bools.
    pub const NUMBER: TypeSet = TypeSet(7);
    /// Every type.
    pub const ANY: TypeSet = TypeSet(15);

    /// The type of a value.
    pub fn of(value: &Value) -> TypeSet {
        match value {
            Value::Int(_) => TypeSet::INT,
            Value::Float(_) => TypeSet::FLOAT,
            Value::Bool(_) => TypeSet::BOOL,
            Value::Str(_) => TypeSet::STR,
        }
    }

    /// The types of either.
    pub fn union(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// The types of both.
    pub fn intersection(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }

    /// Whether all types of the other are among these.
    pub fn contains(self, other: TypeSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the two have a type in common.
    pub fn meets(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The single types in the set, in a fixed order.
    pub fn members(self) -> impl Iterator<Item = TypeSet> {
        [TypeSet::INT, TypeSet::FLOAT, TypeSet::BOOL, TypeSet::STR]
            .into_iter()
            .filter(move |single| self.contains(*single))
    }
}

/// Like `int`, `int or float`, `any`.
impl fmt::Display for TypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == TypeSet::ANY {
            return f.write_str("any");
        }
        let names = [
            (TypeSet::INT, "int"),
            (TypeSet::FLOAT, "float"),
            (TypeSet::BOOL, "bool"),
            (TypeSet::STR, "string"),
        ];
        let present: Vec<&str> = names
            .iter()
            .filter(|(single, _)| self.contains(*single))
            .map(|(_, name)| *name)
            .collect();
        match present.as_slice() {
            [] => f.write_str("nothing"),
            several => f.write_str(&several.join(" or ")),
        }
    }
}
