//! What the reference prints for values and definitions.
