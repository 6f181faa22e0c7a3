/* SPDX-License-Identifier: MIT */
/*
 * Functions with a large unwritten buffer that contains return addresses of
 * calls which a jump has ended. Each function then calls another for the first
 * time. This happens in the first thread, and near the start of another
 * thread's stack.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#define USED_BYTES (220 << 10)
#define EACH_BYTES 256

static volatile int zero;

static COUNTED int leaf(int n)
{
	ENTER(leaf);
	LEAVE();
	return n + zero;
}

/* Leaves a stack slot about every EACH_BYTES bytes. */
static COUNTED int use_stack(int bytes, jmp_buf end)
{
	volatile char some[EACH_BYTES];
	int sum;

	ENTER(use_stack);
	some[0] = 1;
	if (bytes <= zero)
		longjmp(end, 1);
	sum = some[0];
	if (bytes > zero)
		sum += use_stack(bytes - EACH_BYTES, end);
	LEAVE();
	return sum;
}

static COUNTED void litter_stack(void)
{
	volatile uint32_t here;
	jmp_buf end;

	ENTER(litter_stack);
	here = TRUTH_HERE;
	if (!setjmp(end))
		use_stack(USED_BYTES, end);
	TRUTH_HERE = here;
	LEAVE();
}

#define WITH_BUFFER(bytes)                                                     \
	static COUNTED int with_##bytes(void)                                  \
	{                                                                      \
		volatile char buffer[bytes];                                   \
		int sum;                                                       \
                                                                               \
		ENTER(with_##bytes);                                           \
		buffer[bytes - 1] = 1;                                         \
		sum = leaf(buffer[bytes - 1]);                                 \
		LEAVE();                                                       \
		return sum + buffer[bytes - 1];                                \
	}

WITH_BUFFER(100)
WITH_BUFFER(4096)
WITH_BUFFER(5000)
WITH_BUFFER(16384)
WITH_BUFFER(65536)
WITH_BUFFER(200000)

static COUNTED int all(void)
{
	int sum;

	ENTER(all);
	litter_stack();
	sum = with_100() + with_4096() + with_5000() + with_16384();
	sum += with_65536() + with_200000();
	LEAVE();
	return sum;
}

static COUNTED void *run(void *unused)
{
	ENTER_ROOT(run);
	all();
	LEAVE();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	ENTER(main);
	printf("%d\n", all());
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	LEAVE();
	truth_write();
	return 0;
}
