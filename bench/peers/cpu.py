"""Measures our side (a process that answers on its standard output) and the peers, round by round, in one run.

Every side gets its best form: ours writes into a reused buffer or a pooled column, NumExpr and Numba into a reused array.
Results are compared by checksum. A ratio is the best peer's best time over our best time: above 1, we are faster.
"""
import argparse, json, math, os, statistics, subprocess, sys, tempfile, time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import duckdb, jax, jax.numpy as jnp, numba, numexpr, numpy as np, polars as pl, pyarrow as pa

jax.config.update("jax_enable_x64", True)
BUSY_FRACTION_MAX = 0.05


def busy_fraction(seconds=2.0):
    """How much of the machine other processes use."""
    def read():
        fields = [int(x) for x in open("/proc/stat").readline().split()[1:]]
        return sum(fields), fields[3] + fields[4]
    total, idle = read()
    time.sleep(seconds)
    total2, idle2 = read()
    return 1 - (idle2 - idle) / max(1, total2 - total)


class Ours:
    """The process that runs our side."""

    def __init__(self, binary):
        # NumPy asks for large pages for its arrays; so do our vectors here.
        env = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def run(self, work, dtype, file):
        self.process.stdin.write(f"{work} {dtype} {file}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("unsupported"):
            return None, answer
        milliseconds, checksum = answer.split()
        return float(milliseconds), float(checksum)


@numba.njit(parallel=True, fastmath=True)
def numba_poly(x, out):
    for i in numba.prange(x.size):
        out[i] = x[i] * x[i] * np.float32(0.5) + x[i] * np.float32(3) - np.float32(1)


@numba.njit(fastmath=True)
def numba_poly_one_thread(x, out):
    for i in range(x.size):
        out[i] = x[i] * x[i] * np.float32(0.5) + x[i] * np.float32(3) - np.float32(1)


@numba.njit(parallel=True, fastmath=True)
def numba_heavy(x, out):
    for i in numba.prange(x.size):
        out[i] = np.exp(-x[i]) * np.sin(x[i]) + np.log1p(x[i])


@numba.njit(parallel=True, fastmath=True)
def numba_loop(x, out):
    for i in numba.prange(x.size):
        y = x[i]
        for _ in range(8):
            y = y * np.float32(0.5) + x[i]
        out[i] = y


@numba.njit(parallel=True)
def numba_mandelbrot(x, out):
    for i in numba.prange(x.size):
        real, imaginary = np.float32(3) * x[i] - np.float32(2), np.float32(0.25)
        a, b, n = real, imaginary, 0
        while n < 100 and a * a + b * b <= np.float32(4):
            a, b = a * a - b * b + real, np.float32(2) * a * b + imaginary
            n += 1
        out[i] = n


@numba.njit(parallel=True, fastmath=True)
def numba_filter_sum(x):
    total = 0.0
    for i in numba.prange(x.size):
        if x[i] > 0.5:
            total += x[i] * x[i] * 0.5 + x[i] * 3
    return total


def works(x, connection):
    """The works: name, our names and types, peers (name to function giving something to sum), the limit, the bar."""
    out, small, cached = np.empty_like(x), x[:1000].copy(), x[:100_000].copy()
    small_out, cached_out = np.empty_like(small), np.empty_like(cached)
    frame, arrays = pl.DataFrame({"x": x}), (jnp.asarray(x), jnp.asarray(small), jnp.asarray(cached))
    column = pl.col("x")
    jax_poly = jax.jit(lambda x: x * x * 0.5 + x * 3 - 1)
    jax_heavy = jax.jit(lambda x: jnp.exp(-x) * jnp.sin(x) + jnp.log1p(x))
    jax_filter_sum = jax.jit(lambda x: jnp.where(x > 0.5, x * x * 0.5 + x * 3, 0).sum())
    jax_running = jax.jit(jnp.cumsum)
    jax_loop = jax.jit(lambda x: jax.lax.fori_loop(0, 8, lambda _, y: y * 0.5 + x, x))
    counts = np.empty(x.size, dtype=np.uint32)
    half, three, one = np.float32(0.5), np.float32(3), np.float32(1)

    def into(function, x, out):
        function(x, out)
        return out

    def numpy_filter_sum():
        kept = x[x > half]
        return (kept * kept * half + kept * three).sum()

    return [
        ("map poly", "poly-column", {
            "NumPy": lambda: x * x * half + x * three - one,
            "NumExpr": lambda: numexpr.evaluate("x*x*0.5+x*3-1", {"x": x}, out=out, casting="same_kind"),
            "Numba": lambda: into(numba_poly, x, out),
            "JAX": lambda: jax_poly(arrays[0]).block_until_ready(),
            "Polars": lambda: frame.lazy().select(column * column * 0.5 + column * 3 - 1).collect()["x"],
        }, "limit-copy", 1.25),
        ("map exp·sin+log1p", "heavy", {
            "NumPy": lambda: np.exp(-x) * np.sin(x) + np.log1p(x),
            "NumExpr": lambda: numexpr.evaluate("exp(-x)*sin(x)+log1p(x)", {"x": x}, out=out, casting="same_kind"),
            "Numba": lambda: into(numba_heavy, x, out),
            "JAX": lambda: jax_heavy(arrays[0]).block_until_ready(),
        }, "limit-copy", 2.5),
        ("map, loop of 8 iterations", "loop", {
            "Numba": lambda: into(numba_loop, x, out),
            "JAX": lambda: jax_loop(arrays[0]).block_until_ready(),
        }, "limit-copy", None),
        ("map Mandelbrot", "mandelbrot", {
            "Numba": lambda: into(numba_mandelbrot, x, counts),
        }, "limit-copy", None),
        ("map-filter-sum", "filter-sum", {
            "NumPy": numpy_filter_sum,
            "Numba": lambda: numba_filter_sum(x),
            "JAX": lambda: jax_filter_sum(arrays[0]).block_until_ready(),
            "Polars": lambda: frame.lazy().filter(column > 0.5).select((column * column * 0.5 + column * 3).sum()).collect()["x"],
            "DuckDB": lambda: connection.execute("select sum(x*x*0.5+x*3) from t where x>0.5").fetchall()[0][0],
        }, "limit-read", 1.2),
        ("filter compaction", "compact", {
            "NumPy": lambda: x[x > half],
            "Polars": lambda: frame.lazy().filter(column > 0.5).collect()["x"],
            "DuckDB": lambda: connection.execute("select x from t where x>0.5").fetchnumpy()["x"],
        }, "limit-copy", 1.4),
        ("cumulative sum", "running-sum", {
            "NumPy": lambda: np.cumsum(x),
            "JAX": lambda: jax_running(arrays[0]).block_until_ready(),
            "Polars": lambda: frame["x"].cum_sum(),
        }, "limit-copy", 5.0),
        ("map poly in cache, 100 k rows, 1 thread", "in-cache", {
            "NumPy": lambda: cached * cached * half + cached * three - one,
            "Numba": lambda: into(numba_poly_one_thread, cached, cached_out),
            "JAX": lambda: jax_poly(arrays[2]).block_until_ready(),
        }, None, 0.95),
        ("small map, 1,000 rows, prepared", "small", {
            "NumPy": lambda: small * small * half + small * three - one,
            "Numba": lambda: into(numba_poly_one_thread, small, small_out),
            "JAX": lambda: jax_poly(arrays[1]).block_until_ready(),
        }, None, None),
    ]


# Ours alone, against the first type's: no bar, but no cliff.
OTHERS = ["poly", "poly-column", "poly-nulls", "heavy", "loop", "mandelbrot", "filter-sum", "filter-sum-nulls", "compact", "compact-nulls",
          "running-sum", "one-fold", "four-folds", "small", "small-filter"]
REPEATED = {"in-cache": 200, "small": 2000}


def once(function, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        result = function()
    return (time.perf_counter() - start) * 1e3 / repeats, result


def checksum(result):
    return float(np.asarray(result, dtype=np.float64).sum())


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-3)


def measure(ours, work, ours_name, peers, limit, rounds, file):
    times, limits = {name: [] for name in ["ours", *peers]}, []
    sums = {}
    for _ in range(rounds + 1):
        milliseconds, answer = ours.run(ours_name, "f32", file)
        if milliseconds is None:
            return {"work": work, "skipped": answer}
        times["ours"].append(milliseconds)
        sums["ours"] = answer
        for name, peer in peers.items():
            milliseconds, result = once(peer, REPEATED.get(ours_name, 1))
            times[name].append(milliseconds)
            sums[name] = checksum(result)
        if limit:
            limits.append(ours.run(limit, "f32", file)[0])
    # The first round warms up: compilation, page faults, clocks.
    best = {name: min(series[1:]) for name, series in times.items()}
    median = {name: statistics.median(series[1:]) for name, series in times.items()}
    if ours_name not in REPEATED and ours_name != "running-sum":
        for name in peers:
            if not close(sums["ours"], sums[name]):
                print(f"!! {work}: the results differ: ours {sums['ours']}, {name} {sums[name]}", file=sys.stderr)
    best_peer = min(peers, key=lambda name: best[name])
    return {"work": work, "ours_ms": best["ours"], "ours_median_ms": median["ours"],
            "peers": {name: best[name] for name in peers}, "best_peer": best_peer,
            "ratio": best[best_peer] / best["ours"], "limit_ms": min(limits[1:]) if limits else None}


def show(rows):
    names = ["NumPy", "NumExpr", "Numba", "JAX", "Polars", "DuckDB"]
    print("| work | ours | " + " | ".join(names) + " | ratio to the best | bar | of the limit |")
    print("| --- " * (len(names) + 5) + "|")
    for row in rows:
        if "skipped" in row:
            print(f"| {row['work']} | {row['skipped']} |" + " |" * (len(names) + 3))
            continue
        peers = " | ".join(f"{row['peers'][name]:.4g}" if name in row["peers"] else "–" for name in names)
        bar = "–" if row["bar"] is None else f"{row['bar']}×"
        limit = "–" if row["limit_ms"] is None else f"{row['limit_ms'] / row['ours_ms']:.0%} of {row['limit_ms']:.4g}"
        print(f"| {row['work']} | {row['ours_ms']:.4g} | {peers} | {row['ratio']:.2f}× | {bar} | {limit} |")


def svg(rows, file):
    rows = [row for row in rows if "skipped" not in row]
    width, bar, gap, left = 860, 14, 10, 260
    lines, y = [], 30
    colours = {"ours": "#c0392b"}
    for row in rows:
        sides = {"ours": row["ours_ms"], **row["peers"]}
        worst = max(sides.values())
        lines.append(f'<text x="8" y="{y}" font-weight="bold">{row["work"]}</text>')
        for name, milliseconds in sorted(sides.items(), key=lambda side: side[1]):
            y += bar + 4
            length = max(2, (width - left - 120) * milliseconds / worst)
            lines.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{name}</text>')
            lines.append(f'<rect x="{left}" y="{y - bar + 3}" width="{length:.1f}" height="{bar}" fill="{colours.get(name, "#7f8c8d")}"/>')
            lines.append(f'<text x="{left + length + 6:.1f}" y="{y}">{milliseconds:.4g} ms</text>')
        y += bar + 2 * gap
    text = "\n".join(lines)
    with open(file, "w") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="sans-serif" font-size="12">\n'
                  f'<rect width="100%" height="100%" fill="white"/>\n{text}\n</svg>\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    options = parser.parse_args()
    rows_count, rounds = (2_000_000, 3) if options.quick else (20_000_000, 7)
    busy = busy_fraction()
    if busy > BUSY_FRACTION_MAX:
        print(f"!! other processes use {busy:.0%} of this machine: the figures below are not to be trusted", file=sys.stderr)
    generator = np.random.default_rng(7)
    x = generator.random(rows_count, dtype=np.float32)
    connection = duckdb.connect()
    connection.execute(f"SET threads={os.cpu_count()}")
    connection.register("t_arrow", pa.table({"x": x}))
    connection.execute("create table t as select * from t_arrow")
    with tempfile.TemporaryDirectory() as folder:
        files = {dtype: os.path.join(folder, dtype) for dtype in ("f32", "f64", "i64")}
        x.tofile(files["f32"])
        generator.random(rows_count).tofile(files["f64"])
        generator.integers(0, 1000, rows_count).tofile(files["i64"])
        ours = Ours(options.binary)
        selected = [work for work in works(x, connection) if options.only in work[0]]
        table = []
        for number, (work, ours_name, peers, limit, bar) in enumerate(selected):
            print(f"\r[{number + 1}/{len(selected)}] {work:<45}", end="", file=sys.stderr, flush=True)
            table.append({"rows": rows_count, "bar": bar, **measure(ours, work, ours_name, peers, limit, rounds, files["f32"])})
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
        print(f"{rows_count:,} rows of f32 unless said, {os.cpu_count()} cores, best of {rounds}, milliseconds; "
              f"others used {busy:.1%} of the machine\n")
        show(table)
        print("\nOurs in other types and with one null in ten, milliseconds\n")
        print("| work | f32 | f64 | i64 |\n| --- | --- | --- | --- |")
        variants = []
        for work in (work for work in OTHERS if options.only in work):
            cells = {}
            for dtype, file in files.items():
                series = [ours.run(work, dtype, file)[0] for _ in range(rounds + 1)]
                cells[dtype] = None if series[-1] is None else min(series[1:])
            variants.append({"work": work, "rows": rows_count, **cells})
            print(f"| {work} | " + " | ".join("–" if cell is None else f"{cell:.4g}" for cell in cells.values()) + " |")
        print(f"\nothers used {busy_fraction():.1%} of the machine at the end")
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"peers": table, "variants": variants}, out, indent=1)
    if options.svg:
        svg(table, options.svg)


main()
