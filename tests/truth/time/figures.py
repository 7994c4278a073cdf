#!/usr/bin/env python3
"""What the tables beside this file say of the figures of a device description.

    figures.py                                      one row a figure: name, what was measured, the figure, from which rows
    figures.py --compare devices/h200.json          complains about each figure whose value in the description is another; exit status 1
    figures.py --write devices/h200.json            puts values and sources into the description, where it has a line for the figure

A figure is a whole number; what was measured is rounded to it. The tables are those of one GPU: README.md.
"""
import argparse
import collections
import csv
import json
import os
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLOCK = 1.98  # cycles of the multiprocessors a nanosecond, all the time: README.md
SUBPARTITIONS = 4
SMS = 132

Figure = collections.namedtuple("Figure", "id value rows")


def rows(table, kind=None):
    with open(os.path.join(HERE, table + ".tsv")) as lines:
        for row in csv.reader(lines, delimiter="\t"):
            if row and not row[0].startswith("#") and kind in (None, row[0]):
                yield row[1:] if kind else row


STEPS = {(name, int(warps), int(chains)): float(v) for name, warps, chains, v in rows("pipes", "step")}
BRANCHES = {(name, int(warps)): float(v) for name, warps, v in rows("pipes", "branch")}
SHAPES = {(name, shape, int(warps)): float(v) for name, shape, warps, v in rows("l1", "shape")}
CHAINS = {(name, shape): float(v) for name, shape, v in rows("l1", "chain")}
BYTES = {}
for name, part, sms, warps, _, _, _, per_cycle in rows("l2", "bytes"):
    BYTES[name, part] = max(BYTES.get((name, part), 0), float(per_cycle))
ATOMICS = {(name, where, int(sms), int(warps)): float(v) for name, where, sms, warps, _, _, v in rows("l2", "atomic")}
ATOMIC_CHAINS = {(name, where): float(v) for name, where, v in rows("l2", "chain")}
COPIES = {(name, int(n)): (float(ns), float(rate)) for name, n, ns, _, rate in rows("host", "copy")}
CALLS = {row[0]: float(row[1]) for row in rows("host", "call")}
BANKS = {tuple(int(x) for x in row[1:6]): float(row[6]) for row in rows("banks", "banks") if row[0] == "FFMA"}
PROFILED = [(row[0], int(row[1]), int(row[2]), int(row[3]), *(float(x) for x in row[4:])) for row in rows("launch_ncu") if row[0] != "kernel"]
SPREAD = {tuple(int(x) for x in row[:5]): [float(x) for x in row[5:]] for row in rows("spread", "DRAM")}
HOT = {row[0]: [float(x) for x in row[1:9]] for row in rows("hot") if row[0] != "launch"}
IDLE = [float(row[9]) - float(row[11]) for row in rows("programs") if row[0] != "program"]
CODE = {(float(k), int(w), how): [int(x) for x in passes] for k, w, how, *passes in rows("launch", "code")}
TRACED = [(row[0], int(row[1]), int(row[2]), int(row[3]), [int(x) for x in row[4:]]) for row in rows("launch", "kernel")]


def spread():
    """Of loads of one word from DRAM by a warp of each multiprocessor: cycles more for lines of L2's other half, for how many cycles a bank is not
    to be had, and how much of the time. Half of the lines are of the other half; who comes in a wait comes at any time of it."""
    q25, q75, q90, q95 = (SPREAD[1, 132, 1, 1, 0][i] for i in (4, 6, 7, 8))
    middle = (q25 + q75) / 2
    wait = 2 * (q95 - middle) - (q90 - middle)
    return q75 - q25, wait, 0.1 / (1 - (q90 - middle) / wait)


def store_again():
    """Cycles between stores to one word: of all multiprocessors, by 32 warps each."""
    cycles, _, _, writes, *_ = HOT["beside warps 32 stores 1 blocks 132"]
    return (cycles - statistics.median(IDLE)) / writes


def stores_waiting():
    """Stores to one word that are on their way when all blocks have ended."""
    _, active, _, writes, *_ = HOT["again warps 16 words 1 gap 0 blocks 132"]
    return (writes - active / store_again()) / SMS


