//! Streaming decoder of one layer of `Content-Encoding`.
//!
//! Pure and bounded: for any input, the output stays within its limit, and memory exceeds the output
//! by at most the window of the format.

use brotli::writer::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, Operation as _};

use crate::{FetchError, FetchResult};

/// Value of the `Accept-Encoding` header.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// Maximum decoded bytes of one step.
pub(crate) const STEP: usize = 32 * 1024;

/// Maximum gzip members or zstd frames of one body. Each costs a window of memory and its setup time
/// for as little as 20 or 9 bytes on the wire.
const MAX_MEMBERS: usize = 1000;

/// The largest zstd window that RFC 9659 permits: 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A supported content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    #[default]
    Identity,
    /// RFC 1952; several members are concatenated.
    Gzip,
    /// RFC 1950, or raw RFC 1951, which some servers send under this name.
    Deflate,
    /// RFC 7932, without large windows.
    Brotli,
    Zstd,
}

/// What happens with a body beyond its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Excess {
    Refuse,
    /// The body is truncated.
    Cut,
}

impl Encoding {
    /// The encoding of `headers`. Two layers and unknown names are an error: `Accept-Encoding` does
    /// not offer them.
    pub fn of(headers: &HeaderMap) -> FetchResult<Self> {
        let mut found = Self::Identity;
        for value in headers.get_all(CONTENT_ENCODING) {
            let value = value.to_str().map_err(|_| FetchError::BadEncoding)?;
            for name in value.split(',') {
                let encoding = Self::named(name.trim()).ok_or(FetchError::BadEncoding)?;
                match (found, encoding) {
                    (_, Self::Identity) => {}
                    (Self::Identity, encoding) => found = encoding,
                    _ => return Err(FetchError::BadEncoding),
                }
            }
        }
        Ok(found)
    }

    fn named(name: &str) -> Option<Self> {
        let known = [
            ("", Self::Identity),
            ("identity", Self::Identity),
            ("gzip", Self::Gzip),
            ("x-gzip", Self::Gzip),
            ("deflate", Self::Deflate),
            ("br", Self::Brotli),
            ("zstd", Self::Zstd),
        ];
        known.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, e)| *e)
    }
}

