//! Enums of other folders as the values of options.

/// For each enum, its variants in the order of the help: what the option calls each, unless the enum has a
/// name for it, and what it means.
macro_rules! choices {
    ($($kind:ident { $($variant:ident $($name:literal)?: $help:literal,)+ })+) => {$(
        impl clap::ValueEnum for $kind {
            fn value_variants<'a>() -> &'a [$kind] {
                &[$($kind::$variant),+]
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                let (name, help) = match self {
                    $($kind::$variant => (choices!(@ self $($name)?), $help),)+
                };
                Some(clap::builder::PossibleValue::new(name).help(help))
            }
        }
    )+};
    (@ $value:ident) => { $value.name() };
    (@ $value:ident $name:literal) => { $name };
}
