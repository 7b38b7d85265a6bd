use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::HeaderValue;
use proptest::prelude::*;

use super::*;

const ALL: [Encoding; 5] =
    [Encoding::Identity, Encoding::Gzip, Encoding::Deflate, Encoding::Brotli, Encoding::Zstd];

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).expect("a Vec takes everything");
    encoder.finish().expect("a Vec takes everything")
}

fn encode(encoding: Encoding, plain: &[u8]) -> Vec<u8> {
    match encoding {
        Encoding::Identity => plain.to_vec(),
        Encoding::Gzip => gzip(plain),
        Encoding::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(plain).expect("a Vec takes everything");
            encoder.finish().expect("a Vec takes everything")
        }
        Encoding::Brotli => {
            let mut out = Vec::new();
            let params = brotli::enc::BrotliEncoderParams { quality: 3, ..Default::default() };
            brotli::BrotliCompress(&mut &plain[..], &mut out, &params).expect("memory suffices");
            out
        }
        Encoding::Zstd => zstd::bulk::compress(plain, 1).expect("memory suffices"),
    }
}

#[test]
fn every_encoding_decodes_in_chunks_of_any_size() {
    let plain = "so much of the web is text ".repeat(5000).into_bytes();
    for encoding in ALL {
        let wire = encode(encoding, &plain);
        for piece in [1, 7, 1000, wire.len()] {
            let mut decoder = Decoder::new(encoding, plain.len(), Excess::Refuse).expect("ready");
            for bytes in wire.chunks(piece) {
                decoder.push(bytes).expect("sound bytes decode");
            }
            let (out, cut) = decoder.finish().expect("the end was reached");
            assert!(out == plain && !cut, "{encoding:?} in pieces of {piece}");
        }
    }
}

#[test]
fn raw_deflate_is_decoded() {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"bare").expect("a Vec takes everything");
    let wire = encoder.finish().expect("a Vec takes everything");
    assert_eq!(decode(Encoding::Deflate, &wire, 10).as_deref(), Ok(&b"bare"[..]));
}

#[test]
fn gzip_members_are_concatenated_and_trailing_bytes_ignored() {
    let two = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(decode(Encoding::Gzip, &two, 10).as_deref(), Ok(&b"one two"[..]));
    let tail = [gzip(b"one"), b"\0\0\0 padding".to_vec()].concat();
    assert_eq!(decode(Encoding::Gzip, &tail, 10).as_deref(), Ok(&b"one"[..]));
}

#[test]
fn too_many_gzip_members_are_rejected() {
    assert!(decode(Encoding::Gzip, &gzip(b"x").repeat(MAX_MEMBERS), 5000).is_ok());
    let more = gzip(b"x").repeat(MAX_MEMBERS + 1);
    assert_eq!(decode(Encoding::Gzip, &more, 5000), Err(FetchError::BadEncoding));
}

#[test]
fn body_at_the_limit_is_accepted_and_one_more_byte_rejected() {
    for encoding in ALL {
        let wire = encode(encoding, &[b'x'; 1000]);
        assert!(decode(encoding, &wire, 1000).is_ok(), "{encoding:?}");
        assert_eq!(decode(encoding, &wire, 999), Err(FetchError::TooLarge(999)), "{encoding:?}");
        let mut decoder = Decoder::new(encoding, 999, Excess::Cut).expect("ready");
        decoder.push(&wire).expect("the rest is cut off");
        assert!(decoder.is_full());
        let (out, cut) = decoder.finish().expect("what fits is kept");
        assert!(out == [b'x'; 999] && cut, "{encoding:?}");
    }
}

#[test]
fn truncated_or_corrupt_body_is_an_error() {
    let plain = "some text that compresses a little ".repeat(20).into_bytes();
    for encoding in &ALL[1..] {
        let wire = encode(*encoding, &plain);
        let short = &wire[..wire.len() - 5];
        assert_eq!(decode(*encoding, short, 9000), Err(FetchError::BadEncoding), "{encoding:?}");
        assert_eq!(decode(*encoding, &plain, 9000), Err(FetchError::BadEncoding), "{encoding:?}");
        assert_eq!(decode(*encoding, b"", 10).as_deref(), Ok(&b""[..]), "{encoding:?}");
    }
    let mut altered = gzip(&plain);
    let last = altered.len() - 6;
    altered[last] ^= 1;
    assert_eq!(decode(Encoding::Gzip, &altered, 9000), Err(FetchError::BadEncoding));
}

