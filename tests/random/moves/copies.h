/* SPDX-License-Identifier: MIT */
/*
 * Slices of the stack that are copied away and put back.
 */
#ifndef CLEW_TESTS_RANDOM_COPIES_H
#define CLEW_TESTS_RANDOM_COPIES_H

#define SLICE_BYTES (64 * 1024)

/* A slice of the stack that was copied away, to be put back. */
struct slice {
	char *base, *low, *copy;
	size_t bytes;
	jmp_buf place;
	int replays;
};

/* Copies a slice that includes the red zone below sp, if it is small enough. */
TRUTH_INLINE void slice_take(struct slice *slice, char *sp)
{
	slice->low = sp - 256;
	slice->bytes = (size_t)(slice->base - slice->low);
	if (slice->bytes > SLICE_BYTES)
		return;
	slice->copy = (char *)malloc(slice->bytes);
	memcpy(slice->copy, slice->low, slice->bytes);
}

/* A macro, because a function that calls setjmp() is never inlined. */
#define MOVE_CAPTURE()                                                         \
	do {                                                                   \
		struct surroundings volatile outer;                            \
		volatile uint32_t here = TRUTH_HERE;                           \
		memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));   \
		if (!play.now.slice || play.now.slice->copy)                   \
			break;                                                 \
		if (setjmp(play.now.slice->place) == 0) {                      \
			char *sp;                                              \
			__asm__ volatile("mov %%rsp, %0" : "=r"(sp));          \
			slice_take(play.now.slice, sp);                        \
		} else {                                                       \
			memcpy(&play.now, (void *)(uintptr_t)&outer,           \
			       sizeof(outer));                                 \
			TRUTH_HERE = here;                                     \
		}                                                              \
	} while (0)

/* Restores the slice. Runs far below it, to keep its own frame. */
static PLAYED void play_restore(void)
{
	volatile char pad[2 * SLICE_BYTES];

	ENTER(play_restore);
	pad[0] = pad[sizeof(pad) - 1] = 0;
	memcpy(play.restored->low, play.restored->copy, play.restored->bytes);
	longjmp(play.restored->place, 1);
}

/* The body may capture its part of the stack, which is then executed again. */
TRUTH_INLINE long move_replay(function body, long n)
{
	struct surroundings outer = play.now;
	struct slice *slice;
	struct slice *volatile kept;
	long result;

	if (outer.is_small)
		return body(n);
	kept = slice = (struct slice *)calloc(1, sizeof(*slice));
	slice->base = (char *)__builtin_frame_address(0);
	slice->replays = 2;
	be_apart();
	play.now.depth = outer.depth;
	play.now.slice = slice;
	result = body(n);
	play.now = outer;
	if (kept->copy && kept->replays-- > 0) {
		play.restored = kept;
		play_restore();
	}
	free(kept->copy);
	free(kept);
	return result;
}

#endif
