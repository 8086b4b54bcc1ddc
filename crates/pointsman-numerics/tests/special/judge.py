"""Writes reference values of the Mittag-Leffler function and of the gamma family.

    pip install mpmath python-flint
    python3 judge.py [--seed N] [--rows 2288] [--out F] [--gamma-out F] [--derivative-out F]

Without --seed a fresh seed is drawn; it is printed and written to the first line of the file.

E_{a,b}(z) comes from its defining series, summed in ball arithmetic (Arb) with enough digits for the cancellation, or,
where |z|^(1/a) > 150, from the asymptotic expansion, whose smallest term is then below 1e-64. Both methods are
compared on 20 cases with |z|^(1/a) near 150. The gamma family comes from mpmath with 60 digits.

A row of the first file is  sector, a, b, Re z, Im z, Re E, Im E, scale  with
scale = max(1 + |E|, |z dE/dz| + |a dE/da| + |b dE/db|): the bar is 1e-13 times it. The file of derivatives has the same
columns, for dE/dz instead of E. "inf" means |E| > 1.79e308.
"""
import argparse, cmath, math, random, secrets, sys
import flint
import mpmath
from flint import arb, acb, arb_series, ctx


def rgamma_and_slope(x):
    series = arb_series([x, 1], prec=2).rgamma()
    return series[0], series[1]


def midpoint(x):
    """Drops the radius: boxes around powers of a complex number would grow by up to sqrt(2) a step."""
    return acb(x.real.mid(), x.imag.mid())


def series(a, b, z):
    """(E, z dE/dz, a dE/da, b dE/db) by the defining series."""
    r = abs(z) ** (1 / a)
    ctx.dps = int(90 + 1.1 * r)
    za, aa, ba = acb(z.real, z.imag), arb(a), arb(b)
    power, k = acb(1), 0
    e, ez, ea, eb = acb(0), acb(0), acb(0), acb(0)
    while True:
        x = aa * k + ba
        g, slope = rgamma_and_slope(x)
        e += power * g
        ez += power * g * k
        ea += power * slope * aa * k
        eb += power * slope * ba
        if a * k + b > 4 and a * k + b > 1.5 * r:
            size = float(abs(power).mid().log() if abs(power) > 0 else -1e9) - math.lgamma(a * k + b)
            if size + math.log(k + 1) < -75 * 2.303:
                break
        # |1/G(x)| < 10 for x > -4.
        if b >= -4 and 0 < abs(z) < 0.9 and k * math.log(abs(z)) + 2 * math.log(k + 1) < -85 * 2.303:
            break
        if z == 0 and k > 0:
            break
        power = midpoint(power * za)
        k += 1
    return e, ez, ea, eb


def asymptotic(a, b, z):
    """The same by the residues and the expansion in 1/z."""
    # The phase of a residue is that of exp(i |s|).
    ctx.dps = 400 + int(min(math.log(abs(z)) / a, 700) / 2)
    za, aa, ba = acb(z.real, z.imag), arb(a), arb(b)
    e, ez, ea, eb = acb(0), acb(0), acb(0), acb(0)
    log_z = za.log()
    turn = acb(0, 2) * arb.pi()
    n = int(a / 2) + 2
    for k in range(-n, n + 1):
        L = (log_z + turn * k) / aa
        im = float(L.imag.mid())
        if abs(im) >= math.pi:
            continue
        if float(L.real.mid()) > 700:
            if math.cos(im) > 0:
                return None
            continue
        s = L.exp()
        if float(s.real.mid()) < -1e5:
            continue
        R = (s + (1 - ba) * L).exp() / aa
        e += R
        ez += R * (s + 1 - ba) / aa
        ea += R * (-1 - L * s - (1 - ba) * L)
        eb += -L * R * ba
    inverse = 1 / za
    power, k, last = inverse, 1, math.inf
    while True:
        g, slope = rgamma_and_slope(ba - aa * k)
        e -= power * g
        ez += power * g * k
        ea += power * slope * aa * k
        eb -= power * slope * ba
        size = -k * math.log(abs(z)) + math.lgamma(max(a * k - b + 1, 1.5)) + math.log(k + 1)
        if b - a * k > -4 and k * math.log(abs(z)) - 2 * math.log(k + 1) > 65 * 2.303:
            break
        if a * k - b > 2 and size < -65 * 2.303:
            break
        if a * k - b > 100 and size > last:
            break
        last = size
        power = midpoint(power * inverse)
        k += 1
    return e, ez, ea, eb


