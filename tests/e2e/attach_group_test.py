#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` records several processes at once, each in a part of its
own."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, children
from lib.clewtest import LIBRARY, kill_with_guardian, needs, target, until
from lib.families import Family, Grouped
from lib.isolation import freezer_group

NOBODY = 65534


class Chosen(Grouped):
    """Tests each method of choosing processes."""

    def setUp(self):
        super().setUp()
        # distinct from the names in tests that run in parallel
        self.name = self.work.name
        self.program = self.work / self.name
        shutil.copy(target("family"), self.program)

    def family(self, name, size=2):
        return Family(self, name, size, program=self.program)

    def test_children_are_chosen(self):
        family = self.family("one")
        self.is_recorded_exactly([family], "--children", family.pids()[0])

    def test_ids_are_chosen(self):
        family = self.family("one")
        self.is_recorded_exactly([family], *reversed(family.pids()))

    def test_a_program_is_chosen_by_its_name(self):
        families = [self.family("one"), self.family("two", 1)]
        self.is_recorded_exactly(families, "--exe", self.name)

    def test_a_program_is_chosen_by_its_path(self):
        self.is_recorded_exactly([self.family("one")], "--exe",
                                 f"./{self.name}")

    def test_a_program_is_chosen_by_the_name_of_a_link(self):
        folder = self.work / "links"
        folder.mkdir()
        (folder / f"link{self.name}").symlink_to(self.program)
        self.environment["PATH"] = f"{folder}:{os.environ['PATH']}"
        self.is_recorded_exactly([self.family("one")], "--exe",
                                 f"link{self.name}")

    def test_a_replaced_program_is_chosen_by_its_name(self):
        """clew finds the process and unwinds its stacks by the mapped file."""
        family = self.family("one", 1)
        other = self.work / "other"
        shutil.copy(self.program, other)
        other.rename(self.program)
        controller = self.group("--exe", self.name)
        self.assertEqual(self.refused, [])
        family.let_go()
        self.end(controller)
        self.assertEqual(set(self.recorded()), set(family.pids()))

    def test_a_file_with_an_id_is_chosen(self):
        family = self.family("one")
        path = self.work / "pid"
        path.write_text(f"{family.pids()[0]}\n/and/more\n")
        self.is_recorded_exactly([family], "--children", "--pidfile", path)

    def test_a_cgroup_is_chosen(self):
        """A folder that looks like a cgroup suffices."""
        family = self.family("one")
        folder = self.work / "group"
        (folder / "below").mkdir(parents=True)
        first, *others = family.pids()
        (folder / "cgroup.procs").write_text(f"{first}\n0\n")
        (folder / "below" / "cgroup.procs").write_text(
            "".join(f"{pid}\n" for pid in others))
        self.is_recorded_exactly([family], "--cgroup", folder)

    def test_a_cgroup_is_chosen_by_its_path_in_proc(self):
        """The path works for both cgroup versions, below any hierarchy."""
        group = freezer_group(self)
        family = self.family("one", 1)
        for pid in family.pids():
            group.join(pid)
        lines = pathlib.Path(
            f"/proc/{family.pids()[0]}/cgroup").read_text().splitlines()
        (path,) = {line.split(":", 2)[2] for line in lines
                   if line.endswith(group.folder.name)}
        self.is_recorded_exactly([family], "--cgroup", path)

    def test_several_choices_combine(self):
        families = [self.family("one"), self.family("two", 1)]
        path = self.work / "pid"
        path.write_text(str(families[1].pids()[0]))
        self.is_recorded_exactly(
            families, *families[0].pids(), "--pidfile", path, "--children")

    def test_choosing_no_process_is_an_error(self):
        bad = self.work / "bad"
        bad.write_text("none\n")
        for options, words in (
                (["--exe", "no-such-program"], ["no process runs"]),
                (["--pidfile", self.work / "missing"], ["missing"]),
                (["--pidfile", bad], ["contain a process id"]),
                (["--cgroup", "no/such/group"], ["not a cgroup"])):
            for command in ("attach", "detach"):
                self.assert_one_line_error(self.clew(command, *options),
                                           *words)
        self.assertFalse((self.work / "clew.out").exists())


