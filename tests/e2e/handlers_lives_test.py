#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Handlers of probes run where threads and processes start and end, and in a
JVM."""
from lib import clewtest
from lib.clewtest import needs
from lib.handlers import HERE, Case
from lib.java import CompiledCase

LIVES = """
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

long wide(long n), narrow(long n);

/* A jump fits over wide(); a branch in narrow() leads behind the nop. */
__asm__(".text\\n.globl wide\\n.type wide, @function\\n"
	"wide: .cfi_startproc\\n"
	"	leaq 3(%rdi,%rdi,2), %rax\\n"
	"	xorq %rdi, %rax\\n"
	"	addq $1000000, %rax\\n"
	"	ret\\n	.cfi_endproc\\n.size wide, . - wide\\n"
	".globl narrow\\n.type narrow, @function\\n"
	"narrow: .cfi_startproc\\n"
	"	leaq 3(%rdi,%rdi,2), %rax\\n"
	"	xorq %rdi, %rax\\n"
	"	js 1f\\n"
	".globl spot\\nspot:	nop\\n"
	"1:	leaq (%rdi,%rdi), %rax\\n"
	"	ret\\n	.cfi_endproc\\n.size narrow, . - narrow\\n");

static pthread_key_t key;
static _Atomic long sum;

/* Runs at a thread's end, also after its other destructors have run. */
static void at_end(void *again)
{
	sum += wide(1) + narrow(1);
	if (again)
		pthread_setspecific(key, NULL);
}

static void *thread(void *unused)
{
	pthread_setspecific(key, &sum);
	sum += wide(2) + narrow(2);
	return NULL;
}

static void life(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 10; i++)
		sum += wide(i) + narrow(i);
}

static __attribute__((destructor)) void end(void)
{
	sum += wide(3) + narrow(3);
	printf("%ld\\n", (long)sum);
}

int main(void)
{
	int status;

	pthread_key_create(&key, at_end);
	life();
	fflush(stdout);
	if (fork() == 0) {
		life();
		return 0;
	}
	wait(&status);
	return status != 0;
}
"""
CALLS = 3 * 2 + 10  # calls per life, and one more where it ends

JAVA = """
public class Files {
  public static void main(String[] arguments) {
    int found = 0;
    for (int i = 0; i < 500; i++)
      if (new java.io.File("/nowhere/" + i).exists()) found++;
    System.out.println(found);
  }
}
"""
NATIVE = "libjava.so:Java_java_io_UnixFileSystem_getBooleanAttributes0"


def wide(n):
    return (3 * n + 3 ^ n) + 1000000


class Lives(Case):
    def setUp(self):
        clewtest.Case.setUp(self)
        self.program = self.work / "lives"
        source = self.work / "lives.c"
        source.write_text(LIVES, encoding="utf-8")
        self.compile("gcc", "-pthread", "-o", self.program, source)

    def test_handlers_run_in_children_and_ending_threads(self):
        """One probe uses a stub and the other a breakpoint. The handler adds
        one to each argument."""
        numbers = 3 * [1, 2] + list(range(10))
        plain = self.run_program([self.program], text=True).stdout
        life = sum(wide(n) + 2 * n for n in numbers)
        end = wide(3) + 2 * 3
        self.assertEqual(sorted(map(int, plain.split())),
                         [life + end, 2 * life + end])
        handler = f"{self.general()}:more"
        said = self.handled(["--probe=wide", "--handler", handler, "--probe",
                             self.address("spot"), "--handler", handler],
                            "", "")
        life = sum(wide(n + 1) + 2 * (n + 1) for n in numbers)
        end = wide(3 + 1) + 2 * (3 + 1)
        self.assertEqual(sorted(map(int, said.split())),
                         [life + end, 2 * life + end])
        for name, way in ("p1", "stub"), ("p2", "int3"):
            [place] = self.probes[name]["places"]
            self.assertEqual(place["way"], way)
            self.assertEqual((self.probes[name]["hits"],
                              self.probes[name]["not_called"]),
                             (2 * (CALLS + 1), 0))


class Machines(CompiledCase, Case):
    def setUp(self):
        clewtest.Case.setUp(self)
        self.version = 17

    compile_handler = Case.compile

    @needs("javac")
    def test_natives_of_a_jvm_are_handled(self):
        source = self.work / "Files.java"
        source.write_text(JAVA, encoding="utf-8")
        CompiledCase.compile(self, "classes", source)
        self.compile_handler("gcc", "-mgeneral-regs-only", "-shared", "-fPIC",
                             "-o", self.work / "h.so",
                             HERE / "handlers.c")
        argv = self.java("-cp", self.work / "classes", "Files")
        native = self.run_program(argv)
        recorded = self.record(argv, ["--probe", NATIVE, "--handler",
                                      f"{self.work / 'h.so'}:tally"])
        # libjava.so is loaded later.
        said, recorded.stderr = recorded.stderr, b""
        self.assertIn(b"the probe waits for a library", said)
        self.assertEqual(said.count(b"\n"), 1)
        self.assert_same_behaviour(native, recorded)
        self.read()
        self.assertGreaterEqual(self.probes["p1"]["hits"], 500)
        self.assertEqual(self.probes["p1"]["not_called"], 0)


if __name__ == "__main__":
    clewtest.main()