def reference(a, b, z):
    """(E, scale), or None where |E| overflows."""
    if z == 0 or math.log(abs(z)) / a < math.log(150):
        parts = series(a, b, z)
    else:
        parts = asymptotic(a, b, z)
    if parts is None:
        return None
    modulus = midpoint(parts[0]).abs_upper()
    if not modulus < arb("1.7976931348623157e308"):
        return None
    if not all(part.rad() <= 1e-25 * max(1, float(modulus)) for part in parts):
        raise ArithmeticError(f"reference too wide: {a!r} {b!r} {z!r}")
    value = complex(float(parts[0].real.mid()), float(parts[0].imag.mid()))
    size = [float(abs(p).mid()) for p in parts]
    if z.imag == 0:
        value = complex(value.real, 0)
    return value, max(1 + size[0], sum(size[1:]))


def order(rng):
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice([1.0, 2.0]) + rng.choice([-1, 1]) * 10 ** rng.uniform(-15, -1)
    if kind == 1:
        return 10 ** rng.uniform(-2, -1)
    if kind == 2:
        return rng.choice([0.05, 0.25, 1 / 3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0])
    if kind <= 5:
        return rng.uniform(1e-3, 1)
    return 5 * (1 - rng.random())


def second(rng, a):
    kind = rng.randrange(8)
    if kind == 0:
        return 1.0
    if kind == 1:
        return a
    if kind == 2:
        return float(rng.randint(-3, 5))
    if kind == 3:
        return rng.randint(-3, 5) + rng.choice([-1, 1]) * 10 ** rng.uniform(-12, -1)
    return rng.uniform(-3, 5)


SECTORS = ["uniform", "negative", "positive", "stokes", "antistokes", "switch", "near_one", "wide"]


def wide(rng):
    """Larger a and b of both signs, and z up to 1e8 or, for large a, with |z|^(1/a) up to 60."""
    a, b = rng.choice([(rng.uniform(0.05, 5), rng.uniform(5, 150)), (rng.uniform(0.1, 3), rng.uniform(-40, -3)),
                       (10 ** rng.uniform(0.7, 2.17), rng.uniform(-3, 30)), (10 ** rng.uniform(-8, -2), rng.uniform(-3, 5))])
    r = rng.uniform(0.5, 60) ** a if a > 5 else 10 ** rng.uniform(-3, 8)
    if a < 0.02 and 0.8 < r < 1.25:
        # The series would take millions of terms.
        r *= 2
    angle = rng.choice([math.pi, rng.uniform(-math.pi, math.pi) * min(1, 1.2 * a), 0])
    return a, b, complex(-r, 0) if angle == math.pi else complex(r if a < 0.02 else min(r, 30**a), 0) if angle == 0 else cmath.rect(r, angle)


