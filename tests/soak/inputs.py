# SPDX-License-Identifier: MIT
"""Creates input for the loads, with the same bytes every time."""
import random
import struct

WORDS = ("thread labyrinth function caller stack return address clew ball of "
         "yarn wall minotaur hero exit depth context count number "
         "instruction byte jump island shadow table key process").split()


def noise(count, seed=1):
    """Returns bytes that do not compress."""
    return random.Random(seed).randbytes(count)


def words(count, seed=1):
    """Returns a text of `count` words, in lines of about ten."""
    chosen = random.Random(seed).choices(WORDS, k=count)
    lines = [" ".join(chosen[i:i + 10]) for i in range(0, count, 10)]
    return "\n".join(lines) + "\n"


def mixture(count, seed=1):
    """Returns bytes that compress somewhat: text with noise in between."""
    text = words(count // 6, seed).encode()
    pieces = []
    while sum(map(len, pieces)) < count:
        pieces.append(text)
        pieces.append(noise(count // 20, seed + len(pieces)))
    return b"".join(pieces)[:count]


def picture(width=160, height=120):
    """Returns a PPM image with gradients and some edges."""
    pixels = bytes(
        value for y in range(height) for x in range(width)
        for value in (x * 255 // width, y * 255 // height,
                      255 * ((x // 10 + y // 10) % 2)))
    return b"P6\n%d %d\n255\n" % (width, height) + pixels


def sound(rate=8000, seconds=1):
    """Returns a WAV file, mono, 16 bits, with two triangle waves."""
    samples = b"".join(
        struct.pack("<h", abs(i * 37 % 20000 - 10000) + i % 50 * 40 - 5000)
        for i in range(rate * seconds))
    return (b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16) +
            b"data" + struct.pack("<I", len(samples)) + samples)
