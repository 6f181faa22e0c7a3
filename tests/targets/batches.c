/* SPDX-License-Identifier: MIT */
/* batches N: for each byte of input, makes N calls and writes the byte. */
#include <stdlib.h>
#include <unistd.h>

#if __has_attribute(noipa)
#define APART __attribute__((noipa))
#else /* clang */
#define APART __attribute__((noinline))
#endif

static volatile unsigned long calls;

APART static void step(void)
{
	calls++;
}

int main(int argc, char **argv)
{
	const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1) {
		for (unsigned long i = 0; i < count; i++)
			step();
		if (write(STDOUT_FILENO, &byte, 1) != 1)
			return 1;
	}
	return 0;
}
