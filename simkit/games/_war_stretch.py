"""A stretch of plain battles between two players, up to sixteen at once.

Both packets lie in one byte array, front first: seat 0's from `head`, seat 1's from `head + gap`. Both heads always
advance together, so cards that meet lie `gap` apart, and sixteen battles are one comparison of sixteen bytes: the
winners' bits, eight at a time, pick an entry of a table that packs each side's winnings in order, ready to be stored
behind its packet. (Sixteen rather than eight: a stretch more often ends at a tie than at its limit, which the
processor guesses better; measured at 7 % of a game.)
"""

from __future__ import annotations

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.extending import intrinsic

from simkit.jit import CHECKED, kernel

LANES = 16
"""Battles in one stretch at most."""
HALF = 8
"""Battles whose outcome is one index into a table."""


def _packing() -> np.ndarray:
    """For each mask of lanes, the byte order that brings their pairs of cards to the front (128 means: write 0)."""
    table = np.full((1 << HALF, 2 * HALF), 128, np.uint8)
    for mask in range(1 << HALF):
        lanes = [lane for lane in range(HALF) if mask >> lane & 1]
        for place, lane in enumerate(lanes):
            table[mask, 2 * place : 2 * place + 2] = (2 * lane, 2 * lane + 1)
    return table.ravel()


def _paths() -> tuple[np.ndarray, np.ndarray]:
    """Highest and lowest gain of seat 0 on the way through half a stretch, by (1 << battles) | mask of its wins."""
    high, low = np.zeros(2 << HALF, np.int64), np.zeros(2 << HALF, np.int64)
    for battles in range(1, HALF + 1):
        for mask in range(1 << battles):
            path = np.cumsum([1 if mask >> lane & 1 else -1 for lane in range(battles)])
            high[1 << battles | mask], low[1 << battles | mask] = path.max(), path.min()
    return high, low


PACKING = _packing()
HIGHEST, LOWEST = _paths()


def has_byte_shuffle() -> bool:
    """Whether the machine (and the target that numba compiles for) has the x86 byte shuffle of SSSE3."""
    if CHECKED or config.CPU_NAME or config.CPU_FEATURES or not binding.get_default_triple().startswith("x86_64"):
        return False
    return bool(dict(binding.get_host_cpu_features()).get("ssse3"))


@intrinsic
def _stretch(typing_context, cards, head, gap, tail_0, tail_1, limit, swap, seat_order, packing):
    word = types.int64
    signature = types.UniTuple(word, 2)(cards, word, word, word, word, word, word, word, packing)
    return signature, _generate_stretch


def _generate_stretch(context, builder, signature, arguments):
    cards, head, gap, tail_0, tail_1, limit, swap, seat_order, packing = arguments
    byte, short, word = ir.IntType(8), ir.IntType(16), ir.IntType(64)
    vector, lanes = ir.VectorType(byte, LANES), ir.VectorType(ir.IntType(1), LANES)
    one = ir.Constant(word, 1)
    table = context.make_array(signature.args[0])(context, builder, cards).data
    orders = context.make_array(signature.args[-1])(context, builder, packing).data

    def pointer(base, index):
        return builder.bitcast(builder.gep(base, [index]), ir.PointerType(vector))

    def bits(mask):
        return builder.zext(builder.bitcast(mask, short), word)

    a = builder.load(pointer(table, head), align=1)
    b = builder.load(pointer(table, builder.add(head, gap)), align=1)
    wins, ties = builder.icmp_unsigned(">", a, b), builder.icmp_unsigned("==", a, b)
    higher, lower = builder.select(wins, a, b), builder.select(wins, b, a)
    by_seat = builder.and_(builder.not_(bits(wins)), seat_order)
    swapped = builder.bitcast(builder.trunc(builder.xor(swap, by_seat), short), lanes)
    first, second = builder.select(swapped, lower, higher), builder.select(swapped, higher, lower)
    battles = builder.cttz(builder.or_(bits(ties), builder.shl(one, limit)), ir.Constant(ir.IntType(1), 1))
    played = builder.sub(builder.shl(one, battles), one)
    won = builder.and_(bits(wins), played)
    shuffle = builder.module.declare_intrinsic("llvm.x86.ssse3.pshuf.b.128", fnty=ir.FunctionType(vector, [vector, vector]))
    halves = []
    for half in range(2):
        zipped = ir.Constant(
            ir.VectorType(ir.IntType(32), LANES), [k for lane in range(8) for k in (8 * half + lane, LANES + 8 * half + lane)]
        )
        halves.append(builder.shuffle_vector(first, second, zipped))
    for mask, tail in ((won, tail_0), (builder.xor(won, played), tail_1)):
        low = builder.and_(mask, ir.Constant(word, 255))
        for pairs, part in ((halves[0], low), (halves[1], builder.lshr(mask, ir.Constant(word, 8)))):
            order = builder.load(pointer(orders, builder.shl(part, ir.Constant(word, 4))), align=1)
            builder.store(builder.call(shuffle, [pairs, order]), pointer(table, tail), align=1)
            tail = builder.add(tail, builder.shl(builder.ctpop(low), one))
    return context.make_tuple(builder, signature.return_type, (battles, won))


def plain_stretch(cards, head, gap, tail_0, tail_1, limit, swap, seat_order):
    """Play battles until a tie, `limit` at most (1 to LANES, and no more than the smaller packet holds).

    Each pot of two goes behind its winner's packet, the higher card first; where `swap` has the battle's bit, the lower
    first; with `seat_order` -1 (else 0) seat 0's card first. Returns the number of battles and the mask of seat 0's wins.
    Up to 32 bytes behind either tail may be overwritten.
    """
    battles, won = np.int64(0), np.int64(0)
    while battles < limit:
        a, b = np.int64(cards[head + battles]), np.int64(cards[head + gap + battles])
        if a == b:
            break
        low_first = ((swap >> battles) & 1) ^ (seat_order & np.int64(a < b) & 1)
        first, second = (min(a, b), max(a, b)) if low_first else (max(a, b), min(a, b))
        if a > b:
            cards[tail_0], cards[tail_0 + 1] = first, second
            tail_0 += 2
            won |= np.int64(1) << battles
        else:
            cards[tail_1], cards[tail_1 + 1] = first, second
            tail_1 += 2
        battles += 1
    return battles, won


if has_byte_shuffle():

    @kernel
    def stretch(cards, head, gap, tail_0, tail_1, limit, swap, seat_order):
        """`plain_stretch`, all battles at once."""
        return _stretch(cards, head, gap, tail_0, tail_1, limit, swap, seat_order, PACKING)

else:
    stretch = kernel(plain_stretch)
