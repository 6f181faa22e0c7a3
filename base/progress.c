/* SPDX-License-Identifier: MIT */
/* See progress.h. */
#include "base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/now.h"

enum { FIRST_MS = 1000, EACH_MS = 100 };

void progress_init(struct progress *progress)
{
	*progress = (struct progress){ .is_on = isatty(STDERR_FILENO) };
	if (!progress->is_on)
		return;
	progress->start_ns = now_ns(CLOCK_MONOTONIC);
	progress->next_ns = progress->start_ns + FIRST_MS * UINT64_C(1000000);
}

void progress_update(struct progress *progress, const char *what, uint64_t done,
		     uint64_t total)
{
	uint64_t now;

	if (!progress || !progress->is_on)
		return;
	now = now_ns(CLOCK_MONOTONIC);
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + EACH_MS * UINT64_C(1000000);
	progress->is_shown = 1;
	if (total > 0)
		fprintf(stderr, "\r\033[K%s: %.0f %%", what,
			100 * (double)done / (double)total);
	else
		fprintf(stderr, "\r\033[K%s...", what);
	fflush(stderr);
}

void progress_announce(struct progress *progress, const char *what)
{
	if (!progress || !progress->is_on)
		return;
	progress->next_ns = 0;
	progress_update(progress, what, 0, 0);
}

void progress_clear(struct progress *progress)
{
	if (!progress || !progress->is_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->is_shown = 0;
}
