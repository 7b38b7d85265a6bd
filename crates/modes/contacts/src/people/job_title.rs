//! Recognises job titles: their seniority, and whether their holder represents the company by
//! law.

use contract::Seniority;

use super::name::fold;
use text::vocabulary::{TermList, TermSet, TermTable};

pub(super) mod department;
pub(super) mod label;

/// Maximum length of a title in bytes and in words.
const MAX_BYTES: usize = 110;
const MAX_WORDS: usize = 13;

/// The meaning of a job title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JobTitle {
    pub seniority: Seniority,
    /// The holder represents the company by law.
    pub represents: bool,
}

static EXECUTIVE: TermSet = word_set!("titles/executive.txt");
static HEAD: TermSet = word_set!("titles/head.txt");
static STAFF: TermSet = word_set!("titles/staff.txt");
static HELPERS: TermSet = word_set!("titles/assistants.txt");
static TASKS: TermSet = word_set!("titles/tasks.txt");
static PARTS: TermSet = word_set!("titles/departments_in_titles.txt");
static ENDINGS: TermList = phrase_list!("titles/endings.txt");

static SENTENCE_WORDS: TermSet = word_set!("titles/sentence_words.txt");

static JOB_AD_MARKS: TermList = phrase_list!("titles/job_ad_marks.txt");
static SUPERVISORY: TermList = phrase_list!("titles/supervisory.txt");
static EXECUTIVE_PHRASES: TermList = phrase_list!("titles/executive_phrases.txt");
static PARTNERS: TermSet = phrase_set!("titles/partners.txt");
static CRAFTS: TermSet = word_set!("titles/crafts.txt");
static CRAFTS_ALONE: TermSet = term_group!("titles/craft_words.tsv", "alone");
static CRAFTS_BESIDE_OTHERS: TermSet = term_group!("titles/craft_words.tsv", "beside_others");
static SERVICE_WORDS: TermSet = term_group!("titles/craft_words.tsv", "of_a_service");
static CRAFT_PHRASES: TermList = term_group!("titles/craft_words.tsv", "phrase");
static HEAD_PHRASES: TermList = term_group!("titles/craft_words.tsv", "head");
static BOARD_MEMBERS: TermSet = term_group!("titles/board_words.tsv", "member");
static BOARD_CHAIRS: TermSet = term_group!("titles/board_words.tsv", "chair");
static BOARDS: TermList = term_group!("titles/board_words.tsv", "board");
static COUNCILS: TermList = term_group!("titles/board_words.tsv", "council");
static NO_REPRESENTATIVES: TermList = phrase_list!("titles/no_representatives.txt");
static REPRESENTATIVES: TermSet = phrase_set!("titles/representatives_whole.txt");
static REPRESENTATIVE_WORDS: TermSet = word_set!("titles/representative_words.txt");
static REPRESENTATIVE_PHRASES: TermList = phrase_list!("titles/representative_phrases.txt");
static REPRESENTATIVE_PAIRS: TermTable<2> = term_table!("titles/representative_pairs.tsv");
static EXECUTIVE_ENDINGS: TermSet = word_set!("titles/executive_endings.txt");
static HEAD_ENDINGS: TermSet = word_set!("titles/head_endings.txt");
static ASSISTANT_ENDINGS: TermSet = word_set!("titles/assistant_endings.txt");
static TASK_BEGINNINGS: TermSet = word_set!("titles/task_beginnings.txt");
static DIRECTOR_BEGINNINGS: TermSet = word_set!("titles/director_beginnings.txt");

/// The words of a text, folded and split at everything that is no letter or digit.
pub(super) fn folded_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(40)
        .map(str::to_owned)
        .collect()
}

/// Whether a text has a word that no title has.
pub(super) fn is_sentence(text: &str) -> bool {
    has(&SENTENCE_WORDS, &folded_words(text))
}

pub(crate) fn parse(text: &str) -> Option<JobTitle> {
    let text = text.trim();
    if text.len() > MAX_BYTES
        || text.len() < 2
        || text.contains(['@', '?', '!', '“', '"', '„', '»', ';'])
    {
        return None;
    }
    if text.bytes().filter(u8::is_ascii_digit).count() > 2
        || !text.starts_with(|c: char| c.is_alphanumeric() || c == '(')
    {
        return None;
    }
    let lower = text.to_lowercase();
    if JOB_AD_MARKS.iter().any(|ad| lower.contains(ad)) {
        return None;
    }
    let words = folded_words(text);
    if words.is_empty() || words.len() > MAX_WORDS || has(&SENTENCE_WORDS, &words) {
        return None;
    }
    // A full stop ends a sentence, unless it belongs to an abbreviation.
    if text.contains(". ") && words.len() > 7 {
        return None;
    }
    let seniority = seniority(&words)?;
    Some(JobTitle { seniority, represents: represents(text, &words) })
}

fn has(set: &TermSet, words: &[String]) -> bool {
    words.iter().any(|word| set.contains(word.as_str()))
}

