/* SPDX-License-Identifier: MIT */
/*
 * Starts and ends the reports of language runtimes in a process. A thread of
 * the library's own does this while the program runs. This thread may wait for
 * any thread of the program, so the controller stops no thread meanwhile.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "cli/attach/attach_steps.h"

static int request(struct attaching *attaching, uint64_t wish, char **why)
{
	return attach_call_alone(attaching, attaching->runtimes, wish, why);
}

struct runtimes_seen {
	uint32_t state;
	uint64_t steps;
};

static int read_state(const struct attaching *attaching,
		      struct runtimes_seen *seen, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (!err)
		*seen = (struct runtimes_seen){ attachment.runtimes,
						attachment.runtime_steps };
	else if (target_thread_is_going(attaching->pid, attaching->pid)) {
		free(*why);
		err = fail(why, -ESRCH, "it has exited");
	}
	return err;
}

static int is_about_it(const struct runtimes_seen *seen)
{
	return seen->state == WIRE_RUNTIMES_BEGIN ||
	       seen->state == WIRE_RUNTIMES_END;
}

/*
 * Waits until the library's thread is done, or has made no progress for
 * ATTACH_PATIENCE_NS. Stores the state (enum wire_attach_runtimes) in *state.
 * Returns 0, or -errno and *why.
 */
static int await(const struct attaching *attaching, uint32_t *state, char **why)
{
	uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	struct runtimes_seen seen = { .steps = 0 }, last = seen;
	int err = read_state(attaching, &seen, why);

	while (!err && is_about_it(&seen) && tracer_now_ns() < deadline_ns) {
		if (seen.steps != last.steps)
			deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
		last = seen;
		attach_pause_ms(1);
		err = read_state(attaching, &seen, why);
	}
	if (!err)
		*state = seen.state;
	return err;
}

int attach_begin_runtimes(struct attaching *attaching, char **why)
{
	struct runtimes_seen seen = { .state = WIRE_RUNTIMES_NONE };
	int err = read_state(attaching, &seen, why);

	if (err || seen.state != WIRE_RUNTIMES_FOUND)
		return err;
	err = request(attaching, WIRE_RUNTIMES_BEGIN, why);
	return err ? err : await(attaching, &seen.state, why);
}

int attach_end_runtimes(struct attaching *attaching, char **why)
{
	uint32_t state = WIRE_RUNTIMES_NONE;
	int err = await(attaching, &state, why);

	if (!err &&
	    (state == WIRE_RUNTIMES_TELL || state == WIRE_RUNTIMES_UNLEFT)) {
		err = request(attaching, WIRE_RUNTIMES_END, why);
		if (!err)
			err = await(attaching, &state, why);
	}
	if (err)
		return err;
	return state == WIRE_RUNTIMES_NONE || state == WIRE_RUNTIMES_FOUND
		       ? 0
		       : fail(why, -EBUSY,
			      "clew could not leave its JVM within %d seconds; "
			      "run clew detach to try again",
			      (int)(ATTACH_PATIENCE_NS / 1000000000));
}
