/* SPDX-License-Identifier: MIT */
/*
 * The user's probes of a process that runs (wire/probe_requests.h), added and removed by a
 * thread of clew's own, as live.h writes code.
 *
 * A probe that is removed is disabled: what it is written over is back, what it runs
 * in stays, for threads that are in it and for the next time. So to enable it again
 * needs no look at the module's file, unless modules have come since.
 *
 * Requests come by a thread that `clew probe` has borrowed and lets go then. libc makes
 * ours, which has nothing of the program's to wait for, and is gone when it is done.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "image/arena.h"
#include "preload/cold.h"
#include "preload/hooking_turn.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/live_probes.h"
#include "preload/module_patches.h"
#include "preload/modules/candidate.h"
#include "preload/patch/live.h"
#include "preload/patch/trap.h"
#include "preload/probe/probe_patch.h"
#include "preload/probe/probe_record.h"
#include "preload/probe_hit.h"
#include "preload/probe_hits.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc.h"
#include "preload/sys/text.h"

/*
 * For threads to leave what is written over, and how long of that at once: who forks or
 * loads a library waits meanwhile. For other changes to be over.
 */
#define PATIENCE_NS UINT64_C(20000000000)
#define AT_ONCE_NS  UINT64_C(2000000000)

struct wire_live_probes clew_probes = { .version = WIRE_LIVE_PROBES_VERSION };

/* Who has set clew_probes.state to BUSY. */
static struct {
	char text[WIRE_LIVE_PROBES_BYTES_MAX + 1];
	int caller; /* its thread, which is stopped now and then */
} asked;

static int refuse(int err, const char *why)
{
	struct text text = text_in(clew_probes.why, sizeof(clew_probes.why));

	text_string(&text, why);
	clew_probes.result = err;
	return err;
}

/* ---- A probe that is there ---- */

static struct asked_probe *probe_of(const struct cold *cold, uint32_t number)
{
	struct asked_probe *probe = cold->config.probes;

	while (probe && probe->number != number)
		probe = probe->next;
	return probe;
}

static struct asked_probe *probe_by_text(const struct cold *cold,
					 const char *text)
{
	struct asked_probe *probe = cold->config.probes;

	while (probe && strcmp(probe->text, text) != 0)
		probe = probe->next;
	return probe;
}

static int is_loaded(const struct module *module)
{
	return !module->is_gone && !module->is_retired;
}

/* Each patch of a probe that was changed last, in loaded modules or all. */
#define EACH_MODULE(cold, m)                                                   \
	for (struct module *m = (cold)->modules.first; m; m = m->next)
#define EACH_PATCH(m, p)                                                       \
	for (struct patch *p = (m)->patches; p; p = p->next_of_module)

static uint32_t count_sites(const struct cold *cold, uint32_t number)
{
	uint32_t count = 0;

	EACH_MODULE(cold, m)
	{
		EACH_PATCH(m, p)
		if (p->probe == number + 1)
			count += p->site_count;
	}
	return count;
}

/* ---- Hooks that probes in stubs need ---- */

static struct patch_site *hook_of(const struct module *module,
				  const struct patch_site *site)
{
	EACH_PATCH(module, p)
	for (uint32_t i = 0; i < p->site_count; i++)
		if (site->text.pc - p->sites[i].stub < p->stub_bytes &&
		    !p->probe)
			return &p->sites[i];
	return NULL;
}

static void note_in_stubs(const struct module *module,
			  const struct patch *patch, int is_enabled)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		struct patch_site *hook =
			patch->sites[i].is_in_stub
				? hook_of(module, &patch->sites[i])
				: NULL;

		if (hook)
			hook->has_probe = is_enabled != 0;
	}
}

/* It was taken out to save time (budget.h): then nobody would meet the probe. */
static int is_hook_out(const struct patch_site *hook)
{
	return memcmp((const void *)hook->text.pc, hook->text.before,
		      hook->text.bytes) == 0;
}

static int needs_hook(const struct module *module, const struct patch *patch)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		const struct patch_site *hook =
			patch->sites[i].is_in_stub
				? hook_of(module, &patch->sites[i])
				: NULL;

		if (hook && is_hook_out(hook))
			return 1;
	}
	return 0;
}

/* ---- Writing ---- */

/* Of a probe, in loaded modules; ranges may be NULL. */
static uint32_t gather(const struct cold *cold, uint32_t number,
		       struct live_range *ranges)
{
	uint32_t count = 0;

