# SPDX-License-Identifier: MIT
"""Measures redis-server under redis-benchmark: requests a second and CPU time for each request.

A server with clew and a server without clew take turns. The server itself reports its
CPU time.
"""
import csv
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from measure import CLEW_TOOL, NATIVE, table

REQUESTS = 300_000
TESTS = "get,set,incr,lpush,lrange_100,zadd,hset"


class Server:
    def __init__(self, tool, folder):
        self.socket = folder / "socket"
        command = tool.wrap(["redis-server", "--port", "0", "--unixsocket",
                             self.socket, "--dir", folder, "--save", "",
                             "--appendonly", "no"], folder)
        self.process = subprocess.Popen([str(a) for a in command],
                                        stdout=subprocess.PIPE)
        for line in self.process.stdout:
            if b"ready to accept connections" in line:
                break

    def command(self, *words):
        return subprocess.run(["redis-cli", "-s", self.socket, *words],
                              check=False, stdout=subprocess.PIPE,
                              text=True).stdout

    def cpu(self):
        info = dict(line.split(":", 1)
                    for line in self.command("INFO", "cpu").splitlines()
                    if ":" in line)
        return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])

    def load(self, requests=REQUESTS):
        """Returns (requests per second over all tests, CPU seconds per request)."""
        before = self.cpu()
        said = subprocess.run(
            ["redis-benchmark", "-s", self.socket, "-t", TESTS, "-n",
             str(requests), "-P", "1", "-c", "20", "-r", "10000", "--csv"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        rates = [float(row[1]) for row in csv.reader(said.splitlines())
                 if len(row) > 1 and row[1][:1].isdigit()]
        seconds = sum(requests / rate for rate in rates)
        requests *= len(rates)
        return requests / seconds, (self.cpu() - before) / requests

    def stop(self):
        self.command("SHUTDOWN", "NOSAVE")
        self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()


def bench(rounds, clew=CLEW_TOOL, requests=REQUESTS):
    if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
        return "(no redis-server here)"
    found = {NATIVE: [], clew: []}
    for _ in range(rounds):
        for tool, results in found.items():
            with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
                server = Server(tool, pathlib.Path(folder))
                results.append(server.load(requests))
                server.stop()
    rates, costs = ([statistics.median(result[i] for result in found[tool])
                     for tool in (NATIVE, clew)] for i in range(2))
    return table(
        ["redis-server", "native", clew.name, f"{clew.name} / native"],
        [["requests per second", *(f"{rate:,.0f}" for rate in rates),
          f"{rates[1] / rates[0] * 100:.0f} %"],
         ["server's CPU per request", *(f"{c * 1e6:.2f} us" for c in costs),
          f"{costs[1] / costs[0]:.2f}x"]])
