"""Routers as data/FORMAT-reference.md describes them (3.9), for simulation.py, and random ones for
check_simulation.py."""
# SPDX-License-Identifier: MIT
import dataclasses


@dataclasses.dataclass
class Router:
    """The router parameters of FORMAT 3.9. No injection channels: no limit; no consumption channels: one per
    input."""
    hop_cycles: int = 1
    flit_cycles: int = 1
    credit_cycles: int = 1
    buffer_flits: int = 4
    routing_cycles: int = 0
    startup_cycles: int = 0
    relay_startup_cycles: int = 0
    overhead_cycles: int = 0
    header_flits: int = 0
    injection_channels: int = 0
    consumption_channels: int = 0
    consumption_cycles: int = 0
    shared_links: bool = False
    arbitration: str = "round-robin"
    vc_reuse: str = "drained"
    allocation: str = "incremental"
    path_reservation: bool = False
    replication: str = "as-planned"
    output_arbitration: str = "first-come"
    consumption_release: str = "arrived"
    ring_entry: str = "any"

    def options(self):
        """As options of the tools."""
        words = []
        for parameter in dataclasses.fields(self):
            value = getattr(self, parameter.name)
            if value != parameter.default:
                words += ["--" + parameter.name.replace("_", "-")] + ([] if value is True else [str(value)])
        return words

    def slots_differ(self):
        """A header waits for slots, each worm's for its own number (rule 14 of simulation.py)."""
        return self.ring_entry != "any"


def random_router(rng, network, crowded):
    """Each parameter as it comes or, with its own probability, another."""
    def perhaps(probability, choose):
        return {} if rng.random() >= probability else choose

    router = Router(**perhaps(0.4, {"hop_cycles": rng.randint(1, 4)}),
                    **perhaps(0.4, {"flit_cycles": rng.randint(1, 3)}),
                    **perhaps(0.4, {"credit_cycles": rng.randint(1, 5)}),
                    **perhaps(0.7, {"buffer_flits": rng.randint(1, 6)}),
                    **perhaps(0.2, {"routing_cycles": rng.randint(1, 4)}),
                    **perhaps(0.2, {"startup_cycles": rng.randint(1, 6)}),
                    **perhaps(0.2, {"relay_startup_cycles": rng.randint(1, 6)}),
                    **perhaps(0.2, {"overhead_cycles": rng.randint(1, 4)}),
                    **perhaps(0.2, {"header_flits": rng.randint(1, 3)}),
                    **perhaps(0.5, {"injection_channels": rng.randint(1, 2)}),
                    **perhaps(0.4, {"consumption_channels": rng.randint(1, 3)}),
                    **perhaps(0.3, {"shared_links": True}), **perhaps(0.1, {"vc_reuse": "early"}),
                    **perhaps(0.3, {"allocation": "atomic"}))
    if rng.random() < 0.2:
        router.consumption_cycles = rng.randint(1, router.hop_cycles + router.credit_cycles)
    if router.shared_links and rng.random() < 0.5:
        router.arbitration = "first-come"
    if crowded:
        router.vc_reuse = "early"
        router.routing_cycles = router.routing_cycles or rng.randint(0, 4)
    if router.allocation == "incremental" and rng.random() < 0.1:
        router.path_reservation = True  # which excludes atomic allocation
    if router.allocation == "incremental" and not router.path_reservation:
        router.replication = rng.choice(["as-planned", "as-planned", "per-flit"])
        router.output_arbitration = rng.choice(["first-come", "first-come", "round-robin"])
        router.consumption_release = rng.choice(["arrived", "arrived", "answered"])
        rings_differ = network.rings and any(what == "buffer_flits" for what, *_ in network.own)
        plain = ((router.replication, router.output_arbitration, router.consumption_release)
                 == ("as-planned", "first-come", "arrived"))
        if plain and rng.random() < 0.4 and not rings_differ:  # bubbles are counted in buffers of one depth
            router.ring_entry, router.vc_reuse = rng.choice(["packet-bubble", "flit-bubble"]), "early"
            router.header_flits, router.buffer_flits = 0, rng.randint(4, 6)  # for two worms of two flits
            if any(what == "buffer_flits" and slots < 4 for (what, *_), slots in network.own.items()):
                router.ring_entry = "flit-bubble"  # packets need as much room in every buffer
    return router
