#!/usr/bin/env python3
# Checks the JSON Schemas of data/schema against the records of the golden cases and against the tools.
# SPDX-License-Identifier: MIT
"""Check data/schema and end with "N passed, N failed" (exit 1 if any failed). --bin DIR: tools and unit
tests.

1. The schemas are valid by the metaschema and as the rows of records make them; every member has a
   description of its own.
2. Every record that a golden case or an example of the documents prints is valid, its kind's keys stand in
   the order of the schema, and printing it again gives the same bytes.
3. Schema and tools agree: each sample record is changed in one place after another (a key left out, an
   unknown one, a value of another type or range), and the schema accepts a change if and only if the
   tool that reads the kind does, but for what only the network can tell.
"""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema

from record_forms import files_as_made
from tally import Tally, bin_option
from transcripts import read_all

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "data" / "schema"
# The tool that reads a kind, with the options it needs to.
READERS = {
    "topology": ["gen-multicast", "--count", "0"],
    "multicast": ["gen-multicast", "--count", "0"],
    "reduction": ["gen-multicast", "--count", "0"],
    "plan": ["route-expand"],
    "routes": ["check-deadlock"],
    "tables": ["check-deadlock"],
    "program": ["check-deadlock"],
    "delivery": ["report"],
    "steps": ["report"],
    "channel-load": ["report"],
    "summary": ["report"],
    "verdict": ["report"],
    "end": ["gen-multicast", "--count", "0"],
}
# What a tool says about a record that a schema must refuse too.
SCHEMA_MATTERS = ["is not an integer", "is not a string", "is not an array", "is not an object",
                  "is not a number", "unknown key", "required key"]
# Parts of a schema whose properties are conditions on those described elsewhere.
CONDITIONS = {"oneOf", "anyOf", "allOf", "if", "then", "else", "not"}
WRONG_VALUES = [3.7, 1e30, -7, 2**53, True, None, "text", "", [], {}, [3.7], [None], {"key": 1}]


def load_validators():
    """Of each kind."""
    validators = {}
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[path.name.removesuffix(".schema.json")] = jsonschema.Draft202012Validator(schema)
    return validators


def check_described(kind, schema, tally):
    """Every member at any depth says what it means."""
    if isinstance(schema, list):
        for part in schema:
            check_described(kind, part, tally)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            for key, member in schema.get("properties", {}).items():
                said = member.get("description", "")
                tally.check(key == "kind" or said not in ("", "the same"),
                            f"{kind}: {key} has no description")
        for key, part in schema.items():
            if key not in CONDITIONS:
                check_described(kind, part, tally)


def records_of_goldens():
    """(where, line) of each record that a golden case prints or a document shows."""
    for case in read_all([])[1]:
        for command in case.commands if not case.fails else ():
            for line in command.wanted.stdout.decode(errors="replace").splitlines():
                if line.startswith('{"kind"'):
                    yield f"{case.path.relative_to(ROOT)}, {case.name}", line
    for document in (*(ROOT / "data").glob("*.md"), *(ROOT / "data" / "pages").glob("*.md")):
        for number, line in enumerate(document.read_text().splitlines(), 1):
            if line.startswith('{"kind"'):
                yield f"{document.relative_to(ROOT)}:{number}", line


def in_order(keys, order):
    known = [key for key in keys if not key.startswith("x_")]
    return known == [key for key in order if key in keys]


def check_records(validators, tally):
    samples = {}
    for where, line in records_of_goldens():
        try:
            record = json.loads(line)
        except ValueError as error:
            tally.check(False, f"{where}: {error}")
            continue
        kind = record["kind"]
        if kind not in validators:
            tally.check(False, f"{where}: no schema for kind {kind}")
            continue
        error = jsonschema.exceptions.best_match(validators[kind].iter_errors(record))
        tally.check(error is None, f"{where}: {error and error.message}")
        extras = any(key.startswith("x_") for key in record)
        if not extras and "." not in re.sub(r'"[^"]*"', "", line):
            tally.check(json.dumps(record, separators=(",", ":"), ensure_ascii=False) == line,
                        f"{where}: not in the plain form of FORMAT-reference.md")
        if where.startswith("tests"):
            tally.check(in_order(record, validators[kind].schema["properties"]),
                        f"{where}: keys {list(record)} are not in the order of the schema")
        seen = samples.setdefault(kind, [])
        if len(seen) < 400:
            seen.append(record)
    return samples


