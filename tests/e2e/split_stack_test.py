#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs whose stacks consist of small segments (gcc -fsplit-stack)."""
import subprocess

from lib import clewtest, wire
from lib.clewtest import needs

RUNS = 12

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>

__attribute__((noipa)) long leaf(long n)
{
	volatile char room[200];
	long sum = 0;

	for (int i = 0; i < 2000; i++) {
		room[i % 200] = (char)n;
		sum += room[i % 200] + i;
	}
	return sum;
}

__attribute__((noipa)) long deep(long depth)
{
	volatile char room[1500];

	room[depth] = 1;
	return depth ? deep(depth - 1) + room[depth] : leaf(3);
}

static void *work(void *sum)
{
	for (int i = 0; i < 300; i++)
		*(long *)sum += deep(200);
	return NULL;
}

int main(void)
{
	long sums[5] = { 0 };
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, &sums[i]);
	work(&sums[4]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 5; i++)
		printf("%ld\n", sums[i]);
	return 0;
}
"""


@needs("gcc")
class SplitStack(clewtest.Case):
    def test_program_with_split_stacks_is_not_hooked_and_survives(self):
        source, program = self.work / "split.c", self.work / "split"
        source.write_text(PROGRAM)
        built = subprocess.run(
            ["gcc", "-O1", "-fsplit-stack", "-pthread", "-o", program, source],
            capture_output=True, check=False)
        if built.returncode:
            self.skipTest("this compiler has no -fsplit-stack")
        native = self.run_program([program])
        for i in range(RUNS):
            options = ["--time=none"] if i % 2 else ["--time=cpu"]
            done = self.record([program], options)
            self.assertEqual((done.returncode, done.stdout),
                             (0, native.stdout))
            part, = self.recording().parts
            self.assertEqual(part.state, wire.ENDED)
            self.assertEqual(part.sample_losses[2], 0 if i % 2 else 5)
        listed = self.clew("list", self.recording_path).stdout
        self.assertIn("not hooked: -fsplit-stack", listed)


if __name__ == "__main__":
    clewtest.main()
