#!/usr/bin/env python3
# Schemas made of the rows of records.
# SPDX-License-Identifier: MIT
"""Write data/schema/KIND.schema.json as the rows of records make them, or without --update say which are not
as made. --build DIR: the build, whose unit tests print the rows."""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 120
# What an object is called that the schema of a kind describes more than once, by the member that has it.
DEFINED = {"worms": "worm", "holds": "resource", "numbering": "resource", "from": "channel_vcs",
           "mixed": "mixture", "dependency_cycle": "dependency"}


def record_forms(build):
    """{kind: {"title", "schema"}}"""
    program = [pathlib.Path(build) / "bin" / "unit-tests", "--record-forms"]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def laid_out(value, indent=""):
    """JSON on one line where it fits, else a description a line and of the rest as much as fits."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + laid_out(of, inner) for of in value) + f"\n{indent}]"
    lines = [""]
    for key, of in value.items():
        part = f"{json.dumps(key)}: {laid_out(of, inner)}"
        simple = key != "description" and not isinstance(of, (dict, list))
        if simple and lines[-1] and len(inner + lines[-1] + part) < WIDTH:
            lines[-1] += ", " + part
        else:
            lines += [part] if simple else [part, ""]
    return "{\n" + ",\n".join(inner + line for line in lines if line) + f"\n{indent}}}"


def with_definitions(schema):
    """It, with each object that it describes more than once in $defs."""
    counts, definitions = collections.Counter(), {}

    def known(value):
        return json.dumps({key: of for key, of in value.items()
                           if key != "description"}) if "properties" in value else None

    def count(value):
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if isinstance(value, dict) and known(value):
            counts[known(value)] += 1
            children = children if counts[known(value)] == 1 else ()
        for child in children:
            count(child)

    def referring(value, name):
        if isinstance(value, list):
            return [referring(of, name) for of in value]
        if not isinstance(value, dict):
            return value
        made = {key: referring(of, name if key in ("items", "prefixItems", "properties") else key)
                for key, of in value.items()}
        if counts[known(value)] < 2:
            return made
        definitions.setdefault(known(value), (DEFINED.get(name, name),
                                              {key: of for key, of in made.items() if key != "description"}))
        described = {"description": value["description"]} if "description" in value else {}
        return described | {"$ref": f"#/$defs/{definitions[known(value)][0]}"}

    count(schema["properties"])
    properties = referring(schema["properties"], "")
    return schema | {"properties": properties} | ({"$defs": dict(definitions.values())} if definitions
                                                  else {})


def schema_of(kind, form):
    rules = dict(form["schema"])
    properties = rules.pop("properties")
    required = rules.pop("required", [])
    del rules["type"], rules["additionalProperties"]
    return with_definitions({"$schema": "https://json-schema.org/draft/2020-12/schema",
                             "$id": f"https://wormcast.invalid/schema/{kind}", "title": form["title"],
                             "$comment": "Numbers in brackets: sections of FORMAT-reference.md",
                             "type": "object", "properties": {"kind": {"const": kind}, **properties},
                             "patternProperties": {"^x_": True}, "additionalProperties": False,
                             "required": ["kind", *required], **rules})


def files_as_made(build):
    """[(path, its text as made)]"""
    return [(ROOT / "data" / "schema" / f"{kind}.schema.json", laid_out(schema_of(kind, form)) + "\n")
            for kind, form in record_forms(build).items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
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
