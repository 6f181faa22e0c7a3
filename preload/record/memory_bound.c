/* SPDX-License-Identifier: MIT */
/* See memory_bound.h. */
#include "preload/record/memory_bound.h"

#include "cgroup/memory_room.h"
#include "preload/sys/apart.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

#define UNASKED_BYTES (UINT64_C(256) << 10)
#define GRANT_MAX     (UINT64_C(16) << 20)
#define GRANT_PART    16
#define SHARE_PART    8
/*
 * After a refusal, and while memory_bound_allows() has granted enough, the files
 * of control groups are not read again for this long.
 */
#define PAUSE_NS UINT64_C(100000000)

/* The state of this process. Protected by `lock`, except is_chosen. */
static struct {
	struct lock lock;
	/* whether the user has set a limit; stored before anything is hooked */
	int is_chosen;
	uint64_t granted;    /* bytes that may be taken without a check */
	uint64_t taken;      /* bytes taken by memory_bound_take() */
	uint64_t refused_ns; /* the time of the latest refusal, or 0 */
	uint64_t limit;      /* limit of the narrowest group, when last read */
	/* What memory_bound_allows() grants without a check, and until when. */
	uint64_t allowed, allowed_until_ns;
	struct memory_room_search search;
} bound = { .granted = UNASKED_BYTES, .limit = UINT64_MAX };

static int open_file(const char *path)
{
	return sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

static void close_file(int fd)
{
	sys_close(fd);
}

static const struct memory_room_files files = { open_file, sys_read,
						close_file };

/* A function for apart_call(): searches the control groups of this process. */
static int find(void *none)
{
	bound.search.files = &files;
	bound.search.root = "";
	memory_room_find(&bound.search, "self");
	return 0;
}

/*
 * Returns how many bytes may be taken now according to the control groups, or
 * UINT64_MAX if no limit was ever found. Returns GRANT_MAX if there was a limit
 * and it can no longer be read.
 */
static uint64_t read_limit(void)
{
	const struct memory_room *found = &bound.search.found;

	if (apart_call(find, NULL) || found->limit == UINT64_MAX)
		return bound.limit == UINT64_MAX ? UINT64_MAX : GRANT_MAX;
	bound.limit = found->limit;
	return found->to_take;
}

/*
 * Returns how many bytes this process may still take of its share, an eighth of
 * the limit, or UINT64_MAX if the user has set a limit.
 */
static uint64_t share_left(void)
{
	const uint64_t share = bound.limit / SHARE_PART;

	if (bound.is_chosen)
		return UINT64_MAX;
	return share > bound.taken ? share - bound.taken : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int is_pausing(uint64_t now_ns)
{
	return bound.refused_ns && now_ns - bound.refused_ns < PAUSE_NS;
}

/*
 * Reads the control groups again in order to grant `bytes` more bytes. Returns
 * 0 or -EXFULL.
 */
static int ask(uint64_t bytes)
{
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t left;

	if (is_pausing(now_ns))
		return -EXFULL;
	left = read_limit();
	left = lesser(left, share_left());
	if (bytes > left) {
		bound.refused_ns = now_ns;
		return -EXFULL;
	}
	bound.refused_ns = 0;
	bound.granted = bytes + lesser((left - bytes) / GRANT_PART, GRANT_MAX);
	return 0;
}

int memory_bound_take(uint64_t bytes)
{
	uint64_t signals;
	int err = 0;

	lock_acquire(&bound.lock, &signals);
	if (bytes > bound.granted)
		err = ask(bytes);
	if (!err) {
		bound.granted -= bytes;
		bound.taken += bytes;
	}
	lock_release(&bound.lock, &signals);
	return err;
}

void memory_bound_give(uint64_t bytes)
{
	uint64_t signals;

	lock_acquire(&bound.lock, &signals);
	bound.taken -= lesser(bytes, bound.taken);
	lock_release(&bound.lock, &signals);
}

static int allows(uint64_t bytes)
{
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t left;

	if (bytes <= bound.allowed && now_ns < bound.allowed_until_ns) {
		bound.allowed -= bytes;
		return 1;
	}
	left = read_limit();
	bound.allowed = bytes <= left
				? lesser((left - bytes) / GRANT_PART, GRANT_MAX)
				: 0;
	bound.allowed_until_ns = now_ns + PAUSE_NS;
	return bytes <= left;
}

int memory_bound_allows(uint64_t bytes)
{
	uint64_t signals;
	int result;

	lock_acquire(&bound.lock, &signals);
	result = allows(bytes);
	lock_release(&bound.lock, &signals);
	return result;
}

void memory_bound_choose(int is_chosen)
{
	bound.is_chosen = is_chosen;
}

void memory_bound_begin(void)
{
	bound.lock = (struct lock){ 0 };
	bound.granted = UNASKED_BYTES;
	bound.taken = 0;
	bound.refused_ns = bound.allowed = 0;
}
