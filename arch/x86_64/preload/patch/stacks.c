/* SPDX-License-Identifier: MIT */
/*
 * A signal frame is recognized by the segment registers that the kernel has
 * saved, one word with a unique value, above the pc:
 *
 *	struct ucontext:  ... rsp | rip | eflags | cs gs fs ss | ...
 *
 * The frame of a handler of clew that has returned is marked (signal_frame.h).
 * A marked frame counts only if the thread's stack pointer is just below it,
 * because the thread may still be executing the return.
 */
#include "preload/patch/stacks.h"

#include "machine/address_space.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/sys.h"

#define USER_SEGMENTS   UINT64_C(0x002b000000000033) /* ss, fs, gs, cs */
#define RSP_TO_SEGMENTS 24
#define CHUNK_WORDS     128
#define TO_SEGMENTS     offsetof(ucontext_t, uc_mcontext.gregs[REG_CSGSFS])
#define STACKS_MAX      8 /* stacks of one thread, through signal handlers */
#define POINTERS_MAX    16
#define GROWTH_MAX      (UINT64_C(64) << 20)
#define STACK_BYTES_MAX (UINT64_C(4) << 30)

/* ---- Mappings ---- */

/* Parses lines of "START-END PERMISSIONS ...", which may arrive in parts. */
struct maps_reader {
	struct stacks *stacks;
	uint64_t numbers[2];
	/* Field being read: 0 start, 1 end, 2 permissions, 3 the rest. */
	uint32_t field;
};

/*
 * Adds a range. If there is no room, `count` exceeds the maximum, so that
 * stacks_init() fails.
 */
static void add_range(struct stacks *stacks, const uint64_t numbers[2])
{
	if (stacks->count < STACKS_RANGE_MAX)
		stacks->ranges[stacks->count] =
			(struct memory_range){ numbers[0], numbers[1] };
	stacks->count += stacks->count <= STACKS_RANGE_MAX;
}