def draw(rng, sector):
    a = order(rng)
    b = min(5.0, max(-3.0, second(rng, a)))
    r = 10 ** rng.uniform(-3, 3)
    sign = rng.choice([-1, 1])
    nudge = rng.choice([0, sign * 10 ** rng.uniform(-15, -1)])
    if sector == "wide":
        return wide(rng)
    if sector == "negative":
        return a, b, complex(-r, 0)
    if sector == "positive":
        # Otherwise nearly all values for small a overflow.
        return a, b, complex(min(r, 10 ** (rng.uniform(-3, 2.8) * min(a, 1)) if rng.random() < 0.8 else r), 0)
    if sector == "stokes":
        theta = sign * min(math.pi, math.pi * a) * (1 + nudge)
    elif sector == "antistokes":
        theta = sign * min(math.pi, math.pi * a / 2) * (1 + nudge)
    elif sector == "switch":
        # A pole on or near a parabola s = mu (1 + iu)^2, such as the contour.
        while True:
            mu, u = rng.uniform(0.5, 8), rng.uniform(-4, 4)
            s = mu * complex(1, u) ** 2
            log_r = a * math.log(abs(s)) + nudge
            if -3 <= log_r / math.log(10) <= 3:
                break
            a = order(rng)
        return a, b, cmath.rect(math.exp(log_r), a * cmath.phase(s))
    elif sector == "near_one":
        r, theta = math.exp(rng.uniform(-1, 1) * a * 3), rng.uniform(-math.pi, math.pi) * min(1, a)
    else:
        theta = rng.uniform(-math.pi, math.pi)
    return a, b, cmath.rect(r, theta)


def derivative_reference(a, b, z):
    """(dE/dz, scale), or None where it overflows; the scale from differences of z dE/dz."""
    near = z == 0 or math.log(abs(z)) / a < math.log(150)
    method = series if near else asymptotic
    step = 2.0**-20

    def slope(a, b, z):
        parts = method(a, b, z)
        return None if parts is None else midpoint(parts[1] / acb(z.real, z.imag))

    values = [slope(a, b, z), slope(a, b, z * (1 + step)), slope(a * (1 + step), b, z), slope(a, b * (1 + step), z)]
    if any(v is None or not v.abs_upper() < arb("1e300") for v in values):
        return None
    value = values[0]
    changes = sum(float((v - value).abs_upper()) for v in values[1:]) / step
    return complex(float(value.real.mid()), float(value.imag.mid())), max(1 + float(value.abs_upper()), changes)


def number(x):
    return repr(x) if math.isfinite(x) else "inf"


def agree(rng):
    """Compares the two methods."""
    worst = 0
    for _ in range(20):
        a, b = rng.uniform(0.3, 4), rng.uniform(-3, 5)
        z = cmath.rect(rng.uniform(145, 160) ** a, rng.uniform(-math.pi, math.pi))
        x, y = series(a, b, z), asymptotic(a, b, z)
        scale = max(1 + abs(x[0]).mid(), sum(abs(p).mid() for p in x[1:]))
        worst = max(worst, max(float((abs(p - q).mid() / scale).mid()) for p, q in zip(x, y)))
    print(f"series against asymptotic expansion: worst {worst:.1e}")
    assert worst < 1e-40


def mittag_leffler(seed, count, out):
    rng = random.Random(seed)
    agree(rng)
    with open(out, "w") as file:
        print(f"# seed {seed}", file=file)
        print("sector,a,b,zre,zim,re,im,scale", file=file)
        for i in range(count):
            sector = SECTORS[i % len(SECTORS)]
            a, b, z = draw(rng, sector)
            result = reference(a, b, z)
            value, scale = result if result else (complex(math.inf, 0), 1.0)
            cells = [number(x) for x in (a, b, z.real, z.imag, value.real, value.imag)]
            print(sector, *cells, "%.3g" % scale, sep=",", file=file)
            if i % 200 == 0:
                print(i, file=sys.stderr, flush=True)


def derivative(seed, count, out):
    rng = random.Random(seed + 1)
    with open(out, "w") as file:
        print(f"# seed {seed}", file=file)
        print("sector,a,b,zre,zim,re,im,scale", file=file)
        for i in range(count):
            sector = SECTORS[i % len(SECTORS)]
            a, b, z = draw(rng, sector)
            result = derivative_reference(a, b, z)
            if result:
                value, scale = result
                cells = [number(x) for x in (a, b, z.real, z.imag, value.real, value.imag)]
                print(sector, *cells, "%.3g" % scale, sep=",", file=file)


