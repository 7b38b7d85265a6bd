//! How a block is worded: counts of its words and signs, and the hashes of its words.
//!
//! One pass over the text. A word is a run of letters, digits and underscores; of scripts
//! that are written without spaces every character is a word.

use std::sync::LazyLock;

use super::tokens::WordHash;

/// What is counted in the text of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Wording {
    pub words: u32,
    pub link_words: u32,
    /// Characters, signs and spaces included.
    pub characters: u32,
    /// Full stops, exclamation and question marks.
    pub sentence_ends: u32,
    pub digits: u32,
    pub stop_words: u32,
    /// A sign of money stands beside a number.
    pub has_price: bool,
}

/// How a stretch of the text stands on the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    /// Just behind its last byte.
    pub end: usize,
    pub in_link: bool,
}

/// Characters that go on a word: 1 a letter or underscore, 2 a digit; 0 for others.
const CLASS: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => 1,
            b'0'..=b'9' => 2,
            _ => 0,
        };
        byte += 1;
    }
    table
};

impl Wording {
    /// The share of its words that are links.
    pub fn link_share(&self) -> f32 {
        self.link_words as f32 / self.words.max(1) as f32
    }

    /// Ends of sentences for each word.
    pub fn sentence_share(&self) -> f32 {
        self.sentence_ends as f32 / self.words.max(1) as f32
    }

    /// Counts in a text with collapsed white space, whose stretches follow each other. The
    /// hashes of its words go to `hashes`.
    pub fn read(text: &str, stretches: &[Stretch], hashes: &mut Vec<u32>) -> Self {
        hashes.clear();
        let mut reader = Reader { wording: Self::default(), hashes, hash: None, stretches };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte < 0x80 {
                match CLASS[usize::from(byte)] {
                    0 => {
                        reader.sign(byte);
                        at += 1;
                    }
                    _ => at += reader.ascii(&bytes[at..], at),
                }
                continue;
            }
            let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                break;
            };
            reader.wording.characters += 1;
            reader.wide(character, at);
            at += character.len_utf8();
        }
        reader.end_word();
        let mut wording = reader.wording;
        wording.has_price = has_price(text);
        wording
    }
}

struct Reader<'a> {
    wording: Wording,
    hashes: &'a mut Vec<u32>,
    /// Of the word that is being read.
    hash: Option<WordHash>,
    stretches: &'a [Stretch],
}

impl Reader<'_> {
    /// The letters and digits that a text begins with; it tells how many they are.
    #[inline]
    fn ascii(&mut self, text: &[u8], at: usize) -> usize {
        if self.hash.is_none() {
            self.begin_word(at);
        }
        let mut hash = self.hash.unwrap_or(WordHash::new());
        let (mut length, mut digits) = (0, 0);
        for byte in text {
            let class = CLASS.get(usize::from(*byte)).copied().unwrap_or(0);
            if class == 0 {
                break;
            }
            digits += u32::from(class == 2);
            hash.push(u32::from(byte.to_ascii_lowercase()));
            length += 1;
        }
        self.hash = Some(hash);
        self.wording.digits += digits;
        self.wording.characters += length;
        length as usize
    }

    #[inline]
    fn sign(&mut self, byte: u8) {
        self.end_word();
        self.wording.characters += 1;
        self.wording.sentence_ends += u32::from(matches!(byte, b'.' | b'!' | b'?'));
    }

    /// A character beyond ASCII.
    fn wide(&mut self, character: char, at: usize) {
        if !character.is_alphanumeric() {
            self.end_word();
            self.wording.sentence_ends += u32::from(matches!(character, '。' | '！' | '？'));
            return;
        }
        if is_written_without_spaces(character) {
            self.end_word();
            self.letter(character.into(), at);
            self.end_word();
            return;
        }
        self.wording.digits += u32::from(character.is_numeric());
        let small = character.to_lowercase().next().unwrap_or(character);
        self.letter(small.into(), at);
    }

    #[inline]
    fn letter(&mut self, small: u32, at: usize) {
        if self.hash.is_none() {
            self.begin_word(at);
        }
        if let Some(hash) = &mut self.hash {
            hash.push(small);
        }
    }

    fn begin_word(&mut self, at: usize) {
        self.hash = Some(WordHash::new());
        self.wording.words += 1;
        while let Some((first, rest)) = self.stretches.split_first() {
            if at < first.end || rest.is_empty() {
                self.wording.link_words += u32::from(first.in_link);
                break;
            }
            self.stretches = rest;
        }
    }

    #[inline]
    fn end_word(&mut self) {
        if let Some(hash) = self.hash.take() {
            let hash = hash.finish();
            self.wording.stop_words += u32::from(is_stop_word(hash));
            self.hashes.push(hash);
        }
    }
}

