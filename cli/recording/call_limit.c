/* SPDX-License-Identifier: MIT */
/* See call_limit.h. */
#include "cli/recording/call_limit.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/suffix.h"
#include "report/merge/part_totals.h"
#include "wire/recording.h"

#define MS        UINT64_C(1000000)
#define SOON_NS   (2 * MS)
#define LATEST_NS (500 * MS)

/* Spend at most 1/20 of the elapsed time on reading the counters. */
#define SHARE 20

static uint64_t calls_of_part(const char *path)
{
	struct part_totals totals;
	struct part_copy part;
	char *why;

	if (part_open(&part, path, &why) != 0) {
		free(why); /* The part is being created. */
		return 0;
	}
	part_totals_init(&totals, &part);
	part_close(&part);
	return totals.calls;
}

/*
 * Returns the calls of all processes of a recording, including exited ones.
 * Parts that cannot be read count as 0 calls.
 */
static uint64_t calls_of(const char *recording)
{
	DIR *folder = opendir(recording);
	struct dirent *entry;
	uint64_t calls = 0;

	while (folder && (entry = readdir(folder))) {
		char *path;

		if (!suffix_stem(entry->d_name, WIRE_PART_SUFFIX))
			continue;
		path = memory_printf("%s/%s", recording, entry->d_name);
		calls += calls_of_part(path);
		free(path);
	}
	if (folder)
		closedir(folder);
	return calls;
}

void call_limit_begin(struct call_limit *limit, char *const *folders,
		      size_t folder_count)
{
	limit->folders = folders;
	limit->folder_count = folder_count;
	limit->start_ns = now_ns(CLOCK_MONOTONIC);
	limit->next_ns = limit->start_ns + SOON_NS;
}

/*
 * Returns the time of the next check: after half of the estimated remaining
 * time, within the bounds above.
 */
static uint64_t next_poll(const struct call_limit *limit, uint64_t before_ns,
			  uint64_t calls)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	const uint64_t least = SOON_NS + SHARE * (now - before_ns);
	const double rate =
		(double)calls / (double)(before_ns - limit->start_ns + 1);
	const double left =
		calls ? (double)(limit->calls - calls) / rate / 2 : 0;
	uint64_t wait =
		calls && left < (double)LATEST_NS ? (uint64_t)left : LATEST_NS;

	if (!calls)
		wait = SOON_NS * 8;
	return now + (wait > least ? wait : least);
}

int call_limit_poll(struct call_limit *limit)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	uint64_t calls = 0;

	if (!limit->calls)
		return -1;
	if (now >= limit->next_ns) {
		for (size_t i = 0; i < limit->folder_count; i++)
			calls += calls_of(limit->folders[i]);
		if (calls >= limit->calls)
			return 0;
		limit->next_ns = next_poll(limit, now, calls);
	}
	return 1 + (int)((limit->next_ns - now) / MS);
}
