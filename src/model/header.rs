//! The header of a model file, which is looked at before the rest is read: a file that is no model, or
//! has no end, costs no more than its header. Depends on nothing else in the crate.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};

/// Bytes of a file that is read at all.
const LARGEST_FILE: u64 = 1 << 32;

/// Bytes of a header that is read at all, as other readers of safetensors have it.
const LARGEST_HEADER: u64 = 100_000_000;

/// Bytes before the header, which tell its length.
const PREFIX: u64 = 8;

/// All bytes of a model file, if its header tells of exactly these.
///
/// # Errors
/// Outside, a file that cannot be read; inside, what is wrong with it, in words.
pub(super) fn read(mut from: impl Read) -> io::Result<Result<Vec<u8>, String>> {
    let mut bytes = Vec::new();
    from.by_ref().take(PREFIX).read_to_end(&mut bytes)?;
    let Ok(length) = bytes.as_slice().try_into().map(u64::from_le_bytes) else {
        return Ok(Err(format!("{} bytes", bytes.len())));
    };
    if !(2..=LARGEST_HEADER).contains(&length) {
        return Ok(Err("it does not begin with a header".to_string()));
    }
    let header = from.by_ref().take(length).read_to_end(&mut bytes)?;
    if (header as u64) < length {
        return Ok(Err("it ends within its header".to_string()));
    }
    let told = match weights(&bytes[PREFIX as usize..]) {
        Ok(told) if told <= LARGEST_FILE => told,
        Ok(told) => return Ok(Err(format!("{told} bytes of weights"))),
        Err(problem) => return Ok(Err(problem)),
    };
    let read = from.take(told + 1).read_to_end(&mut bytes)? as u64;
    Ok(match read == told {
        true => Ok(bytes),
        false if read < told => Err(format!("{read} of {told} bytes of weights")),
        false => Err(format!("more than its {told} bytes of weights")),
    })
}

/// The bytes of weights that a header tells of.
///
/// # Errors
/// A header that cannot be read, or that says something twice, in words.
pub(super) fn weights(header: &[u8]) -> Result<u64, String> {
    let header: Header = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    Ok(header.end)
}

/// Where the last tensor ends.
struct Header {
    end: u64,
}

/// What a header says of a tensor, as far as it is of interest here.
#[derive(Deserialize)]
struct Tensor {
    data_offsets: (u64, u64),
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Header, D::Error> {
        from.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a header")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Header, A::Error> {
        let mut names = Names::default();
        let mut end = 0;
        while let Some(name) = entries.next_key::<String>()? {
            match &*name {
                "__metadata__" => {
                    entries.next_value::<Unique>()?;
                }
                _ => end = entries.next_value::<Tensor>()?.data_offsets.1.max(end),
            }
            names.add(name)?;
        }
        Ok(Header { end })
    }
}

/// The names of an object so far: other readers take the last of two that are the same.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn add<E: Error>(&mut self, name: String) -> Result<(), E> {
        match self.0.contains(&name) {
            true => Err(E::custom(format!("`{name}` is there twice"))),
            false => {
                self.0.insert(name);
                Ok(())
            }
        }
    }
}

/// An object that names nothing twice.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Unique, D::Error> {
        from.deserialize_map(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Unique, A::Error> {
        let mut names = Names::default();
        while let Some(name) = entries.next_key::<String>()? {
            entries.next_value::<IgnoredAny>()?;
            names.add(name)?;
        }
        Ok(Unique)
    }
}