def places(value, path=()):
    """Paths to every value inside, elements of arrays only up to the first two."""
    if path:
        yield path
    items = (value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list)
             else ())
    for key, child in items:
        if not str(key).startswith("x_"):
            yield from places(child, path + (key,))


def changed(record, path, change):
    copy = json.loads(json.dumps(record))
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return copy


def variants(record):
    """(what, changed record): one change each."""
    for path in places(record):
        if path == ("kind",):
            continue
        name = ".".join(map(str, path))
        if isinstance(path[-1], str):
            yield f"without {name}", changed(record, path, lambda parent, key: parent.pop(key))
        for wrong in WRONG_VALUES:
            yield f"{name} = {json.dumps(wrong)}", changed(
                record, path, lambda parent, key, value=wrong: parent.__setitem__(key, value))
    for path in [(), *places(record)]:
        inside = record
        for key in path:
            inside = inside[key]
        if isinstance(inside, dict) and path[-1:] not in [("options",), ("workload",)]:
            for key in ("unknown", "x_mine"):
                yield f"{key} added in {path}", changed(
                    record, path + (key,), lambda parent, name: parent.__setitem__(name, 1))


def segment(record, before):
    lines = [] if record["kind"] == "topology" else list(before)
    lines.append(record)
    if record["kind"] != "end":
        lines.append({"kind": "end"})
    return "".join(json.dumps(line) + "\n" for line in lines)


def check_agreement(kind, record, before, validator, bin_dir, tally):
    reader = [str(bin_dir / READERS[kind][0]), *READERS[kind][1:]]

    def accepted(candidate):
        process = subprocess.run(reader, input=segment(candidate, before), text=True, capture_output=True,
                                 check=False)
        return process.returncode < 2, process

    whole, process = accepted(record)
    tally.check(whole, f"{kind}: the sample itself is refused: {process.stderr}")
    for what, candidate in variants(record):
        good, process = accepted(candidate)
        valid = validator.is_valid(candidate)
        lines = process.stderr.count("\n")
        # A schema cannot say that nodes, sizes and references fit one another; types and keys it must.
        beyond_schema = valid and not good and not any(words in process.stderr for words in SCHEMA_MATTERS)
        tally.check(good == valid or beyond_schema,
                    f"{kind} {what}: the schema says {valid}, the tool {good} {process.stderr}")
        if not good:
            tally.check(process.returncode == 2 and lines == 1 and len(process.stderr) < 700,
                        f"{kind} {what}: not a one-line error: {process.stderr!r}")


def richest(records):
    """The record with the most different places: it has the most optional keys."""
    return max(records, key=lambda record: len({re.sub(r"\d+", "0", ".".join(map(str, p)))
                                                for p in places(record)}))


def main():
    bin_dir = bin_option(__doc__)
    tally = Tally()
    validators = load_validators()
    for path, made in files_as_made(bin_dir.parent):
        tally.check(path.read_text() == made, f"{path.relative_to(ROOT)} is not as the rows make it (make "
                    "record-forms)")
    for kind, validator in validators.items():
        check_described(kind, validator.schema, tally)
    samples = check_records(validators, tally)
    mesh = {"kind": "topology", "format": 1, "family": "mesh", "dims": [4, 3]}
    pair = {"kind": "topology", "format": 1, "family": "graph", "routers": 2, "hosts": [0, 1, 1],
            "links": [{"ends": [0, 1]}]}
    # What the samples depend on.
    awaited = {"id": 0, "source": 0, "destinations": [5], "length_flits": 8, "start_cycle": 0}
    planned = {"planner": "mine", "routing": "dimension-order", "worms": [{"stops": [5]}]}
    for kind, validator in validators.items():
        before = [pair if kind == "tables" else mesh]
        if kind in ("multicast", "reduction", "plan"):
            before.append({"kind": "plan", **awaited, **planned} if kind == "plan"
                          else {"kind": "multicast", **awaited})
        tally.check(kind in samples, f"no golden case prints a record of kind {kind}")
        if kind not in samples:
            continue
        made = sorted((ROOT / "tests" / "records").glob(f"{kind}*.json"))
        for record in [json.loads(path.read_text()) for path in made] or [richest(samples[kind])]:
            check_agreement(kind, record, before, validator, bin_dir, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
