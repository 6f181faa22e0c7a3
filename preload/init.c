/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the runtime in the target.
 *
 * The constructor runs before every other module's (the library is linked
 * with -z initfirst), so that their constructors are hooked already. Whatever
 * fails, the program runs as though we were absent; the reason is left in the
 * recording where there is one.
 */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>

#include "preload/calibrate.h"
#include "preload/cold.h"
#include "preload/front/exec.h"
#include "preload/front/runtimes.h"
#include "preload/hook.h"
#include "preload/host/lookup.h"
#include "preload/host/machine.h"
#include "preload/host/next.h"
#include "preload/host/obstacle.h"
#include "preload/host/sanitizers.h"
#include "preload/host/shadow_place.h"
#include "preload/host/unrecorded.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/switch.h"
#include "preload/init.h"
#include "preload/loader.h"
#include "preload/patch/trap.h"
#include "preload/process/process.h"
#include "preload/record/stress.h"
#include "preload/stack/starts.h"
#include "preload/stubs/stub_template.h"
#include "preload/sys/place.h"
#include "preload/sys/proc.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/text.h"
#include "preload/sys/thread_pointer.h"
#include "preload/time/samples.h"
#include "preload/time/sampling.h"

static const char *find_variable(char **environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (!strncmp(*environment, name, length) &&
		    (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Behind the environment lies the auxiliary vector. 0 if it says nothing. */
static uint64_t find_auxiliary(char **environment, uint64_t type)
{
	const ElfW(auxv_t) * at;

	while (*environment)
		environment++;
	at = (const void *)(environment + 1);
	while (at->a_type != AT_NULL && at->a_type != type)
		at++;
	return at->a_type == type ? at->a_un.a_val : 0;
}

static void record_arguments(struct part *part, int argc, char **argv)
{
	uint64_t bytes = 0;
	struct chunk chunk;
	char *at;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	if (part_alloc(part, WIRE_PROCESS, 0, bytes, &chunk))
		return;
	at = chunk_payload(&chunk);
	for (int i = 0; i < argc; i++)
		at = stpcpy(at, argv[i]) + 1;
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
}

static void take_configuration(struct cold *cold)
{
	const struct config *config = &cold->config;

	rt.cold = cold;
	rt.config = config;
	rt.recorder = &cold->recorder;
	rt.windows = &cold->windows;
	rt.patches = &cold->patches;
	rt.code_lock = &cold->patches.lock;
	rt.header = cold->recorder.part.header;
	rt.losses = rt.header->losses;
	rt.max_contexts = config->max_contexts;
	rt.max_contexts_cause = config->max_contexts_cause;
	rt.verify_period = config->verify_period;
	rt.header->max_contexts = config->max_contexts;
	part_limit(&cold->recorder.part, config->max_bytes);
	rt.header->verify_period = config->verify_period;
	cold->recorder.tallies.part = &cold->recorder.part;
	rt.sink =
		config->time == WIRE_TIME_EXACT ? &sink_timing : &sink_counting;
	rt.exit_elsewhere_at = stub_template()->exit_elsewhere_at % STUB_BYTES;
	rt.first_block = thread_block();
}

/* Zeros say that it is not known. */
static void note_time_cost(void)
{
	struct time_cost cost = { 0 };

	calibrate(&cost);
	rt.header->cost_self_ticks = cost.self;
	rt.header->cost_caller_ticks = cost.caller;
	samples_note_moment(rt.header);
}

static int is_another(void *own_tid, int tid)
{
	return tid != *(const int *)own_tid;
}

/*
 * As an auditor of the loader's may have made one (LD_AUDIT): it executes what
 * we would change, and has no thread-local storage for us.
 */
static int has_threads(void)
{
	int own_tid = sys_gettid();

	return proc_each_thread(0, is_another, &own_tid) > 0;
}

/* A sentence in why, and -errno, if the program is to run without us. */
static int prepare(struct cold *cold, char *why, size_t bytes)
{
	struct text text;
	int err;

	if (*why) /* the configuration was not understood */
		return -EINVAL;
	text = text_in(why, bytes);
	if (machine_has_shadow_stack()) {
		text_string(&text, "the process has a hardware shadow stack");
		return -ENOTSUP;
	}
	if (rt.sink->reads_clock && !machine_has_steady_clock()) {
		text_string(&text, "time exact: this machine's time stamp "
				   "counter does not run steadily");
		return -ENOTSUP;
	}
	if (has_threads()) {
		text_string(&text, "another thread is running already");
		return -EBUSY;
	}
	trap_take_inherited_mask();
	err = shadow_reserve();
	if (!err)
		err = process_watch_forks();
	if (!err)
		err = hook_update(cold);
	if (err) {
		text_string(&text, "cannot hook the program");
		obstacle_explain(&text, err);
		return err;
	}
	loader_watch(cold); /* without, dlopen goes unnoticed */
	return 0;
}

/* What is hooked already is not called by the program yet. */
static int prepare_unheard(struct cold *cold, char *why, size_t bytes)
{
	uint32_t muted = switch_mute(HOT_MUTED_OWN);
	int err = prepare(cold, why, bytes);

	switch_unmute(muted);
	return err;
}

static void start(const char *dir, int argc, char **argv, char **environment)
{
	uint64_t start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	char why[256] = "";
	struct cold *cold;
	int err;

	if (!sanitizers_leave_no_room(0))
		place_begin();
	cold = sys_map_private(sizeof(*cold));
	if (sys_failed(cold)) {
		unrecorded_note(dir, "clew cannot start", -ENOMEM);
		return;
	}
	config_read(&cold->config, dir, &cold->kept, why, sizeof(why));
	err = part_create(&cold->recorder.part, dir);
	if (err) {
		unrecorded_note(dir, "it can leave no recording", err);
		return;
	}
	take_configuration(cold);
	rt.first_stack_end = (uintptr_t)argv;
	thread_pointer_learn(find_auxiliary(environment, AT_HWCAP2));
	record_arguments(&cold->recorder.part, argc, argv);
	if (cold->config.no_children)
		exec_clean_environment(environment);
	else
		exec_keep_environment(environment);
	if (prepare_unheard(cold, why, sizeof(why))) {
		part_disable(&cold->recorder.part, why);
	} else {
		rt.header->hook_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
		sampling_start(&cold->config);
		if (rt.sink->reads_clock)
			note_time_cost();
		atomic_store(&rt.header->state, WIRE_RUNNING);
	}
}

static int is_possible(const char *dir)
{
	if (!machine_is_emulated())
		return 1;
	unrecorded_note(dir, "an emulator runs it", 0);
	return 0;
}

static void never_runs(void)
{
}

/* A context is made as for a coroutine, which never begins, and looked into. */
static void learn_starts(void)
{
	static ucontext_t context;
	static uint64_t stack[64] __attribute__((aligned(16)));
	void (*make)(ucontext_t *, void (*)(void), int, ...);
	const uint64_t *top;

	make = (void (*)(ucontext_t *, void (*)(void), int,
			 ...))next.makecontext;
	if (!make)
		return;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	make(&context, never_runs, 0);
	top = (const uint64_t *)signal_frame_stack(&context);
	if (top >= stack && top < stack + sizeof(stack) / sizeof(*stack))
		starts_learn(*top);
}

/* Or it has been loaded by the program, as an agent: in front of nothing. */
static int is_preloaded(void)
{
	return lookup_next("gnu_get_libc_version") != NULL;
}

__attribute__((constructor)) static void initialise(int argc, char **argv,
						    char **environment)
{
	const char *dir = find_variable(environment, CONFIG_DIR_VARIABLE);
	int saved_errno = errno;

	if (!is_preloaded())
		return;
	next_find();
	if (dir && *dir == '/' && is_possible(dir)) {
		learn_starts();
		start(dir, argc, argv, environment);
	}
	errno = saved_errno;
}

/*
 * From __libc_start_main (start.S): all constructors but the program's
 * own have run, and its libraries can be called.
 */
void init_before_main(void)
{
	uint32_t muted;

	if (!rt.header || rt.header->state != WIRE_RUNNING)
		return;
	muted = switch_mute(HOT_MUTED_OWN);
	runtimes_tell();
	switch_unmute(muted);
}

__attribute__((destructor)) static void finish(void)
{
	if (!rt.header || rt.header->state != WIRE_RUNNING || rt.is_unrecorded)
		return;
	sink_finish();
	tallies_finish_thread();
	tallies_refresh_names(&rt.recorder->tallies);
	samples_note_moment(rt.header);
	if (CLEW_STRESS)
		stress_check();
	rt.header->end_ns = sys_clock_ns(CLOCK_REALTIME);
	atomic_store(&rt.header->state, WIRE_ENDED);
	part_finish(&rt.recorder->part);
}