def reductions_waiting():
    """Reductions of one word that are on their way when the last block has ended; L2 does as many in each cycle all the time."""
    cycles, _, _, _, _, _, done, longest = HOT["reduce warps 4 lanes 32 same 32 apart 1 blocks 132"]
    cycles -= statistics.median(IDLE)
    return done * (cycles - longest) / cycles / SMS


BY_NUMBER = 88  # latency_texture


def tex(*key):
    return [float(row[-1]) for row in rows("tex", key[0]) if tuple(row[:len(key) - 1]) == key[1:]][0]


def latency(name):
    return STEPS[name, 1, 1]


def least(name):
    """Cycles of the multiprocessor a step, with the warps and chains that are best."""
    return min(v for (n, _, _), v in STEPS.items() if n == name)


def flight(access, at):
    """Accesses that 1, 2 and 4 warps have begun so many cycles after the first."""
    found = {}
    for name, warps, counts in rows("l1", "flight"):
        if name == access:
            found.setdefault(int(warps), int(dict(pair.split(":") for pair in counts.split())[str(at)]))
    return [found[w] for w in (1, 2, 4)]


def waiting():
    """(a subpartition's, the multiprocessor's) accesses that can wait: 192 cycles after the first of many that each take 32 cycles, the
    ones that were done are the same for 1, 2 and 4 subpartitions."""
    one, _, four = flight("LDS, 32 words of a bank", 192)
    done = (192 - latency("LDS")) / 32
    own = (four - one) / 3
    return own, one - done - own


def register_banks():
    """The number of banks with which FFMA takes as many cycles as it reads different registers (but RZ) of one bank, at least one."""
    for banks in (1, 2, 4, 8):
        def wanted(sources):
            return max([1] + [len({r for r in sources if r % banks == bank and r != 255}) for bank in range(banks)])
        if all(abs(SUBPARTITIONS * v - wanted(key[:3])) < 0.15 for key, v in BANKS.items() if key[3] == 0 and key[4] == 8):
            return banks
    raise ValueError("banks.tsv agrees with no number of banks")


def dram(access):
    """Best bytes a nanosecond; writes without what may stay in L2."""
    best = max(float(row[7]) for row in rows("dram", "stream") if row[0] == access)
    stays = 62914560 * 0.4375 / 2**30  # l2_bytes, l2_dirty_share
    return best * {"read": 1, "write": 1 - stays, "copy": 1 - stays / 2}[access]


def write_requests():
    """Stores of a sector that L2 has room for, a cycle of the multiprocessors: those that go to the other half pass two slices."""
    return [int(row[2]) / 32 / float(row[3]) for row in rows("dram", "random") if row[0] == "write" and row[1] == "32" and row[5] == "32"][0] * WORD / 1000


CHANNELS = 188  # dram_channels


def visit(access):
    """Picoseconds of a channel for a piece of which one sector is asked for: at random, of reads also at distances of so many bytes, with which a
    piece has one. Writes of parts of sectors read them, too, so those at distances say nothing of writes."""
    each = [float(row[3]) / (float(row[2]) / 32) for row in rows("dram", "random") if row[0] == access and row[1] == "32" and row[5] in ("1024", "4096")]
    if access == "read":
        each += [float(row[3]) / (float(row[2]) / 32) for row in rows("dram", "stride") if row[0] == access and row[1] in ("256", "384", "512", "1024")]
    return 1000 * CHANNELS * statistics.mean(each)


BUS = 2 * 3.201 * 6016 / 8  # bytes a nanosecond: memory_clock_khz, memory_bus_bits


def share(part):
    return 10000 * part


def profiled(name, blocks, threads, shared=0, what=4):
    return [row[what] for row in PROFILED if row[:4] == (name, blocks, threads, shared)][0]


def empty_profiled():
    return statistics.median(row[4] for row in PROFILED if row[0] == "nothing" and row[1] <= 132 and row[3] == 0)


def empty_traced():
    return statistics.median(t for row in TRACED if row[0] == "nothing" and row[1] <= 132 and row[3] == 0 for t in row[4][1:])


def extra(branch, *plain):
    return BRANCHES[branch, 1] - sum(BRANCHES[p, 1] for p in plain)


AROUND = 4  # cycles: BSSY, and three that FFMA take longer in front of BSYNC than in front of another FFMA


