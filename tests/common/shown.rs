//! What an expression statement says on an input. May depend on the library only: the fuzzer reads it, too.

use rasp::base::Fallible;
use rasp::session::{Event, Meta, Session, show};
use rasp::value::Value;

/// Its value, or why it has none; `None` for other events.
pub fn shown_value(session: &Session, event: &Event, input: &[Value]) -> Fallible<Option<String>> {
    let Event::Expression { meta, span, .. } = event else {
        return Ok(None);
    };
    let text = match (session.apply(meta, input), meta) {
        (Some(Ok(given)), _) => show::application(&given),
        (Some(Err(error)), _) => return Err(error.within(*span, "evaluated here").into()),
        (None, Meta::Application(result)) => show::application(result),
        (None, constant) => constant.repr(),
    };
    Ok(Some(text.trim_start_matches('\n').to_string()))
}
