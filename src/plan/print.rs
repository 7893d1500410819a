//! The plan as text: its variables, then layer by layer what each operation reads and writes.

use super::{Attend, FeedForward, Kind, Linear, Meaning, Plan, Read, ReadOut, Written};
use std::fmt;

/// Units and numbers of a list that are shown.
const SHOWN: usize = 6;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.layers();
        writeln!(
            f,
            "{}: {} style, {} tokens, up to {} at once{}",
            self.name,
            self.style.name(),
            self.vocabulary.len(),
            self.max_length,
            if self.bos { "" } else { ", no BOS" }
        )?;
        writeln!(f, "embed")?;
        for (at, variable) in self.variables.iter().enumerate() {
            let what = match &variable.written {
                Written::Embed { tokens, indices } => match (tokens.len(), indices.len()) {
                    (_, 0) => format!("token {}", numbers(tokens)),
                    (0, _) => format!("index {}", numbers(indices)),
                    _ => format!("token {} + index {}", numbers(tokens), numbers(indices)),
                },
                Written::Given(..) => "given".to_string(),
                Written::Flag => "1 at BOS, 0 at tokens".to_string(),
                Written::One => "1 at tokens, 0 at BOS".to_string(),
                Written::Attend | Written::FeedForward => continue,
            };
            writeln!(f, "  v{at} \"{}\" = {what}", variable.label)?;
        }
        let operations = self.attends.len() + self.feed_forwards.len();
        for layer in usize::from(count > 0 || operations == 0)..=count {
            match layer {
                0 => writeln!(f, "not in layers yet")?,
                _ => writeln!(f, "layer {layer}")?,
            }
            self.attention(f, layer)?;
            for forward in self.feed_forwards.iter().filter(|op| op.layer == layer) {
                self.feed_forward(f, forward)?;
            }
        }
        for output in &self.outputs {
            self.read_out(f, output)?;
        }
        for remark in &self.remarks {
            writeln!(f, "note: {remark}")?;
        }
        Ok(())
    }
}

impl Plan {
    fn sink_in_words(&self) -> &'static str {
        if self.bos { "BOS" } else { "position 0" }
    }

    /// What a head makes of the keys it selects, in words.
    pub fn kind(&self, kind: Kind) -> String {
        let sink = self.sink_in_words();
        match kind {
            Kind::Width => format!("1/(1 + width), {sink} is one more key"),
            Kind::Length => format!("width of all, {sink} is one more key"),
            Kind::Mean => format!("mean, {sink} where nothing is selected"),
            Kind::MeanOfSome => "mean, something is always selected".to_string(),
            Kind::MeanOrBos => format!("mean, {sink} is the key of queries that select nothing"),
            Kind::MeanOfPart => {
                format!("part of a mean, {sink} stands for the keys of the other parts")
            }
            Kind::Sum { .. } => "sum, through a sink".to_string(),
        }
    }

    fn attention(&self, f: &mut fmt::Formatter<'_>, layer: usize) -> fmt::Result {
        let heads = self.patterns(layer);
        for head in &heads {
            let (name, kind) = (&head[0].source.name, self.kind(head[0].kind));
            writeln!(f, "  attend {name}: {kind}")?;
            self.logit(f, head[0])?;
        }
        for attend in self.attends.iter().filter(|op| op.layer == layer) {
            let into = attend.into.0;
            let label = &self.variable(attend.into).label;
            let mut places = heads.iter();
            let head = places.position(|head| head[0].pattern == attend.pattern);
            writeln!(
                f,
                "  v{into} \"{label}\" += head {}: {}",
                head.map_or(0, |at| at + 1),
                attend.value
            )?;
        }
        Ok(())
    }

    fn logit(&self, f: &mut fmt::Formatter<'_>, attend: &Attend) -> fmt::Result {
        for term in &attend.terms {
            let meaning = match &term.meaning {
                Meaning::Relation(_) => "relation",
                Meaning::Score { .. } => "score",
                Meaning::Exponent { .. } => "exponent",
                Meaning::Bos { .. } => self.sink_in_words(),
                Meaning::Guard => "guard of BOS",
            };
            for product in term.products.iter().take(SHOWN) {
                writeln!(
                    f,
                    "    {meaning}: query ({}) × key ({})",
                    product.query, product.key
                )?;
            }
            if term.products.len() > SHOWN {
                let more = term.products.len() - SHOWN;
                writeln!(f, "    {meaning}: … and {more} more products")?;
            }
        }
        Ok(())
    }

    fn feed_forward(&self, f: &mut fmt::Formatter<'_>, forward: &FeedForward) -> fmt::Result {
        let into = forward.into.0;
        let label = &self.variable(forward.into).label;
        write!(f, "  v{into} \"{label}\" =")?;
        for (at, unit) in forward.units.iter().take(SHOWN).enumerate() {
            let plus = if at > 0 { " +" } else { "" };
            write!(
                f,
                "{plus} {}·relu({}·z + {})",
                number(unit.weight),
                number(unit.slope),
                number(unit.offset)
            )?;
        }
        if forward.units.len() > SHOWN {
            write!(f, " + … ({} units)", forward.units.len())?;
        }
        writeln!(f, ", z = {}", forward.argument)
    }

    fn read_out(&self, f: &mut fmt::Formatter<'_>, output: &ReadOut) -> fmt::Result {
        let score = || &output.scores[0];
        let what = match &output.read {
            Read::Nearest(values) if values.is_empty() => format!("the number {}", score()),
            Read::Nearest(values) => format!("the nearest to {} of {}", score(), numbers(values)),
            Read::Classes(number, count) => {
                format!("the nearest to {number} of {count} numbered values")
            }
            Read::Ratio {
                numerator,
                denominator,
                numbers: of,
            } => {
                let is_counted = of.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
                let among = match of.first().filter(|_| is_counted) {
                    Some(first) => format!("from {} on, of {} values", number(*first), of.len()),
                    None => format!("of {}", numbers(of)),
                };
                let (over, under) = (factor(numerator), factor(denominator));
                format!("the nearest to {over}/{under} {among}")
            }
        };
        writeln!(f, "read {}: {what}", output.name)
    }
}

/// A linear read as a part of a fraction.
fn factor(linear: &Linear) -> String {
    match linear.terms.len() + usize::from(linear.constant != 0.0) {
        0 | 1 => linear.to_string(),
        _ => format!("({linear})"),
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (variable, factor) in &self.terms {
            let sign = match (first, *factor < 0.0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            f.write_str(sign)?;
            if factor.abs() != 1.0 {
                write!(f, "{}·", number(factor.abs()))?;
            }
            write!(f, "v{}", variable.0)?;
            first = false;
        }
        if first {
            return f.write_str(&number(self.constant));
        }
        match self.constant {
            0.0 => Ok(()),
            constant if constant < 0.0 => write!(f, " - {}", number(-constant)),
            constant => write!(f, " + {}", number(constant)),
        }
    }
}

fn number(number: f64) -> String {
    let short = format!("{number:.6}");
    let short = short.trim_end_matches('0').trim_end_matches('.');
    match short.parse::<f64>() {
        Ok(same) if same == number => short.to_string(),
        _ => format!("{number:e}"),
    }
}

fn numbers(list: &[f64]) -> String {
    let shown: Vec<String> = list.iter().take(SHOWN).map(|n| number(*n)).collect();
    let more = if list.len() > SHOWN { " …" } else { "" };
    format!("[{}{more}]", shown.join(" "))
}
