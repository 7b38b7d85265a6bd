//! Content encodings: valid ones, invalid ones, bombs.

use std::io::Write as _;

use bytes::Bytes;
use contract::FetchFault;
use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};

use super::{HostileCase, titled};
use crate::sites::broken::{BOMB, gzip};
use crate::{ExpectedSkip, Reply};

const BAD: ExpectedSkip = ExpectedSkip::Fault(FetchFault::BadEncoding);
const TOO_LARGE: ExpectedSkip = ExpectedSkip::Fault(FetchFault::TooLarge);

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::page("/gzip", "In gzip", || encoded("gzip", gzip(&page("In gzip")))),
    HostileCase::page("/gzip-members", "In members", || {
        let page = page("In members");
        let (head, rest) = page.split_at(page.len() / 2);
        encoded("gzip", [gzip(head), gzip(rest)].concat())
    }),
    HostileCase::page("/gzip-tail", "With a tail", || {
        encoded("x-gzip", [gzip(&page("With a tail")), Bytes::from_static(b"\0tail")].concat())
    }),
    HostileCase::page("/deflate", "In zlib", || encoded("deflate", zlib(&page("In zlib")))),
    HostileCase::page("/deflate-bare", "In deflate", || {
        encoded("deflate", bare(&page("In deflate")))
    }),
    HostileCase::page("/brotli", "In brotli", || encoded("br", brotli(&page("In brotli")))),
    HostileCase::page("/zstd", "In zstd", || encoded("zstd", zstd(0x38, &page("In zstd")))),
    HostileCase::page("/encoding-identity", "Plain", || encoded("identity", page("Plain"))),
    HostileCase::skipped("/gzip-bomb", TOO_LARGE, || encoded("gzip", BOMB.clone())),
    HostileCase::skipped("/zstd-bomb", TOO_LARGE, || encoded("zstd", zstd_bomb())),
    // Many bytes on the wire that decode to nothing.
    HostileCase::skipped("/gzip-of-nothing", TOO_LARGE, || {
        let mut skipped = vec![31, 139, 8, 0, 0, 0, 0, 0, 0, 255];
        skipped.extend([0, 0, 0, 255, 255].repeat(1_800_000));
        encoded("gzip", skipped)
    }),
    HostileCase::skipped("/gzip-members-endless", BAD, || {
        encoded("gzip", gzip(b"").repeat(20_000))
    }),
    HostileCase::skipped("/gzip-cut-off", BAD, || {
        let whole = gzip(&page("Cut off"));
        encoded("gzip", whole.slice(..whole.len() / 2))
    }),
    HostileCase::skipped("/gzip-wrong-sum", BAD, || {
        let mut wrong = gzip(&page("Wrong sum")).to_vec();
        let sum = wrong.len() - 8;
        wrong[sum] ^= 1;
        encoded("gzip", wrong)
    }),
    HostileCase::skipped("/gzip-lie", BAD, || encoded("gzip", page("Not gzip at all"))),
    HostileCase::skipped("/deflate-lie", BAD, || encoded("deflate", vec![0xff; 500])),
    HostileCase::skipped("/brotli-lie", BAD, || encoded("br", vec![0xff; 500])),
    HostileCase::skipped("/zstd-lie", BAD, || encoded("zstd", page("Not zstd at all"))),
    // A window of 128 MiB, for a page of a few bytes.
    HostileCase::skipped("/zstd-window", BAD, || encoded("zstd", zstd(0x88, &page("Window")))),
    HostileCase::skipped("/gzip-twice", BAD, || encoded("gzip, gzip", gzip(&gzip(&page("Twice"))))),
    HostileCase::skipped("/gzip-in-brotli", BAD, || {
        encoded("gzip, br", brotli(&gzip(&page("In both"))))
    }),
    HostileCase::skipped("/encoding-unknown", BAD, || encoded("sdch", page("Unknown"))),
    // Not declared as gzip, hence a page of binary data.
    HostileCase::skipped("/encoding-unsaid", ExpectedSkip::File, || {
        Reply::html(gzip(&page("Unsaid")))
    }),
];

fn page(title: &str) -> Vec<u8> {
    titled(title, "<h1>A page</h1><p>With some words on it.</p>").into_bytes()
}

fn encoded(name: &str, body: impl Into<Bytes>) -> Reply {
    Reply::html(body).with_header("content-encoding", name)
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

fn bare(plain: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

/// A stream of one stored block (RFC 7932, 9.2) and an empty last one.
fn brotli(plain: &[u8]) -> Vec<u8> {
    let length = u32::try_from(plain.len() - 1).unwrap_or(u32::MAX) & 0xffff;
    let [a, b, c, _] = (length << 4 | 1 << 20).to_le_bytes();
    [&[a, b, c][..], plain, &[3]].concat()
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A frame of one stored block (RFC 8878, 3.1.1) with this window descriptor.
fn zstd(window: u8, plain: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = (u32::try_from(plain.len()).unwrap_or(0) << 3 | 1).to_le_bytes();
    [&ZSTD_MAGIC[..], &[0, window, a, b, c], plain].concat()
}

/// 12 MiB in 400 bytes: blocks that repeat one byte 128 KiB long.
fn zstd_bomb() -> Vec<u8> {
    let [a, b, c, _] = ((128 * 1024_u32) << 3 | 1 << 1).to_le_bytes();
    [&ZSTD_MAGIC[..], &[0, 0x38], &[a, b, c, b' '].repeat(96), &[1, 0, 0]].concat()
}