def jump():
    """Cycles of a branch that is taken, or of BSYNC: both, without BSSY."""
    return (extra("branch over 16 FFMA, taken by all") - 1) / 2


def events(copy):
    return COPIES[copy, 4][0] - CALLS["between two events, 0 empty kernels, by events"]


def code_bytes(cycles):
    """The longest code of which no pass but the first takes more cycles an instruction of 16 bytes."""
    return max(kib * 1024 for (kib, warps, how), passes in CODE.items() if warps == 1 and how == "new" and max(passes[1:]) <= cycles * kib * 64)


def line_cycles(kib):
    """Cycles a line of 128 bytes, one warp, in a loop."""
    return CODE[kib, 1, "L2 has it"][2] / (kib * 8)


PLAIN = "16 FFMA, all"
WORD = 1000 / CLOCK  # picoseconds a cycle
TABLE = [
    # latencies
    ("latency_fp32", lambda: latency("FFMA"), "pipes: FFMA"),
    ("latency_alu", lambda: latency("LOP3"), "pipes: LOP3, IADD3, SHF, PRMT, IMAD"),
    ("latency_fp16", lambda: latency("HFMA2"), "pipes: HFMA2, HADD2, HMUL2"),
    ("latency_fp64", lambda: latency("DFMA"), "pipes: DFMA, DADD, DMUL"),
    ("latency_xu", lambda: latency("MUFU.EX2"), "pipes: MUFU, F2I, FRND, POPC, FLO"),
    ("latency_convert64", lambda: latency("F2F_F2F.64") / 2, "pipes: F2F.64, I2F.64, F2I.64"),
    ("latency_exchange", lambda: latency("SHFL.BFLY"), "pipes: SHFL.BFLY; SHFL.IDX with a lane that it must fetch 26"),
    ("latency_vote", lambda: latency("VOTE") - latency("ISETP_SEL") / 2, "pipes: VOTE behind ISETP"),
    ("latency_match", lambda: latency("MATCH.ALL"), "pipes: MATCH.ALL"),
    ("latency_redux", lambda: latency("REDUX.ADD"), "pipes: REDUX and the move to a register of the lanes"),
    ("latency_uniform", lambda: latency("USHF"), "pipes: USHF"),
    ("latency_constant_index", lambda: latency("LDC"), "pipes: LDC, all lanes the same word"),
    ("latency_mma", lambda: latency("HMMA.16816.F32"), "pipes: HMMA.16816, IMMA.16832, HMMA.1688.TF32"),
    ("latency_mma_half", lambda: latency("HMMA.1688.F32"), "pipes: HMMA.1688, IMMA.16816, HMMA.1684.TF32"),
    ("latency_mma_fp64", lambda: latency("DMMA.884"), "pipes: DMMA.884; 34 for m16n8k4, 50 for m16n8k8"),
    ("latency_wide2", lambda: latency("LDS.64") - latency("LDS"), "pipes: LDS.64 and LDS"),
    ("latency_wide4", lambda: latency("LDS.128") - latency("LDS"), "pipes: LDS.128 and LDS"),
    ("latency_wavefront", lambda: (CHAINS["LDS", "stride 32"] - CHAINS["LDS", "stride 1"]) / 31, "l1: chains of LDS, stride 32 and 1"),
    ("latency_texture_more", lambda: tex("chain", "tex2D point", "float", "row") - latency("FADD") - BY_NUMBER, "tex: chain of tex2D point, float, row, less FADD and latency_texture"),
    ("texture_lanes_per_cycle", lambda: 32 / tex("rate", "tex2D point", "float", "row", "16"), "tex: rate of tex2D point, float, row, 16 warps"),
    ("latency_atomic_shared", lambda: latency("ATOMS.ADD"), "pipes: ATOMS.ADD"),
    ("latency_cas_shared", lambda: latency("ATOMS.CAS"), "pipes: ATOMS.CAS"),
    ("latency_atomic", lambda: ATOMIC_CHAINS["ATOM.ADD.U32", "lanes 4 bytes apart"] - ATOMIC_CHAINS["LDG", "lanes 4 bytes apart"],
     "l2: chains of ATOM.ADD and LDG, 32 words of a line"),
    ("latency_fence_block", lambda: latency("MEMBAR.CTA"), "pipes: MEMBAR.CTA with nothing on its way"),
    ("latency_fence_device", lambda: latency("MEMBAR.GPU"), "pipes: MEMBAR.GPU with nothing on its way"),
    # what takes longer than its unit's rate
    ("uniform_cycles", lambda: SUBPARTITIONS * least("USHF"), "pipes: USHF"),
    ("special_cycles", lambda: least("LDC"), "pipes: LDC; S2R 1.01"),
    ("constant_word_cycles", lambda: STEPS["LDC.lanes", 32, 1] / 32, "pipes: LDC.lanes, 32 words"),
    ("match_value_cycles", lambda: STEPS["MATCH.ANY", 32, 1] / 32, "pipes: MATCH.ANY, 32 values"),
    ("redux_cycles", lambda: least("REDUX.ADD"), "pipes: REDUX; MATCH.ALL"),
    ("register_banks", register_banks, "banks: FFMA with other source registers"),
    ("mma_cycles", lambda: SUBPARTITIONS * least("HMMA.16816.F32"), "pipes: HMMA.16816, IMMA.16832, HMMA.1688.TF32"),
    ("mma_half_cycles", lambda: SUBPARTITIONS * least("HMMA.1688.F32"), "pipes: HMMA.1688, IMMA.16816, HMMA.1684.TF32"),
    ("mma_fp64_cycles", lambda: SUBPARTITIONS * least("DMMA.884"), "pipes: DMMA.884, DMMA.16x8x4; twice that DMMA.16x8x8"),
    ("barrier_cycles", lambda: 2 * STEPS["BAR", 1, 1] - 2 * STEPS["BAR", 2, 1], "pipes: BAR with 1 and 2 warps"),
    ("barrier_warp_cycles", lambda: (32 * STEPS["BAR", 32, 1] - STEPS["BAR", 1, 1]) / 31, "pipes: BAR with 1 and 32 warps"),
    ("branch_cycles", lambda: extra("branch over 16 FFMA, taken by none", PLAIN), "pipes: branch over 16 FFMA, taken by none"),
    ("branch_taken_cycles", lambda: extra("branch over 16 FFMA, taken by all"), "pipes: branch over 16 FFMA, taken by all"),
    ("branch_apart_cycles", lambda: extra("branch over 16 FFMA, taken by half", PLAIN), "pipes: branch over 16 FFMA, taken by half"),
    ("branch_both_cycles", lambda: extra("16 FFMA or 16 others, both ways", PLAIN, PLAIN) - latency("FADD"), "pipes: 16 FFMA or 16 others"),
    ("branch_jump_cycles", jump, "pipes: branch over 16 FFMA, taken by all: it and the place where lanes meet, one half"),
    ("branch_pass_cycles", lambda: extra("branch over 16 FFMA, taken by none", PLAIN) - jump() - AROUND, "pipes: branch over 16 FFMA, taken by none, less the place where lanes meet"),
    ("call_cycles", lambda: extra("call of 16 FFMA, all", PLAIN), "pipes: call of 16 FFMA"),
    # load and store unit
    ("lsu_subpartition_cycles", lambda: latency("STS"), "pipes: STS of one warp"),
    ("l1_lines_per_cycle", lambda: 32 / SHAPES["LDG", "32 lines in turn", 16], "l1: LDG, 32 lines in turn"),
    ("l1_miss_line_cycles", lambda: 1024 / (flight("LDG from L2, 32 lines", 2048)[2] - flight("LDG from L2, 32 lines", 1024)[2]) / 32,
     "l1: flight of LDG from L2, 32 lines"),
    ("store_sector_cycles", lambda: SHAPES["STG.128", "stride 1", 4] / 16, "l1: STG.128, stride 1"),
    ("store_part_cycles", lambda: SHAPES["STG", "stride 32", 4] / 32 - SHAPES["STG.128", "stride 1", 4] / 16, "l1: STG, stride 32"),
    ("red_line_cycles", lambda: 1 / ATOMICS["RED.ADD.U32", "random in 8 MiB", 1, 32], "l2: RED.ADD.U32, random, one multiprocessor"),
    ("lsu_waiting_subpartition", lambda: waiting()[0], "l1: flight of LDS, 32 words of a bank"),
    ("lsu_waiting", lambda: waiting()[1], "l1: flight of LDS, 32 words of a bank"),
    # L2
    ("l2_read_sm", lambda: BYTES["LDG.128 that misses L1", "one"], "l2: LDG.128 that misses L1, one multiprocessor"),
    ("l2_read_gpc", lambda: max(BYTES["LDG.128", "a GPC"], BYTES["LDG.128 that misses L1", "a GPC"]), "l2: LDG.128, a GPC"),
    ("l2_read_all", lambda: max(BYTES["LDG.128", "all"], BYTES["LDG.128 that misses L1", "all"]), "l2: LDG.128, all"),
    ("l2_write_sm", lambda: BYTES["STG.128", "one"], "l2: STG.128, one multiprocessor"),
    ("l2_write_gpc", lambda: BYTES["STG.128", "a GPC"], "l2: STG.128, a GPC"),
    ("l2_link_cycles", lambda: spread()[0], "spread: 75 % less 25 %, one word, all multiprocessors"),
    ("stores_waiting", stores_waiting, "hot: again, 16 warps, when blocks have ended"),
    ("reductions_waiting", reductions_waiting, "hot: reduce, 4 warps, one word, when blocks have ended"),
    ("store_again_ps", lambda: WORD * store_again(), "hot: beside, 32 warps"),
    ("l2_write_all", lambda: BYTES["STG.128", "all"], "l2: STG.128, all"),
    ("l2_write_requests", write_requests, "dram: write of 32 bytes at random in 32 MiB"),
    ("atomic_word_ps", lambda: WORD / ATOMICS["RED.ADD.U32", "one word", 132, 32], "l2: RED.ADD.U32, one word"),
    ("atomic_word_float_ps", lambda: WORD / ATOMICS["RED.ADD.F32", "one word", 132, 32], "l2: RED.ADD.F32, one word"),
    ("atomic_sector_ps", lambda: 8 * WORD / ATOMICS["RED.ADD.U32", "successive words, the same", 132, 32], "l2: RED.ADD.U32, successive words, the same"),
    ("atomic_sector_slow_ps", lambda: 4 * WORD / ATOMICS["RED.ADD.F64", "successive words, the same", 132, 32], "l2: RED.ADD.F64, successive words, the same"),
    ("l2_red_sectors", lambda: ATOMICS["RED.ADD.U32", "random in 8 MiB", 132, 32], "l2: RED.ADD.U32, random, all"),
    ("l2_red_words", lambda: ATOMICS["RED.ADD.U32", "a word a warp", 132, 32], "l2: RED.ADD.U32, a word a warp, all"),
    ("l2_atom_words", lambda: ATOMICS["ATOM.ADD.U32", "a word a warp", 132, 32], "l2: ATOM.ADD.U32, a word a warp, all"),
    ("l2_atom_sectors", lambda: ATOMICS["ATOM.ADD.U32", "random in 8 MiB", 132, 32], "l2: ATOM.ADD.U32, random, all"),
    # DRAM
    ("dram_read_share", lambda: share(dram("read") / BUS), "dram: read"),
    ("dram_write_share", lambda: share(dram("write") / BUS), "dram: write, less what stays in L2"),
    ("dram_copy_share", lambda: share(dram("copy") / BUS), "dram: copy, less what stays in L2"),
    ("dram_wait_share", lambda: share(spread()[2]), "spread: 90 % and 95 %, one word, all multiprocessors"),
    ("dram_wait_ps", lambda: WORD * spread()[1], "spread: 90 % and 95 %, one word, all multiprocessors"),
    ("dram_visit_ps", lambda: visit("read"), "dram: read of 32 bytes at random in 1 and 4 GiB, and 256 to 1024 bytes apart"),
    ("dram_visit_write_ps", lambda: visit("write"), "dram: write of 32 bytes at random in 1 and 4 GiB"),
    # code
    ("code_l1_bytes", lambda: code_bytes(1.05), "launch: the longest code that takes a cycle an instruction"),
    ("code_l2_bytes", lambda: code_bytes(2.6), "launch: the longest code that takes about as long as one of 96 KiB"),
    ("code_l1_miss_cycles", lambda: line_cycles(96), "launch: code of 96 KiB"),
    ("code_l2_miss_cycles", lambda: line_cycles(192), "launch: code of 192 KiB"),
    # launches
    ("block_empty_cycles", lambda: profiled("nothing", 8, 32, what=7) * SMS / 8, "launch_ncu: sm__cycles_active.avg of 8 empty blocks"),
    ("launch_idle_cycles", lambda: statistics.median(IDLE), "programs: sm__cycles_elapsed.max less sm__cycles_active.max, median of 398 launches"),
    ("launch_profiled_ps", lambda: 1000 * empty_profiled(), "launch_ncu: gpu__time_duration.sum of empty kernels of 1 to 132 blocks"),
    ("launch_traced_ps", lambda: 1000 * empty_traced(), "launch: CUPTI's time of empty kernels of 1 to 132 blocks"),
    ("launch_next_ps", lambda: 50 * (CALLS["a graph of 20 empty kernels, by events"] - CALLS["between two events, 0 empty kernels, by events"]),
     "host: a graph of 20 empty kernels"),
    ("block_dispatch_ps", lambda: 1000 * (profiled("nothing", 1081344, 256) - profiled("nothing", 270336, 256)) / (1081344 - 270336),
     "launch_ncu: empty kernels of 256 threads, 270336 and 1081344 blocks"),
    # the host
    ("host_launch_ps", lambda: 1000 * CALLS["launch of an empty kernel"], "host: launch of an empty kernel"),
    ("host_wait_ps", lambda: 1000 * (CALLS["launch and stream synchronize"] - CALLS["launch of an empty kernel"]), "host: launch and stream synchronize"),
    ("event_ps", lambda: 1000 * CALLS["between two events, 0 empty kernels, by events"], "host: between two events"),
    ("copy_back_start_ps", lambda: 1000 * events("device to host, pinned, async"), "host: 4 bytes to the host, less two events"),
    ("copy_bytes_per_us", lambda: 1000 * COPIES["host to device, pinned, async", 1 << 28][1], "host: 256 MiB to the device, pinned"),
    ("copy_back_bytes_per_us", lambda: 1000 * COPIES["device to host, pinned, async", 1 << 28][1], "host: 256 MiB to the host, pinned"),
    ("copy_pageable_bytes_per_us", lambda: 1000 * COPIES["host to device, pageable", 1 << 24][1], "host: 16 MiB to the device, pageable"),
]


