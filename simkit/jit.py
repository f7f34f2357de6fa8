"""How simkit compiles: one decorator, one cache folder, a few intrinsics.

Every kernel module imports `kernel` from here, so that numba's cache folder is settled before any kernel is defined.
numba does not notice an edit in an imported file, so the folder's name carries a hash of everything that ends up in
machine code: the kernel sources, the versions of numba, llvmlite and numpy, and numba's own flags.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import warnings
from pathlib import Path

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

PACKAGE = Path(__file__).resolve().parent
PLAIN = bool(config.DISABLE_JIT)
"""True when kernels run as ordinary Python (NUMBA_DISABLE_JIT=1): slow, for debugging and coverage; same results."""
CHECKED = PLAIN or bool(config.BOUNDSCHECK)
"""True when every index must be checked; unchecked reads are then replaced by ordinary ones."""

# Function pointers are the one thing here that numba still calls experimental; say so once, here, and not to users.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def kernel_sources() -> list[Path]:
    """The files whose code is compiled: editing a plot must not recompile a game."""
    named = [PACKAGE / f"{name}.py" for name in ("jit", "rng", "cards", "game", "play")]
    return [path for path in named if path.exists()] + sorted((PACKAGE / "games").glob("*.py"))


def source_hash(paths: list[Path]) -> str:
    """First 16 hex digits of a hash of these files, of the compiler's versions and of its flags."""
    flags = [f"{name}={getattr(config, name)}" for name in ("BOUNDSCHECK", "OPT", "CPU_NAME", "CPU_FEATURES", "DEBUGINFO_DEFAULT")]
    digest = hashlib.sha256("|".join([numba.__version__, llvmlite.__version__, np.__version__, sys.version, *flags]).encode())
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """The folder that holds all compiled code: `SIMKIT_CACHE_DIR`, or the platform's cache folder of the user."""
    from platformdirs import user_cache_path

    return Path(os.environ.get("SIMKIT_CACHE_DIR") or user_cache_path("simkit"))


def usable(folder: Path) -> bool:
    """Whether files can be written there. numba, left to itself, would silently fall back to `__pycache__`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def choose_cache_folder() -> Path:
    """Set numba's cache folder and return it. `NUMBA_CACHE_DIR`, if the user set it, is respected as it is."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    folder = cache_root() / source_hash(kernel_sources())
    if not usable(folder):
        unusable, folder = folder, Path(tempfile.mkdtemp(prefix="simkit-cache-"))
        print(f"simkit: cannot write compiled code to {unusable}; using {folder} for this run only. "
              "Set SIMKIT_CACHE_DIR to a folder you can write.", file=sys.stderr)  # fmt: skip
    config.CACHE_DIR = str(folder)
    return folder


EIGHT = 8
"""Numbers that `write_eight` and `write_run` write at once."""
BLOCK = 16
"""Bytes that `copy_block` copies at once."""
LINE = 64
"""Bytes that `copy_line` copies at once."""

CACHE_FOLDER = choose_cache_folder()

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""The project's one decorator for compiled functions: cached on disk, without the GIL, no surprises."""

part = numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""As `kernel`, for what only kernels call: without the means for Python to call it, it is compiled sooner."""

inlined = numba.njit(nogil=True, error_model="numpy", inline="always")
"""As `kernel`, and copied into its callers before they are compiled: for a constant argument that should make a copy of its own."""


@intrinsic
def _wide_multiply(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        word = ir.IntType(64)
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, signature.return_type, (high, builder.trunc(product, word)))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


def _element_pointer(context, builder, array_type, array, index):
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def _byte_at(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.zext(builder.load(pointer), ir.IntType(64))

    return types.int64(array, types.int64), generate


def _copy_bytes(number):
    def generate(context, builder, signature, arguments):
        block = ir.PointerType(ir.VectorType(ir.IntType(8), number))
        into, out = (
            builder.bitcast(_element_pointer(context, builder, signature.args[k], arguments[k], arguments[k + 1]), block) for k in (0, 2)
        )
        builder.store(builder.load(out, align=1), into, align=1)
        return context.get_dummy_value()

    return generate


@intrinsic
def _copy_block(typing_context, target, place, source, begin):
    return types.void(target, types.int64, source, types.int64), _copy_bytes(BLOCK)


@intrinsic
def _copy_line(typing_context, target, place, source, begin):
    return types.void(target, types.int64, source, types.int64), _copy_bytes(LINE)


@intrinsic
def _copy_row(typing_context, target, source, row):
    def generate(context, builder, signature, arguments):
        eight = ir.PointerType(ir.VectorType(ir.IntType(64), EIGHT))
        first = builder.mul(arguments[2], ir.Constant(ir.IntType(64), EIGHT))
        places = (arguments[0], ir.Constant(ir.IntType(64), 0)), (arguments[1], first)
        into, out = (builder.bitcast(_element_pointer(context, builder, signature.args[k], *places[k]), eight) for k in (0, 1))
        builder.store(builder.load(out, align=8), into, align=8)
        return context.get_dummy_value()

    return types.void(target, source, types.int64), generate


@intrinsic
def _count_ones(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest_one(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def _write_eight(typing_context, target, place, base, steps, row):
    def generate(context, builder, signature, arguments):
        eight = ir.VectorType(ir.IntType(64), EIGHT)
        begin = builder.mul(arguments[4], ir.Constant(ir.IntType(64), EIGHT))
        into = builder.bitcast(_element_pointer(context, builder, signature.args[0], arguments[0], arguments[1]), ir.PointerType(eight))
        out = _element_pointer(context, builder, signature.args[3], arguments[3], begin)
        small = builder.load(builder.bitcast(out, ir.PointerType(ir.VectorType(ir.IntType(8), EIGHT))), align=1)
        first = builder.insert_element(ir.Constant(eight, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0))
        bases = builder.shuffle_vector(
            first, ir.Constant(eight, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), [0] * EIGHT)
        )
        builder.store(builder.add(bases, builder.zext(small, eight)), into, align=8)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64, steps, types.int64), generate


@intrinsic
def _place_of(typing_context, array):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), generate


@intrinsic
def _addresses_of(typing_context, functions):
    def generate(context, builder, signature, arguments):
        word, kind = ir.IntType(64), signature.args[0].dtype
        addresses = cgutils.alloca_once(builder, ir.ArrayType(word, signature.args[0].count))
        for place, value in enumerate(cgutils.unpack_tuple(builder, arguments[0])):
            address = cgutils.create_struct_proxy(kind)(context, builder, value=value).jit_addr
            into = builder.gep(addresses, [ir.Constant(word, 0), ir.Constant(word, place)])
            builder.store(builder.ptrtoint(address, word), into)
        return builder.ptrtoint(addresses, word)

    return types.int64(functions), generate


@intrinsic
def _ask(typing_context, functions, addresses, which, view, moves, n):
    asked = functions.dtype.signature

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        place = builder.add(arguments[1], builder.mul(arguments[2], ir.Constant(word, 8)))
        address = builder.load(builder.inttoptr(place, ir.PointerType(word)))
        kind = context.call_conv.get_function_type(asked.return_type, asked.args)
        function = builder.inttoptr(address, ir.PointerType(kind))
        status, chosen = context.call_conv.call_function(builder, function, asked.return_type, asked.args, arguments[3:])
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return chosen

    return asked.return_type(functions, types.int64, types.int64, view, moves, types.int64), generate


def _store_at(builder, arguments, value, kind):
    offset = builder.mul(arguments[1], ir.Constant(ir.IntType(64), EIGHT))
    into = builder.inttoptr(builder.add(arguments[0], offset), ir.PointerType(kind))
    builder.store(value, into, align=EIGHT)


@intrinsic
def _write_at(typing_context, place, index, number):
    def generate(context, builder, signature, arguments):
        _store_at(builder, arguments, arguments[2], ir.IntType(64))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _write_run(typing_context, place, index, first):
    def generate(context, builder, signature, arguments):
        eight, lane = ir.VectorType(ir.IntType(64), EIGHT), ir.IntType(32)
        one = builder.insert_element(ir.Constant(eight, ir.Undefined), arguments[2], ir.Constant(lane, 0))
        firsts = builder.shuffle_vector(one, ir.Constant(eight, ir.Undefined), ir.Constant(ir.VectorType(lane, EIGHT), [0] * EIGHT))
        _store_at(builder, arguments, builder.add(firsts, ir.Constant(eight, list(range(EIGHT)))), eight)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


# Compiled code calls the intrinsics themselves; what stands in for them in plain and in checked runs says what they do.


def plain_wide_multiply(a, b):
    """The 128-bit product of two 64-bit words (uint64), as (high word, low word)."""
    product = int(a) * int(b)
    return np.uint64(product >> 64), np.uint64(product & 0xFFFFFFFFFFFFFFFF)


def plain_count_ones(word):
    """Number of one bits in an int64 >= 0."""
    return np.int64(int(word).bit_count())


def plain_lowest_one(word):
    """Position of the lowest one bit in an int64 that is not 0."""
    return np.int64((int(word) & -int(word)).bit_length() - 1)


def plain_addresses_of(functions):
    """Where compiled functions of one type lie, for `ask`: to pick one of a tuple's, numba goes through a jump for each of them."""
    return functions