/// Whether words of its script stand without spaces between them.
fn is_written_without_spaces(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff)
}

/// Whether a sign of money stands right before or behind a digit.
fn has_price(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b'$', 0xc2, 0xe2, bytes).any(|at| {
        let length = match (bytes[at], bytes.get(at + 1..at + 3)) {
            (b'$', _) => 1,
            // £ and ¥.
            (0xc2, Some([0xa3 | 0xa5, ..])) => 2,
            // The signs from U+20A0 on, € among them.
            (0xe2, Some([0x82, 0xa0..=0xbf])) => 3,
            _ => return false,
        };
        let behind = bytes.get(at + length..).unwrap_or_default();
        let behind = behind.strip_prefix(b" ").unwrap_or(behind);
        let before = bytes.get(..at).unwrap_or_default();
        let before = before.strip_suffix(b" ").unwrap_or(before);
        behind.first().is_some_and(u8::is_ascii_digit)
            || before.last().is_some_and(u8::is_ascii_digit)
    })
}

/// Words that any prose is full of, in the languages that most pages are written in.
const STOP_WORDS: &str = "the of and to in a is that for it as was with be by on not he his but at \
    are this have from or had an they which one you were all her she there would their we him \
    been has when who will no more if out so up said what its about than into them can only \
    other some could these two may first then do any my now such like our over me even most \
    made after also did many before must through where much your down should because each just \
    those how too very still own between both being under never same another while us might \
    since against de la el en y que los las un una por con para es se lo su al der die und das \
    den von zu mit ist auf für im ein eine nicht sich des dem le les et du dans il pour pas qui \
    sur au ne ce plus di che è per non una del della si da sono come van het een dat op te zijn \
    niet met voor och att det som på är av för em um os não uma w na z do się jest и в не на что \
    с по это как я он";

/// One bit for each hash that ends in its place.
static STOP_BITS: LazyLock<Box<[u64; 1024]>> = LazyLock::new(|| {
    let mut bits = Box::new([0; 1024]);
    for word in STOP_WORDS.split_ascii_whitespace() {
        let hash = WordHash::of(word);
        bits[(hash >> 22) as usize] |= 1 << ((hash >> 16) & 63);
    }
    bits
});

#[inline]
fn is_stop_word(hash: u32) -> bool {
    STOP_BITS[(hash >> 22) as usize] >> ((hash >> 16) & 63) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Wording {
        Wording::read(text, &[], &mut Vec::new())
    }

    #[test]
    fn words_and_signs_are_counted() {
        let wording = read("The price, of one TV, is $ 299. Buy!");
        assert_eq!((wording.words, wording.sentence_ends, wording.digits), (8, 2, 3));
        assert!(wording.has_price);
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words() {
        assert_eq!(read("東京都 Tokyo").words, 4);
        assert_eq!(read("Größe über Ångström").words, 3);
    }

    #[test]
    fn the_case_of_a_word_does_not_matter() {
        let hashes = |text| {
            let mut hashes = Vec::new();
            Wording::read(text, &[], &mut hashes);
            hashes
        };
        assert_eq!(hashes("ÄPFEL And"), hashes("äpfel and"));
        assert_eq!(hashes("and"), [WordHash::of("and")]);
    }

    #[test]
    fn words_of_links_are_told_from_others() {
        let stretches = [Stretch { end: 4, in_link: false }, Stretch { end: 12, in_link: true }];
        let wording = Wording::read("see the page", &stretches, &mut Vec::new());
        assert_eq!((wording.words, wording.link_words), (3, 2));
    }
}
