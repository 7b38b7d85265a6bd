use super::*;

fn open(payload: PayloadType, stored: &[u8]) -> Result<StoredPayload<&[u8]>, JournalError> {
    StoredPayload::open(payload, stored, stored.len())
}

#[test]
fn header_names_type_and_version() {
    let stored = encode(PayloadType::Commit, &7_u8, 1).expect("it encodes");
    assert_eq!(stored[..2], [b'C', PayloadType::Commit.version()]);
    let opened = open(PayloadType::Commit, &stored).expect("a header");
    assert_eq!(opened.version(), PayloadType::Commit.version());
    assert_eq!(opened.decode::<u8>().expect("whole"), 7);
    let error = open(PayloadType::Overlay, &stored).expect_err("another type");
    assert_eq!(error.to_string(), "damaged: commit instead of overlay");
}

#[test]
fn version_1_has_no_type() {
    let stored = encode(PayloadType::Commit, &7_u8, 1).expect("it encodes");
    let stored = [&[VERSION_1][..], &stored[2..]].concat();
    let opened = open(PayloadType::Segment, &stored).expect("a header");
    assert_eq!((opened.version(), opened.decode::<u8>().expect("whole")), (1, 7));
}

#[test]
fn unknown_version_error_names_type_versions_and_remedy() {
    let opened = open(PayloadType::Overlay, b"O\xc8").expect("a header");
    assert_eq!(
        opened.unknown_version().to_string(),
        "overlay has format version 200, this release knows versions up to 2: it was written by \
         a newer release, upgrade this node"
    );
    let patched = patch_stored(b"O\xc8", |_| true);
    assert!(matches!(patched, Err(JournalError::UnknownVersion { found: 200, .. })));
}

#[test]
fn bytes_after_the_value_are_damage() {
    let stored = encode(PayloadType::Commit, &(7_u8, 8_u8), 1).expect("it encodes");
    let opened = open(PayloadType::Commit, &stored).expect("a header");
    assert_eq!(
        opened.decode::<u8>().expect_err("too long").to_string(),
        "damaged: 1 bytes after the value"
    );
    for damaged in [&b""[..], b"C", b"\x09\x02", b"C\x02", b"C\x02garbage"] {
        let read = open(PayloadType::Commit, damaged).and_then(StoredPayload::decode::<u8>);
        assert!(matches!(read, Err(JournalError::Damaged(_))), "{damaged:?}");
    }
}

#[test]
fn patched_payload_keeps_its_header() {
    let stored = compress(PayloadType::Segment, b"secret text", 1).expect("it packs");
    let old = [&[VERSION_1][..], &stored[2..]].concat();
    for stored in [stored, old] {
        let cover = |bytes: &mut [u8]| {
            bytes[..6].fill(b'x');
            true
        };
        let patched = patch_stored(&stored, cover).expect("whole").expect("changed");
        let before = open(PayloadType::Segment, &stored).expect("a header");
        let opened = open(PayloadType::Segment, &patched).expect("a header");
        assert_eq!(opened.version(), before.version());
        assert_eq!(opened.decompress().expect("whole"), b"xxxxxx text");
        assert!(patch_stored(&stored, |_| false).expect("whole").is_none());
    }
}
