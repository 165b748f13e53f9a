# What drawing scripts share: places of nodes, decimals (as the tools write them), order of texts, colours.
# SPDX-License-Identifier: MIT
import math
import pathlib
import re

from tables import Network

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


PITCH = 44  # points between neighbours
COORDINATES = re.compile("0*[0-9]{1,5}(,0*[0-9]{1,5})+")  # larger ones are numbers of something else


def laid_out(record):
    """The network of a topology record with the places of its nodes on paper, y upwards. On meshes, tori and
    hypercubes the dimensions go right and up in turn, later ones in larger steps; so they do on graphs whose
    routers have coordinates as names, as meshes with faults have. Others have no places. Then it has
    `coordinates` (names are such), `width`, `nodes` ([name, x, y], or [name]) and `channels` ([id, from, to,
    called, (dx, dy) of one around a dimension, [port, port there]])."""
    network, steps, across = Network(record), [], [0.0, 0.0]
    names = [name or None for name in record.get("names") or [None] * network.routers]
    dims = record.get("dims") or [2] * record.get("dimensions", 0) * (record["family"] == "hypercube")
    at = [[int(one) for one in name.split(",")] for name in names if name and COORDINATES.fullmatch(name)]
    named = len(at) == len(names) and len(set(map(len, at))) == 1 and len(set(map(tuple, at))) == len(at)
    if named:
        dims = [max(along) + 1 for along in zip(*at)]
    else:
        at = [digits_of(node, dims) for node in range(len(names))]
    for d, size in enumerate(dims):
        steps.append(float(PITCH) if d < 2 else across[d % 2] + 1.6 * PITCH)
        across[d % 2] += steps[d] * (size - 1)
    nodes = [[name, *_place(place, steps)] if dims else [name] for name, place in zip(names, at)]
    channels = [[channel, start, end, *_called(record, network, channel), _around(at[start], at[end], dims)]
                for channel, (start, end, _) in network.ends.items()]
    return {"coordinates": named, "width": across[0], "nodes": nodes,
            "channels": [[*some, called, around, ports] for *some, called, ports, around in channels]}


def _called(record, network, channel):
    """What a channel is called, where anything has a name, and the ports at its ends, if stated."""
    links = record.get("links") or [{}]
    ports = links[channel // 2].get("ports") if record["family"] == "graph" else None
    ports = ports and [ports[channel % 2], ports[1 - channel % 2]]
    if not record.get("names") and "ports" not in links[0]:
        return None, ports
    ends = [network.router_name(router) or str(router) for router in network.ends[channel][:2]]
    if ports:
        ends = [f"{end} port {port}" for end, port in zip(ends, ports)]
    return "→".join(ends), ports


def digits_of(number, dims):
    digits = []
    for size in dims:
        number, digit = divmod(number, size)
        digits.append(digit)
    return digits


def _place(at, steps):
    place = [0.0, 0.0]
    for d, step in enumerate(steps):
        place[d % 2] += step * at[d]
    return place


def _around(a, b, dims):
    """Of a link around a dimension of the paper's plane, between its first and last of three nodes or more:
    the direction in which it leaves the node at `a`."""
    along = [d for d in range(len(dims)) if a[d] != b[d]]
    if (len(along) != 1 or along[0] > 1 or dims[along[0]] < 3
        or {a[along[0]], b[along[0]]} != {0, dims[along[0]] - 1}):
        return None
    sign = -1 if a[along[0]] == 0 else 1
    return (sign, 0) if along[0] == 0 else (0, sign)


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
        parts.append((48, len(digits), digits) if run else (other[0] - (256 if other[0] > 127 else 0), 0,
                                                            b""))
    return parts, data


def html_text(text):
    """With markup of HTML written out, and control characters, which no document may hold, replaced."""
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f]", "\ufffd",
                  text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def html_table(rows):
    """Of names and what they say, in HTML."""
    return "<table>\n" + "".join(f"<tr><th>{html_text(name)}</th><td>{said}</td></tr>\n"
                                 for name, said in rows) + "</table>\n"


