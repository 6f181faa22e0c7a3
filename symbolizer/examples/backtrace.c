/* SPDX-License-Identifier: MIT */
/*
 * Prints its own stack, as a program may after an error: the names, files and
 * lines of its callers, with inlined functions.
 *
 *	cc -g -O2 -o backtrace backtrace.c $(pkg-config --cflags --libs liba2n)
 */
#include <clew/a2n.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CALLERS = 64, FRAMES = 32 };

static void print_frames(uint64_t pc, const struct a2n_frame *frames,
			 size_t count)
{
	if (count == 0)
		printf("%#" PRIx64 "\n", pc);
	for (size_t i = 0; i < count; i++)
		printf("%#" PRIx64 " %s at %s:%" PRIu32 "%s\n", pc,
		       frames[i].name ? frames[i].name : "?",
		       frames[i].file ? frames[i].file : "?", frames[i].line,
		       frames[i].is_inlined ? ", inlined into" : "");
}

/* Prints the callers. Returns 0 or -errno. */
static int print_callers(struct a2n_space *space)
{
	struct a2n_frame frames[FRAMES];
	void *callers[CALLERS];
	int depth = backtrace(callers, CALLERS);
	int err = a2n_space_map_process(space, getpid(), 0);

	if (!err)
		err = a2n_space_commit(space);
	if (err)
		return err;
	for (int i = 0; i < depth; i++) {
		/* The call precedes its return address. */
		uint64_t pc = (uintptr_t)callers[i] - 1;
		size_t count = a2n_space_lookup(space, pc, A2N_LATEST, NULL, 0,
						NULL, frames, FRAMES);

		print_frames(pc, frames, count < FRAMES ? count : FRAMES);
	}
	return 0;
}

static inline __attribute__((always_inline)) int look(struct a2n_space *space)
{
	return print_callers(space);
}

int main(void)
{
	struct a2n *a2n;
	struct a2n_space *space;
	int err = a2n_create(NULL, &a2n);

	if (err)
		goto fail;
	err = a2n_space_create(a2n, &space);
	if (err)
		goto destroy;
	err = look(space);
	a2n_space_destroy(space);
destroy:
	a2n_destroy(a2n);
fail:
	if (err)
		fprintf(stderr, "backtrace: %s\n", strerror(-err));
	return err ? 1 : 0;
}
