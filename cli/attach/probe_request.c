/* SPDX-License-Identifier: MIT */
/* See probe_request.h. */
#include "cli/attach/probe_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/common/library.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/target_obstacle.h"

/*
 * Time limit for a request; longer than the library needs for the maximum
 * number of lines.
 */
#define DONE_NS UINT64_C(900000000000)

/*
 * Addresses of the library's exported names for probes; 0 if the library is not
 * loaded.
 */
struct probe_exports {
	uint64_t probes, request;
};

static struct probe_exports find_exports(const struct attaching *attaching)
{
	const struct target_mapping *library =
		target_module(&attaching->maps, LIBRARY_NAME);
	const pid_t pid = attaching->pid;

	if (!library)
		return (struct probe_exports){ 0 };
	return (struct probe_exports){
		target_symbol(pid, library, WIRE_LIVE_PROBES),
		target_symbol(pid, library, WIRE_LIVE_PROBES_REQUEST),
	};
}

static int read_probes(const struct attaching *attaching,
		       const struct probe_exports *exports,
		       struct wire_live_probes *out, char **why)
{
	const int err = attachment_copy_probes(attaching->tracer.memory,
					       exports->probes, out, why);

	if (!err || !target_thread_is_going(attaching->pid, attaching->pid))
		return err;
	free(*why);
	return fail(why, -ESRCH, "it has exited");
}

/*
 * Returns whether the library is executing a request, or its thread for
 * requests has not exited yet. No call may be made in this thread while it
 * exits.
 */
static int is_under_way(const struct attaching *attaching,
			const struct wire_live_probes *probes)
{
	return probes->state == WIRE_LIVE_BUSY ||
	       (probes->thread &&
		attaching_has_thread(attaching, (pid_t)probes->thread));
}

/*
 * Waits until is_under_way() returns 0, and copies the state of probes to *out.
 * Returns 0, or -errno and *why; -EBUSY after patience_ns.
 */
static int await(const struct attaching *attaching,
		 const struct probe_exports *exports, uint64_t patience_ns,
		 struct wire_live_probes *out, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + patience_ns;
	int err;

	while (!(err = read_probes(attaching, exports, out, why)) &&
	       is_under_way(attaching, out)) {
		if (tracer_now_ns() >= deadline_ns)
			return fail(why, -EBUSY,
				    "it has not yet done what clew asked for; "
				    "try again");
		attach_pause_ms(1);
	}
	return err;
}

/*
 * Waits for a request that a killed command has made. Returns 0 also if it is
 * not done in time: a forked child has a copy of its parent's state, but no
 * thread that executes the request.
 */
static int await_former(const struct attaching *attaching,
			const struct probe_exports *exports,
			struct wire_live_probes *out, char **why)
{
	int err = await(attaching, exports, ATTACH_PATIENCE_NS, out, why);

	if (err != -EBUSY)
		return err;
	free(*why);
	*why = NULL;
	return 0;
}

/*
 * Passes the lines to the library by a call in a thread of the process. Returns
 * 0, or -errno and *why.
 */
static int call(struct attaching *attaching,
		const struct probe_exports *exports, const char *lines,
		char **why)
{
	uint64_t arguments[REMOTE_ARGUMENTS] = { 0, strlen(lines) };
	struct remote_call remote;
	int err = attach_stop_safe_thread(attaching, why);

	if (err)
		return err;
	err = attach_begin_call(attaching, &remote, 0, lines, strlen(lines) + 1,
				why);
	if (!err) {
		arguments[0] = remote.data;
		err = remote_run(&remote, exports->request, arguments,
				 ATTACH_CALL_NS);
		if (err)
			attach_explain_call(err, why);
		remote_end(&remote);
	}
	attach_release_one(attaching);
	return err;
}

/*
 * Returns the number of answers that the lines will get: one for each line that
 * is not empty, except actions, whose result is in the answer for their probe.
 */