def html_page(title, sections):
    """Wide enough for a section on a phone, with as many beside each other as fit elsewhere."""
    text = pathlib.Path(__file__).resolve().with_name("page.html").read_text(encoding="utf-8")
    return text.replace("TITLE", html_text(title)) + sections + "</main>\n</body>\n</html>\n"


def size_of(text):
    """In bytes of UTF-8, by which widths of texts are reckoned."""
    return len(text.encode("utf-8", "surrogateescape"))


# Looks of lines: (colour, gnuplot's number of a marker, gnuplot's dash type). One less than a filled marker
# is its outline; dash type 1 is a full line. Planners that are compared with each other differ in hue; a
# colour that comes twice has another marker: 5 square, 7 circle, 9 triangle, 11 triangle down, 13 diamond, 15
# pentagon.
PLANNERS = {
    "separate": ("#7f7f7f", 5), "unicast": ("#7f7f7f", 7), "binomial": ("#4d4d4d", 9),
    "u-mesh": ("#a6761d", 11), "u-cube": ("#a6761d", 13), "u-torus": ("#a6761d", 15),
    "u-ccc": ("#1b9e77", 11), "u-tree": ("#1b9e77", 15), "switch-ordered": ("#4d4d4d", 13),
    "fixed-path": ("#8c564b", 13), "dual-path": ("#1f77b4", 5), "multi-path": ("#2ca02c", 9),
    "ocms": ("#ff7f0e", 7), "otms": ("#d62728", 13), "column-path": ("#17becf", 9),
    "xy-path": ("#bcbd22", 15), "dpm": ("#e377c2", 11), "t2w": ("#1f77b4", 7),
    "btl": ("#d62728", 9), "dual-arm": ("#2ca02c", 15), "mpm-ssr": ("#ff7f0e", 9),
    "opm": ("#2ca02c", 7), "xy-tree": ("#9467bd", 15), "shortest-path-tree": ("#e7298a", 7),
    "rpm": ("#005f73", 9), "rectangle": ("#bcbd22", 5), "steiner-tree": ("#000000", 11),
}
POINTS = [7, 5, 9, 13, 11, 15]
DASHES = 5


def _hash(text):
    value = 0x811c9dc5
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x01000193 & 0xffffffff
    return value


def series_style(index):
    """The look of a series where series are not planners."""
    return COLOURS[index % len(COLOURS)], POINTS[(index + index // len(COLOURS)) % len(POINTS)], 1


def planner_style(label):
    """The look of a planner with its options. The planner fixes colour and marker; options other than the
    default variant dash the line and hollow the marker."""
    # the scheme that unicasts run beside
    label = label.partition("beside=")[2] if "beside=" in label else label
    planner, _, options = label.partition(":")
    colour, point = PLANNERS.get(planner) or series_style(_hash(planner) % (len(COLOURS) * len(POINTS)))[:2]
    if not options:
        return colour, point, 1
    return colour, point - 1, 2 if "first-hop=free" in options else 3 + _hash(options) % 2


def _looks(colour, point, dash):
    """All of a colour, the nearest to that one first."""
    start = POINTS.index(point | 1) if point | 1 in POINTS else len(POINTS)
    for look in range(2 * len(POINTS)):
        hollow = (point % 2 == 0) != (look >= len(POINTS))
        for step in range(DASHES):
            yield colour, POINTS[(start + look) % len(POINTS)] - hollow, 1 + (dash - 1 + step) % DASHES


def distinct_styles(wanted):
    """The looks of the series of one plot, each another: the first with a look keeps it; a later one keeps
    its colour, and is given a marker and a dash that no line of that colour has, or at least not both, or,
    where these are all taken, another colour."""
    styles = []
    for style in wanted:
        if style in styles:
            for colour in (style[0], *COLOURS):
                free = [one for one in _looks(colour, *style[1:]) if one not in styles]
                if free:  # else there are more lines than looks
                    style = min(free, key=lambda one: any(one[0] == other[0] and (one[1] == other[1]
                                                                                  or one[2] == other[2])
                                                          for other in styles))
                    break
        styles.append(style)
    return styles
