//! The digest of a model file: SHA-256 of all that it says, kept in it as one more tensor, so that a
//! file that was damaged, or changed by hand, is not taken for what was compiled. It guards against
//! accidents: who changes a file on purpose can give it a new digest. Depends on nothing else in the
//! crate.

use safetensors::tensor::{Dtype, TensorView};
use sha2::{Digest as _, Sha256};

/// Whether the digest of a file must be that of its contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digest {
    /// It must.
    #[default]
    Checked,
    /// It is not looked at: somebody has changed the file on purpose.
    Ignored,
}

/// The tensor that holds it: U8 `[32]`.
pub(super) const NAME: &str = "digest";

/// The digest of a metadata entry and of tensors in the order of their names. Everything is preceded by
/// its length in bytes, and lengths and sizes are u64, little-endian: the text of the entry, then of each
/// tensor the name, the dtype (`F64`), the shape and the data.
pub(super) fn of<'t>(
    metadata: &str,
    tensors: impl IntoIterator<Item = (&'t str, TensorView<'t>)>,
) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(metadata.as_bytes());
    for (name, tensor) in tensors {
        let sides = tensor.shape().iter();
        let shape: Vec<u8> = sides
            .flat_map(|side| (*side as u64).to_le_bytes())
            .collect();
        field(name.as_bytes());
        field(format!("{:?}", tensor.dtype()).as_bytes());
        field(&shape);
        field(tensor.data());
    }
    hash.finalize().into()
}

/// Whether the digest that a file holds is that of its contents.
///
/// # Errors
/// It is not, or there is none, in words.
pub(super) fn compare(held: Option<&TensorView>, digest: &[u8; 32]) -> Result<(), String> {
    let found = match held {
        None => "it has no digest",
        Some(held) if held.dtype() == Dtype::U8 && held.data() == digest => return Ok(()),
        Some(_) => "its digest is not that of its contents",
    };
    Err(format!(
        "{found}: it has been damaged, or changed by hand (`--ignore-digest` reads it all the same)"
    ))
}
