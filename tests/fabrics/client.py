#!/usr/bin/env python3
# What a host of a simulated fabric asks of its subnet manager, over libibumad; run by ibsim-run.
# SPDX-License-Identifier: MIT
"""client.py join SM-LID PORT-GUID MGID SL: joins the group, which is made with that service level if it is
new. client.py paths SM-LID: reads `SLID DLID NODE-GUID` lines and writes `NODE-GUID DLID SL`, as ibdmchk
reads them."""
import ctypes
import struct
import sys

SA_CLASS, SA_VERSION, SA_QKEY = 3, 2, 0x80010000
GET, SET, GET_RESPONSE = 1, 2, 0x81
MCMEMBER, PATH = 0x38, 0x35
DATA = 56  # of a MAD: behind its header, that of RMPP and that of the SA
SIZE = 256


class Administration:
    """The subnet administration behind one port."""

    def __init__(self, lid):
        self.umad = ctypes.CDLL("libibumad.so.3")
        self.umad.umad_get_mad.restype = ctypes.c_void_p
        if self.umad.umad_init() < 0:
            sys.exit("client.py: no umad")
        self.lid, self.transaction = lid, 1
        self.port = self.umad.umad_open_port(None, 0)
        self.agent = self.umad.umad_register(self.port, SA_CLASS, SA_VERSION, 1, None)
        if self.port < 0 or self.agent < 0:
            sys.exit("client.py: no port to the fabric")
        self.buffer = ctypes.create_string_buffer(self.umad.umad_size() + SIZE)

    def ask(self, method, attribute, mask, data):
        """The data of the answer."""
        self.transaction += 1
        mad = struct.pack(">BBBBHHQHHI", 1, SA_CLASS, SA_VERSION, method, 0, 0, self.transaction, attribute,
                          0, 0)
        mad += bytes(12) + struct.pack(">QHHQ", 0, 0, 0, mask) + data
        place = self.umad.umad_get_mad(self.buffer)
        ctypes.memset(self.buffer, 0, len(self.buffer))
        ctypes.memmove(place, mad, len(mad))
        self.umad.umad_set_addr(self.buffer, self.lid, 1, 0, SA_QKEY)
        if self.umad.umad_send(self.port, self.agent, self.buffer, SIZE, 2000, 3) < 0:
            sys.exit("client.py: nothing can be sent")
        length = ctypes.c_int(SIZE)
        if self.umad.umad_recv(self.port, self.buffer, ctypes.byref(length), 10000) < 0:
            sys.exit("client.py: the subnet manager does not answer")
        answer = ctypes.string_at(place, SIZE)
        status = struct.unpack_from(">H", answer, 4)[0]
        if answer[3] != GET_RESPONSE or status:
            sys.exit(f"client.py: method {answer[3]:#x}, status {status:#x}")
        return answer[DATA:]


def gid(text):
    """A GID of up to eight groups of four digits."""
    head, _, tail = text.partition("::")
    groups = [[int(word, 16) for word in part.split(":") if word] for part in (head, tail)]
    return struct.pack(">8H", *groups[0], *[0] * (8 - len(groups[0]) - len(groups[1])), *groups[1])


def join(administration, port_guid, mgid, level):
    """A full member, with all that a new group needs: Q_Key, traffic class, P_Key, level, flow label."""
    mask = 0x1 | 0x2 | 0x4 | 0x40 | 0x80 | 0x1000 | 0x2000 | 0x10000
    member = gid(mgid) + struct.pack(">QQ", 0xFE80 << 48, port_guid)
    member += struct.pack(">IHBBHBBIBBH", 0x12345, 0, 0, 0, 0xFFFF, 0, 0, level << 28, 1, 0, 0)
    administration.ask(SET, MCMEMBER, mask, member)


def path_level(administration, source, destination):
    """The service level of the path record between two LIDs."""
    mask = 0x1 << 4 | 0x1 << 5 | 0x1 << 12  # DLID, SLID, number of paths
    record = bytes(40) + struct.pack(">HHIBBHHBBBB", destination, source, 0, 0, 1, 0, 0, 0, 0, 0,
                                     0) + bytes(8)
    answer = administration.ask(GET, PATH, mask, record)
    return struct.unpack_from(">H", answer, 52)[0] & 0xF


def main():
    administration = Administration(int(sys.argv[2]))
    if sys.argv[1] == "join":
        join(administration, int(sys.argv[3], 16), sys.argv[4], int(sys.argv[5]))
    else:
        for source, destination, guid in (line.split() for line in sys.stdin):
            print(guid, destination, path_level(administration, int(source), int(destination)))


if __name__ == "__main__":
    main()
