//! Undoing one layer of content encoding, as the bytes come in.
//!
//! Pure and bounded: whatever the input, the output never outgrows its limit
//! and memory never outgrows the output by more than the window of the format.

use brotli::writer::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, Operation as _};

use crate::FetchError;

/// What is asked of servers.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// How much is decoded in one step.
pub(crate) const STEP: usize = 32 * 1024;

/// How many members of gzip, or frames of zstd, one body may have. Each costs a window of memory
/// and the time to set it up, for as little as 20 or 9 bytes on the wire.
const MEMBERS: usize = 1000;

/// The largest zstd window that RFC 9659 lets a server use: 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// None.
    #[default]
    Identity,
    /// RFC 1952; several members one after the other are one body.
    Gzip,
    /// RFC 1950, or the bare RFC 1951 that some servers send under this name.
    Deflate,
    /// RFC 7932, without its large windows.
    Brotli,
    /// RFC 8878.
    Zstd,
}

/// What becomes of a body beyond its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Excess {
    /// It is an error.
    Refuse,
    /// It is cut off.
    Cut,
}

impl Encoding {
    /// The encoding that `headers` announce. Two layers, and names unknown to us,
    /// are an error: nothing was asked for that would justify them.
    pub fn of(headers: &HeaderMap) -> Result<Self, FetchError> {
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

/// `bytes` without their encoding; an error beyond `limit` bytes.
pub fn decode(encoding: Encoding, bytes: &[u8], limit: usize) -> Result<Vec<u8>, FetchError> {
    let mut decoder = Decoder::new(encoding, limit, Excess::Refuse)?;
    decoder.push(bytes)?;
    Ok(decoder.finish()?.0)
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// Where a decoder stands.
enum Stage {
    Identity,
    /// Two bytes decide what `deflate` means here.
    Deflate(Vec<u8>),
    /// A member of gzip has ended; two bytes tell whether another one follows.
    NextMember(Vec<u8>),
    Inflate(Decompress, Encoding),
    Brotli(Box<Brotli>),
    /// With whether it stands between two frames.
    Zstd(zstd::stream::raw::Decoder<'static>, bool),
    /// The end was reached; what follows is ignored, as browsers do.
    Ended,
}

/// Undoes an encoding piece by piece.
pub(crate) struct Decoder {
    stage: Stage,
    out: Vec<u8>,
    limit: usize,
    excess: Excess,
    members: usize,
    empty: bool,
    full: bool,
}

/// What one step did.
struct Done {
    read: usize,
    written: usize,
    ended: bool,
}

impl Decoder {
    pub(crate) fn new(
        encoding: Encoding,
        limit: usize,
        excess: Excess,
    ) -> Result<Self, FetchError> {
        let stage = match encoding {
            Encoding::Identity => Stage::Identity,
            Encoding::Gzip => Stage::Inflate(Decompress::new_gzip(15), encoding),
            Encoding::Deflate => Stage::Deflate(Vec::new()),
            Encoding::Brotli => Stage::Brotli(Box::new(BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            Encoding::Zstd => {
                let mut zstd = zstd::stream::raw::Decoder::new().map_err(bad)?;
                zstd.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG)).map_err(bad)?;
                Stage::Zstd(zstd, true)
            }
        };
        Ok(Self { stage, out: Vec::new(), limit, excess, members: 1, empty: true, full: false })
    }

    /// Makes room for a body of an announced length, within the limit.
    pub(crate) fn expect(&mut self, length: usize) {
        // An announcement is only a claim: never set aside much on its word.
        self.out.reserve(length.min(self.limit).min(1024 * 1024));
    }

    /// Sets aside memory for a body of at most `length` bytes, so that it is never copied while
    /// it grows: twice as much would be taken then.
    pub(crate) fn reserve(&mut self, length: usize) {
        // One byte more shows that it is too long.
        let most = length.min(self.limit).saturating_add(1);
        self.out.reserve_exact(most.saturating_sub(self.out.len()));
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, mut input: &[u8]) -> Result<(), FetchError> {
        while self.push_step(&mut input)? {}
        Ok(())
    }

    /// Takes some of the next bytes, and decodes at most [`STEP`] bytes more unless nothing is
    /// encoded. Whether there is more to take or to decode.
    pub(crate) fn push_step(&mut self, input: &mut &[u8]) -> Result<bool, FetchError> {
        self.empty &= input.is_empty();
        if self.full {
            return Ok(false);
        }
        match &mut self.stage {
            Stage::Ended => Ok(false),
            Stage::Identity => {
                let room = self.limit - self.out.len();
                self.out.extend_from_slice(&input[..input.len().min(room)]);
                if input.len() > room {
                    self.overflow()?;
                }
                *input = &[];
                Ok(false)
            }
            Stage::Deflate(held) | Stage::NextMember(held) => {
                let Some((first, rest)) = input.split_first() else { return Ok(false) };
                held.push(*first);
                *input = rest;
                if held.len() == 2 {
                    self.decide()?;
                }
                Ok(true)
            }
            Stage::Inflate(..) | Stage::Brotli(_) | Stage::Zstd(..) => self.advance(input),
        }
    }

    /// What has come out so far.
    pub(crate) fn decoded(&self) -> &[u8] {
        &self.out
    }

    /// From now on no more than `limit` bytes are wanted; what there is beyond is cut off.
    pub(crate) fn narrow(&mut self, limit: usize) {
        self.limit = self.limit.min(limit);
        self.excess = Excess::Cut;
        if self.out.len() > self.limit {
            self.out.truncate(self.limit);
            self.out.shrink_to_fit();
            self.full = true;
        }
    }

    /// Whether the limit is reached and all further bytes would be cut off.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The body, and whether it was cut off at the limit.
    pub(crate) fn finish(self) -> Result<(Vec<u8>, bool), FetchError> {
        let complete = match &self.stage {
            Stage::Identity | Stage::Ended | Stage::NextMember(_) => true,
            Stage::Zstd(_, between_frames) => *between_frames,
            Stage::Deflate(_) | Stage::Inflate(..) | Stage::Brotli(_) => false,
        };
        // Answers without a body often keep the header of those with one.
        if complete || self.empty || self.full {
            Ok((self.out, self.full))
        } else {
            Err(FetchError::BadEncoding)
        }
    }

    /// Two bytes have been held: what do they begin?
    fn decide(&mut self) -> Result<(), FetchError> {
        let (next, held) = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Deflate(held) => {
                let is_zlib = held[0] & 0x0f == 8
                    && u16::from_be_bytes([held[0], held[1]]).is_multiple_of(31);
                (Stage::Inflate(Decompress::new(is_zlib), Encoding::Deflate), held)
            }
            Stage::NextMember(held) if held == [0x1f, 0x8b] => {
                self.members += 1;
                if self.members > MEMBERS {
                    return Err(FetchError::BadEncoding);
                }
                (Stage::Inflate(Decompress::new_gzip(15), Encoding::Gzip), held)
            }
            _ => return Ok(()),
        };
        self.stage = next;
        self.push(&held)
    }

    /// One step; whether another one may do more.
    fn advance(&mut self, input: &mut &[u8]) -> Result<bool, FetchError> {
        let start = self.out.len();
        // Room is cleared before it is used: a body in tiny pieces must not cost a
        // whole step for each.
        let room = if input.is_empty() { STEP } else { (input.len() * 8).clamp(256, STEP) };
        // One byte more than allowed is enough to know that it is too much.
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
                Stage::Inflate(_, Encoding::Gzip) => Stage::NextMember(Vec::new()),
                _ => Stage::Ended,
            };
            return Ok(true);
        }
        if done.read == 0 && done.written == 0 && !input.is_empty() {
            return Err(FetchError::BadEncoding);
        }
        Ok(!input.is_empty() || done.written == room)
    }

    fn step(&mut self, input: &[u8], start: usize) -> Result<Done, FetchError> {
        let output = &mut self.out[start..];
        match &mut self.stage {
            Stage::Inflate(inflate, _) => {
                let (read, written) = (inflate.total_in(), inflate.total_out());
                let status =
                    inflate.decompress(input, output, FlushDecompress::None).map_err(bad)?;
                Ok(Done {
                    read: (inflate.total_in() - read) as usize,
                    written: (inflate.total_out() - written) as usize,
                    ended: status == Status::StreamEnd,
                })
            }
            Stage::Brotli(state) => {
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
                    BrotliResult::ResultSuccess => Ok(Done { read, written, ended: true }),
                    BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
                        Ok(Done { read, written, ended: false })
                    }
                }
            }
            Stage::Zstd(zstd, between_frames) => {
                let done = zstd.run_on_buffers(input, output).map_err(bad)?;
                // A step that did nothing says nothing about where the frame stands.
                if done.bytes_read > 0 || done.bytes_written > 0 {
                    *between_frames = done.remaining == 0;
                    self.members += usize::from(*between_frames);
                    if self.members > MEMBERS {
                        return Err(FetchError::BadEncoding);
                    }
                }
                Ok(Done { read: done.bytes_read, written: done.bytes_written, ended: false })
            }
            Stage::Identity | Stage::Deflate(_) | Stage::NextMember(_) | Stage::Ended => {
                Ok(Done { read: input.len(), written: 0, ended: true })
            }
        }
    }

    fn overflow(&mut self) -> Result<(), FetchError> {
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
