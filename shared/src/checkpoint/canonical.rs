//! One header has one spelling: a file says nothing twice and hides nothing in how it says it.
//!
//! postcard reads numbers with needless bytes (`80 00` is 0 as well), so what was read is spelt once more and compared.
//! Nothing is allocated for that.

use postcard::ser_flavors::Flavor;

use super::CheckpointError;
use super::layout::Wire;

/// Refuses a header that is not what the writer of this version would have written.
pub(super) fn check(bytes: &[u8], wire: &Wire) -> Result<(), CheckpointError> {
    let mut same = 0;
    let compare = Compare {
        left: bytes,
        same: &mut same,
    };
    let whole = postcard::serialize_with_flavor(wire, compare);
    match whole {
        Ok(true) => Ok(()),
        _ => Err(CheckpointError::Spelling { offset: same }),
    }
}

/// What is still to come, and how many bytes were as they should be.
struct Compare<'a> {
    left: &'a [u8],
    same: &'a mut usize,
}

impl Flavor for Compare<'_> {
    /// Whether nothing is left.
    type Output = bool;

    fn try_push(&mut self, wanted: u8) -> postcard::Result<()> {
        match self.left.split_first() {
            Some((&found, rest)) if found == wanted => {
                self.left = rest;
                *self.same += 1;
                Ok(())
            }
            _ => Err(postcard::Error::SerializeBufferFull),
        }
    }

    fn finalize(self) -> postcard::Result<bool> {
        Ok(self.left.is_empty())
    }
}