fn begins_in(word: &str, list: &TermSet) -> bool {
    list.iter().any(|start| word.starts_with(start))
}

fn ends_in(word: &str, list: &TermSet) -> bool {
    list.iter().any(|end| word.ends_with(end))
}

fn ends_as_title(word: &str) -> bool {
    word.len() > 6 && ENDINGS.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end))
}

fn seniority(words: &[String]) -> Option<Seniority> {
    let joined = words.join(" ");
    let compound = words.iter().find(|word| ends_as_title(word)).map(String::as_str);
    let known =
        has(&EXECUTIVE, words) || has(&HEAD, words) || has(&STAFF, words) || compound.is_some();
    if !known {
        return None;
    }
    // A member of a board has an office; a member of a team has none.
    let is_of_board = || BOARDS.iter().chain(COUNCILS.iter()).any(|part| joined.contains(part));
    if has(&BOARD_MEMBERS, words) && !is_of_board() {
        return Some(Seniority::Staff);
    }
    let helper = words.iter().take(2).any(|word| HELPERS.contains(word.as_str()))
        || words.iter().any(|word| ends_in(word, &ASSISTANT_ENDINGS));
    if helper && !joined.contains("secretary general") && !joined.contains("secretaire general") {
        return Some(Seniority::Staff);
    }
    if SUPERVISORY.iter().any(|part| joined.contains(part)) {
        return Some(Seniority::Staff);
    }
    // Partners own the firm that they work in.
    if EXECUTIVE_PHRASES.iter().any(|phrase| joined.contains(phrase))
        || PARTNERS.contains(joined.as_str())
    {
        return Some(Seniority::Executive);
    }
    let leads_part = has(&PARTS, words);
    let task = has(&TASKS, words) || words.iter().any(|word| begins_in(word, &TASK_BEGINNINGS));
    let runs = words.iter().find(|word| EXECUTIVE.contains(word.as_str()));
    if let Some(word) = runs {
        let directs =
            begins_in(word, &DIRECTOR_BEGINNINGS) || matches!(word.as_str(), "president" | "vp");
        // A title with two offices has the seniority of the higher one.
        let other = words.iter().any(|other| {
            other != word && EXECUTIVE.contains(other.as_str()) && !other.starts_with("dire")
        });
        if directs && leads_part && !other && !matches!(word.as_str(), "vp" | "president") {
            return Some(Seniority::Head);
        }
        if directs && task && !other {
            return Some(Seniority::Staff);
        }
        return Some(Seniority::Executive);
    }
    if let Some(word) = compound {
        if ends_in(word, &EXECUTIVE_ENDINGS) || word.starts_with("geschaftsfuhr") {
            return Some(Seniority::Executive);
        }
        if ends_in(word, &HEAD_ENDINGS) {
            return Some(if task { Seniority::Staff } else { Seniority::Head });
        }
    }
    if has(&HEAD, words) {
        let craft = has(&CRAFTS, words);
        let alone = words.len() == 1 && craft && CRAFTS_ALONE.contains(words[0].as_str());
        let beside_others = has(&CRAFTS_BESIDE_OTHERS, words) && !has(&SERVICE_WORDS, words);
        let contains = |phrases: &TermList| phrases.iter().any(|phrase| joined.contains(phrase));
        let is_craft = (task && !contains(&HEAD_PHRASES) && craft)
            || alone
            || beside_others
            || contains(&CRAFT_PHRASES);
        return Some(if is_craft { Seniority::Staff } else { Seniority::Head });
    }
    Some(Seniority::Staff)
}

/// Whether the holder of a title represents the company by law.
///
/// Managing directors and boards do, and owners and partners of firms without a board. A
/// Prokurist acts by a power of attorney, a supervisory board represents only against the
/// management, and "CEO" has no legal meaning: they count only if a label says so.
fn represents(text: &str, words: &[String]) -> bool {
    let joined = words.join(" ");
    if has(&HELPERS, words) || NO_REPRESENTATIVES.iter().any(|part| joined.contains(part)) {
        return false;
    }
    let starts = |start: &str| words.iter().any(|word| word.starts_with(start));
    let has_one_of = |known: &str| known.split(' ').any(|one| words.iter().any(|word| word == one));
    let bare_director =
        REPRESENTATIVES.contains(joined.as_str()) && (joined != "president" || text.contains('é'));
    bare_director
        || has(&REPRESENTATIVE_WORDS, words)
        || REPRESENTATIVE_PHRASES.iter().any(|phrase| joined.contains(phrase))
        || REPRESENTATIVE_PAIRS.iter().any(|[one, other]| has_one_of(one) && has_one_of(other))
        || starts("geschaftsfuhrer")
        || starts("geschaftsfuhrend")
        || ((has(&BOARD_CHAIRS, words) || has(&BOARD_MEMBERS, words))
            && BOARDS.iter().any(|board| starts(board)))
}

#[cfg(test)]
mod tests;
