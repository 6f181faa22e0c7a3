#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` runs repeatedly on servers under load: no request fails, no
answer changes, and nothing grows.

$CLEW_CYCLES is the number of sessions; `ctest -L slow` runs a hundred.
"""
import hashlib
import os
import signal
import subprocess

from lib import clewtest
from lib.attached import children
from lib.clewtest import needs, slow, until
from lib.servers import CYCLES, PostgresServer, Served

PAGES = {"/small": b"clew\n", "/large": bytes(range(256)) * 40}
DIGESTS = {path: hashlib.sha256(page).hexdigest()
           for path, page in PAGES.items()}

NGINX = """
daemon off; worker_processes 2; pid {work}/pid; error_log {work}/errors;
{user}
events {{ worker_connections 64; }}
http {{
  access_log off; gzip on; client_body_temp_path {work}/t1;
  proxy_temp_path {work}/t2; fastcgi_temp_path {work}/t3;
  scgi_temp_path {work}/t4; uwsgi_temp_path {work}/t5;
  server {{ listen unix:{work}/nginx; root {work}; }}
}}
"""

HAPROXY = """
global
  nbthread 4
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend front
  bind unix@{work}/haproxy
  default_backend behind
backend behind
  server one unix@{work}/behind
frontend there
  bind unix@{work}/behind
  http-request return status 200 content-type x/y file {work}/large if {{ path /large }}
  http-request return status 200 content-type x/y file {work}/small
"""


class Http(Served):
    def write_pages(self):
        for path, page in PAGES.items():
            (self.work / path[1:]).write_bytes(page)

    @needs("nginx")
    def test_nginx_answers_while_attached(self):
        """Attaches to the master and to two workers that run as another
        user."""
        self.write_pages()
        user = "user nobody nogroup;" if self.others_can_come() else \
            "" if os.geteuid() else "user root;"
        configuration = self.work / "nginx.conf"
        configuration.write_text(NGINX.format(work=self.work, user=user))
        server = self.start(["nginx", "-e", self.work / "errors", "-c",
                             configuration])
        self.assertTrue(until(lambda: len(children(server.pid)) == 2))
        pids = [server.pid, *children(server.pid)]
        client = self.client(self.work / "nginx", DIGESTS)
        chosen = ["--children", server.pid]
        self.cycle(pids, *chosen)
        self.assertGreater(self.calls_until(lambda: self.let_go(client),
                                            *chosen), 1000)
        self.wait_for_client(client)
        self.end(server, signal.SIGQUIT)

    @needs("haproxy")
    def test_haproxy_answers_while_attached(self):
        """Attaches to one process whose four threads pass requests to each
        other."""
        self.write_pages()
        configuration = self.work / "haproxy.cfg"
        configuration.write_text(HAPROXY.format(work=self.work))
        server = self.start(["haproxy", "-db", "-q", "-f", configuration])
        self.assertTrue(until((self.work / "haproxy").exists))
        client = self.client(self.work / "haproxy", DIGESTS)
        self.cycle([server.pid], server.pid)
        self.assertGreater(self.calls_until(lambda: self.let_go(client),
                                            server.pid), 1000)
        self.wait_for_client(client)
        self.end(server, signal.SIGUSR1)


# An invariant that each of pgbench's transactions preserves.
BALANCES = """
select (select sum(abalance) from pgbench_accounts) = sum(delta) and
       (select sum(bbalance) from pgbench_branches) = sum(delta) and
       (select sum(tbalance) from pgbench_tellers) = sum(delta)
from pgbench_history
"""


class Postgres(PostgresServer):
    def setUp(self):
        super().setUp()
        self.run_it("pgbench", "-h", self.work, "-U", "clew", "-i", "-q",
                    "postgres")
        self.load = self.start(
            [self.folder / "pgbench", "-h", self.work, "-U", "clew", "-n",
             "-c", "2", "-T", "100000", "postgres"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **self.user)
        self.addCleanup(self.load.stderr.close)
        self.go_on()

    def transactions(self):
        return int(self.psql("select count(*) from pgbench_history"))

    def go_on(self):
        """Waits until some more transactions are committed."""
        now = self.transactions()
        self.assertTrue(until(lambda: self.transactions() > now + 100))

    def busy(self):
        """Returns the process ids of pgbench's backends."""
        return sorted(int(pid) for pid in self.psql(
            "select pid from pg_stat_activity where "
            "application_name = 'pgbench'").split())

    def ends_well(self):
        self.assertIsNone(self.load.poll())
        self.load.send_signal(signal.SIGINT)
        self.assertEqual(self.load.stderr.read(), b"")
        self.assertTrue(until(lambda: not self.busy()))
        self.assertEqual(self.psql(BALANCES), "t")
        self.end(self.server, signal.SIGINT)

    @slow
    def test_a_busy_backend_answers_while_attached(self):
        backend = self.busy()[0]
        self.cycle([backend], backend)
        self.assertGreater(self.calls_until(self.go_on, backend), 10000)
        self.ends_well()

    @slow
    def test_all_processes_answer_while_attached(self):
        """Attaches to the postmaster and to all processes that it forks."""
        busy = self.busy()
        self.assertEqual(len(busy), 2)
        chosen = ["--children", self.server.pid]
        self.cycle([self.server.pid, *busy], *chosen,
                   cycles=max(CYCLES // 4, 2))  # eight processes each
        self.assertGreater(self.calls_until(self.go_on, *chosen), 10000)
        self.assertEqual(self.busy(), busy)
        self.ends_well()


if __name__ == "__main__":
    clewtest.main()
