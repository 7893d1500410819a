//! `rasp explain`: what the error codes mean, page by page or as a list.

use super::arguments::Explain;
use super::output::{Output, Stop, table};
use crate::base::Code;
use crate::pages::page;

pub fn explain(output: &mut Output, arguments: &Explain) -> Result<(), Stop> {
    match arguments.code {
        Some(code) => output.text(page(code)),
        None => {
            let rows: Vec<Vec<String>> = Code::ALL
                .iter()
                .map(|code| vec![code.number().to_string(), code.title().to_string()])
                .collect();
            output.text(&table(&["code", "meaning"], &rows))
        }
    }
}
