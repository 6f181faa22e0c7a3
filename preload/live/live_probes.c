/* SPDX-License-Identifier: MIT */
/*
 * Adds and removes user probes of a running process (wire/probe_requests.h), on
 * a thread of clew's own (probe_additions.h, probe_switch.h). A removed probe
 * is kept as a disabled one, so adding it again does not read the modules'
 * files, unless new modules were loaded meanwhile.
 *
 * `clew probe` makes a thread of the program call clew_probes_request(), which
 * creates clew's own thread by libc and returns. The new thread executes the
 * request and ends.
 */
#include <errno.h>
#include <string.h>

#include "image/probe_spec.h"
#include "preload/front/own_thread.h"
#include "preload/hooking/cold.h"
#include "preload/hooking/hooking_turn.h"
#include "preload/host/next.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/live/live_probes.h"
#include "preload/live/probe_additions.h"
#include "preload/live/probe_switch.h"
#include "preload/probe/handlers.h"
#include "preload/probe/probe_actions.h"
#include "preload/probe/probe_record.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc.h"
#include "preload/sys/text.h"

/*
 * How long a request waits until all threads have left the code to overwrite,
 * and until other changes of code have ended.
 */
#define PATIENCE_NS UINT64_C(20000000000)

struct wire_live_probes clew_probes = { .version = WIRE_LIVE_PROBES_VERSION };

/*
 * Written by the thread that makes a request, before it sets clew_probes.state
 * to BUSY, and then by clew's own thread.
 */
static struct {
	char text[WIRE_LIVE_PROBES_BYTES_MAX + 1];
	/*
	 * tid of the thread that has made the request and that `clew probe`
	 * traces
	 */
	int caller;
} asked LARGE_TABLE;

static int refuse(int err, const char *why)
{
	struct text text = text_in(clew_probes.why, sizeof(clew_probes.why));

	text_string(&text, why);
	clew_probes.result = err;
	return err;
}

/* ---- Existing probes ---- */

static const char adds[] = "probe ", acts[] = "action ", removes[] = "remove ";

static int begins_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

static struct asked_probe *probe_of(const struct cold *cold, uint32_t number)
{
	struct asked_probe *probe = cold->config.probes;

	while (probe && probe->number != number)
		probe = probe->next;
	return probe;
}

/*
 * A probe that a line of the request describes, and the lines of its actions
 * behind it.
 */
struct wanted_probe {
	const char *place;
	const char *actions; /* line of the first action */
	const char *ends;    /* end of the request */
};

static struct wanted_probe wanted_at(const char *line, const char *ends)
{
	return (struct wanted_probe){ line + strlen(adds),
				      line + strlen(line) + 1, ends };
}

/*
 * Returns the action at this line and moves *line behind it; NULL if there is
 * none.
 */
static const char *next_action(const char **line, const char *ends)
{
	const char *at = *line;

	while (at < ends && !*at)
		at++;
	if (at >= ends || !begins_with(at, acts))
		return NULL;
	*line = at + strlen(at) + 1;
	return at + strlen(acts);
}

/*
 * Returns whether a probe has the requested location and exactly the requested
 * actions.
 */
static int is_wanted(const struct asked_probe *probe,
		     const struct wanted_probe *wanted)
{
	const struct probe_line *line = probe->lines;
	const char *at = wanted->actions, *action;

	if (strcmp(probe->text, wanted->place) != 0)
		return 0;
	while ((action = next_action(&at, wanted->ends))) {
		if (!line || strcmp(line->text, action) != 0)
			return 0;
		line = line->next;
	}
	return !line;
}

static struct asked_probe *find_wanted(const struct cold *cold,
				       const struct wanted_probe *wanted)
{
	struct asked_probe *probe = cold->config.probes;

	while (probe && !is_wanted(probe, wanted))
		probe = probe->next;
	return probe;
}

/* ---- The lines of a request ---- */

/* Removes a probe that could not be added. */
static void forget(struct cold *cold, struct asked_probe *probe)
{
	struct asked_probe **at = &cold->config.probes;

	EACH_MODULE(cold, m)
		EACH_PATCH(m, p)
			if (p->probe == probe->number + 1)
				p->probe = PROBE_FORGOTTEN;
	while (*at != probe)
		at = &(*at)->next;
	*at = probe->next;
}

/*
 * Creates a probe that does not exist yet, disabled. Returns NULL if it is not
 * possible.
 */
static struct asked_probe *make_wanted(struct cold *cold,
				       const struct wanted_probe *wanted)
{
	struct config *config = &cold->config;
	const char *at = wanted->actions, *action;
	struct probe_spec spec;
	struct asked_probe *made;
	int err = 0;

	if (probe_spec_parse(wanted->place, &spec) ||
	    config_add_probe(config, wanted->place, &cold->kept))
		return NULL;
	for (made = config->probes; made->next; made = made->next)
		;
	while (!err && (action = next_action(&at, wanted->ends)))
		err = config_add_action(config, action, &cold->kept);
	if (err) {
		forget(cold, made);
		return NULL;
	}
	made->is_new = made->is_removed = 1;
	return made;
}

