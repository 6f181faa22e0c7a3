/* SPDX-License-Identifier: MIT */
/*
 * Echoes its input byte by byte, and waits for it below functions without frame
 * pointers: the frame pointer register contains another value.
 */
#include <stdint.h>
#include <unistd.h>

static __attribute__((noinline)) int asleep_echo(void)
{
	char c = 0;

	return read(STDIN_FILENO, &c, 1) == 1 &&
	       write(STDOUT_FILENO, &c, 1) == 1;
}

static __attribute__((noinline)) int asleep_serve(void)
{
	int echoed = 0;

	while (asleep_echo())
		echoed++;
	return echoed;
}

int main(void)
{
	volatile uint64_t frame[4] = { (uintptr_t)&frame, 0x762e5e33, 1, 2 };
	int echoed;

	__asm__ volatile("movq %0, %%rbp" ::"r"(frame) : "rbp", "memory");
	echoed = asleep_serve();
	__asm__ volatile("" ::: "rbp", "memory");
	return echoed == 0;
}
