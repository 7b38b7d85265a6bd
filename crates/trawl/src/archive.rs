//! Archives of files: tar, compressed by zstd with a checksum.
//!
//! Written here, because a backup consists of a few plain files. `tar --zstd -xf` unpacks it without
//! Trawl. Names have at most 100 bytes; sizes beyond 8 GiB are binary, as GNU tar writes them.

use std::io::{self, BufReader, ErrorKind, Read, Write};

use contract::Millis;

/// Bytes of a block: headers have one, and contents are padded to a multiple.
const BLOCK: usize = 512;

/// Fields of a header: offset and length.
const NAME: (usize, usize) = (0, 100);
const MODE: (usize, usize) = (100, 8);
const SIZE: (usize, usize) = (124, 12);
const TIME: (usize, usize) = (136, 12);
const CHECKSUM: (usize, usize) = (148, 8);
const KIND: usize = 156;
const MAGIC: (usize, usize) = (257, 8);

/// Compression level: the content is mostly compressed already.
const LEVEL: i32 = 3;

/// Writes the files of an archive one by one.
pub struct ArchiveWriter<W: Write> {
    out: zstd::Encoder<'static, W>,
    time: Millis,
}

impl<W: Write> ArchiveWriter<W> {
    /// An empty archive, whose files have this time.
    pub fn new(out: W, time: Millis) -> io::Result<Self> {
        let mut out = zstd::Encoder::new(out, LEVEL)?;
        out.include_checksum(true)?;
        Ok(Self { out, time })
    }

    /// Adds a file with the next `bytes` bytes of `content`.
    pub fn add(&mut self, name: &str, bytes: u64, content: impl Read) -> io::Result<()> {
        self.out.write_all(&header(name, bytes, self.time)?)?;
        let copied = io::copy(&mut content.take(bytes), &mut self.out)?;
        if copied != bytes {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                format!("{name} has {copied} bytes instead of {bytes}"),
            ));
        }
        self.out.write_all(&[0; BLOCK][..padding(bytes)])
    }

    /// Writes the end of the archive and its checksum.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.finish()
    }
}

/// Reads an archive from its start.
pub struct ArchiveReader<R: Read> {
    input: zstd::Decoder<'static, BufReader<R>>,
}

/// A file of an archive, whose content is read next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedFile {
    pub name: String,
    pub bytes: u64,
}

impl<R: Read> ArchiveReader<R> {
    pub fn new(input: R) -> io::Result<Self> {
        Ok(Self { input: zstd::Decoder::new(input)? })
    }

    /// The next file; `None` at the end of the archive. The content of the one before must have been
    /// read. At the end, the checksum of the archive has been checked.
    pub fn next_file(&mut self) -> io::Result<Option<ArchivedFile>> {
        let mut header = [0; BLOCK];
        self.input.read_exact(&mut header)?;
        if header.iter().all(|byte| *byte == 0) {
            // The second empty block, and the end of the compressed frame with its checksum.
            io::copy(&mut self.input, &mut io::sink())?;
            return Ok(None);
        }
        let is_valid = field(&header, MAGIC).starts_with(b"ustar")
            && octal(field(&header, CHECKSUM)) == Some(checksum(&header));
        let name = std::str::from_utf8(until_zero(field(&header, NAME)));
        match (is_valid, name, number(field(&header, SIZE))) {
            (true, Ok(name), Some(bytes)) => {
                Ok(Some(ArchivedFile { name: name.to_owned(), bytes }))
            }
            _ => Err(io::Error::new(ErrorKind::InvalidData, "a header of the archive is damaged")),
        }
    }