class Titles(Attached):
    """A program may overwrite its argv[0] with a title."""

    def name_of(self, title):
        path = self.work / "memory"
        path.unlink(missing_ok=True)
        process = self.start([title, path], executable=target("busy"))
        self.assertTrue(until(lambda: path.exists() and
                              path.stat().st_size == 4096))
        controller = self.attach(process, "--time", "none")
        self.detach(controller)
        process.kill()
        process.wait()
        own = f" ({process.pid})"  # selects its row, not those of its children
        (name,) = [row["name"] for row in self.clew_json(
            "report", "--json", "--by=process",
            self.recording_path)["functions"] if row["name"].endswith(own)]
        return name.removesuffix(own)

    def test_a_path_in_a_title_does_not_name_the_process(self):
        for title, name in (
                ("nginx: master process nginx -c /etc/nginx/n.conf", "nginx"),
                ("nginx: worker process", "nginx: worker process"),
                ("/usr/sbin/server", "server"),
                ("/opt/my: folder/server", "server")):
            with self.subTest(title):
                self.assertEqual(self.name_of(title), name)


class Together(Grouped):
    def test_child_forked_while_attached_is_recorded(self):
        """The child's calls count from its first call, and clew detaches it
        with the others."""
        family = Family(self, "one", 1)
        family.hold()
        before = family.counted()
        controller = self.group("--children", family.pids()[0])
        family.let_go()
        pid = family.grow()
        family.let_go()
        family.hold()
        self.assertIn("3 processes", self.end(controller))
        counted = family.counted()
        self.assertEqual(self.recorded(), {
            **{p: counted[p] - calls for p, calls in before.items()},
            pid: counted[pid]})
        self.assert_left(family.pids())

    def test_child_of_a_detached_process_is_recorded_once(self):
        """The child has exactly one part, and its calls count as usual."""
        family = Family(self, "one", 0)
        first = family.pids()[0]
        for _ in range(2):
            self.end(self.group("--children", first))
            family.grow()
            self.is_recorded_exactly([family], "--children", first)

    def test_refused_process_does_not_stop_the_others(self):
        """clew records the other processes."""
        families = [Family(self, "one", 1), Family(self, "two", 0)]
        pid = families[1].pids()[0]
        families[1].process.send_signal(signal.SIGSTOP)
        self.assertTrue(until(lambda: pathlib.Path(
            f"/proc/{pid}/stat").read_text().split()[2] == "T"))
        controller = self.group(pid, *families[0].pids())
        self.assertEqual(len(self.refused), 1)
        self.assertIn(f"process {pid}: it is stopped", self.refused[0])
        families[0].let_go()
        families[0].hold()
        self.end(controller, status=2)
        self.assertEqual(set(self.recorded()), set(families[0].pids()))

    def test_group_of_refused_processes_is_an_error(self):
        family = Family(self, "one", 1)
        first = self.group(*family.pids())
        done = self.clew("attach", "--for", "0s", "-o", self.work / "other",
                         *family.pids())
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        for line, pid in zip(lines, family.pids()):
            self.assertIn(f"process {pid}: another clew", line)
        self.assertFalse((self.work / "other").exists())
        self.end(first)

    def test_group_is_recorded_until_the_last_process_exits(self):
        """Recording continues until the last process has exited."""
        families = [Family(self, f"family {i}", 0) for i in range(3)]
        pids = [family.pids()[0] for family in families]
        controller = self.group(*pids)
        for family in families:
            family.let_go()
            self.assertIsNone(controller.poll())
            family.process.kill()
            family.process.wait()
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        for pid in pids:
            self.assertIn(f"process {pid} has exited", said)
        self.assertEqual(set(self.recorded()), set(pids))

    def test_group_is_recorded_for_a_time(self):
        family = Family(self, "one", 2)
        done = self.clew("attach", "--for", "50ms", "-o", self.recording_path,
                         "--children", family.pids()[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 processes", done.stderr)
        self.assert_left(family.pids())

    def test_group_is_recorded_for_a_number_of_calls(self):
        """The total may exceed the requested number, but never falls short of
        it."""
        family = Family(self, "one", 1)
        family.let_go()
        for calls in (1, 1000):
            done = self.clew("attach", "--calls", calls, "-f", "^family_",
                             "-o", self.recording_path, "--children",
                             family.pids()[0])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreaterEqual(sum(self.recorded().values()), calls)
            self.assert_left(family.pids())

    def test_group_recording_ends_at_the_first_limit(self):
        family = Family(self, "one", 1)
        family.hold()
        done = self.clew("attach", "--calls", 1000, "--for", "50ms", "-f",
                         "^family_", "-o", self.recording_path,
                         *family.pids())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(self.recorded().values()), 0)

    def test_group_can_be_detached_after_a_killed_controller(self):
        family = Family(self, "one", 2)
        first = self.group("--children", family.pids()[0])
        kill_with_guardian(first)
        family.let_go()
        family.grow()
        done = self.clew("detach", "--children", family.pids()[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_left(family.pids())
        done = self.clew("detach", "--children", family.pids()[0])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.is_recorded_exactly([family], "--children", family.pids()[0])

    def test_children_of_another_user_are_attached(self):
        """Root may attach to them; the recording then belongs to that user."""
        if os.geteuid():
            self.skipTest("wants to be root")
        if self.run_program(["test", "-r", LIBRARY], user=NOBODY).returncode:
            self.skipTest("the library is where others cannot come")
        self.work.chmod(0o755)
        cache, rules = self.work / "cache", self.work / "rules"
        cache.mkdir(mode=0o755)
        rules.write_text(f"cache {cache}\n")
        family = Family(self, "one", 2, NOBODY)
        self.is_recorded_exactly([family], "--children", "--rules", rules,
                                 family.pids()[0])
        self.assertEqual(self.recording_path.stat().st_uid, NOBODY)
        self.assertEqual({path.lstat().st_uid for path in cache.iterdir()},
                         {0})

    @needs("nginx")
    def test_nginx_answers_under_load_while_recorded(self):
        path = self.work / "nginx.sock"
        config = self.work / "nginx.conf"
        config.write_text(
            ("" if os.geteuid() else "user root; ") +
            "worker_processes 2; daemon off; "
            f"pid {self.work}/nginx.pid; error_log {self.work}/errors;\n"
            "events { worker_connections 64; }\n"
            f"http {{ access_log off; server {{ listen unix:{path}; "
            'location / { return 200 "answer\\n"; } } }\n')
        server = self.start(["nginx", "-c", config, "-p", self.work],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait, PATIENCE_S)
        self.addCleanup(server.terminate)  # terminates its workers also
        self.assertTrue(until(path.exists))
        self.assertTrue(until(lambda: len(children(server.pid)) == 2))
        asked, wrong, is_over = [], [], threading.Event()

        def ask():
            while not is_over.is_set():
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(str(path))
                    connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                    said = b"".join(iter(lambda: connection.recv(4096), b""))
                if not said.endswith(b"\r\n\r\nanswer\n"):
                    wrong.append(said)
                asked.append(said)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(2):
                controller = self.attach(
                    server, "--children", "--pidfile",
                    self.work / "nginx.pid")
                before = len(asked)
                self.assertTrue(until(lambda: len(asked) > before + 50))
                self.detach(controller)
                self.assert_left([server.pid, *children(server.pid)])
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["total"]["processes"], 3)
        calls = {f["name"]: f["calls"] for f in report["functions"]}
        self.assertGreaterEqual(calls["ngx_http_create_request"], 50)


if __name__ == "__main__":
    clewtest.main()