/*
 * Stores that the probe of this line must be searched for in the modules,
 * because the probe is new, or because modules were loaded since.
 */
static void foresee(struct probe_additions *adding, const char *line,
		    const char *ends)
{
	const struct wanted_probe wanted = wanted_at(line, ends);
	struct cold *cold = adding->cold;
	struct asked_probe *probe = find_wanted(cold, &wanted);

	if (!probe)
		probe = make_wanted(cold, &wanted);
	if (probe && (probe->is_new ||
		      (probe->is_removed &&
		       probe->search_number != cold->modules.generation)))
		adding->wanted |= UINT32_C(1) << probe->number;
}

/*
 * Records a new probe and its actions, and binds its handler, before the probe
 * can be hit. Returns 0 or -errno.
 */
static int record_asked(const struct cold *cold, struct asked_probe *probe)
{
	struct part *part = &rt.recorder->part;
	int err = 0;

	if (probe->is_new)
		err = probe_record_asked(part, &cold->config,
					 UINT32_C(1) << probe->number);
	if (!err && probe->is_new)
		err = probe_actions_add(part, probe);
	if (!err && probe->action.call)
		err = handlers_bind(probe->number, probe->action.call);
	if (!err)
		probe->is_new = 0;
	return err;
}

/*
 * Records the probe before enabling it, because each hit refers to the record.
 */
static int enable(struct probe_additions *adding, struct asked_probe *probe,
		  struct wire_live_answer *answer, uint64_t deadline_ns)
{
	struct cold *cold = adding->cold;
	int err;

	answer->reason =
		probe_switch_sites(cold, probe->number)
			? probe_switch_obstacle(cold, probe->number)
			: probe_additions_reason(adding, probe->number);
	if (answer->reason)
		return -ENOTSUP;
	if (probe->action.call && !handlers_have(probe->action.call))
		return -ELIBACC;
	err = record_asked(cold, probe);
	if (!err)
		err = probe_switch(cold, probe->number, 1, deadline_ns);
	probe_record_removed(&cold->recorder.part, probe->number, err != 0);
	if (err)
		return err;
	if (adding->wanted >> probe->number & 1)
		probe_additions_record(adding, probe->number);
	probe->is_removed = 0;
	probe->search_number = cold->modules.generation;
	return 0;
}

static int has_room(const struct cold *cold)
{
	const struct asked_probe *probe = cold->config.probes;
	uint32_t count = 0;

	for (; probe; probe = probe->next)
		count++;
	return count < WIRE_PROBES_MAX;
}

static int add(struct probe_additions *adding,
	       const struct wanted_probe *wanted,
	       struct wire_live_answer *answer, uint64_t deadline_ns)
{
	struct cold *cold = adding->cold;
	struct asked_probe *probe = find_wanted(cold, wanted);
	int err;

	if (!probe)
		return has_room(cold) ? -EINVAL : -ENOSPC;
	answer->number = probe->number;
	if (!probe->is_removed)
		return -EEXIST;
	err = enable(adding, probe, answer, deadline_ns);
	if (err && probe->is_new)
		forget(cold, probe);
	return err;
}

static int remove_one(struct cold *cold, uint32_t number, uint64_t deadline_ns)
{
	struct asked_probe *probe = probe_of(cold, number);
	int err;

	if (!probe || probe->is_removed)
		return -ENOENT;
	err = probe_switch(cold, number, 0, deadline_ns);
	if (err)
		return err;
	probe->is_removed = 1;
	probe_record_removed(&cold->recorder.part, number, 1);
	return 0;
}

static uint32_t number_in(const char *text)
{
	uint32_t number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint32_t)(*text - '0');
	return *text ? UINT32_MAX : number;
}

static void do_line(struct probe_additions *adding, const char *line,
		    const char *ends)
{
	const uint64_t deadline_ns =
		sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	struct wire_live_answer *answer =
		&clew_probes.answers[clew_probes.answer_count];

	if (clew_probes.answer_count == WIRE_PROBES_MAX ||
	    begins_with(line, acts))
		return;
	*answer = (struct wire_live_answer){ .result = -EINVAL };
	if (begins_with(line, adds)) {
		const struct wanted_probe wanted = wanted_at(line, ends);

		answer->result = add(adding, &wanted, answer, deadline_ns);
	} else if (begins_with(line, removes)) {
		answer->number = number_in(line + strlen(removes));
		answer->result =
			remove_one(adding->cold, answer->number, deadline_ns);
	}
	clew_probes.answer_count++;
}

