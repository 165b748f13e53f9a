# What drawing scripts share: decimals, the order of texts, colours. The tools write numbers by the same rules.
# SPDX-License-Identifier: MIT
import math
import re

COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"]
# Of worms after those of series: as far from these and from each other as could be found.
FURTHER_COLOURS = ["#bcbd22", "#000000", "#e7298a", "#005f73", "#a6761d", "#00c853", "#6a00f4", "#ff9896"]


def worm_colour(index):
    """Another for each of many worms, the first those of series."""
    if index < 16:
        return (COLOURS + FURTHER_COLOURS)[index]
    # Steps of three primes through the darker half of each primary colour: no two of the next 2500 alike.
    index -= 15
    return f"#{20 + index * 89 % 179:02x}{20 + index * 53 % 167:02x}{20 + index * 131 % 191:02x}"


def decimal(numerator, denominator, digits):
    """An exact fraction, rounded half away from zero."""
    size = (2 * abs(numerator) * 10**digits + denominator) // (2 * denominator)
    sign = "-" if numerator < 0 and size else ""
    return f"{sign}{size // 10**digits}" + (f".{size % 10**digits:0{digits}}" if digits else "")


def rounded(value, digits):
    """A real number by the same rule, to digits that basic IEEE operations give."""
    size = int(math.floor(abs(value) * 10.0**digits + 0.5))
    return decimal(-size if value < 0 else size, 10**digits, digits)


def natural(text):
    """A key for sorting: runs of digits by the number they are, so that mesh-8x8 comes before mesh-16x16."""
    data = text.encode("utf-8", "surrogateescape")
    parts = []
    for run, other in re.findall(rb"([0-9]+)|([^0-9])", data, re.DOTALL):
        digits = run.lstrip(b"0")
        # Any digit lies alike among other characters; those beyond ASCII come first.
        parts.append((48, len(digits), digits) if run else (other[0] - (256 if other[0] > 127 else 0), 0, b""))
    return parts, data


def html_text(text):
    """With what HTML would take for markup written out, and control characters, which no document may hold, replaced."""
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def size_of(text):
    """In bytes of UTF-8, by which widths of texts are reckoned."""
    return len(text.encode("utf-8", "surrogateescape"))
