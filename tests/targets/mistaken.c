/* SPDX-License-Identifier: MIT */
/*
 * Data that looks like addresses in stubs: small numbers next to the upper half
 * of an address that was there before, in a part of the stack that calls have
 * used. The data is copied away and back, and a frame next to it is remembered
 * by setjmp.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <string.h>

#define WORDS 512

struct record {
	uintptr_t words[WORDS];
};

static jmp_buf env;
static struct record kept;
static uintptr_t waiting_word;
static unsigned int wrong;
/* variable, so that copies are calls */
static volatile size_t bytes = sizeof(struct record);

/*
 * Reads the return address in the caller's frame, to get the upper half of such
 * a word.
 */
static COUNTED void look(const uintptr_t *frame)
{
	ENTER(look);
	waiting_word = frame[1];
	LEAVE();
}

static COUNTED int deep(int left)
{
	int n = left;

	ENTER(deep);
	if (left)
		n += deep(left - 1);
	LEAVE();
	return n + 1;
}

static uintptr_t word_of(unsigned int i)
{
	return (waiting_word & ~(uintptr_t)0xffffff) | i;
}

static void look_for_wrong(const struct record *record)
{
	for (unsigned int i = 0; i < WORDS; i++)
		wrong += record->words[i] != word_of(i % 300);
}

static COUNTED void check(void)
{
	struct record here;

	ENTER(check);
	look(__builtin_frame_address(0));
	for (unsigned int i = 0; i < WORDS; i++)
		here.words[i] = word_of(i % 300);
	__asm__ volatile("" : : "r"(&here) : "memory");
	memcpy(&kept, &here, bytes);
	look_for_wrong(&kept);
	memset(&here, 0, sizeof(here));
	__asm__ volatile("" : : "r"(&here) : "memory");
	memcpy(&here, &kept, bytes);
	if (!_setjmp(env))
		_longjmp(env, 1);
	__asm__ volatile("" : : "r"(&here) : "memory");
	look_for_wrong(&here);
	LEAVE();
}

int main(void)
{
	ENTER(main);
	for (int i = 0; i < 3; i++) {
		deep(200);
		check();
	}
	printf("%u wrong\n", wrong);
	LEAVE();
	truth_write();
	return wrong != 0;
}