    /// Copies the content of the file that was read last.
    pub fn copy(&mut self, file: &ArchivedFile, out: &mut impl Write) -> io::Result<()> {
        let copied = io::copy(&mut (&mut self.input).take(file.bytes), out)?;
        if copied != file.bytes {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.input.read_exact(&mut [0; BLOCK][..padding(file.bytes)])
    }
}

fn padding(bytes: u64) -> usize {
    let over = usize::try_from(bytes % BLOCK as u64).unwrap_or(0);
    (BLOCK - over) % BLOCK
}

fn field(header: &[u8; BLOCK], (start, length): (usize, usize)) -> &[u8] {
    &header[start..start + length]
}

fn header(name: &str, bytes: u64, time: Millis) -> io::Result<[u8; BLOCK]> {
    let mut header = [0; BLOCK];
    let mut put = |(start, length): (usize, usize), text: &[u8]| -> io::Result<()> {
        let place = header[start..start + length].get_mut(..text.len());
        let too_long = || io::Error::new(ErrorKind::InvalidInput, "the name is too long");
        place.ok_or_else(too_long)?.copy_from_slice(text);
        Ok(())
    };
    put(NAME, name.as_bytes())?;
    put(MODE, b"0000600\0")?;
    let seconds = u64::try_from(time.0 / 1_000).unwrap_or(0);
    for (place, value) in [(SIZE, bytes), (TIME, seconds)] {
        match format!("{value:011o}\0") {
            digits if digits.len() == place.1 => put(place, digits.as_bytes())?,
            // Binary, marked by the first bit.
            _ => put(place, &[&[0x80, 0, 0, 0][..], &value.to_be_bytes()].concat())?,
        }
    }
    put(MAGIC, b"ustar\x0000")?;
    header[KIND] = b'0';
    let sum = format!("{:06o}\0 ", checksum(&header));
    header[CHECKSUM.0..CHECKSUM.0 + CHECKSUM.1].copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// The sum of all bytes of a header, with spaces in the place of the sum.
fn checksum(header: &[u8; BLOCK]) -> u64 {
    let place = CHECKSUM.0..CHECKSUM.0 + CHECKSUM.1;
    let bytes = header.iter().enumerate();
    bytes.map(|(at, byte)| if place.contains(&at) { 32 } else { u64::from(*byte) }).sum()
}

fn until_zero(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(until_zero(field)).ok()?;
    u64::from_str_radix(text.trim(), 8).ok()
}

fn number(field: &[u8]) -> Option<u64> {
    match field.split_first()? {
        (0x80, rest) => Some(u64::from_be_bytes(rest.last_chunk().copied()?)),
        _ => octal(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ArchiveWriter::new(Vec::new(), Millis(1_000)).expect("it starts");
        for (name, content) in files {
            archive.add(name, content.len() as u64, *content).expect("it is added");
        }
        archive.finish().expect("it ends")
    }

    fn unpacked(archive: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let (mut reader, mut files) = (ArchiveReader::new(archive)?, Vec::new());
        while let Some(file) = reader.next_file()? {
            let mut content = Vec::new();
            reader.copy(&file, &mut content)?;
            files.push((file.name, content));
        }
        Ok(files)
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let long = vec![7; 1_000];
        let files: &[(&str, &[u8])] = &[("empty", b""), ("block", &long[..512]), ("long", &long)];
        let expected: Vec<_> =
            files.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect();
        assert_eq!(unpacked(&packed(files)).expect("whole"), expected);
        assert!(
            ArchiveWriter::new(Vec::<u8>::new(), Millis(0))
                .is_ok_and(|mut archive| { archive.add("short", 9, &b"eight..."[..]).is_err() })
        );
    }

    #[test]
    fn truncated_and_damaged_archives_are_errors() {
        let whole = packed(&[("a", &[1; 5_000]), ("b", b"b")]);
        for length in 0..whole.len() {
            assert!(unpacked(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
        }
        let mut damaged = whole;
        // The checksum of the frame.
        *damaged.last_mut().expect("bytes") ^= 1;
        assert!(unpacked(&damaged).is_err());
        assert!(unpacked(b"no archive").is_err());
    }

    #[test]
    fn sizes_beyond_eight_gibibytes_are_binary() {
        for bytes in [0, 1, 0o77_777_777_777, 0o100_000_000_000, 1 << 45] {
            let header = header("trawl.db", bytes, Millis(0)).expect("a header");
            assert_eq!(number(field(&header, SIZE)), Some(bytes));
            assert_eq!(octal(field(&header, CHECKSUM)), Some(checksum(&header)));
        }
        assert!(header(&"n".repeat(101), 1, Millis(0)).is_err());
    }
}
