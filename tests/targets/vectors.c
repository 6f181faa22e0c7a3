/* SPDX-License-Identifier: MIT */
/*
 * All state that XSAVE can save must arrive at a callee as the caller set it
 * and return as the callee set it: the x87 stack and control words, MXCSR, all
 * xmm, ymm and zmm registers, the mask registers. Checked in known contexts and
 * in new ones, where tables are created and grow, and in the first call of a
 * thread.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <cpuid.h>
#include <pthread.h>
#include <string.h>

#define AREA_BYTES 8192
#define LEVELS     2000

/* x87, SSE, AVX, and the three components of AVX-512 */
#define WANTED    UINT64_C(0xe7)

#define FCW_AT    0
#define FTW_AT    4
#define MXCSR_AT  24
#define MASK_AT   28 /* valid bits of MXCSR, not its value */
#define ST_AT     32
#define XMM_AT    160
#define LEGACY    416 /* only reserved bytes follow */
#define HEADER_AT 512

typedef unsigned char area[AREA_BYTES] __attribute__((aligned(64)));

/* in vectors_x86_64.S */
void vectors_call(uint64_t mask, const unsigned char *given,
		  const unsigned char *reply, unsigned char *found,
		  unsigned char *result);

static uint64_t mask;
static struct {
	unsigned int at, bytes;
} parts[8];
static int errors;

static uint64_t random_next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void find_parts(void)
{
	unsigned int low, high, a, b, c, d;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	mask = low & WANTED;
	for (unsigned int i = 2; i < 8; i++) {
		if (!(mask >> i & 1))
			continue;
		__cpuid_count(0xd, i, a, b, c, d);
		parts[i].at = b;
		parts[i].bytes = a;
	}
}

static void fill(unsigned char *at, unsigned int bytes, uint64_t *seed)
{
	for (unsigned int i = 0; i < bytes; i += 8) {
		uint64_t word = random_next(seed);

		memcpy(at + i, &word, 8);
	}
}

static void randomize(unsigned char *state, uint64_t *seed)
{
	const unsigned short fcw = 0x037f;
	unsigned int mxcsr =
		0x1f80 | (unsigned int)(random_next(seed) & 0x603f);

	memset(state, 0, AREA_BYTES);
	memcpy(state + FCW_AT, &fcw, sizeof(fcw));
	memcpy(state + MXCSR_AT, &mxcsr, sizeof(mxcsr));
	state[FTW_AT] = 0xff;
	for (int i = 0; i < 8; i++) {
		fill(state + ST_AT + 16 * i, 8, seed);
		state[ST_AT + 16 * i + 7] |= 0x80; /* normalised */
		state[ST_AT + 16 * i + 9] = 0x40;
	}
	fill(state + XMM_AT, LEGACY - XMM_AT, seed);
	for (int i = 2; i < 8; i++)
		fill(state + parts[i].at, parts[i].bytes, seed);
	memcpy(state + HEADER_AT, &mask, sizeof(mask));
}

static void compare(const unsigned char *set, const unsigned char *seen,
		    const char *where)
{
	int differs = memcmp(set, seen, MASK_AT) != 0 ||
		      memcmp(set + ST_AT, seen + ST_AT, LEGACY - ST_AT) != 0;

	for (int i = 2; i < 8; i++)
		if (memcmp(set + parts[i].at, seen + parts[i].at,
			   parts[i].bytes) != 0)
			differs = i;
	if (differs && __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED) < 20)
		printf("part %d differs %s\n", differs, where);
}

static COUNTED int descend(int levels, uint64_t *seed)
{
	area given, reply, found, result;
	volatile int left = levels;

	memset(found, 0, sizeof(found));
	memset(result, 0, sizeof(result));
	randomize(given, seed);
	randomize(reply, seed);
	vectors_call(mask, given, reply, found, result);
	compare(given, found, "at entry");
	compare(reply, result, "on return");
	return left ? descend(left - 1, seed) + 1 : 0;
}

static COUNTED void *run(void *argument)
{
	uint64_t seed = (uint64_t)(uintptr_t)argument;

	for (int i = 0; i < 10; i++)
		descend(LEVELS / 10, &seed);
	return NULL;
}

/* This call of run() is the thread's first call and is checked. */
static void *run_in_thread(void *argument)
{
	return run(argument);
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	uint64_t seed = 1;

	find_parts();
	run(&seed);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 20);
	if (pthread_create(&thread, &attributes, run_in_thread, (void *)2))
		return 1;
	pthread_join(thread, NULL);
	printf("parts %llx, errors %d\n", (unsigned long long)mask, errors);
	return errors ? 1 : 0;
}