def figures():
    return [Figure(name, value(), where) for name, value, where in TABLE]


def measured(f):
    return "%.2f" % f.value if f.value < 1000 else "%.0f" % f.value


def source(f):
    return "time: %s (%s)" % (measured(f), f.rows)


def compare(path):
    """Messages: figures that differ from the tables in value or source, and those that name the tables and are not from them."""
    description, known = json.load(open(path)), figures()
    for f in known:
        there = description.get(f.id, {})
        if (there.get("value"), there.get("source")) != (round(f.value), source(f)):
            yield "figure '%s' is %s from '%s'; the tables: %d from '%s'" % (f.id, there.get("value"), there.get("source"), round(f.value), source(f))
    for name in description.keys() - {f.id for f in known}:
        if isinstance(description[name], dict) and description[name].get("source", "").startswith("time:"):
            yield "figure '%s' names the tables, and figures.py does not know it" % name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", metavar="DESCRIPTION")
    parser.add_argument("--write", metavar="DESCRIPTION")
    args = parser.parse_args()
    if args.write:
        text = open(args.write).read()
        for f in figures():
            text = re.sub(r'("%s": )\{"value": [^,]*, "unit": ("[^"]*"), .*\}(,?)\n' % f.id,
                          lambda m: '%s{"value": %d, "unit": %s, "source": "%s"}%s\n' % (m[1], round(f.value), m[2], source(f), m[3]), text)
        open(args.write, "w").write(text)
        return 0
    if args.compare:
        wrong = list(compare(args.compare))
        for message in wrong:
            print("%s: %s" % (args.compare, message))
        return len(wrong) > 0
    for f in figures():
        print(f.id, measured(f), round(f.value), f.rows, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
