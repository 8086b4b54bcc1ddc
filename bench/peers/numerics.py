"""Their side of bench/numerics: NumPy's matrix products (OpenBLAS) and SciPy's transforms and convolutions, next to ours."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.fft
import scipy.signal

BATCH_LENGTH = 1024


class Ours:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, work, dtype, size, file):
        self.process.stdin.write(f"{work} {dtype} {size} {file}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer or answer[0] == "unsupported":
            return None, " ".join(answer)
        return float(answer[0]), float(answer[1])


def peer(work, size, x, workers):
    if work == "matmul":
        a, b = x[: size * size].reshape(size, size), x[: size * size].reshape(size, size)
        return lambda: a @ b
    if work == "rfft":
        return lambda: scipy.fft.rfft(x[:size], workers=workers)
    if work.startswith("fft"):
        pairs = x[: 2 * size].view(np.complex64 if x.dtype == np.float32 else np.complex128)
        if work == "fft-batched":
            pairs = pairs.reshape(-1, BATCH_LENGTH)
        return lambda: scipy.fft.fft(pairs, workers=workers)
    weights = int(work.split("-")[1])
    return lambda: scipy.signal.convolve(x[:size], x[size - weights : size])


def checksum(result):
    result = np.ascontiguousarray(result)
    parts = result.view(result.real.dtype)
    return float(np.abs(parts).sum(dtype=np.float64))


WORKS = [
    *[("matmul", dtype, size, 0.9) for dtype in ("f32", "f64") for size in (1024, 2048, 4096)],
    *[("fft", dtype, 2**log, 2.5) for dtype in ("f32", "f64") for log in (16, 20, 24)],
    *[("rfft", dtype, 2**log, 2.5) for dtype in ("f32", "f64") for log in (16, 20, 24)],
    *[("fft-batched", dtype, 2**20, 1.0) for dtype in ("f32", "f64")],
    *[("fft", "f64", 10**6, None), ("fft", "f64", 1_000_003, None)],
    *[("convolve-65", dtype, 10**6, 8.0) for dtype in ("f32", "f64")],
    *[("convolve-100000", dtype, 10**6, 2.0) for dtype in ("f32", "f64")],
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    workers = os.cpu_count()
    generator = np.random.default_rng(time.time_ns())
    numbers = generator.standard_normal(2 * 2**24)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        sides = {"f32": numbers.astype(np.float32), "f64": numbers}
        files = {dtype: os.path.join(folder, dtype) for dtype in sides}
        for dtype, x in sides.items():
            x.tofile(files[dtype])
        ours = Ours(options.binary)
        print(f"{workers} cores, NumPy {np.__version__}, SciPy {scipy.__version__} (workers={workers}), best of "
              f"{options.rounds} interleaved rounds (median), milliseconds\n")
        print("| work | type | size | ours (median) | theirs (median) | ratio | bar |\n| --- | --- | --- | --- | --- | --- | --- |")
        for work, dtype, size, bar in (one for one in WORKS if options.only in one[0]):
            function, times = peer(work, size, sides[dtype], workers), {"ours": [], "theirs": []}
            for _ in range(options.rounds + 1):
                milliseconds, sum_ours = ours.run(work, dtype, size, files[dtype])
                if milliseconds is None:
                    print(f"| {work} | {dtype} | {size} | {sum_ours} |", file=sys.stderr)
                    break
                start = time.perf_counter()
                result = function()
                times["ours"].append(milliseconds)
                times["theirs"].append((time.perf_counter() - start) * 1e3)
            if milliseconds is None:
                continue
            if not math.isclose(sum_ours, checksum(result), rel_tol=1e-4):
                print(f"!! {work} {dtype} {size}: the results differ: {sum_ours} and {checksum(result)}", file=sys.stderr)
            # The first round warms up.
            best = {name: min(series[1:]) for name, series in times.items()}
            median = {name: statistics.median(series[1:]) for name, series in times.items()}
            ratio = best["theirs"] / best["ours"]
            rows.append({"work": work, "type": dtype, "size": size, "best_ms": best, "median_ms": median, "ratio": ratio, "bar": bar})
            cells = " | ".join(f"{best[name]:.4g} ({median[name]:.4g})" for name in times)
            print(f"| {work} | {dtype} | {size} | {cells} | {ratio:.2f}× | {'–' if bar is None else f'≥ {bar}×'} |", flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


main()
