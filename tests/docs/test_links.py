#!/usr/bin/python3
"""Links of every document lead somewhere: files, headings of files, and documents that a text names.

usage: test_links.py ROOT     ROOT: the repository; addresses on the web are not looked at
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.-])docs/[\w/.-]+\.(?:md|csv|png)")
BOX = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)


def slugs(text):
    """Anchors of the headings, as GitHub makes them."""
    heads = re.findall(r"^#+ +(.*?)\s*$", BOX.sub(lambda box: box[0] if box[0][:3] != "```" else "", text), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower()).replace(" ", "-")
            for head in heads}


def problems(root, documents):
    for document in documents:
        text = (root / document).read_text()
        for link in LINK.finditer(text):
            target, _, anchor = link[1].partition("#")
            place = f"{document}:{text[:link.start()].count(chr(10)) + 1}"
            if re.match(r"[a-z]+:", link[1]):
                continue
            file = (root / document).parent / target if target else root / document
            if not file.exists():
                yield f"{place}: there is no {link[1]}"
            elif anchor and file.suffix == ".md" and anchor not in slugs(file.read_text()):
                yield f"{place}: {target or document} has no heading #{anchor}"
        for mention in MENTION.finditer(text):
            if not (root / mention[0]).exists():
                yield f"{document}:{text[:mention.start()].count(chr(10)) + 1}: there is no {mention[0]}"


def mistakes_are_found():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "a.md").write_text("# A head, here\n[x](b.md) [y](#a-head-here) [z](#none)\n![p](c.png) docs/gone.md\n"
                                   "[w](https://example.org/none)\n")
        said = list(problems(root, ["a.md"]))
    wanted = ["a.md:2: there is no b.md", "a.md:2: a.md has no heading #none", "a.md:3: there is no c.png",
              "a.md:3: there is no docs/gone.md"]
    return [] if said == wanted else [f"a document with mistakes: {said}"]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    listed = subprocess.run(["git", "ls-files", "-c", "-o", "--exclude-standard", "*.md"], cwd=root, text=True,
                            capture_output=True, check=True).stdout.split()
    documents = [document for document in listed if (root / document).exists()]
    found = [*problems(root, documents), *mistakes_are_found()]
    print("\n".join(found) if found else f"links of {len(documents)} documents lead somewhere")
    return 1 if found or len(documents) < 40 else 0


sys.exit(main())
