//! Decoding a chunk whose description may lie: every stage is bounded by what the description says before it allocates.
//!
//! The library decodes whatever a chunk holds: it allocates what a header of Zstandard claims, and inflates without end. Here the size
//! of every stage is known from the description, and a chunk that claims or yields more is refused.

use std::borrow::Cow;
use std::io::Read;
use std::num::NonZeroU64;
use std::sync::Arc;

use flate2::bufread::{GzDecoder, ZlibDecoder};
use zarrs::array::codec::{BloscCodec, GzipCodec, ZlibCodec, ZstdCodec};
use zarrs::array::{
    ArrayToBytesCodecTraits, BytesRepresentation, BytesToBytesCodecTraits, CodecChain,
    CodecOptions, DataType, FillValue,
};

use super::zstd;
use crate::formats::budget::{Expansion, UNSTORED_BYTES};

/// Bytes of the header of a chunk in blosc.
const BLOSC_HEADER: usize = 16;

/// How the chunks of an array are decoded.
pub struct Codec {
    shape: Vec<NonZeroU64>,
    data_type: DataType,
    fill_value: FillValue,
    /// From bytes to numbers: nothing here is compressed any more.
    inner: CodecChain,
    /// Compression and checksums, in the order of writing, each with what goes into it.
    stages: Vec<Stage>,
    /// Bytes of a decoded chunk.
    bytes: usize,
}

struct Stage {
    codec: Arc<dyn BytesToBytesCodecTraits>,
    kind: Kind,
    /// What the library expects to come out when reading.
    decoded: BytesRepresentation,
    /// Most bytes that may come out.
    most: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gzip,
    Zlib,
    Zstd,
    Blosc,
    /// Checksums and shuffles: as many bytes come out as go in, or fewer.
    Plain,
}

impl Kind {
    fn of(codec: &dyn BytesToBytesCodecTraits) -> Self {
        let any = codec.as_any();
        if any.is::<GzipCodec>() {
            Self::Gzip
        } else if any.is::<ZlibCodec>() {
            Self::Zlib
        } else if any.is::<ZstdCodec>() {
            Self::Zstd
        } else if any.is::<BloscCodec>() {
            Self::Blosc
        } else {
            Self::Plain
        }
    }

    fn expansion(self) -> Expansion {
        match self {
            Self::Gzip | Self::Zlib => Expansion::DEFLATE,
            Self::Zstd | Self::Blosc => Expansion::ZSTD,
            Self::Plain => Expansion(1),
        }
    }
}

impl Codec {
    /// The codec of an array whose chunks have this shape and this many bytes.
    pub fn new<S: ?Sized>(
        array: &zarrs::array::Array<S>,
        shape: Vec<NonZeroU64>,
        bytes: usize,
    ) -> Result<Self, String> {
        let chain = array.codecs();
        let (data_type, fill_value) = (array.data_type().clone(), array.fill_value().clone());
        let inner = CodecChain::new(
            chain.array_to_array_codecs().to_vec(),
            chain.array_to_bytes_codec().clone(),
            Vec::new(),
        );
        let mut decoded = inner
            .encoded_representation(&shape, &data_type, &fill_value)
            .map_err(|e| e.to_string())?;
        let mut stages = Vec::new();
        for codec in chain.bytes_to_bytes_codecs() {
            let most = decoded
                .size()
                .and_then(|size| usize::try_from(size).ok())
                .ok_or("the size of its chunks is not known before they are decoded")?;
            let next = codec.encoded_representation(&decoded);
            stages.push(Stage {
                kind: Kind::of(&**codec),
                codec: codec.clone(),
                decoded,
                most,
            });
            decoded = next;
        }
        Ok(Self {
            shape,
            data_type,
            fill_value,
            inner,
            stages,
            bytes,
        })
    }

    /// Bytes of a decoded chunk.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Most bytes that a stored byte can stand for.
    pub fn expansion(&self) -> Expansion {
        let all = self.stages.iter().map(|stage| stage.kind.expansion().0);
        // Numbers get wider too.
        Expansion(all.fold(Expansion::PLAIN.0, u64::saturating_mul))
    }

    /// The values of a chunk, as bytes of this machine.
    pub fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, String> {
        if stored.is_empty() {
            return Err("it is empty".to_owned());
        }
        let options = CodecOptions::default().with_concurrent_target(1);
        let mut bytes = Cow::Borrowed(stored);
        for stage in self.stages.iter().rev() {
            bytes = stage.decode(bytes, &options)?;
        }
        let decoded = self
            .inner
            .decode(
                bytes,
                &self.shape,
                &self.data_type,
                &self.fill_value,
                &options,
            )
            .and_then(|bytes| Ok(bytes.into_fixed()?.into_owned()))
            .map_err(|e| e.to_string())?;
        if decoded.len() != self.bytes {
            return Err(format!(
                "it decodes to {} bytes, but {} are wanted",
                decoded.len(),
                self.bytes
            ));
        }
        Ok(decoded)
    }
}

impl Stage {
    fn decode<'a>(
        &self,
        bytes: Cow<'a, [u8]>,
        options: &CodecOptions,
    ) -> Result<Cow<'a, [u8]>, String> {
        let (claimed, most) = match self.kind {
            Kind::Gzip => return self.inflated(GzDecoder::new(&*bytes)),
            Kind::Zlib => return self.inflated(ZlibDecoder::new(&*bytes)),
            Kind::Zstd => {
                let content = zstd::content(&bytes)?;
                // Blocks of frames that do not say what they hold are counted as full, which few are.
                let most = if content.is_said {
                    self.most
                } else {
                    self.most.max(UNSTORED_BYTES)
                };
                (content.most_bytes, most)
            }
            Kind::Blosc => (blosc_bytes(&bytes)?, self.most),
            Kind::Plain => (0, 0),
        };
        if claimed > most as u64 {
            return Err(format!("it claims {claimed} bytes, but {most} are wanted"));
        }
        let possible = (bytes.len() as u64).saturating_mul(self.kind.expansion().0);
        if claimed > possible && claimed > UNSTORED_BYTES as u64 {
            return Err(format!(
                "it claims {claimed} bytes, which {} bytes cannot hold",
                bytes.len()
            ));
        }
        self.codec
            .decode(bytes, &self.decoded, options)
            .map_err(|e| e.to_string())
    }

    /// Grows with what comes out, which nothing announces.
    fn inflated(&self, from: impl Read) -> Result<Cow<'static, [u8]>, String> {
        let mut out = Vec::new();
        from.take(self.most as u64 + 1)
            .read_to_end(&mut out)
            .map_err(|e| e.to_string())?;
        if out.len() > self.most {
            return Err(format!(
                "it has more than the {} bytes that are wanted",
                self.most
            ));
        }
        Ok(Cow::Owned(out))
    }
}

/// What the header of a chunk in blosc claims: version, version, flags, width, then bytes, bytes of a block, and stored bytes.
fn blosc_bytes(bytes: &[u8]) -> Result<u64, String> {
    let Some(header) = bytes.get(..BLOSC_HEADER) else {
        return Err(format!("its {} bytes are less than a header", bytes.len()));
    };
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| header[at + i]));
    let (claimed, block, stored) = (number(4), number(8), number(12));
    if stored as usize != bytes.len() || block > claimed.max(1) {
        return Err(format!(
            "its header claims {claimed} bytes in blocks of {block} from {stored}, but it has {}",
            bytes.len()
        ));
    }
    Ok(u64::from(claimed))
}
