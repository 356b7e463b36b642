"""Times the kernels of built bundles beside copies and peers, on one GPU: timing.py says how.

Usage: bench.py BUNDLE... [--helpers check_kernels.cubin] [--out bench.json] [--target cuda.sm_90a] [--only TEXT]
"""

import argparse
import json
import subprocess
import sys
import traceback

import torch
import triton

import bench_math
import bench_norm
from cuda_launch import Driver, read_kernels
from timing import Bench


def version_of(module):
    try:
        from importlib.metadata import version

        return version(module)
    except Exception:
        return None


def describe(properties):
    query = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.mem", "--format=csv,noheader"],
                           capture_output=True, text=True, check=False)
    return {"device": properties.name, "l2_bytes": getattr(properties, "L2_cache_size", None),
            "multiprocessors": properties.multi_processor_count, "nvidia_smi": query.stdout.strip(),
            "torch": torch.__version__, "triton": triton.__version__, "liger_kernel": version_of("liger-kernel")}


def print_table(table):
    shape = None
    for row in table:
        if row["shape"] != shape:
            shape = row["shape"]
            print(f"\n{shape}: {row['launches']} launches a graph")
        if "error" in row:
            print(f"  {row['name']:34} {row['error'][:80]}")
        else:
            print(f"  {row['name']:34} {row['us']:9.3f} us {row['TBps']:7.3f} TB/s {row['of_copy'] or 0:6.3f} of copy"
                  f"   do_bench {row['do_bench_us'] or 0:9.3f} us   halves {row['us_halves']}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="+")
    parser.add_argument("--helpers")
    parser.add_argument("--out")
    parser.add_argument("--only", default="", help="jobs whose function's name contains this")
    parser.add_argument("--target", default="cuda.sm_90a")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")  # makes the context that the driver calls work in
    driver = Driver(lambda: torch.cuda.current_stream().cuda_stream)
    kernels = [kernel for bundle in options.bundles for kernel in read_kernels(bundle, options.target)]
    properties = torch.cuda.get_device_properties(0)
    bench = Bench(driver, kernels, options.helpers, getattr(properties, "L2_cache_size", 60 << 20))
    result = {**describe(properties), "rows": [], "judged": [], "errors": []}
    for job, arguments in bench_norm.JOBS + bench_math.JOBS:
        if options.only not in job.__name__:
            continue
        try:
            table = job(bench, *arguments)
        except Exception as problem:
            traceback.print_exc()
            result["errors"].append(f"{job.__name__}{arguments}: {problem}")
            torch.cuda.empty_cache()
            continue
        result["rows"] += table
        print_table(table)
        if options.out:  # after every shape, so that a run cut short leaves what it has
            result["judged"] = bench_norm.judge(result["rows"])
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(result, file, indent=1)
    print("\naims:")
    verdicts = bench_norm.judge(result["rows"])
    for verdict in verdicts:
        print("  " + json.dumps(verdict))
    # A slow kernel is a figure; one that was not there to be timed is a fault.
    return 1 if result["errors"] or any("why" in verdict for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
