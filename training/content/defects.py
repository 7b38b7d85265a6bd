"""Counts defects of the Markdown of real pages.

    defects.py DATA --list | trawl extract --mode markdown --batch > records.jsonl
    defects.py DATA records.jsonl [--show DEFECT]

DATA has the form of WCXB (README.md). A line of the output is a defect, the pages with it, and how often it occurs;
`--show` prints the places of one. A count is a suspicion: some pages contain what is counted, for example stars.
"""

import gzip
import html
import json
import re
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit

WORD = re.compile(r"\w+")
LINK = re.compile(r"(!?)\[((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]\(((?:[^()\\\s]|\\.|\([^()\s]*\))*)(?:\s+\"(?:[^\"\\]|\\.)*\")?\)")
IMAGE = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^)\s]*(?: \"[^\"]*\")?\)")
FENCE = re.compile(r"^\s*(?:[->*\d.)]+\s+)*(`{3,}|~{3,})(.*)$")
ATTRIBUTE = re.compile(rb"""href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.I)
# Names of icons that are text of a web font.
ICONS = re.compile(
    r"\b(?:keyboard_arrow_\w+|arrow_(?:forward|back|drop_down|upward|downward|right\w*)|chevron_(?:left|right)|expand_(?:more|less)"
    r"|content_copy|more_(?:vert|horiz)|play_arrow|open_in_new|navigate_(?:next|before)|check_circle\w*)\b"
)
LANGUAGE_CLASS = re.compile(r"<(?:pre|code)\b[^>]*\b(?:lang(?:uage)?-|highlight-source-|data-lang\w*=[\"']?|brush:\s*)([a-z][\w+#]*)", re.I)


def letters(text):
    return "".join(WORD.findall(html.unescape(text).lower()))


def parts(markdown):
    """The lines outside of code, and the code blocks as (language, lines)."""
    lines, blocks, fence = [], [], None
    for line in markdown.split("\n"):
        found = FENCE.match(line)
        if fence is None and found:
            fence, language, code = found[1], found[2].strip(), []
        elif fence is not None and found and found[1].startswith(fence) and not found[2].strip():
            blocks.append((language, code))
            fence = None
        elif fence is not None:
            code.append(line)
        else:
            lines.append(line)
    return lines, blocks


def tables(lines):
    found, rows = [], []
    for line in lines + [""]:
        bare = line.lstrip("> -*").strip()
        if bare.startswith("|") and bare.endswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", bare[1:-1])])
        elif rows:
            if len(rows) > 1:
                found.append(rows)
            rows = []
    return found


def defects(record, page):
    """Pairs of a defect and its place."""
    markdown, title = record["markdown"], record.get("title") or ""
    lines, blocks = parts(markdown)
    text = "\n".join(lines)
    headings = [(len(m[1]), m[2].strip()) for line in lines if (m := re.match(r"(#{1,6}) (.*)", line))]
    plain = [re.sub(r"^[\s>#*+-]+|[*_`\\]", "", LINK.sub(r"\2", IMAGE.sub("", line))).strip() for line in lines]

    tops = [heading for level, heading in headings if level == 1]
    source = html.unescape(page)
    own = [re.sub(r"<[^>]*>", " ", h1) for h1 in re.findall(r"<h1\b[^>]*>(.*?)</h1\s*>", page, re.S | re.I)[:5]]
    own = [" ".join(html.unescape(h1).split()) for h1 in own]
    own = [h1 for h1 in own if letters(h1)]
    is_title = [h1 for h1 in own if letters(h1) and letters(h1) in letters(title) or letters(title) and letters(title) in letters(h1)]
    if markdown and not tops and is_title:
        yield "no h1 although the page has its title as one", is_title[0]
    if len(tops) != len({letters(top) for top in tops}):
        yield "two h1 with the same text", tops[0]
    names = [letters(heading) for _, heading in headings]
    if tops and names.count(letters(tops[0])) > 1:
        yield "title repeated as a heading", tops[0]
    if tops:
        at = next(at for at, line in enumerate(lines) if line.startswith("# "))
        for near in plain[max(0, at - 6) : at] + plain[at + 1 : at + 7]:
            if letters(near) and letters(near) == letters(tops[0]):
                yield "title repeated beside the h1", near

    # Headings with nothing below them.
    filled = [line for line in lines if line.strip()]
    for at, line in enumerate(filled):
        level = len(line) - len(line.lstrip("#"))
        if not re.match(r"#{1,6} ", line):
            continue
        after = filled[at + 1] if at + 1 < len(filled) else None
        following = len(after) - len(after.lstrip("#")) if after and re.match(r"#{1,6} ", after) else 7
        # Code is not in the lines.
        place = markdown.find(line + "\n")
        code_follows = place >= 0 and re.match(r"\s*(?:```|~~~)", markdown[place + len(line) :])
        if (after is None or following < level) and not code_follows:
            yield "heading without text", line
        elif following == level and not code_follows and "](" not in line:
            yield "heading before another one of its level", line

    addresses = {}
    for found in ATTRIBUTE.findall(page.encode()):
        href = html.unescape(next(part for part in found if part or part is found[2]).decode("utf-8", "replace")).strip()
        if "?" in href:
            try:
                split = urlsplit(urljoin(record["url"], href))
                pairs = tuple(parse_qsl(split.query, keep_blank_values=True))
            except ValueError:
                continue
            addresses.setdefault((split.netloc, split.path, tuple(sorted(pairs))), set()).add(pairs)
    for image, words, target in LINK.findall(text):
        if not image and not re.match(r"[a-z][a-z0-9+.-]*:", target, re.I):
            yield "relative link", target
        if re.match(r"(?:javascript|data|about):", target, re.I):
            yield "link that leads nowhere", target
        if not image and not WORD.search(words.replace("![", "")) and "![" not in words:
            yield "link without words", f"[{words}]({target})"
        if not image and re.fullmatch(r"\\?\[?\^?\d{1,3}\\?\]?", words.strip()) and "#" in target and re.search(r"note|ref|fn", target.split("#")[-1]):
            yield "footnote as a link", f"[{words}]({target})"
        if not image and "?" in target:
            try:
                split = urlsplit(html.unescape(target))
                pairs = tuple(parse_qsl(split.query, keep_blank_values=True))
            except ValueError:
                continue
            known = addresses.get((split.netloc, split.path, tuple(sorted(pairs))))
            if known and pairs not in known:
                yield "query parameters in another order", target
    spread = [line for line in filled if re.search(r"\]\($|\[$", line)]
    for line in spread:
        yield "link over several lines", line

    for sign in set(re.findall(r"\[\^([^\]\s]+)\](?!:)", text)):
        if f"[^{sign}]:" not in text:
            yield "footnote without its text", sign
    for sign in set(re.findall(r"^\s*\[\^([^\]\s]+)\]:", text, re.M)):
        if len(re.findall(rf"\[\^{re.escape(sign)}\](?!:)", text)) == 0:
            yield "footnote without a reference", sign
    for found in re.findall(r"\w\^?\\?\[(?:\d{1,3}|[a-z]|note \d+)\\?\]\^?", LINK.sub(r"\2", text)):
        yield "number of a reference in the text", found
    for found in re.findall(r"\\?\[ ?\\?\[?(?:edit|edit source|bearbeiten|modifier|editar)(?: \| [^\]]*)?\\?\]", text, re.I):
        yield "[edit] of a wiki", found

    for rows in tables(lines):
        if not any(rows[0]):
            yield "table with an empty header", " | ".join(rows[2] if len(rows) > 2 else [])[:80]
        if len({len(row) for row in rows}) > 1:
            yield "table with rows of different lengths", " | ".join(rows[0])[:80]
        if len(rows[0]) == 1:
            yield "table with one column", rows[0][0][:80] or rows[-1][0][:80]
        if len(rows) < 3:
            yield "table without rows", " | ".join(rows[0])[:80]
    for language, code in blocks:
        said = [line for line in code if line.strip()]
        if len(said) >= 8 and sum(len(line.split()) == 1 for line in said) >= 0.7 * len(said) and max(map(len, said)) < 40:
            yield "code with a token per line", " ".join(line.strip() for line in said[:8])[:80]
        if len(said) >= 4 and all(re.match(r"\s*\d+\b", line) for line in said):
            yield "code with line numbers", said[0][:80]
    if blocks and not any(language for language, _ in blocks) and (found := LANGUAGE_CLASS.search(page)):
        if found[1].lower() not in ("none", "plaintext", "text", "plain", "txt", "en", "us"):
            yield "no language although the page names one", found[0][-60:]

    math = re.search(r"type=[\"']math/tex|<mjx-container|<math\b|class=[\"'][^\"']*\bkatex\b", page)
    if math and "$" not in markdown:
        yield "page with formulas without one", math[0]
    for found in re.findall(r"(?<!\\)\\\\\(.{1,60}", text):
        yield "formula as text", found
    for found in re.findall(r"\\frac|\\begin\\?\{|\\mathbb|\\sum_", re.sub(r"\$[^$]+\$", "", text)):
        yield "TeX outside of a formula", found

    for found in re.findall(r"[\ue000-\uf8ff]", text):
        yield "sign of an icon font", hex(ord(found))
    for found in ICONS.findall(text):
        yield "name of an icon", found
    for found in re.findall(r"[★☆⭐]{3,}", text):
        yield "stars", found
    for found in re.findall(r"&(?:amp|nbsp|quot|lt|gt|#\d+);", text.replace("\\&", "")):
        yield "character reference", found
    for found in re.findall(r"<(?:div|span|p|script|style|img|iframe|li|ul)\b[^>]{0,60}>", re.sub(r"`[^`]*`|\\<", "", text)):
        yield "HTML tag", found
    for found in re.findall(r"\[/?(?:vc_|et_pb_|caption|embed|gallery|su_)[a-z_]*[^\]]{0,40}\]", text.replace("\\", "")):
        yield "shortcode", found
    for at, line in enumerate(filled[:-1]):
        one = re.sub(r"^[\s>#*+-]+", "", line)
        if len(one) > 30 and filled[at + 1] == line and "|" not in line and IMAGE.sub("", line).strip():
            yield "line twice in a row", line[:80]
    # Two words that are one in the text and nowhere so in the page.
    glued = set(re.findall(r"\b[a-z]{3,}[.!?:]?[A-Z][a-z]{3,}\b", LINK.sub(r"\2", re.sub(r"`[^`]*`|https?:\S+", "", text))))
    for word in glued:
        if word not in source:
            yield "words without a space between them", word
    # Text of pop-ups.
    for found in re.findall(r"<(\w+)\b[^>]*(?:role=[\"']tooltip|class=[\"'][^\"']*\btooltip(?:-?text|-?content|-?inner|-?bubble)\b)[^>]*>([^<]{12,200})", page):
        words = " ".join(html.unescape(found[1]).split())
        if len(words) > 12 and letters(words) in letters(text):
            yield "text of a pop-up", words[:80]
    depth = 0
    for line in lines:
        if found := re.match(r"( *)(?:[-*]|\d+[.)]) ", line):
            depth = max(depth, len(found[1]))
    if depth > 24:
        yield "list nested deeper than twelve levels", str(depth)
    for line in filled:
        if re.fullmatch(r"\s*(?:[-*+]|\d+[.)])\s*", line):
            yield "empty list item", line
        if re.match(r"\s*(?:[-*+]) [•·●▪◦–—] ", line):
            yield "two bullets", line[:60]


def entries(data):
    for truth in sorted((data / "ground-truth").glob("*.json")):
        url = json.loads(truth.read_text()).get("url") or f"https://page.example/{truth.stem}"
        yield url, data / "html" / f"{truth.stem}.html.gz"


def main():
    data = Path(sys.argv[1])
    if sys.argv[2] == "--list":
        for url, file in entries(data):
            print(json.dumps({"url": url, "file": str(file.resolve())}))
        return
    show = sys.argv[4] if len(sys.argv) > 4 else None
    pages, times, count = Counter(), Counter(), Counter()
    with open(sys.argv[2]) as records:
        for (url, file), line in zip(entries(data), records, strict=True):
            record = json.loads(line)
            if "markdown" not in record:
                count["pages without a record"] += 1
                continue
            record["url"] = url
            page = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
            found = Counter()
            for defect, place in defects(record, page):
                found[defect] += 1
                if defect == show:
                    print(f"{file.stem[:4]}: {place}")
            times += found
            pages.update(found.keys())
            lines = record["markdown"].split("\n")
            count["pages"] += 1
            count["pages with an h1"] += any(line.startswith("# ") for line in lines)
            count["headings"] += sum(bool(re.match(r"#{1,6} ", line)) for line in lines)
            count["tables"] += len(tables(parts(record["markdown"])[0]))
            count["code blocks"] += len(parts(record["markdown"])[1])
            count["code blocks with a language"] += sum(bool(block[0]) for block in parts(record["markdown"])[1])
            count["bytes"] += len(record["markdown"].encode())
            count["bytes of link targets"] += sum(len(target.encode()) for _, _, target in LINK.findall(record["markdown"]))
    if show is None:
        for name, number in count.items():
            print(f"{number:>9}  {name}")
        print("    pages    times  defect")
        for defect, number in times.most_common():
            print(f"{pages[defect]:>9}{number:>9}  {defect}")


if __name__ == "__main__":
    main()
