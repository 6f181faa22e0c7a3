/* SPDX-License-Identifier: MIT */
/* See unrecorded_reason.h. */
#include "cli/recording/unrecorded_reason.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/recording/unrecorded_reader.h"

/*
 * Returns the part of the last program that the started process executed, among
 * those that have a part, or NULL.
 */
static const struct part_copy *main_part(const struct recording *recording,
					 pid_t pid)
{
	const struct part_copy *last = NULL;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *part = &recording->parts[i];

		if (part->header->pid == (uint32_t)pid &&
		    (!last || part->header->seq > last->header->seq))
			last = part;
	}
	return last;
}

/* Returns "it died of SIGSEGV" or "it ended", and when. The caller frees it. */
static char *end_text(int status, const char *when)
{
	const char *signal_name = NULL;

	if (WIFSIGNALED(status))
		signal_name = sigabbrev_np(WTERMSIG(status));
	if (signal_name)
		return memory_printf("it died of SIG%s %s", signal_name, when);
	if (WIFSIGNALED(status))
		return memory_printf("it died of signal %d %s",
				     WTERMSIG(status), when);
	return memory_printf("it ended %s", when);
}

/* Returns the reason from the part, or NULL if the process was recorded. */
static char *reason_of_part(const struct part_copy *part, int status)
{
	const struct wire_header *header = part->header;
	char *why;

	if (header->state == WIRE_STARTING)
		return end_text(status, "while clew hooked its functions");
	if (header->state != WIRE_DISABLED)
		return NULL;
	why = memory_string(header->why,
			    strnlen(header->why, sizeof(header->why)));
	return text_printable(why);
}

/* Returns the reason that the process reported without a part. */
static char *reason_noted(const char *directory, pid_t pid)
{
	char *why = NULL;
	size_t count, more;
	struct unrecorded *items = unrecorded_read(directory, &count, &more);

	for (size_t i = count; i-- > 0 && !why;)
		if (items[i].pid == (uint32_t)pid)
			why = memory_printf("%s", items[i].why);
	unrecorded_free(items, count);
	return why;
}

/* Returns a reason for a process that reported none. */
static char *reason_unsaid(const char *directory, int status)
{
	if (WIFSIGNALED(status))
		return end_text(status, "before libclew.so could start in it");
	return memory_printf(
		"the dynamic loader did not load libclew.so into it");
}

char *unrecorded_reason(const struct recording *recording,
			const char *directory, pid_t pid, int status)
{
	const struct part_copy *part = main_part(recording, pid);
	char *why;

	if (part)
		return reason_of_part(part, status);
	why = reason_noted(directory, pid);
	return why ? why : reason_unsaid(directory, status);
}