def gamma_family(seed, out):
    rng = random.Random(seed)
    mpmath.mp.dps = 60
    mpf = mpmath.mpf
    with open(out, "w") as file:
        print(f"# seed {seed}", file=file)
        print("function,x,y,value,scale", file=file)

        def row(name, x, y, value, scale):
            if abs(value) > mpf("1.7976931348623157e308"):
                return
            print(name, repr(x), repr(y), repr(float(value)), "%.3g" % float(scale), sep=",", file=file)

        for i in range(200):
            x = [rng.uniform(-30, 30), rng.uniform(0, 171.6), rng.uniform(-185, 0), rng.uniform(0.5, 3),
                 rng.choice([-1, 1]) * 10 ** rng.uniform(-307.9, 0),
                 rng.randint(-20, 20) + 10 ** rng.uniform(-12, -1),
                 10 ** rng.uniform(0, 300), rng.randint(1, 2) + rng.choice([-1, 1]) * 10 ** rng.uniform(-12, -1)][i % 8]
            if x <= 0 and x == int(x):
                continue
            X = mpf(x)
            with mpmath.workdps(420 if abs(x) > 1e3 else 90):
                psi = mpmath.digamma(X)
                ln = mpmath.loggamma(X) if x > 0 else mpmath.log(abs(mpmath.gamma(X)))
                row("ln_gamma", x, 0.0, ln, abs(ln) if x > 0 else max(abs(ln), 1 + abs(X * psi)))
                row("digamma", x, 0.0, psi, abs(psi) + 1 + abs(X * mpmath.psi(1, X)))
                if x < 1e3:
                    condition = max(1, abs(X * psi)) if x < 0 else 1
                    g = mpmath.gamma(X)
                    row("gamma", x, 0.0, g, abs(g) * condition)
                    row("reciprocal_gamma", x, 0.0, 1 / g, abs(1 / g) * condition)
        for i in range(150):
            a, b = [(rng.uniform(0, 5), rng.uniform(0, 5)), (rng.uniform(0, 300), rng.uniform(0, 300)),
                    (10 ** rng.uniform(-5, 12), rng.uniform(0, 3)), (10 ** rng.uniform(-5, 5), 10 ** rng.uniform(-5, 5)),
                    (rng.uniform(-10, 10), rng.uniform(-10, 10)), (rng.uniform(0, 2), 10 ** rng.uniform(-5, 12))][i % 6]
            A, B = mpf(a), mpf(b)
            with mpmath.workdps(90):
                ln = mpmath.log(abs(mpmath.gamma(A))) + mpmath.log(abs(mpmath.gamma(B))) - mpmath.log(abs(mpmath.gamma(A + B))) \
                    if min(a, b) < 0 else mpmath.loggamma(A) + mpmath.loggamma(B) - mpmath.loggamma(A + B)
                sign = mpmath.sign(mpmath.gamma(A) * mpmath.gamma(B) * mpmath.gamma(A + B)) if min(a, b) < 0 else 1
                psi = mpmath.digamma(A + B)
                condition = 1 + abs(A * (mpmath.digamma(A) - psi)) + abs(B * (mpmath.digamma(B) - psi))
                value = sign * mpmath.exp(ln)
                row("ln_beta", a, b, ln, abs(ln) + condition)
                if abs(value) > mpf("2.3e-308"):
                    row("beta", a, b, value, abs(value) * condition)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rows", type=int, default=2288)
    parser.add_argument("--out", default="src/special/reference.csv")
    parser.add_argument("--gamma-out", default="src/special/reference_gamma.csv")
    parser.add_argument("--derivative-out", default="src/special/reference_derivative.csv")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else secrets.randbits(48)
    print("seed", seed)
    mittag_leffler(seed, arguments.rows, arguments.out)
    derivative(seed, arguments.rows // 5, arguments.derivative_out)
    gamma_family(seed, arguments.gamma_out)
