//! Letters without case and accents.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Passes a letter in lower case and without accents to `push`. `ß`, `æ`, `œ` and `þ` are two
/// letters; letters of scripts other than Latin and Greek are kept.
pub fn fold_letter(letter: char, mut push: impl FnMut(char)) {
    for small in letter.to_lowercase() {
        match small {
            // Combining accents.
            '\u{300}'..='\u{36f}' => {}
            '\u{80}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
                decompose_canonical(small, |part| {
                    if !is_combining_mark(part) {
                        fold_base(part, &mut push);
                    }
                });
            }
            other => fold_base(other, &mut push),
        }
    }
}

/// Passes the base letters of a letter that canonical decomposition does not split.
fn fold_base(letter: char, push: &mut impl FnMut(char)) {
    let plain = match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ð' | 'đ' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' | 'ŀ' => "l",
        'ŉ' => "n",
        'ø' => "o",
        'ŧ' => "t",
        'ς' => "σ",
        'ё' => "е",
        other => return push(other),
    };
    plain.chars().for_each(push);
}

/// The ASCII digit of a decimal digit: Arabic, Persian, Devanagari, Bengali and full-width ones.
pub fn ascii_digit(c: char) -> Option<char> {
    let zeros = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];
    zeros.into_iter().find_map(|zero| char::from_digit(u32::from(c).checked_sub(zero.into())?, 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_other_scripts_are_read() {
        assert_eq!("7٧۷७৭７a".chars().filter_map(ascii_digit).collect::<String>(), "777777");
    }

    #[test]
    fn case_and_accents_are_removed() {
        let fold = |text: &str| {
            let mut folded = String::new();
            text.chars().for_each(|letter| fold_letter(letter, |plain| folded.push(plain)));
            folded
        };
        for (text, folded) in [
            ("Müller-Weiß", "muller-weiss"),
            ("Mu\u{308}ller", "muller"),
            ("Søren Łukasz ÆGIR", "soren lukasz aegir"),
            ("Ǽlfric Ǿrsted", "aelfric orsted"),
            ("İstanbul ışık", "istanbul isik"),
            ("Nguyễn Văn Đức", "nguyen van duc"),
            ("Ελένη Παπαδάκης", "ελενη παπαδακησ"),
            ("Семёнов Андрей", "семенов андрей"),
            ("山田 が", "山田 が"),
        ] {
            assert_eq!(fold(text), folded);
        }
    }
}