def plain_ask(functions, addresses, which, view, moves, n):
    """functions[which](view, moves, n); `addresses` by `addresses_of`, made in the same function, 0 <= which < len(functions)."""
    return functions[which](view, moves, n)


def checked_byte_at(array, index):
    """array[index] as an int64, for a uint8 array; unchecked in ordinary runs: 0 <= index < len(array)."""
    return np.int64(array[index])


def checked_write_eight(target, place, base, steps, row):
    """target[place + k] = base + steps[8 * row + k] for k in 0..7; unchecked in ordinary runs. target: int64, steps: uint8."""
    for k in range(EIGHT):
        target[place + k] = base + np.int64(steps[EIGHT * row + k])


def checked_place_of(array):
    """Where an int64 array lies, for `write_at` and `write_run`: unlike an array, an address is handed on without counting references."""
    return array


def checked_write_at(place, index, number):
    """array[index] = number for the int64 array of this place; unchecked in ordinary runs."""
    place[index] = number


def checked_write_run(place, index, first):
    """array[index + k] = first + k for k in 0..7, for the int64 array of this place; unchecked in ordinary runs."""
    for k in range(EIGHT):
        place[index + k] = first + k


def checked_copy_block(target, place, source, begin):
    """Copy BLOCK bytes of a uint8 array into one, all read before any is written; unchecked in ordinary runs."""
    target[place : place + BLOCK] = source[begin : begin + BLOCK].copy()


def checked_copy_line(target, place, source, begin):
    """Copy from source[begin] on to target[place] on, LINE bytes of arrays of uint16, all read before any is written; unchecked in ordinary runs."""
    target[place : place + LINE // 2] = source[begin : begin + LINE // 2].copy()


def checked_copy_row(target, source, row):
    """target[:] = source[row], for arrays of EIGHT and of any number of rows of EIGHT numbers of 8 bytes; unchecked in ordinary runs."""
    for k in range(EIGHT):
        target[k] = source[row, k]


wide_multiply = plain_wide_multiply if PLAIN else _wide_multiply
count_ones = plain_count_ones if PLAIN else _count_ones
lowest_one = plain_lowest_one if PLAIN else _lowest_one
addresses_of = plain_addresses_of if PLAIN else _addresses_of
ask = plain_ask if PLAIN else _ask
byte_at = kernel(checked_byte_at) if CHECKED else _byte_at
write_eight = kernel(checked_write_eight) if CHECKED else _write_eight
place_of = kernel(checked_place_of) if CHECKED else _place_of
write_at = kernel(checked_write_at) if CHECKED else _write_at
write_run = kernel(checked_write_run) if CHECKED else _write_run
copy_line = kernel(checked_copy_line) if CHECKED else _copy_line
copy_row = kernel(checked_copy_row) if CHECKED else _copy_row
copy_block = kernel(checked_copy_block) if CHECKED else _copy_block
