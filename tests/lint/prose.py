"""prose.py: counts riddles, long sentences and wide lines, and holds them against a budget.

Reads the names of files from its standard input; prose.sh says how it is called.  What is read of a
file is the text of a Markdown file without its code, and of a source file its comments.  The comment
at the head of a file and those inside it count in two groups.  Lines of a comment that are indented
by four blanks or more are formulas or pictures, not sentences.

LIX (C.-H. Bjoernsson, 1968) is the mean number of words of a sentence plus the percentage of words of
more than six letters: 40 is a newspaper, 60 is a law.  A colon ends a sentence, as LIX wants it.
"""

import os
import re
import sys

FOLDER = "tests/lint"
WORDS_MAX = 30
COLUMNS_MAX = 100
NAMES = ("riddles", "long", "wide", "lix")
LIX_SLACK = 2  # what a few sentences more may do to the index of a group
LIX_EASY = 30  # no budget is less: such a text is easy
UNLISTED = "unlisted"  # the row that holds for a group without a row of its own

CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
SENTENCE = re.compile(r"(?<=[.?!:])(?:[*\")]*)\s+")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|etc|vs|Fig|fig|eq|sec|al|No|St)\.\s")
# Not in a string, and not in a formula such as "a /* b".
COMMENT_BEGIN = re.compile(r'^(?:[^"\'/]|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/(?![*/]))*(?P<mark>/\*)')
BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,2}\.)\s+")


def group_of(path):
    """The name of the budget's row: a Markdown file itself, a source file's folder."""
    if path.endswith(".md"):
        return path
    parts = path.split("/")
    deep = parts[0] in ("engine", "server", "clients")
    return "/".join(parts[:2] if deep and len(parts) > 2 else parts[:1])


def plain(text):
    """A paragraph without the marks of Markdown; code and formulas count as one word."""
    text = LINK.sub(r"\1", CODE.sub("code", text))
    return ABBREVIATION.sub(r"\1 ", text.replace("**", "").replace("*", "").replace("\\", ""))


def sentences(paragraph):
    """Yields (line, sentence) of a paragraph given as [(line, text)]."""
    line = paragraph[0][0]
    whole = plain(" ".join(text.strip() for _, text in paragraph))
    for sentence in SENTENCE.split(whole):
        if sentence.strip():
            yield line, sentence.strip()


def markdown(lines):
    """Yields ("prose" or "cell" or "wide", line, text) of a Markdown file."""
    paragraph, fenced = [], False

    def flush():
        nonlocal paragraph
        found = list(sentences(paragraph)) if paragraph else []
        paragraph = []
        return [("prose", line, text) for line, text in found]

    for number, line in enumerate(lines, 1):
        is_fence = line.lstrip().startswith("```")
        is_code = fenced or (line.startswith("    ") and not paragraph)
        if is_fence:
            fenced = not fenced
        if is_fence or is_code or not line.strip() or line.startswith("#"):
            yield from flush()
            continue
        if line.lstrip().startswith("|"):
            yield from flush()
            if len(line) > COLUMNS_MAX:
                yield "wide", number, line
            for cell in CODE.sub("code", line).strip().strip("|").split("|"):
                for _, text in sentences([(number, cell)]):
                    yield "cell", number, text
            continue
        if len(line) > COLUMNS_MAX:
            yield "column", number, line
        if BULLET.match(line):
            yield from flush()
        paragraph.append((number, BULLET.sub("", line, count=1)))
    yield from flush()


def comment_text(line):
    """A line of a comment without the marks of a comment."""
    return re.sub(r"^\s*/?\*+/?|^\s*//|\*/.*$", "", line)


def comment_prose(lines):
    """Yields ("prose", line, text) of a comment given as [(line, text)], without its marks."""
    paragraph = []
    for number, text in [*lines, (0, "")]:
        item = BULLET.match(text)
        if not text.strip() or text.startswith("     ") or item:
            yield from [("prose", *found) for found in sentences(paragraph)] if paragraph else ()
            paragraph = []
        if text.strip() and not text.startswith("     "):
            paragraph.append((number, BULLET.sub("", text, count=1) if item else text))


def comments(lines):
    """Yields each comment of a source file as [(line, text)]; code before a comment is skipped."""
    found, in_block = [], False
    for number, line in enumerate(lines, 1):
        is_slashes = not in_block and re.match(r"\s*//", line)
        begin = None if in_block or is_slashes else COMMENT_BEGIN.search(line)
        if found and not in_block and not is_slashes:
            yield found
            found = []
        if begin:
            in_block, line = True, line[begin.start("mark"):]
        if in_block or is_slashes:
            found.append((number, comment_text(line)))
        in_block = in_block and "*/" not in line
    if found:
        yield found


def source(lines):
    """Yields ("head" or "inside", line, text) of the sentences in a source file's comments."""
    for found in comments(lines):
        is_head = found[0][0] == 1
        if is_head:
            found[0] = (1, re.sub(r"^\s*[\w.-]+\.(?:[ch]|tsx?): ", " ", found[0][1]))
        for _, line, text in comment_prose(found):
            yield "head" if is_head else "inside", line, text