static size_t lines_to_answer(const char *lines)
{
	static const char action[] = "action ";
	size_t count = 0;

	for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
		count += *lines != '\n' &&
			 strncmp(lines, action, sizeof(action) - 1) != 0;
	return count;
}

int probe_request(struct attaching *attaching, const char *lines,
		  struct wire_live_probes *out, char **why)
{
	struct probe_exports exports;
	int err = attaching_read_again(attaching, why);

	if (err)
		return err;
	exports = find_exports(attaching);
	if (!exports.probes || !exports.request)
		return fail(why, -ENOENT, "it is not being recorded");
	if (strlen(lines) > WIRE_LIVE_PROBES_BYTES_MAX)
		return fail(
			why, -E2BIG,
			"too many probes at once; add them in several steps");
	err = await_former(attaching, &exports, out, why);
	if (!err)
		err = call(attaching, &exports, lines, why);
	if (!err)
		err = await(attaching, &exports, DONE_NS, out, why);
	if (!err && out->result)
		err = fail(why, out->result, "%s", out->why);
	if (!err && out->answer_count > lines_to_answer(lines))
		err = fail(why, -EBADMSG,
			   "its libclew.so returned more answers than clew "
			   "asked for; the library is not clew's, or the "
			   "process overwrote its data");
	if (err)
		out->answer_count = 0;
	return err;
}

int probe_request_process(pid_t pid, const char *lines,
			  struct wire_live_probes *out, char **why)
{
	struct attaching attaching;
	int err;

	*why = target_obstacle(pid);
	if (*why)
		return -EINVAL;
	err = attaching_open_beside(&attaching, pid, why);
	if (err)
		return err;
	err = probe_request(&attaching, lines, out, why);
	attaching_close(&attaching);
	return err;
}

char *probe_answer_text(const struct wire_live_answer *answer)
{
	switch (answer->result) {
	case 0:
		return NULL;
	case -ENOTSUP:
		return memory_printf("%s", probe_reason_text(answer->reason));
	case -EEXIST:
		return memory_printf("this probe exists already, as p%u",
				     answer->number + 1);
	case -ENOENT:
		return memory_printf("there is no such probe");
	case -ENOSPC:
		return memory_printf("a process can have at most %d probes, "
				     "including removed ones",
				     WIRE_PROBES_MAX);
	case -EBUSY:
	case -EPERM:
		return memory_printf(
			"a thread stays in the code that must change, blocks "
			"SIGTRAP, or is traced; try again");
	case -ELIBACC:
		return memory_printf("the shared object of its handler cannot "
				     "be loaded in the process");
	case -EINVAL:
		return memory_printf("this is not a probe location");
	default:
		return memory_printf("its code cannot be changed: %s",
				     strerror(-answer->result));
	}
}

static int has_probes(struct attaching *attaching)
{
	const struct probe_exports exports = find_exports(attaching);
	struct wire_live_probes probes = { 0 };
	char *why = NULL;

	if (exports.probes)
		attachment_copy_probes(attaching->tracer.memory, exports.probes,
				       &probes, &why);
	free(why);
	return probes.there_count || probes.state == WIRE_LIVE_BUSY;
}

int probe_remove_all(struct attaching *attaching, char **why)
{
	char *lines = memory_string("", 0);
	struct wire_live_probes probes;
	int err;

	if (!has_probes(attaching)) {
		free(lines);
		return 0;
	}
	for (unsigned int i = 0; i < WIRE_PROBES_MAX; i++) {
		char *more = memory_printf("%sremove %u\n", lines, i);

		free(lines);
		lines = more;
	}
	err = probe_request(attaching, lines, &probes, why);
	free(lines);
	for (uint32_t i = 0; !err && i < probes.answer_count; i++) {
		char *text = probe_answer_text(&probes.answers[i]);

		if (text && probes.answers[i].result != -ENOENT)
			err = fail(why, probes.answers[i].result,
				   "probe p%u cannot be removed: %s", i + 1,
				   text);
		free(text);
	}
	return err;
}
