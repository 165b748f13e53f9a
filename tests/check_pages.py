#!/usr/bin/env python3
# README and the pages are short, their links lead somewhere, and every page is reached.
# SPDX-License-Identifier: MIT
"""Check README.md, data/*.md and data/pages/*.md and end with "N passed, N failed". An argument: the folder
of changed copies of the documents.

1. README.md has at most 250 lines, a page 150; a longer one stands in LONGER, with its reason.
2. A document begins with its title and says what it answers before anything else.
3. Every relative link and picture leads to a file here, its #part to a heading there.
4. Every page, and every picture beside them, is reached from README.md by links.
5. No document names a folder of somebody's machine, or a file of the project in `code` that is not there;
   names with "my_", capitals or * stand for others.
6. A block that is a file is called by its name in the words before it, which sites show: its first line they
   do not.
"""
import pathlib
import re
import sys

from tally import Tally

README_LINES = 250
PAGE_LINES = 150
LONGER = {
    "data/FORMAT-reference.md": "the whole contract, to look things up in",
}
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^```\S+ +(\S+)$", re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = re.compile(r"`(?:[A-Z_]+=\S+ )?((?:lib|tools|tests|data)/[^\s`]*)[^`]*`")
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
MACHINE = re.compile(r"(?<![\w.$)}-])/(?:home|root|work|tmp|Users|srv|mnt)/")


def anchor(heading):
    """The name that a heading gets on the usual sites."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(document):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", document.read_text()),
                                                      re.MULTILINE)}


def links(document):
    """(path, part) of each relative link."""
    for target in LINK.findall(FENCED.sub("", document.read_text())):
        if not re.match(r"[a-z]+:", target):
            path, _, part = target.partition("#")
            yield (document.parent / path).resolve() if path else document.resolve(), part


def check_links(root, documents, tally):
    reached, waiting = set(), [(root / "README.md").resolve()]
    known = {document.resolve() for document in documents}
    for document in documents:
        for path, part in links(document):
            name = (f"{document.relative_to(root)}: "
                    f"{path.relative_to(root) if path.is_relative_to(root) else path}")
            tally.check(path.is_relative_to(root) and path.exists(), f"{name} is not there")
            if part and path.suffix == ".md" and path.exists():
                tally.check(part in anchors(path), f"{name} has no heading #{part}")
    while waiting:
        document = waiting.pop()
        if document not in reached:
            reached.add(document)
            if document in known:
                waiting += [path for path, _ in links(document)]
    for path in [*documents, *sorted((root / "data" / "pages").glob("*.svg"))]:
        tally.check(path.resolve() in reached, f"no link leads from README.md to {path.relative_to(root)}")


def check_document(root, document, tally):
    name, text = document.relative_to(root).as_posix(), document.read_text()
    lines = text.splitlines()
    most = README_LINES if name == "README.md" else PAGE_LINES
    if name in LONGER:
        tally.check(len(lines) > most, f"{name} has {len(lines)} lines: it need not stand among the longer "
                    "ones")
    else:
        tally.check(len(lines) <= most, f"{name} has {len(lines)} lines, at most {most} are wanted")
    tally.check(re.match(r"# [^\n]+\n\n[A-Z*`\[][^\n]", text), f"{name} does not begin with a title and what "
                "it answers")
    tally.check(len(re.findall("^# ", FENCED.sub("", text), re.MULTILINE)) == 1, f"{name} has not one title")
    for file in FILE.findall(FENCED.sub("", text)):
        if not re.search(r"my_|[A-Z*]{4}|\*", file):
            tally.check((ROOT / file).exists(), f"{name} names {file}, which is not there")
    for block in NAMED.finditer(text):
        tally.check(f"`{block[1]}`" in FENCED.sub("", text[:block.start()]), f"{name} does not name the file "
                    f"{block[1]} before it shows it")
    for found in MACHINE.findall(text):
        tally.check(False, f"{name} names a folder of a machine: {found}")


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    documents = [root / "README.md", *sorted((root / "data").glob("*.md")), *sorted(
        (root / "data" / "pages").glob("*.md"))]
    tally = Tally()
    tally.check(len(documents) > 10, f"only {len(documents)} documents found")
    for document in documents:
        check_document(root, document, tally)
    check_links(root, documents, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