/// Decodes `bytes`; more than `limit` decoded bytes are an error.
pub fn decode(encoding: Encoding, bytes: &[u8], limit: usize) -> FetchResult<Vec<u8>> {
    let mut decoder = Decoder::new(encoding, limit, Excess::Refuse)?;
    decoder.push(bytes)?;
    Ok(decoder.finish()?.0)
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

enum DecoderStage {
    Identity,
    /// The first two bytes decide between zlib and raw deflate.
    Deflate(Vec<u8>),
    /// After a gzip member; the next two bytes decide whether another one follows.
    NextMember(Vec<u8>),
    Inflate(Decompress, Encoding),
    Brotli(Box<Brotli>),
    /// With whether the decoder is between two frames.
    Zstd(zstd::stream::raw::Decoder<'static>, bool),
    /// After the end; further bytes are ignored, as browsers do.
    Ended,
}

/// Decodes a body chunk by chunk.
pub(crate) struct Decoder {
    stage: DecoderStage,
    out: Vec<u8>,
    limit: usize,
    excess: Excess,
    members: usize,
    empty: bool,
    full: bool,
}

struct StepResult {
    read: usize,
    written: usize,
    ended: bool,
}

impl Decoder {
    pub(crate) fn new(encoding: Encoding, limit: usize, excess: Excess) -> FetchResult<Self> {
        let stage = match encoding {
            Encoding::Identity => DecoderStage::Identity,
            Encoding::Gzip => DecoderStage::Inflate(Decompress::new_gzip(15), encoding),
            Encoding::Deflate => DecoderStage::Deflate(Vec::new()),
            Encoding::Brotli => DecoderStage::Brotli(Box::new(BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            Encoding::Zstd => {
                let mut zstd = zstd::stream::raw::Decoder::new().map_err(bad)?;
                zstd.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG)).map_err(bad)?;
                DecoderStage::Zstd(zstd, true)
            }
        };
        Ok(Self { stage, out: Vec::new(), limit, excess, members: 1, empty: true, full: false })
    }

    /// Reserves memory for a body with this `Content-Length`, within the limit.
    pub(crate) fn expect(&mut self, length: usize) {
        // The header may lie: reserve at most 1 MiB.
        self.out.reserve(length.min(self.limit).min(1024 * 1024));
    }

    /// Reserves memory for a body of at most `length` bytes, so that growing never copies it, which
    /// would need twice the memory.
    pub(crate) fn reserve(&mut self, length: usize) {
        // One byte more detects a body that is too long.
        let most = length.min(self.limit).saturating_add(1);
        self.out.reserve_exact(most.saturating_sub(self.out.len()));
    }

    /// Decodes all of `input`.
    pub(crate) fn push(&mut self, mut input: &[u8]) -> FetchResult<()> {
        while self.push_step(&mut input)? {}
        Ok(())
    }

    /// Consumes part of `input` and produces at most [`STEP`] bytes, or all of it without an encoding.
    /// Returns whether there is more to decode.
    pub(crate) fn push_step(&mut self, input: &mut &[u8]) -> FetchResult<bool> {
        self.empty &= input.is_empty();
        if self.full {
            return Ok(false);
        }
        match &mut self.stage {
            DecoderStage::Ended => Ok(false),
            DecoderStage::Identity => {
                let room = self.limit - self.out.len();
                self.out.extend_from_slice(&input[..input.len().min(room)]);
                if input.len() > room {
                    self.overflow()?;
                }
                *input = &[];
                Ok(false)
            }
            DecoderStage::Deflate(held) | DecoderStage::NextMember(held) => {
                let Some((first, rest)) = input.split_first() else { return Ok(false) };
                held.push(*first);
                *input = rest;
                if held.len() == 2 {
                    self.decide()?;
                }
                Ok(true)
            }
            DecoderStage::Inflate(..) | DecoderStage::Brotli(_) | DecoderStage::Zstd(..) => {
                self.advance(input)
            }
        }
    }

    /// The bytes decoded so far.
    pub(crate) fn decoded(&self) -> &[u8] {
        &self.out
    }

    /// Lowers the limit; bytes beyond it are truncated.
    pub(crate) fn narrow(&mut self, limit: usize) {
        self.limit = self.limit.min(limit);
        self.excess = Excess::Cut;
        if self.out.len() > self.limit {
            self.out.truncate(self.limit);
            self.out.shrink_to_fit();
            self.full = true;
        }
    }

    /// Whether the limit is reached, so that further bytes would be truncated.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The body, and whether it was truncated.
    pub(crate) fn finish(self) -> FetchResult<(Vec<u8>, bool)> {
        let complete = match &self.stage {
            DecoderStage::Identity | DecoderStage::Ended | DecoderStage::NextMember(_) => true,
            DecoderStage::Zstd(_, between_frames) => *between_frames,
            DecoderStage::Deflate(_) | DecoderStage::Inflate(..) | DecoderStage::Brotli(_) => false,
        };
        // Responses without a body often have a `Content-Encoding` header.
        if complete || self.empty || self.full {
            Ok((self.out, self.full))
        } else {
            Err(FetchError::BadEncoding)
        }
    }

    /// Chooses the next stage by the two held bytes.
    fn decide(&mut self) -> FetchResult<()> {
        let (next, held) = match std::mem::replace(&mut self.stage, DecoderStage::Ended) {
            DecoderStage::Deflate(held) => {
                let is_zlib = held[0] & 0x0f == 8
                    && u16::from_be_bytes([held[0], held[1]]).is_multiple_of(31);
                (DecoderStage::Inflate(Decompress::new(is_zlib), Encoding::Deflate), held)
            }
            DecoderStage::NextMember(held) if held == [0x1f, 0x8b] => {
                self.members += 1;
                if self.members > MAX_MEMBERS {
                    return Err(FetchError::BadEncoding);
                }
                (DecoderStage::Inflate(Decompress::new_gzip(15), Encoding::Gzip), held)
            }
            _ => return Ok(()),
        };
        self.stage = next;
        self.push(&held)
    }

    /// Decodes one step; returns whether another one may make progress.
    fn advance(&mut self, input: &mut &[u8]) -> FetchResult<bool> {
        let start = self.out.len();
        // The output is zeroed before use: a body in tiny chunks must not cost a whole step for
        // each.
        let room = if input.is_empty() { STEP } else { (input.len() * 8).clamp(256, STEP) };
        // One byte more than allowed detects a body that is too long.
        let room = room.min(self.limit.saturating_add(1) - start);
        self.out.resize(start + room, 0);
        let done = self.step(input, start);
        self.out.truncate(start + done.as_ref().map_or(0, |done| done.written));
        let done = done?;
        *input = &input[done.read..];
        if self.out.len() > self.limit {
            self.out.truncate(self.limit);
            self.overflow()?;
            return Ok(false);
        }
        if done.ended {
            self.stage = match &self.stage {
                DecoderStage::Inflate(_, Encoding::Gzip) => DecoderStage::NextMember(Vec::new()),
                _ => DecoderStage::Ended,
            };
            return Ok(true);
        }
        if done.read == 0 && done.written == 0 && !input.is_empty() {
            return Err(FetchError::BadEncoding);
        }
        Ok(!input.is_empty() || done.written == room)
    }

    fn step(&mut self, input: &[u8], start: usize) -> FetchResult<StepResult> {
        let output = &mut self.out[start..];
        match &mut self.stage {
            DecoderStage::Inflate(inflate, _) => {
                let (read, written) = (inflate.total_in(), inflate.total_out());
                let status =
                    inflate.decompress(input, output, FlushDecompress::None).map_err(bad)?;
                Ok(StepResult {
                    read: (inflate.total_in() - read) as usize,
                    written: (inflate.total_out() - written) as usize,
                    ended: status == Status::StreamEnd,
                })
            }
            DecoderStage::Brotli(state) => {
                let (mut unread, mut read) = (input.len(), 0);
                let (mut unwritten, mut written, mut total) = (output.len(), 0, 0);
                let result = BrotliDecompressStream(
                    &mut unread,
                    &mut read,
                    input,
                    &mut unwritten,
                    &mut written,
                    output,
                    &mut total,
                    state,
                );
                match result {
                    BrotliResult::ResultFailure => Err(FetchError::BadEncoding),
                    BrotliResult::ResultSuccess => Ok(StepResult { read, written, ended: true }),
                    BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
                        Ok(StepResult { read, written, ended: false })
                    }
                }
            }
            DecoderStage::Zstd(zstd, between_frames) => {
                let done = zstd.run_on_buffers(input, output).map_err(bad)?;
                // A step without progress has no valid `remaining`.
                if done.bytes_read > 0 || done.bytes_written > 0 {
                    *between_frames = done.remaining == 0;
                    self.members += usize::from(*between_frames);
                    if self.members > MAX_MEMBERS {
                        return Err(FetchError::BadEncoding);
                    }
                }
                Ok(StepResult { read: done.bytes_read, written: done.bytes_written, ended: false })
            }
            DecoderStage::Identity
            | DecoderStage::Deflate(_)
            | DecoderStage::NextMember(_)
            | DecoderStage::Ended => Ok(StepResult { read: input.len(), written: 0, ended: true }),
        }
    }

    fn overflow(&mut self) -> FetchResult<()> {
        self.full = true;
        match self.excess {
            Excess::Refuse => Err(FetchError::TooLarge(self.limit)),
            Excess::Cut => Ok(()),
        }
    }
}

fn bad<E>(_: E) -> FetchError {
    FetchError::BadEncoding
}

#[cfg(test)]
mod tests;