	EACH_MODULE(cold, m)
	{
		if (!is_loaded(m))
			continue;
		EACH_PATCH(m, p)
		{
			if (p->probe != number + 1 || !p->site_count)
				continue;
			if (ranges)
				ranges[count] = (struct live_range){
					.patch = p, .count = p->site_count
				};
			count++;
		}
	}
	return count;
}

static void mark_disabled(const struct cold *cold, uint32_t number,
			  int is_disabled)
{
	EACH_MODULE(cold, m)
	EACH_PATCH(m, p)
	if (p->probe == number + 1)
		p->is_disabled = is_disabled;
}

static void note_written(const struct cold *cold, uint32_t number,
			 int is_written)
{
	EACH_MODULE(cold, m)
	EACH_PATCH(m, p)
	if (p->probe == number + 1) {
		p->is_written = is_loaded(m) && is_written;
		note_in_stubs(m, p, is_written);
	}
}

static int write_ranges(const struct cold *cold, uint32_t number, int to_there,
			uint64_t deadline_ns)
{
	const uint32_t count = gather(cold, number, NULL);
	const uint64_t bytes =
		(count + UINT64_C(1)) * sizeof(struct live_range);
	struct live_range *ranges = sys_map_private(bytes);
	int err, tid = 0;

	if (sys_failed(ranges))
		return -ENOMEM;
	gather(cold, number, ranges);
	err = to_there ? live_commit(ranges, count, deadline_ns, &tid)
		       : live_revert(ranges, count, deadline_ns, &tid);
	sys_munmap(ranges, bytes);
	return err;
}

/* With the patches' lock. While all hooks are out, nothing need be written. */
static int change_locked(struct cold *cold, uint32_t number, int to_there,
			 uint64_t deadline_ns)
{
	int err = 0;

	mark_disabled(cold, number, 0); /* its bytes matter to live.h */
	if (!cold->patches.is_out)
		err = write_ranges(cold, number, to_there, deadline_ns);
	if (!err)
		note_written(cold, number, to_there && !cold->patches.is_out);
	if (to_there ? err : !err)
		mark_disabled(cold, number, 1);
	return err;
}

static int change_once(struct cold *cold, uint32_t number, int to_there)
{
	uint64_t signals;
	int err;

	lock_acquire(&cold->patches.lock, &signals);
	err = change_locked(cold, number, to_there,
			    sys_clock_ns(CLOCK_MONOTONIC) + AT_ONCE_NS);
	lock_release(&cold->patches.lock, &signals);
	return err;
}

static int change(struct cold *cold, uint32_t number, int to_there,
		  uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	int err;

	while ((err = change_once(cold, number, to_there)) == -EBUSY &&
	       sys_clock_ns(CLOCK_MONOTONIC) < deadline_ns)
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	return err;
}

/* ---- Places ---- */

/* Probes that are being added. */
struct adding {
	struct cold *cold;
	struct arena scratch;
	struct patch_workshop workshop;
	uint32_t wanted; /* a bit for each that is looked for */
	struct adding_module {
		struct adding_module *next;
		struct module *module;
		struct probe_places places;
	} * modules;
};

/* Which of the module's patches another probe of the user's is in the way of. */
static enum probe_reason obstacle(const struct module *module,
				  const struct patch *patch)
{
	EACH_PATCH(module, other)
	{
		if (!other->probe || other == patch || other->is_disabled ||
		    !patch_meets(patch, other))
			continue;
		for (uint32_t i = 0; i < patch->site_count; i++)
			if (patch_find(other, patch->sites[i].text.pc))
				return PROBE_IS_TWICE;
		return PROBE_IS_DISPLACED;
	}
	return needs_hook(module, patch) ? PROBE_IS_NO_HOOK : PROBE_IS_NONE;
}

/* Bits of the probes that were looked for in it. */
static uint32_t probes_in(const struct module *module)
{
	uint32_t probes = 0;

	EACH_PATCH(module, p)
	if (p->probe && p->probe != PROBE_FORGOTTEN)
		probes |= UINT32_C(1) << (p->probe - 1);
	return probes;
}

static int has_place(const struct probe_places *places, uint32_t number)
{
	for (uint32_t i = 0; i < places->count; i++)
		if (places->list[i].probe == number && places->list[i].tier)
			return 1;
	return 0;
}

/* Disabled so far. 0 or -ENOMEM. */
static int prepare_patch(struct adding *adding, struct module *module,
			 struct probe_places *places, uint32_t number)
{
	struct cold *cold = adding->cold;
	struct patch *patch = arena_alloc(&cold->kept, sizeof(*patch));
	uint64_t signals;
	int err = patch ? probe_patch_prepare(patch, module, module->patches,
					      &adding->workshop, places, number,
					      probe_hit)
			: -ENOMEM;

