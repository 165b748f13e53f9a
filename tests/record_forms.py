#!/usr/bin/env python3
# Schemas and lists of keys of the reference, made of the rows of records.
# SPDX-License-Identifier: MIT
"""Write data/schema/KIND.schema.json and the lists of keys of data/FORMAT-reference.md that the rows of records make, or
without --update say which are not as made. --build DIR: the build, whose unit tests print the rows.

A list is made where a comment before it names its object:

    <!-- rows of summary
    planner..routing: as in `plan`
    -->

A line in the comment says in one line what the rows from one key to another say.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "data" / "FORMAT-reference.md"
WIDTH = 110


def record_forms(build):
    """{kind: {"title", "schema", "tables": {name: rows}}}"""
    program = [pathlib.Path(build) / "bin" / "unit-tests", "--record-forms"]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def laid_out(value, indent=""):
    """JSON on one line where it fits, else an element a line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {laid_out(of, inner)}" for key, of in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + laid_out(of, inner) for of in value) + f"\n{indent}]"


def schema_of(kind, form):
    rules = dict(form["schema"])
    properties = rules.pop("properties")
    required = rules.pop("required", [])
    del rules["type"], rules["additionalProperties"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"https://wormcast.invalid/schema/{kind}",
            "title": form["title"], "type": "object", "properties": {"kind": {"const": kind}, **properties},
            "patternProperties": {"^x_": True}, "additionalProperties": False, "required": ["kind", *required], **rules}


def members(rows, said):
    """A line for each key; `said`: (first key, last key, meaning). An array is named by what it holds, in the plural;
    integers go without saying."""
    lines = []
    keys = [row["key"] for row in rows]
    i = 0
    while i < len(rows):
        row = rows[i]
        end = i + 1
        if row["key"] in said:
            last, meaning = said.pop(row["key"])
            end = keys.index(last) + 1
            shown = keys[i:end] if end - i <= 4 else [row["key"], "…", last]
            kind = optional = ""
        else:
            same = (row["type"], row["required"])
            while end < len(rows) and rows[end]["meaning"] == "the same" and (rows[end]["type"], rows[end]["required"]) == same:
                end += 1
            shown, meaning = keys[i:end], row["meaning"]
            kind = re.sub(r"^integer$|^(sorted )?array of ", r"\1", row["type"])
            optional = "" if row["required"] else "?"
        cell = ", ".join(key if key == "…" else f"`{key}`{optional}" for key in shown).replace(", …, ", " … ")
        lines.append(f"- {cell}{f' ({kind})' if kind else ''}: {meaning}")
        i = end
    return lines


def with_tables(text, forms):
    """The reference with its lists as the rows make them; what it lacks."""
    tables = {name: rows for form in forms.values() for name, rows in form["tables"].items()}
    missing = {name for name, rows in tables.items() if rows}

    def made(found):
        name, *lines = found[1].strip().split("\n")
        missing.discard(name)
        said = {}
        for line in lines:
            keys, meaning = line.split(": ", 1)
            first, last = keys.split("..")
            said[first] = (last, meaning)
        return found[0][:found.start(2) - found.start()] + "\n".join(members(tables[name], said)) + "\n" * (1 if found[2] else 2)

    return re.sub(r"<!-- rows of ([^>]*?)-->\n\n((?:- .*\n)*)", made, text), missing


def files_as_made(build):
    """[(path, its text as made)]; exits where the reference lacks a table."""
    forms = record_forms(build)
    text, missing = with_tables(REFERENCE.read_text(), forms)
    if missing:
        sys.exit(f"record_forms: {REFERENCE.name} has no rows of {', '.join(sorted(missing))}")
    schemas = [(ROOT / "data" / "schema" / f"{kind}.schema.json", laid_out(schema_of(kind, form)) + "\n")
               for kind, form in forms.items()]
    return [(REFERENCE, text), *schemas]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--update", action="store_true", help="write them")
    arguments = parser.parse_args()
    other = [(path, text) for path, text in files_as_made(arguments.build) if path.read_text() != text]
    for path, text in other:
        print(f"{'wrote' if arguments.update else 'not as made:'} {path.relative_to(ROOT)}")
        if arguments.update:
            path.write_text(text)
    return 1 if other and not arguments.update else 0


if __name__ == "__main__":
    sys.exit(main())
