//! What each error code means: the pages of `docs/errors`, embedded in the program. `rasp explain`
//! and the prompt's `:explain` both print them.

use crate::base::Code;

macro_rules! pages {
    ($($code:literal)*) => {
        /// The page of each code.
        const PAGES: &[(&str, &str)] = &[
            $(($code, include_str!(concat!("../docs/errors/", $code, ".md"))),)*
        ];
    };
}

pages! {
    "E0101" "E0102" "E0103" "E0104" "E0105" "E0106" "E0201" "E0202"
    "E0203" "E0204" "E0301" "E0302" "E0303" "E0304" "E0305" "E0306"
    "E0307" "E0308" "E0309" "E0401" "E0403" "E0404" "E0405" "E0406"
    "E0407" "E0408" "E0501" "E0502" "E0503" "E0601" "E0602" "E0603"
    "E0604" "E0701" "E0702" "E0703" "E0801" "E0802" "E0803" "E0901" "E0902" "E0903" "E0904" "E0905" "E0906" "E0907"
    "W0101" "W0201" "W0202" "W0203" "W0204" "W0205" "W0206" "W0207" "W0301" "W0302" "W0303" "W0304"
}

/// The page of a code.
pub fn page(code: Code) -> &'static str {
    PAGES
        .iter()
        .find(|(number, _)| *number == code.number())
        .map_or("", |(_, page)| page)
}

/// A code by its number, like `W0101` or, of an error, `201`, or its name, like `surprising-precedence`,
/// however they are capitalised.
pub fn find(text: &str) -> Option<Code> {
    let name = text.replace(['-', '_'], "");
    let error = format!("E{text:0>4}");
    let is_meant = |code: &Code| {
        let written = [text, &error].map(|text| code.number().eq_ignore_ascii_case(text));
        written.contains(&true) || format!("{code:?}").eq_ignore_ascii_case(&name)
    };
    Code::ALL.iter().copied().find(is_meant)
}
