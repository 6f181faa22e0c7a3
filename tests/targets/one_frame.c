/* SPDX-License-Identifier: MIT */
/*
 * A slice of stack with a single waiting frame is copied away by memcpy(),
 * restored, and jumped into; with "builtin" by the compiler's code. With
 * "data", words of a stack are also copied back before the jump, as a
 * structure. With "far", the slice has more frames, one of them large.
 */
#define TRUTH_MAIN
#define TRUTH_JUMPS
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <string.h>

#define SLICE_MAX 65536
#define REPLAYS   3

struct record {
	uintptr_t words[16];
};

static struct {
	char *low;
	size_t bytes;
	jmp_buf env;
	void *builtin_env[5];
	char copy[SLICE_MAX];
} slice;

static char *base;
static int replays, with_data, is_builtin, is_far;
static struct record kept;

static COUNTED void leaf(void)
{
	ENTER(leaf);
	__asm__ volatile("");
	LEAVE();
}

/*
 * Copies words of the stack, from `frame` on, to a variable outside of the
 * stack.
 */
static COUNTED void keep(const void *volatile *frame)
{
	ENTER(keep);
	memcpy(&kept, (const void *)frame, sizeof(kept));
	LEAVE();
}

/*
 * Copies these words back to a structure in its own frame, not to the caller's
 * frame.
 */
static COUNTED void use(void)
{
	struct record here;

	ENTER(use);
	memcpy(&here, &kept, sizeof(here));
	__asm__ volatile("" : : "r"(&here) : "memory");
	leaf();
	LEAVE();
}

static COUNTED void body(void)
{
	volatile uint32_t here; /* read again after a jump */

	ENTER(body);
	here = TRUTH_HERE;
	if (!(is_builtin ? __builtin_setjmp(slice.builtin_env)
			 : _setjmp(slice.env))) {
		slice.low = (char *)__builtin_frame_address(0) - 512;
		slice.bytes = (size_t)(base - slice.low);
		memcpy(slice.copy, slice.low, slice.bytes);
		if (with_data)
			keep((void *)slice.low);
	} else {
		TRUTH_HERE = here;
	}
	leaf();
	LEAVE();
}

#define LARGE 4096

/* The slot of this function's caller is far from that of its callee. */
static COUNTED void large(void)
{
	volatile char room[LARGE];

	ENTER(large);
	room[0] = room[LARGE - 1] = 0;
	body();
	LEAVE();
}

static COUNTED void last(void)
{
	ENTER(last);
	leaf();
	LEAVE();
}

static COUNTED void leaves(void)
{
	ENTER(leaves);
	large();
	TAIL();
	last();
}

static COUNTED void far(void)
{
	ENTER(far);
	leaves();
	__asm__ volatile("");
	LEAVE();
}

/* Runs far below the memory that it overwrites. */
static COUNTED void restore(void)
{
	char room[2 * SLICE_MAX];

	ENTER(restore);
	__asm__ volatile("" : : "r"(room) : "memory");
	memcpy(slice.low, slice.copy, slice.bytes);
	if (with_data)
		use();
	if (is_builtin)
		__builtin_longjmp(slice.builtin_env, 1);
	_longjmp(slice.env, 1);
}

static COUNTED void again(void)
{
	ENTER(again);
	restore();
	__asm__ volatile("");
	LEAVE();
}

static COUNTED void play(void)
{
	ENTER(play);
	base = __builtin_frame_address(0);
	if (is_far)
		far();
	else
		body();
	leaf();
	if (replays++ < REPLAYS && is_far)
		again();
	else if (replays <= REPLAYS)
		restore();
	LEAVE();
}

int main(int argc, char **argv)
{
	ENTER(main);
	with_data = argc > 1 && !strcmp(argv[1], "data");
	is_builtin = argc > 1 && !strcmp(argv[1], "builtin");
	is_far = argc > 1 && !strcmp(argv[1], "far");
	play();
	printf("%d\n", replays);
	LEAVE();
	truth_write();
	return 0;
}