#[test]
fn large_zstd_window_is_rejected() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("ready");
    encoder.set_parameter(zstd::stream::raw::CParameter::WindowLog(27)).expect("a known setting");
    encoder.write_all(&[7; 3000]).expect("a Vec takes everything");
    let wire = encoder.finish().expect("a Vec takes everything");
    assert_eq!(decode(Encoding::Zstd, &wire, 5000), Err(FetchError::BadEncoding));
}

fn announced(values: &[&'static str]) -> FetchResult<Encoding> {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
    }
    Encoding::of(&headers)
}

#[test]
fn one_layer_is_accepted_and_two_are_rejected() {
    assert_eq!(announced(&[]), Ok(Encoding::Identity));
    assert_eq!(announced(&["X-GZIP"]), Ok(Encoding::Gzip));
    assert_eq!(announced(&["identity, br,"]), Ok(Encoding::Brotli));
    for wrong in [&["gzip, gzip"][..], &["gzip", "br"], &["compress"], &["gzip;q=1"], &["utf-8"]] {
        assert_eq!(announced(wrong), Err(FetchError::BadEncoding), "{wrong:?}");
    }
}

#[test]
fn one_step_decodes_a_bounded_number_of_bytes_in_every_encoding() {
    let plain = vec![0; 4 << 20];
    for encoding in ALL.into_iter().filter(|encoding| *encoding != Encoding::Identity) {
        let wire = encode(encoding, &plain);
        let mut decoder = Decoder::new(encoding, plain.len(), Excess::Refuse).expect("ready");
        let mut rest = &wire[..];
        loop {
            let before = decoder.decoded().len();
            let more = decoder.push_step(&mut rest).expect("sound");
            assert!(decoder.decoded().len() <= before + STEP, "{encoding:?}");
            if !more {
                break;
            }
        }
        assert_eq!(decoder.finish().expect("whole"), (plain.clone(), false), "{encoding:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic_or_exceed_the_limit(
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        limit in 0usize..300,
        piece in 1usize..100,
        head in 0usize..5,
    ) {
        for encoding in ALL {
            // A valid prefix lets the random bytes reach deeper into the decoder.
            let mut wire = encode(encoding, b"a beginning that is sound");
            wire.truncate(head * 5);
            wire.extend_from_slice(&bytes);
            for excess in [Excess::Refuse, Excess::Cut] {
                let mut decoder = Decoder::new(encoding, limit, excess).expect("ready");
                if wire.chunks(piece).try_for_each(|bytes| decoder.push(bytes)).is_ok()
                    && let Ok((out, _)) = decoder.finish()
                {
                    prop_assert!(out.len() <= limit);
                }
            }
        }
    }
}

#[test]
fn reserved_body_is_not_reallocated_while_it_grows() {
    let length = 700_000;
    let mut decoder = Decoder::new(Encoding::Identity, 8 << 20, Excess::Refuse).expect("a decoder");
    decoder.push(&[1; 1000]).expect("within the limit");
    decoder.reserve(length);
    for _ in 1..length / 1000 {
        decoder.push(&[1; 1000]).expect("within the limit");
    }
    let (bytes, _) = decoder.finish().expect("a body");
    assert_eq!(bytes.len(), length);
    assert!(bytes.capacity() <= length + 1, "{}", bytes.capacity());
}

#[test]
fn too_many_zstd_frames_are_rejected() {
    let frame = zstd::bulk::compress(b"", 1).expect("memory suffices");
    assert_eq!(decode(Encoding::Zstd, &frame.repeat(900), 1000), Ok(Vec::new()));
    assert_eq!(decode(Encoding::Zstd, &frame.repeat(2000), 1000), Err(FetchError::BadEncoding));
}