def riddles():
    """The table: [(pattern, what to write instead)]."""
    found = []
    with open(f"{FOLDER}/prose_riddles.txt", encoding="utf-8") as table:
        for line in table:
            if line.strip() and not line.startswith("#"):
                pattern, instead = line.rstrip("\n").split(" => ")
                found.append((re.compile(pattern), instead))
    return found


class Group:
    """What is counted of one group."""

    def __init__(self):
        self.found = {name: [] for name in NAMES[:3]}
        self.columns = []
        self.words = self.sentences = self.letters = 0

    def take(self, path, kind, line, text, table):
        where = f"{path}:{line}"
        if kind == "wide":
            self.found["wide"].append(f"{where}: a row of {len(text)} columns")
            return
        if kind == "column":
            self.columns.append(f"{where}: {len(text)} columns; {COLUMNS_MAX} are the limit")
            return
        for pattern, instead in table:
            match = pattern.search(text)
            # A title in a table or an index may begin with a question's word.
            if match and (kind == "prose" or not pattern.pattern.startswith("^")):
                self.found["riddles"].append(f'{where}: "{match[0].strip()}": {instead}')
        words = WORD.findall(text)
        if len(words) > WORDS_MAX:
            begin = " ".join(words[:8])
            self.found["long"].append(f"{where}: {len(words)} words in a sentence: {begin} ...")
        if kind == "prose" and len(words) > 1:
            self.sentences += 1
            self.words += len(words)
            self.letters += sum(len(word) > 6 for word in words)

    def numbers(self):
        """riddles, long, wide, lix; LIX is rounded up, so that a word more seldom matters."""
        lix = 0
        if self.sentences >= 10:
            lix = -(-(self.words * self.words + 100 * self.letters * self.sentences)
                    // (self.sentences * self.words))
        return [len(self.found[name]) for name in NAMES[:3]] + [lix]


def read(paths):
    groups, table = {}, riddles()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        name = group_of(path)
        groups.setdefault(name, Group())
        if path.endswith(".md"):
            for kind, line, text in markdown(lines):
                groups[name].take(path, kind, line, text, table)
            continue
        for place, line, text in source(lines):
            group = groups.setdefault(name if place == "head" else f"{name}:inside", Group())
            group.take(path, "prose", line, text, table)
    return groups


def budgets():
    """The comments of the table, and {group: [riddles, long, wide, lix]}."""
    head, rows = [], {}
    with open(f"{FOLDER}/prose_budget.txt", encoding="utf-8") as table:
        for line in table:
            if line.startswith("#"):
                head.append(line)
            elif line.strip():
                name, *numbers = line.split()
                rows[name] = [int(number) for number in numbers]
    return head, rows


def lower(groups, head, rows):
    changed = 0
    for name, group in groups.items():
        row = rows.setdefault(name, rows[UNLISTED])
        numbers = group.numbers()
        numbers[-1] = max(numbers[-1] + LIX_SLACK, LIX_EASY)
        rows[name] = [min(old, new) for old, new in zip(row, numbers)]
        changed += rows[name] != row
    kept = [name for name in sorted(rows) if name in groups or name == UNLISTED]
    width = max(map(len, kept))
    with open(f"{FOLDER}/prose_budget.txt", "w", encoding="utf-8") as table:
        table.writelines(head)
        for name in kept:
            table.write(f"{name:<{width}}" + "".join(f" {n:5}" for n in rows[name]) + "\n")
    print(f"prose: {changed} budgets lowered")


def main():
    groups = read(sys.stdin.read().split())
    head, rows = budgets()
    if sys.argv[1:2] == ["--list"]:
        group = groups[sys.argv[2]]
        for name in NAMES[:3]:
            print("\n".join(group.found[name] + group.columns * (name == "wide")))
        print(sys.argv[2], dict(zip(NAMES, group.numbers())),
              f"{group.words / max(1, group.sentences):.1f} words a sentence,",
              f"{100 * group.letters / max(1, group.words):.0f} % of more than six letters")
        return 0
    if sys.argv[1:2] == ["--lower"]:
        lower(groups, head, rows)
        return 0
    failed, total, spare = False, [0, 0, 0], []
    for name, group in sorted(groups.items()):
        numbers, row = group.numbers(), rows.get(name, rows[UNLISTED])
        total = [a + b for a, b in zip(total, numbers)]
        for column in group.columns:
            failed = True
            print(f"prose: {column}")
        for kind, number, budget in zip(NAMES, numbers, row):
            if number > budget:
                failed = True
                print(f"prose: {name}: {kind} is {number}; its budget is {budget}")
                for found in group.found.get(kind, []):
                    print(f"    {found}")
            elif name in rows and (number < budget if kind != "lix" else
                                   max(number + LIX_SLACK, LIX_EASY) < budget):
                spare.append(f"{name} {kind} {budget} to {number}")
    for name in sorted(set(rows) - set(groups) - {UNLISTED}):
        spare.append(f"{name}: has no files any more")
    if spare:
        print(f"prose: {len(spare)} budgets can be lowered (tests/lint/prose.sh --lower): "
              + "; ".join(spare[:4]))
    print(f"prose: {total[0]} riddles, {total[1]} sentences of more than {WORDS_MAX} words, "
          f"{total[2]} wide rows in {len(groups)} groups")
    return failed


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
