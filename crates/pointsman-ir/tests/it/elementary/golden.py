"""Writes golden.txt: values of the elementary functions from mpmath, at 40 digits and more.

A line is `name x y result rest`: doubles by their bits, and in thousandths of an ULP what the true value is above the
result, its nearest double. Run it with Python and mpmath: `python golden.py > golden.txt`.
"""
import random
import struct

import mpmath as m

EACH = 170
FUNCTIONS = {
    "exp": (m.exp, (-740, 709)), "exp2": (lambda x: m.mpf(2) ** x, (-1070, 1023)), "expm1": (m.expm1, (-40, 300)),
    "ln": (m.log, None), "log2": (lambda x: m.log(x, 2), None), "log10": (m.log10, None), "log1p": (m.log1p, (-1, 5)),
    "pow": (lambda x, y: m.mpf(x) ** m.mpf(y), None), "sin": (m.sin, None), "cos": (m.cos, None), "tan": (m.tan, None),
    "asin": (m.asin, (-1, 1)), "acos": (m.acos, (-1, 1)), "atan": (m.atan, None), "atan2": (m.atan2, None),
    "sinh": (m.sinh, (-700, 700)), "cosh": (m.cosh, (-700, 700)), "tanh": (m.tanh, (-20, 20)),
    "erf": (m.erf, (-6, 6)), "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), None),
    "hypot": (lambda x, y: m.sqrt(x * x + y * y), None),
}
POSITIVE = ("ln", "log2", "log10", "pow")


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def argument(name, span, k):
    """A third from all exponents, a third near 1, the rest from the function's span."""
    exponents = (1023 - 30, 1023 + 3) if span and k % 3 == 0 else (1, 2046) if k % 3 == 0 else (1022, 1024)
    x = double(random.getrandbits(52) | random.randint(*exponents) << 52) * random.choice((1, -1))
    if name in ("sin", "cos", "tan") and k % 4 == 1:
        with m.workprec(1200):
            x = float(m.mpf(random.getrandbits(random.randint(1, 1000)) + 1) * m.pi / 2)
    if span and (k % 3 == 2 or not span[0] < x < span[1]):
        x = random.uniform(*span)
    return abs(x) if name in POSITIVE else x


def line(name, function, span, k):
    x = argument(name, span, k)
    y = 0.0
    if name == "pow":
        y = random.uniform(-1000, 1000) / float(m.log(x, 2) or 1)
    elif name in ("atan2", "hypot"):
        y = argument(name, None, k + 1)
    with m.workprec(1400 if name in ("sin", "cos", "tan") else 300):
        value = function(m.mpf(x), m.mpf(y)) if name in ("pow", "atan2", "hypot") else function(m.mpf(x))
        result = float(value)
        if result in (0.0, float("inf"), float("-inf")):
            return None
        ulp = m.mpf(2) ** (max(bits(abs(result)) >> 52, 1) - 1075)
        rest = int(m.nint((value - m.mpf(result)) / ulp * 1000))
    return f"{name} {bits(x):x} {bits(y):x} {bits(result):x} {rest}"


random.seed(20)
for name, (function, span) in FUNCTIONS.items():
    for k in range(EACH):
        text = line(name, function, span, k)
        if text:
            print(text)
