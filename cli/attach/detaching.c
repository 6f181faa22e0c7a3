/* SPDX-License-Identifier: MIT */
/* See detaching.h. */
#include "cli/attach/detaching.h"

#include <errno.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "cli/attach/attaching.h"
#include "cli/attach/standing_by.h"
#include "cli/common/command.h"
#include "cli/target/inner_recording.h"
#include "cli/target/target_obstacle.h"

static int detach(struct attaching *attaching, const char *command,
		  int is_quiet, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	if (attachment.state == WIRE_ATTACH_NONE)
		return fail(why, -ENOENT, "clew is not attached to it");
	err = attaching_detach(attaching, why);
	if (err)
		return err;
	err = inner_recording_bring_of(attaching->pid, &attachment, why);
	if (!is_quiet)
		complain(command,
			 "detached from process %d: all threads were stopped "
			 "for up to %.1f ms, one thread alone for up to %.1f "
			 "ms; recorded in %s%s",
			 attaching->pid, (double)attaching->all_ns / 1e6,
			 (double)attaching->one_ns / 1e6,
			 text_printable(*attachment.home && !err
						? attachment.home
						: attachment.dir),
			 err ? " below its root directory" : "");
	if (err != -EBUSY)
		return err;
	/*
	 * Another process, such as a forked child, still records in the folder,
	 * so the folder stays until clew detaches from that process too.
	 */
	free(*why);
	*why = NULL;
	return 0;
}

/*
 * Switches the counting of Java methods off in a process that was started with
 * --java=standby. Returns 0, or -errno and *why.
 */
static int switch_off(struct attaching *attaching, const char *command,
		      int is_quiet, char **why)
{
	int err;

	if (!standing_by_is_on(attaching))
		return fail(why, -ENOENT, "clew is not attached to it");
	err = standing_by_switch_off(attaching, why);
	if (!err && !is_quiet)
		complain(command,
			 "detached from process %d: its Java methods are no "
			 "longer counted",
			 attaching->pid);
	return err;
}

int detaching_run(pid_t pid, const char *command, int is_quiet, char **why)
{
	struct attaching attaching;
	int err;

	*why = target_obstacle(pid);
	if (*why)
		return -EINVAL;
	err = attaching_open(&attaching, pid, why);
	if (err)
		return err;
	err = standing_by_check(&attaching)
		      ? switch_off(&attaching, command, is_quiet, why)
		      : detach(&attaching, command, is_quiet, why);
	attaching_close(&attaching);
	return err;
}