static void read_char(struct maps_reader *reader, char c)
{
	struct stacks *stacks = reader->stacks;
	uint64_t *number = &reader->numbers[reader->field & 1];

	if (c == '\n') {
		*reader = (struct maps_reader){ .stacks = stacks };
	} else if (reader->field == 2) {
		/* [vsyscall] is the kernel's, and readable on older kernels */
		if (c == 'r' && reader->numbers[0] < ADDRESS_END)
			add_range(stacks, reader->numbers);
		reader->field = 3;
	} else if (reader->field < 2) {
		if (c == '-' || c == ' ')
			reader->field++;
		else
			*number = *number << 4 |
				  (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
}

/*
 * Returns whether memory can be copied: a filter may forbid it. Reads a
 * constant, because clew's own memory, with the stacks of its threads, is
 * mapped for writing only.
 */
static int may_read(int tid)
{
	static const uint32_t constant = 1;
	uint32_t copy;

	return !sys_read_memory_of(tid, (uintptr_t)&constant, &copy,
				   sizeof(copy));
}

int stacks_init(struct stacks *stacks)
{
	struct maps_reader reader = { .stacks = stacks };
	int fd = proc_open_own("maps", O_RDONLY);
	char buffer[4096];
	long got;

	if (fd < 0)
		return fd;
	stacks->tid = sys_gettid();
	if (!may_read(stacks->tid)) {
		sys_close(fd);
		return -EPERM;
	}
	stacks->count = 0;
	while ((got = sys_read(fd, buffer, sizeof(buffer))) > 0)
		for (long i = 0; i < got; i++)
			read_char(&reader, buffer[i]);
	sys_close(fd);
	if (stacks->count > STACKS_RANGE_MAX)
		return -EOVERFLOW;
	return (int)got;
}

/*
 * Returns the range from sp to the end of its stack. A stack that has grown
 * downwards since stacks_init() is read from its former lowest address, because
 * only words that existed then matter. A word that looks like a signal frame
 * may be stale, and its sp may be anything, so ranges that are too far above sp
 * or too large are no stacks. (The shadow itself has 8 TiB.)
 */
static struct memory_range find_stack(const struct stacks *stacks, uint64_t sp)
{
	struct memory_range found = { 0 };
	uint32_t low = 0, high = stacks->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stacks->ranges[middle].end <= sp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == stacks->count)
		return found;
	found = stacks->ranges[low];
	if (found.start < sp)
		found.start = sp;
	found.start = (found.start + 7) & ~UINT64_C(7);
	if (found.start - sp > GROWTH_MAX || found.end - sp > STACK_BYTES_MAX)
		return (struct memory_range){ 0 };
	return found;
}

/* ---- Walking ---- */

struct stacks_walker {
	const struct stacks *stacks;
	int (*visit)(const void *context, uint64_t at, uint64_t word,
		     int is_pc);
	const void *context;
	struct memory_range seen[STACKS_MAX];
	uint32_t count, done;
	/*
	 * Stack pointers of the thread and of interrupted code; beyond
	 * POINTERS_MAX they are unknown.
	 */
	uint64_t pointers[POINTERS_MAX];
	uint32_t pointer_count;
};

static void add_stack(struct stacks_walker *walker, uint64_t sp)
{
	struct memory_range range = find_stack(walker->stacks, sp);

	if (walker->pointer_count < POINTERS_MAX)
		walker->pointers[walker->pointer_count] = sp;
	walker->pointer_count++;
	for (uint32_t i = 0; i < walker->count; i++)
		if (sp >= walker->seen[i].start && sp < walker->seen[i].end)
			return;
	if (walker->count < STACKS_MAX && range.start < range.end)
		walker->seen[walker->count++] = range;
}

/*
 * Returns whether the thread may still be in the last instructions of the
 * signal handler, or in the restorer that it returns to.
 */
static int may_be_ending(const struct stacks_walker *walker, uint64_t context)
{
	if (walker->pointer_count > POINTERS_MAX)
		return 1;
	for (uint32_t i = 0; i < walker->pointer_count; i++)
		if (context - walker->pointers[i] <= SIGNAL_FRAME_END_BYTES)
			return 1;
	return 0;
}

static int check_frame(struct stacks_walker *walker, uint64_t segments)
{
	uint64_t words[3]; /* the values of rsp, rip and eflags */

	if (sys_read_memory_of(walker->stacks->tid, segments - RSP_TO_SEGMENTS,
			       words, sizeof(words)) ||
	    (words[2] & SIGNAL_FRAME_IS_OVER &&
	     !may_be_ending(walker, segments - TO_SEGMENTS)))
		return 0;
	add_stack(walker, words[0]);
	return walker->visit(walker->context, 0, words[1], 1);
}

/*
 * Reads words into the buffer stacks->room, or into `few` if there is none.
 * Returns the number of bytes that were read, or 0.
 */
static uint64_t read_some(const struct stacks *stacks, uint64_t at,
			  uint64_t bytes, uint64_t few[CHUNK_WORDS],
			  const uint64_t **words)
{
	if (stacks->room) {
		if (bytes > STACKS_WORDS_BYTES)
			bytes = STACKS_WORDS_BYTES;
		*words = stacks->room;
		if (!sys_read_memory_of(stacks->tid, at, stacks->room, bytes))
			return bytes;
	}
	if (bytes > CHUNK_WORDS * sizeof(*few))
		bytes = CHUNK_WORDS * sizeof(*few);
	*words = few;
	return sys_read_memory_of(stacks->tid, at, few, bytes) ? 0 : bytes;
}

static int walk_stack(struct stacks_walker *walker,
		      const struct memory_range *range)
{
	uint64_t few[CHUNK_WORDS];
	const uint64_t *words;

	for (uint64_t at = range->start; at < range->end;) {
		const uint64_t bytes = read_some(walker->stacks, at,
						 range->end - at, few, &words);
		int result = 0;

		if (!bytes)
			return 0;
		for (uint64_t i = 0; i < bytes / 8 && !result; i++, at += 8) {
			if (words[i] == USER_SEGMENTS)
				result = check_frame(walker, at);
			else
				result = walker->visit(walker->context, at,
						       words[i], 0);
		}
		if (result)
			return result;
	}
	return 0;
}

int stacks_walk(const struct stacks *stacks, uint64_t sp,
		int (*visit)(const void *context, uint64_t at, uint64_t word,
			     int is_pc),
		const void *context)
{
	struct stacks_walker walker = { .stacks = stacks,
					.visit = visit,
					.context = context };
	int result = 0;

	add_stack(&walker, sp);
	while (walker.done < walker.count && !result)
		result = walk_stack(&walker, &walker.seen[walker.done++]);
	return result;
}
