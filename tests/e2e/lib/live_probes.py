# SPDX-License-Identifier: MIT
"""Runs a program whose probes change while it runs."""
import re
import subprocess

from lib import clewtest
from lib.clewtest import CLEW

# Executes one command per input line, and prints a line when it is done.
PROGRAM = """
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define ALONE __attribute__((noipa))

static volatile int ends, handled;

/* Has room for a jump, short instructions, and a branch to one of these. */
ALONE long work(long n)
{
	long sum = n;

	__asm__ volatile("test %0, %0\\n\\tjz 1f\\n\\tnop\\n1:" : : "r"(n) : "cc");
	for (long i = 0; i < 3; i++)
		sum = sum * 17 + i;
	return sum;
}

ALONE long one(long n) { return work(n) + 1; }
ALONE long two(long n) { return work(n) + work(n + 1); }

ALONE long phase(void)
{
	long sum = 0;

	for (long i = 1; i <= 1000; i++)
		sum += i & 1 ? one(i) : two(i);
	return sum;
}

ALONE void on_alarm(int signal)
{
	work(signal);
	handled++;
}

static void *noise(void *unused)
{
	long sum = 0;

	for (long i = 0; !ends; i++)
		sum += i & 1 ? one(i) : two(i);
	return (void *)(sum & 1);
}

static void start_noise(pthread_t *threads)
{
	const struct itimerval often = { { 0, 700 }, { 0, 700 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, noise, NULL);
}

static void stop_noise(pthread_t *threads)
{
	const struct itimerval never = { 0 };

	ends = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	char line[4096];
	void *library;

	printf("%d\\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\\n")] = 0;
		if (*line == 'p')
			printf("%ld\\n", phase());
		if (*line == 'n')
			start_noise(threads);
		if (*line == 's')
			stop_noise(threads);
		if (*line == 'l') {
			long (*part)(long);

			library = dlopen(line + 2, RTLD_NOW);
			part = (long (*)(long))dlsym(library, "part");
			printf("%ld\\n", part(1));
		}
		if (*line == 'u')
			dlclose(library);
		printf("ok\\n");
		fflush(stdout);
	}
	return 3;
}
"""
ROW = re.compile(r"^(p\d+) +([\d,]+)  (\w+) +(\d+)  (.*)$", re.M)


class Case(clewtest.Case):
    attaches = False

    def setUp(self):
        super().setUp()
        source = self.work / "told.c"
        source.write_text(PROGRAM, encoding="utf-8")
        self.program = self.compile("told", "-O2", "-pthread", "-ldl",
                                    source=source)
        self.said = []

    def compile(self, name, *options, source):
        output = self.work / name
        done = self.run_program(["gcc", "-o", output, source, *options],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return output

    def start(self, *options):
        """Starts the program, recorded or attached to."""
        command = [self.program] if self.attaches else [
            CLEW, "record", "-q", "-o", self.recording_path, *options, "--",
            self.program]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=self.environment, cwd=self.work)
        self.see_to_its_end()
        if self.attaches:
            self.attach(*options)

    def see_to_its_end(self):
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.addCleanup(self.process.stdin.close)
        self.pid = int(self.process.stdout.readline())

    def attach(self, *options):
        self.controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, *options,
             str(self.pid)], stderr=subprocess.PIPE, text=True,
            env=self.environment, cwd=self.work)
        self.addCleanup(self.controller.stderr.close)
        self.addCleanup(self.controller.kill)
        self.attached = [self.controller.stderr.readline()]
        while "attached to" not in self.attached[-1]:
            self.assertTrue(self.attached[-1], self.attached)
            self.attached.append(self.controller.stderr.readline())

    def detach(self):
        self.controller.terminate()
        said = self.controller.stderr.read()
        self.assertEqual(self.controller.wait(), 0, said)
        return said

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            answer = self.process.stdout.readline()
            self.assertTrue(answer, "it has ended")
            if answer == "ok\n":
                return
            self.said.append(answer)

    def end(self):
        if self.attaches:
            self.detached = self.detach()
        self.process.stdin.close()
        self.process.wait()
        self.assertEqual(self.process.returncode, 3)

    def probe(self, verb, *words, status=0):
        done = self.clew("probe", verb, str(self.pid), *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.rows = {m[1]: (int(m[2].replace(",", "")), m[3], m[5])
                     for m in ROW.finditer(done.stdout)}
        return done.stderr

    def hits(self, *names):
        report = self.clew_json("report", "--json", self.recording_path)
        found = {one["name"]: one["hits"] for one in report["probes"]}
        return [found[name] for name in names]

    def trap(self):
        """Returns a location that needs a breakpoint."""
        listed = self.clew("probe", "--sites", "work", "-e", self.program)
        return "work+" + re.search(r"\+(\d+) +nop +int3", listed.stdout)[1]