/* Returns the next line and terminates it with NUL; NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest;
	const size_t bytes = strcspn(line, "\n");

	if (!*line)
		return NULL;
	*rest += bytes + (line[bytes] != '\0');
	line[bytes] = '\0';
	return line;
}

static uint32_t count_there(const struct cold *cold)
{
	const struct asked_probe *probe = cold->config.probes;
	uint32_t count = 0;

	for (; probe; probe = probe->next)
		count += !probe->is_removed;
	return count;
}

static void do_lines(struct cold *cold, const char *lines, const char *ends)
{
	struct probe_additions adding = { .cold = cold };
	const char *line;

	for (line = lines; line < ends; line += strlen(line) + 1)
		if (begins_with(line, adds))
			foresee(&adding, line, ends);
	if (probe_additions_prepare(&adding))
		refuse(-ENOMEM, "it cannot allocate memory for the probes");
	for (line = lines; line < ends; line += strlen(line) + 1)
		if (*line)
			do_line(&adding, line, ends);
	arena_fini(&adding.scratch);
	clew_probes.there_count = count_there(cold);
}

/* ---- The thread ---- */

/*
 * Waits until `clew probe` does not trace the thread any more that has made the
 * request. Returns -EPERM at the deadline.
 */
static int await_caller(uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	struct proc_line line = { .name = "TracerPid", .base = 10 };

	while (!proc_status(asked.caller, &line, 1) && line.value) {
		if (sys_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			return -EPERM;
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
	return 0;
}

/*
 * Takes the turn while no module is being unloaded. Returns -EBUSY at the
 * deadline.
 */
static int take_turn(const struct cold *cold, uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (;;) {
		int err = hooking_turn_take(deadline_ns);

		if (err < 0)
			return err;
		if (!atomic_load(&cold->patches.is_unloading))
			return 0;
		hooking_turn_give();
		if (sys_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			return -EBUSY;
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

/*
 * Loads the shared object of the handler that the action `line` calls; does
 * nothing if it calls none. The calling thread holds neither the turn
 * (hooking_turn.h) nor a lock of clew's: dlopen() makes clew hook the new
 * object. A failure is reported when the probe is added.
 */
static void load_handler(struct cold *cold, const char *line,
			 uint64_t deadline_ns)
{
	struct expression_problem problem;
	struct probe_action action = { 0 };
	struct arena scratch = { 0 };
	const char *object = NULL;

	if (!probe_action_add(&action, line, arena_memory, &scratch,
			      &problem) &&
	    action.call && !take_turn(cold, deadline_ns)) {
		object = config_add_object(&cold->config, action.call->object,
					   &cold->kept);
		hooking_turn_give();
	}
	arena_fini(&scratch);
	if (object)
		handlers_load(object);
}

static void serve(void)
{
	const uint64_t deadline_ns =
		sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	const char *const ends = asked.text + strlen(asked.text);
	char *rest = asked.text;
	const char *line;

	while (next_line(&rest))
		;
	if (await_caller(deadline_ns)) {
		refuse(-EPERM, "a debugger traces it");
		return;
	}
	for (line = asked.text; line < ends; line += strlen(line) + 1)
		if (begins_with(line, acts))
			load_handler(rt.cold, line + strlen(acts), deadline_ns);
	if (take_turn(rt.cold, deadline_ns)) {
		refuse(-EBUSY, "it is loading or unloading modules; try again");
	} else {
		do_lines(rt.cold, asked.text, ends);
		hooking_turn_give();
	}
}

static void run(void)
{
	clew_probes.thread = (uint32_t)sys_gettid();
	serve();
	atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
}

static int is_busy(void)
{
	return atomic_load(&clew_probes.state) == WIRE_LIVE_BUSY &&
	       clew_probes.pid == (uint32_t)sys_getpid();
}

static void ask(const char *lines, uint64_t bytes)
{
	clew_probes.result = 0;
	clew_probes.answer_count = 0;
	clew_probes.pid = (uint32_t)sys_getpid();
	clew_probes.thread = 0;
	asked.caller = sys_gettid();
	copy_bytes(asked.text, lines, bytes);
	asked.text[bytes] = '\0';
	atomic_store(&clew_probes.state, WIRE_LIVE_BUSY);
	if (!own_thread_make(run))
		return;
	refuse(-EAGAIN, "it cannot start another thread (prlimit --nproc)");
	atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
}

EXPORT void clew_probes_request(const char *lines, uint64_t bytes)
{
	const int saved_errno = errno;

	if (is_busy() || bytes > WIRE_LIVE_PROBES_BYTES_MAX)
		return;
	if (!rt.header || rt.header->state != WIRE_RUNNING) {
		refuse(-ENOENT, "it is not being recorded");
		atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
	} else if (runtime_is_filtered()) {
		refuse(-EPERM, "it has a seccomp filter");
		atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
	} else {
		ask(lines, bytes);
	}
	errno = saved_errno;
}
