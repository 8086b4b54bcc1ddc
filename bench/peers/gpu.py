"""Measures our side (a process that answers on its standard output) and the peers on one GPU, work by work, in one run.

Columns are resident on the device unless the work says otherwise. Times are taken on the device, between two events
around each run (ours, PyTorch, CuPy), or by the wall clock where there are no events (JAX) or the work says so. Ours and
the peers take turns, round by round. Results are compared with NumPy: how many, their sum, and 64 of them, first to last.
The limit of a work is the time to move its bytes at the speed of PyTorch's copy (ours, if there is no PyTorch). A ratio
is the best peer's best time over our best time: above 1, we are faster.
"""
import argparse, json, math, os, shutil, statistics, subprocess, sys, tempfile, time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import numpy as np

SAMPLES, TIMES, SMALL_ROWS, SMALL_CALLS = 64, 7, 1000, 2000
PEERS = ["PyTorch", "CuPy", "JAX"]


def optional(load):
    """A peer, or None with a line that says why not."""
    try:
        return load()
    except Exception as error:  # whatever keeps a peer from loading, the others still run
        print(f"!! {load.__name__} is left out: {error}", file=sys.stderr)
        return None


class Ours:
    """The process that runs our side."""

    def __init__(self, binary, device):
        self.process = subprocess.Popen([binary, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = self.ask("about")

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            sys.exit(f"our side ended at `{line}`: see above")
        return answer

    def numbers(self, line):
        answer = self.ask(line)
        if answer.startswith("unsupported"):
            return None, answer
        return [float(word) for word in answer.split() if word != ";"], None


class Work:
    """One work: our line, its columns, bytes moved, NumPy's result, the peers, and the bar in milliseconds."""

    def __init__(self, name, line, columns, rows, moved, expected, peers, bar=None, wall=False, tolerance=1e-3):
        self.name, self.line, self.columns, self.rows, self.moved = name, line, columns, rows, moved
        self.expected, self.peers, self.bar, self.wall, self.tolerance = expected, peers, bar, wall, tolerance


def pytorch():
    import torch
    torch.zeros(1, device="cuda")

    class Torch:
        name, compile = "PyTorch", staticmethod(lambda f: torch.compile(f, mode="max-autotune-no-cudagraphs"))

        def put(self, x):
            return torch.from_numpy(x).cuda()

        def timed(self, run, times):
            events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(times)]
            for before, after in events:
                before.record()
                result = run()
                after.record()
                torch.cuda.synchronize()
            return [before.elapsed_time(after) for before, after in events], result

        def wait(self):
            torch.cuda.synchronize()

        def total(self, result):
            return float(result.double().sum())

        def free(self):
            torch.cuda.empty_cache()

        def works(self, put):
            poly = self.compile(lambda x: x * x * 0.5 + x * 3 - 1)
            eager = lambda x: x * x * 0.5 + x * 3 - 1
            filter_sum = self.compile(lambda x: torch.where(x > 0.5, x * x * 0.5 + x * 3, 0.0).sum())
            q6 = self.compile(lambda d, c, q, p: torch.where(
                (d >= 8766) & (d < 9131) & (c >= 0.05) & (c <= 0.07) & (q < 24.0), p * c, 0.0).sum())
            out = {}

            def copy(x):
                if out.get("of") is not x:
                    out.update(of=x, to=torch.empty_like(x))
                return out["to"].copy_(x)

            return {"copy": copy, "poly": poly, "sum": lambda x: x.sum(), "filter-sum": filter_sum,
                    "compact": lambda x: x[x > 0.5], "q6": q6, "small": poly,
                    "running-sum": lambda x: torch.cumsum(x, 0, dtype=x.dtype),
                    "host": lambda x: eager(torch.from_numpy(x).cuda()).cpu()}
    return Torch()


def cupy():
    import cupy as cp
    cp.zeros(1)

    class CuPy:
        name = "CuPy"

        def put(self, x):
            return cp.asarray(x)

        def timed(self, run, times):
            found = []
            for _ in range(times):
                before, after = cp.cuda.Event(), cp.cuda.Event()
                before.record()
                result = run()
                after.record()
                after.synchronize()
                found.append(cp.cuda.get_elapsed_time(before, after))
            return found, result

        def wait(self):
            cp.cuda.get_current_stream().synchronize()

        def total(self, result):
            return float(result.astype(cp.float64).sum())

        def free(self):
            cp.get_default_memory_pool().free_all_blocks()

        def works(self, put):
            poly = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * x * 0.5f + x * 3.0f - 1.0f", "poly")
            filter_sum = cp.ReductionKernel("float32 x", "float32 y", "x > 0.5f ? x * x * 0.5f + x * 3.0f : 0.0f",
                                            "a + b", "y = a", "0", "filter_sum")
            q6 = cp.ReductionKernel(
                "int32 d, float64 c, float64 q, float64 p", "float64 y",
                "d >= 8766 && d < 9131 && c >= 0.05 && c <= 0.07 && q < 24.0 ? p * c : 0.0", "a + b", "y = a", "0", "q6")
            return {"poly": poly, "small": poly, "sum": lambda x: x.sum(), "filter-sum": filter_sum, "q6": q6,
                    "compact": lambda x: x[x > 0.5], "running-sum": lambda x: cp.cumsum(x, dtype=x.dtype),
                    "host": lambda x: cp.asnumpy(poly(cp.asarray(x)))}
    return CuPy()


def jax():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    jax.devices("gpu")

    class Jax:
        name = "JAX"

        def put(self, x):
            return jax.device_put(x)

        def timed(self, run, times):
            found = []
            for _ in range(times):
                start = time.perf_counter()
                result = run()
                result.block_until_ready()
                found.append((time.perf_counter() - start) * 1e3)
            return found, result

        def wait(self):
            pass

        def total(self, result):
            return float(jnp.sum(result.astype(jnp.float64)))

        def free(self):
            pass

        def works(self, put):
            poly = jax.jit(lambda x: x * x * 0.5 + x * 3 - 1)
            filter_sum = jax.jit(lambda x: jnp.where(x > 0.5, x * x * 0.5 + x * 3, 0).sum())
            q6 = jax.jit(lambda d, c, q, p: jnp.where(
                (d >= 8766) & (d < 9131) & (c >= 0.05) & (c <= 0.07) & (q < 24.0), p * c, 0.0).sum())
            return {"poly": poly, "small": lambda x: poly(x).block_until_ready(), "sum": jax.jit(jnp.sum),
                    "filter-sum": filter_sum, "q6": q6,
                    "running-sum": jax.jit(lambda x: jnp.cumsum(x, dtype=x.dtype)),
                    "host": lambda x: np.asarray(poly(jax.device_put(x)))}
    return Jax()


def poly(x):
    return x * x * np.float32(0.5) + x * np.float32(3) - np.float32(1)


def kept_sum(x):
    kept = x[x > np.float32(0.5)].astype(np.float64)
    return np.array([(kept * kept * 0.5 + kept * 3).sum()])


def q6_sum(d, c, q, p):
    kept = (d >= 8766) & (d < 9131) & (c >= 0.05) & (c <= 0.07) & (q < 24.0)
    return np.array([(p[kept] * c[kept]).sum()])


def works(rows_log2, device):
    """The works; columns are (name, function that makes it)."""
    n, small_gpu = 1 << rows_log2, not device.startswith("cuda")
    full = rows_log2 == 28 and not small_gpu
    bar = lambda milliseconds: milliseconds if full else None
    tag = f"2^{rows_log2}"
    x = ("x.f32", lambda g: g.random(n, dtype=np.float32))
    i32, i64 = ("x.i32", lambda g: g.integers(0, 10, n, dtype=np.int32)), ("x.i64", lambda g: g.integers(0, 1000, n))
    small = ("small.f32", lambda g: g.random(SMALL_ROWS, dtype=np.float32))
    host_rows = min(10_000_000, n)
    host = ("host.f32", lambda g: g.random(host_rows, dtype=np.float32))
    m = min(60_000_000, n)
    tpch = [("date.i32", lambda g: g.integers(8000, 10500, m, dtype=np.int32)),
            ("discount.f64", lambda g: g.integers(0, 11, m) / 100.0),
            ("quantity.f64", lambda g: g.integers(1, 51, m).astype(np.float64)), ("price.f64", lambda g: g.random(m) * 1e5)]
    wide = lambda x: np.cumsum(x, dtype=np.float64 if x.dtype == np.float32 else np.int64)
    every = [
        Work(f"copy {tag} f32", "copy", [x], n, 8 * n, lambda x: x, "copy"),
        Work(f"map poly {tag} f32", "poly", [x], n, 8 * n, poly, "poly", bar(0.55)),
        Work(f"sum {tag} f32", "sum", [x], n, 4 * n, lambda x: np.array([x.sum(dtype=np.float64)]), "sum", "within 3 %" if full else None),
        Work(f"map-filter-sum {tag} f32", "filter-sum", [x], n, 4 * n, kept_sum, "filter-sum", bar(0.28)),
        Work(f"filter compaction {tag} f32, half kept", "compact", [x], n, 6 * n, lambda x: x[x > np.float32(0.5)], "compact", bar(0.6)),
        Work(f"cumulative sum {tag} f32, reproducible", "running-sum", [x], n, 8 * n, wide, "running-sum", bar(0.9), tolerance=3e-3),
        Work(f"cumulative sum {tag} i32", "running-sum", [i32], n, 8 * n, wide, "running-sum", bar(0.65), tolerance=0),
        Work(f"cumulative sum {tag} i64", "running-sum", [i64], n, 16 * n, wide, "running-sum", None, tolerance=0),
        Work(f"TPC-H Q6 shape, {m / 1e6:.0f} M rows f64", "q6", tpch, m, 28 * m, q6_sum, "q6", bar(0.45)),
        Work(f"host → poly → host, {host_rows / 1e6:.0f} M f32, pageable", "host", [host], host_rows, None, poly, "host", 5.0 if full else None, wall=True),
        Work(f"small map resident, {SMALL_ROWS} rows, wall", "small", [small], SMALL_ROWS, None, poly, "small", 0.010 if full else None, wall=True),
    ]
    portable = {"copy", "poly", "sum", "compact"}
    return [work for work in every if not device.startswith(("vulkan", "metal", "dx12")) or work.line in portable]


class Data:
    """Columns as files that our side reads, and as arrays."""

    def __init__(self, folder):
        self.folder, self.arrays = folder, {}

    def array(self, column):
        name, make = column
        if name not in self.arrays:
            self.arrays = {k: v for k, v in self.arrays.items() if v.size * v.itemsize < 1 << 31}
            seed = sum(name.encode())
            self.arrays[name] = make(np.random.default_rng(seed))
            path = os.path.join(self.folder, name)
            if not os.path.exists(path):
                self.arrays[name].tofile(path)
        return self.arrays[name]

    def line(self, columns):
        return " ".join(f"{os.path.join(self.folder, name)}:{name.rsplit('.', 1)[1]}" for name, _ in columns)


def our_times(ours, work, data, times):
    """Our times, and what our side says about the result: (times, reason why not)."""
    columns = data.line(work.columns)
    if work.line == "host":
        numbers, why = ours.numbers(f"host {times} {columns.split(':')[0]}")
        return (None, why, None) if numbers is None else (numbers[:times], None, numbers[times:])
    verb, count = ("wall", SMALL_CALLS) if work.line == "small" else ("events", times)
    name = "poly" if work.line == "small" else work.line
    numbers, why = ours.numbers(f"{verb} {name} {count} {columns}")
    if numbers is None:
        return None, why, None
    if work.line == "small":
        numbers = [statistics.fmean(part) for part in np.array_split(np.array(numbers), times)]
    return numbers, None, None


def peer_times(peer, function, work, columns, times):
    if work.line == "host":
        found = []
        for _ in range(times):
            start = time.perf_counter()
            result = function(*columns)
            found.append((time.perf_counter() - start) * 1e3)
        return found, result
    if work.line == "small":
        found = []
        for _ in range(times):
            start = time.perf_counter()
            for _ in range(SMALL_CALLS // times):
                result = function(*columns)
                peer.wait()
            found.append((time.perf_counter() - start) * 1e3 / (SMALL_CALLS // times))
        return found, result
    return peer.timed(lambda: function(*columns), times)


def differs(work, told, expected):
    """What is wrong with our result, if anything."""
    expected = np.asarray(expected).reshape(-1)
    rows, total, samples = int(told[0]), told[1], told[2:]
    if rows != expected.size:
        return f"{rows} rows, not {expected.size}"
    at = [0 if rows < 2 else i * (rows - 1) // (SAMPLES - 1) for i in range(min(SAMPLES, rows))]
    close = lambda a, b: math.isclose(a, b, rel_tol=max(work.tolerance, 1e-12), abs_tol=max(work.tolerance, 1e-12))
    for place, sample in zip(at, samples):
        if not close(sample, float(expected[place])):
            return f"row {place} is {sample}, not {expected[place]}"
    truth = float(expected.sum(dtype=np.float64))
    return None if close(total, truth) else f"the sum is {total}, not {truth}"


def measure(ours, work, peers, data, rounds):
    arrays = [data.array(column) for column in work.columns]
    resident = {peer.name: arrays if work.line == "host" else [peer.put(a) for a in arrays] for peer in peers}
    functions = {peer.name: peer.works(peer.put).get(work.peers) for peer in peers}
    times, told, totals, failed = {}, None, {}, {}
    for turn in range(rounds + 1):
        numbers, why, told_now = our_times(ours, work, data, TIMES)
        if numbers is None:
            return {"work": work.name, "skipped": why}
        told = told_now or told
        # The first round warms up: compilation, page faults, clocks.
        times.setdefault("ours", []).extend(numbers if turn else [])
        for peer in peers:
            if functions[peer.name] is None or peer.name in failed:
                continue
            try:
                numbers, result = peer_times(peer, functions[peer.name], work, resident[peer.name], TIMES)
            except Exception as error:  # a peer that cannot do this work is left out of it
                failed[peer.name] = str(error).splitlines()[0] if str(error) else type(error).__name__
                continue
            times.setdefault(peer.name, []).extend(numbers if turn else [])
            totals[peer.name] = float(np.asarray(result, dtype=np.float64).sum()) if work.line == "host" else peer.total(result)
    if told is None:
        name = "poly" if work.line == "small" else work.line
        told, why = ours.numbers(f"check {name} {data.line(work.columns)}")
    problem = why if told is None else differs(work, told, work.expected(*arrays))
    best = {name: min(series) for name, series in times.items()}
    for name, total in totals.items():
        if told and not math.isclose(total, told[1], rel_tol=max(work.tolerance, 1e-3)):
            print(f"!! {work.name}: the sums differ: ours {told[1]}, {name} {total}", file=sys.stderr)
    for name, reason in failed.items():
        print(f"!! {work.name}: {name} failed: {reason}", file=sys.stderr)
    if problem:
        print(f"!! {work.name}: our result is wrong: {problem}", file=sys.stderr)
    theirs = {name: best[name] for name in best if name != "ours"}
    best_peer = min(theirs, key=theirs.get) if theirs else None
    return {"work": work.name, "rows": work.rows, "bytes": work.moved, "right": problem is None, "ours_ms": best["ours"],
            "ours_median_ms": statistics.median(times["ours"]), "peers": theirs, "best_peer": best_peer,
            "ratio": theirs[best_peer] / best["ours"] if best_peer else None, "wall": work.wall}


def judge(row, work, speed, device):
    """Adds the limit, the bar and whether it is met."""
    row["limit_ms"] = work.moved / speed * 1e3 if work.moved and speed else None
    row["bar"], row["met"] = None, None
    if "skipped" in row:
        return row
    if device.startswith(("vulkan", "metal", "dx12")) and work.line != "copy" and row["limit_ms"]:
        row["bar"] = "≥ 70 % of copy"
        row["met"] = row["right"] and row["limit_ms"] / row["ours_ms"] >= 0.7
    elif work.bar == "within 3 %" and row["best_peer"]:
        row["bar"] = f"≤ {1.03 * row['peers'][row['best_peer']]:.4g}"
        row["met"] = row["right"] and row["ours_ms"] <= 1.03 * row["peers"][row["best_peer"]]
    elif isinstance(work.bar, float):
        row["bar"] = f"≤ {work.bar:g}"
        row["met"] = row["right"] and row["ours_ms"] <= work.bar
    return row


def show(rows):
    print("| work | ours (median) | " + " | ".join(PEERS) + " | limit | ratio to the best | bar | met |")
    print("| --- " * (len(PEERS) + 6) + "|")
    number = lambda value: "–" if value is None else f"{value:.4g}"
    for row in rows:
        if "skipped" in row:
            print(f"| {row['work']} | {row['skipped']} |" + " |" * (len(PEERS) + 4))
            continue
        peers = " | ".join(number(row["peers"].get(name)) for name in PEERS)
        limit = "–" if row["limit_ms"] is None else f"{row['limit_ms']:.4g} ({row['limit_ms'] / row['ours_ms']:.0%})"
        ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}×"
        met = "wrong" if not row["right"] else "–" if row["met"] is None else "yes" if row["met"] else "no"
        print(f"| {row['work']} | {row['ours_ms']:.4g} ({row['ours_median_ms']:.4g}) | {peers} | {limit} | {ratio} | {row['bar'] or '–'} | {met} |")


def room_for_files():
    """Where the columns' files go: memory, if there is room for them."""
    shm = "/dev/shm"
    return shm if os.path.isdir(shm) and shutil.disk_usage(shm).free > 12 << 30 else None


def main():
    parser = argparse.ArgumentParser(prog="run")
    parser.add_argument("binary", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cuda:0", help="our device: cuda:0 (the default), vulkan:0, cpu")
    parser.add_argument("--rows-log2", type=int, help="2 to this power rows (28; 26 for vulkan)")
    parser.add_argument("--rounds", type=int, default=4, help="turns of ours and the peers")
    parser.add_argument("--only", default="", help="only the works whose name contains this")
    parser.add_argument("--json", help="write the figures there")
    options = parser.parse_args()
    rows_log2 = options.rows_log2 or (28 if options.device.startswith("cuda") else 26)
    ours = Ours(options.binary, options.device)
    peers = [] if options.device == "cpu" else [peer for peer in map(optional, (pytorch, cupy, jax)) if peer]
    chosen = [work for work in works(rows_log2, options.device) if options.only in work.name or work.line == "copy"]
    table, speed = [], None
    with tempfile.TemporaryDirectory(dir=room_for_files()) as folder:
        data = Data(folder)
        for number, work in enumerate(chosen):
            print(f"\r[{number + 1}/{len(chosen)}] {work.name:<50}", end="", file=sys.stderr, flush=True)
            row = measure(ours, work, peers, data, options.rounds)
            if work.line == "copy" and "skipped" not in row:
                speed = work.moved / row["peers"].get("PyTorch", row["ours_ms"]) * 1e3
            table.append(judge(row, work, speed, options.device))
            ours.ask("clear")
            for peer in peers:
                peer.free()
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    print(f"{ours.about}; best of {TIMES * options.rounds} (median), milliseconds; copy "
          f"{'–' if speed is None else f'{speed / 1e9:.0f} GB/s'}\n")
    show(table)
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"device": ours.about, "peers": table, "variants": []}, out, indent=1)
    wrong = [row["work"] for row in table if not row.get("right", True)]
    sys.exit(f"wrong results: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
