# What widths and speeds of links mean: how long a flit occupies each, beside the fastest.
# SPDX-License-Identifier: MIT
import math
import re

# Mbit/s of a lane: InfiniBand's names stand for its data rate, without its line code; a number is a rate as
# it stands, in Gbit/s unless its unit says otherwise. cite: InfiniBand Architecture Specification, volume 2
# (link speeds).
LANE_RATES = {"SDR": 2000, "DDR": 4000, "QDR": 8000, "FDR10": 10000, "FDR": 13636, "EDR": 25000, "HDR": 50000,
              "NDR": 100000, "XDR": 200000}
UNITS = {"": 1e3, "bps": 1e-6, "kbps": 1e-3, "mbps": 1, "gbps": 1e3, "tbps": 1e6}
MOST_DIGITS = 15  # a double holds them all


def lane_rate(speed):
    """0 where it is not understood."""
    if speed in LANE_RATES:
        return LANE_RATES[speed]
    digits = re.match("[0-9.]*", speed)[0]
    whole, _, parts = digits.partition(".")
    if len(digits) > MOST_DIGITS or "." in parts:
        return 0
    unit = speed[len(digits):].replace(" ", "")
    bits = 8 if re.search("B(ps|/s|/sec)$", unit) else 1  # bytes
    # "Gbit/s", "Gb/s", "GbE", "G" and "Gbps" are one
    unit = re.sub("((bits?|b)/s(ec)?|b?e)$", "bps", unit.lower())
    unit = UNITS.get(unit + "bps" if len(unit) == 1 else unit, 0)
    return int(whole + parts or 0) / 10**len(parts) * bits * unit


def rate_links(links):
    """Gives every link that is slower than the fastest flit_cycles, if it states none: how many times as long
    the same bits take, rounded up. Rate: lanes times what a lane carries by its speed. Where no link states a
    width, each has one lane; where none states a speed, all lanes are alike. Returns how many get nothing:
    those whose rate is not known while others' are, or whose speed is not understood."""
    widths, speeds = any(link.get("width") for link in links), any(link.get("speed") for link in links)
    if not widths and not speeds:
        return 0
    rates = [(link.get("width", 0) if widths else 1) * (lane_rate(link.get("speed", "")) if speeds else 1)
             for link in links]
    most, least = max(rates), min((rate for rate in rates if rate > 0), default=math.inf)
    for link, rate in zip(links, rates):
        if 0 < rate < most and not link.get("flit_cycles", [0])[0]:
            # a decimal may be a little off
            link["flit_cycles"] = [min(math.ceil(most / rate * (1 - 1e-9)), 2**32 - 1)] * 2
    if least < most:
        return sum(rate <= 0 for rate in rates)
    return sum(bool(link.get("speed")) and lane_rate(link["speed"]) == 0 for link in links)
