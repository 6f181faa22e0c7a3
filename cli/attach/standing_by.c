/* SPDX-License-Identifier: MIT */
/* See standing_by.h. */
#include "cli/attach/standing_by.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "cli/attach/attach_steps.h"

/*
 * Returns the state of the runtimes' reports (enum wire_attach_runtimes) in a
 * process that was recorded from its start; WIRE_RUNTIMES_NONE for other
 * processes or if the state cannot be read.
 */
static uint32_t state_of(const struct attaching *attaching)
{
	struct wire_attachment attachment;
	char *why = NULL;

	if (attaching_read(attaching, &attachment, &why) == 0)
		return attachment.state == WIRE_ATTACH_PRELOADED
			       ? attachment.runtimes
			       : WIRE_RUNTIMES_NONE;
	free(why);
	return WIRE_RUNTIMES_NONE;
}

int standing_by_check(struct attaching *attaching)
{
	/* attaching_read() accepts a preloaded library only if this is set. */
	attaching->stands_by = 1;
	attaching->stands_by = state_of(attaching) != WIRE_RUNTIMES_NONE;
	return attaching->stands_by;
}

/*
 * Succeeds also if counting is on already, for example because the controller
 * that had switched it on was killed.
 */
int standing_by_switch_on(struct attaching *attaching, char **why)
{
	int err = attach_begin_runtimes(attaching, why);

	if (err)
		return err;
	return standing_by_is_on(attaching)
		       ? 0
		       : fail(why, -EBUSY,
			      "its JVM refuses to let Java methods be counted");
}

int standing_by_switch_off(struct attaching *attaching, char **why)
{
	return attach_end_runtimes(attaching, why);
}

int standing_by_is_on(const struct attaching *attaching)
{
	const uint32_t state = state_of(attaching);

	return state == WIRE_RUNTIMES_TELL || state == WIRE_RUNTIMES_UNLEFT;
}