	if (err)
		return err;
	lock_acquire(&cold->patches.lock, &signals);
	module_patches_add(cold, module, patch);
	lock_release(&cold->patches.lock, &signals);
	return 0;
}

static int prepare_patches(struct adding *adding, struct module *module,
			   struct probe_places *places)
{
	int err = 0;

	for (uint32_t i = 0; i < WIRE_PROBES_MAX && !err; i++)
		if (has_place(places, i))
			err = prepare_patch(adding, module, places, i);
	return err;
}

/* 0 or -ENOMEM. */
static int prepare_module(struct adding *adding, struct module *module)
{
	struct cold *cold = adding->cold;
	const int has_traps =
		!rt.is_late && trap_is_possible() && !module->is_libc;
	const uint32_t wanted = adding->wanted & ~probes_in(module);
	struct candidate candidate = { .module = module };
	struct adding_module *added;
	int err;

	if (!wanted ||
	    (catalog_find_module(&cold->recorder.part, module->numbers,
				 &candidate.entry) &&
	     module->state == MODULE_IS_HOOKED))
		return 0;
	added = arena_alloc(&adding->scratch, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = (struct adding_module){
		.next = adding->modules,
		.module = module,
		.places = { .arena = &adding->scratch,
			    .wanted = wanted,
			    .is_late = 1 },
	};
	adding->workshop.has_traps = has_traps;
	err = probe_places_find(&added->places, &cold->config, &candidate,
				module == cold->modules.first, has_traps);
	if (err)
		return err;
	adding->modules = added;
	return module->state == MODULE_IS_HOOKED
		       ? prepare_patches(adding, module, &added->places)
		       : 0;
}

static int open_workshop(struct adding *adding)
{
	adding->workshop = (struct patch_workshop){
		.windows = &adding->cold->windows,
		.pads = &adding->cold->pads,
		.constants = { .tls_offset = stub_tls_offset() },
	};
	return decoder_open(&adding->workshop.decoder, arena_memory,
			    &adding->scratch);
}

/* All together: to read a module's code may take a second. */
static int prepare(struct adding *adding)
{
	int err = adding->wanted ? probe_hits_begin() : 0;

	if (!err && adding->wanted)
		err = open_workshop(adding);
	EACH_MODULE(adding->cold, m)
	if (!err && adding->wanted && is_loaded(m))
		err = prepare_module(adding, m);
	return err ? err : windows_seal(&adding->cold->windows);
}

static void record_places(const struct adding *adding, uint32_t number)
{
	for (struct adding_module *m = adding->modules; m; m = m->next)
		probe_record_places(&adding->cold->recorder.part, m->module,
				    &m->places, number);
}

/* The reason of the first place that there is none at; NO_NAME: there is no place. */
static enum probe_reason reason_of(const struct adding *adding, uint32_t number)
{
	for (struct adding_module *m = adding->modules; m; m = m->next)
		for (uint32_t i = 0; i < m->places.count; i++) {
			const struct probe_place *place = &m->places.list[i];

			if (place->probe == number && !place->tier)
				return place->reason;
		}
	return PROBE_IS_NO_NAME;
}

/* ---- The lines of a request ---- */

static const char adds[] = "probe ", removes[] = "remove ";

static int begins_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

/* What is to be looked for: a probe that is new, or modules that are. */
static void foresee(struct adding *adding, const char *text)
{
	struct cold *cold = adding->cold;
	struct asked_probe *probe = probe_by_text(cold, text);
	struct probe_spec spec;

	if (!probe && (probe_spec_parse(text, &spec) ||
		       config_add_probe(&cold->config, text, &cold->kept)))
		return;
	if (!probe) {
		probe = probe_by_text(cold, text);
		probe->is_new = probe->is_removed = 1;
	}
	if (probe->is_new ||
	    (probe->is_removed && probe->looked_at != cold->modules.generation))
		adding->wanted |= UINT32_C(1) << probe->number;
}

static enum probe_reason find_obstacle(const struct cold *cold, uint32_t number)
{
	enum probe_reason reason = PROBE_IS_NONE;

	EACH_MODULE(cold, m)
	{
		if (!is_loaded(m))
			continue;
		EACH_PATCH(m, p)
		if (!reason && p->probe == number + 1)
			reason = obstacle(m, p);
	}
	return reason;
}

/* It is as if nobody had asked for it. */
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

static int record_asked(const struct cold *cold, struct asked_probe *probe)
{
	struct part *part = &rt.recorder->part;
	int err = probe->is_new
			  ? probe_record_asked(part, &cold->config,
					       UINT32_C(1) << probe->number)
			  : 0;

	if (!err)
		probe->is_new = 0;
	return err;
}

/* Recorded first: its hits are to be somebody's. */
static int enable(struct adding *adding, struct asked_probe *probe,
		  struct wire_live_answer *answer, uint64_t deadline_ns)
{
	struct cold *cold = adding->cold;
	int err;

	answer->reason = count_sites(cold, probe->number)
				 ? find_obstacle(cold, probe->number)
				 : reason_of(adding, probe->number);
	if (answer->reason)
		return -ENOTSUP;
	err = record_asked(cold, probe);
	if (!err)
		err = change(cold, probe->number, 1, deadline_ns);
	probe_record_removed(&cold->recorder.part, probe->number, err != 0);
	if (err)
		return err;
	if (adding->wanted >> probe->number & 1)
		record_places(adding, probe->number);
	probe->is_removed = 0;
	probe->looked_at = cold->modules.generation;
	return 0;
}

static int add(struct adding *adding, const char *text,
	       struct wire_live_answer *answer, uint64_t deadline_ns)
{
	struct cold *cold = adding->cold;
	struct asked_probe *probe = probe_by_text(cold, text);
	struct probe_spec spec;
	int err;

	if (!probe)
		return probe_spec_parse(text, &spec) ? -EINVAL : -ENOSPC;
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
	err = change(cold, number, 0, deadline_ns);
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

static void do_line(struct adding *adding, const char *line)
{
	const uint64_t deadline_ns =
		sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	struct wire_live_answer *answer =
		&clew_probes.answers[clew_probes.answer_count];

	if (clew_probes.answer_count == WIRE_PROBES_MAX)
		return;
	*answer = (struct wire_live_answer){ .result = -EINVAL };
	if (begins_with(line, adds)) {
		answer->result =
			add(adding, line + strlen(adds), answer, deadline_ns);
	} else if (begins_with(line, removes)) {
		answer->number = number_in(line + strlen(removes));
		answer->result =
			remove_one(adding->cold, answer->number, deadline_ns);
	}
	clew_probes.answer_count++;
}

/* The next line, and where it ends there is a NUL; or NULL. */
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

static void do_lines(struct cold *cold, char *lines)
{
	struct adding adding = { .cold = cold };
	const char *ends = lines + strlen(lines);
	char *rest = lines, *line;

	while ((line = next_line(&rest)))
		if (begins_with(line, adds))
			foresee(&adding, line + strlen(adds));
	if (prepare(&adding))
		refuse(-ENOMEM, "it has no memory for that");
	for (line = lines; line < ends; line += strlen(line) + 1)
		if (*line)
			do_line(&adding, line);
	arena_fini(&adding.scratch);
	clew_probes.there_count = count_there(cold);
}

/* ---- The thread ---- */

/* Whether clew, which asked, has let its thread go: it traces no more. */
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

/* The turn, once nothing is being unloaded. */
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

static void serve(void)
{
	const uint64_t deadline_ns =
		sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	if (await_caller(deadline_ns)) {
		refuse(-EPERM, "a debugger traces it");
	} else if (take_turn(rt.cold, deadline_ns)) {
		refuse(-EBUSY, "it is loading or unloading modules");
	} else {
		do_lines(rt.cold, asked.text);
		hooking_turn_give();
	}
}

/* Nothing that the thread calls is to be counted. */
static void *run(void *unused)
{
	int (*const detach)(pthread_t) =
		(int (*)(pthread_t))lookup_other("pthread_detach");

	switch_mute(HOT_MUTED_OWN);
	clew_probes.thread = (uint32_t)sys_gettid();
	if (detach)
		detach(pthread_self());
	serve();
	atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
	return NULL;
}

static int make_thread(void)
{
	pthread_t thread;
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = NEXT(pthread_create)(&thread, NULL, run, NULL);
	sys_restore_signals(&signals);
	return err;
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
	if (!make_thread())
		return;
	refuse(-EAGAIN, "it can have no thread more");
	atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
}

EXPORT void clew_probes_ask(const char *lines, uint64_t bytes)
{
	const int saved_errno = errno;

	if (is_busy() || bytes > WIRE_LIVE_PROBES_BYTES_MAX)
		return;
	if (!rt.header || rt.header->state != WIRE_RUNNING) {
		refuse(-ENOENT, "it is not being recorded");
		atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
	} else if (runtime_is_filtered()) {
		refuse(-EPERM, "it has filtered its system calls");
		atomic_store(&clew_probes.state, WIRE_LIVE_DONE);
	} else {
		ask(lines, bytes);
	}
	errno = saved_errno;
}
