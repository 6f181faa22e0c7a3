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
#include <stdlib.h>
#include <string.h>

#include "preload/answers/snapshots.h"
#include "preload/budget/budget.h"
#include "preload/front/changed_text.h"
#include "preload/front/chosen_signal.h"
#include "preload/front/exec.h"
#include "preload/generated/runtimes.h"
#include "preload/hooking/cold.h"
#include "preload/hooking/hook.h"
#include "preload/hooking/loader.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/host/obstacle.h"
#include "preload/host/own_place.h"
#include "preload/host/shadow_place.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/patch/trap.h"
#include "preload/probe/handlers.h"
#include "preload/process/process.h"
#include "preload/session/attach.h"
#include "preload/session/begin.h"
#include "preload/session/init.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/text.h"
#include "preload/sys/thread_pointer.h"
#include "wire/warmed.h"

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
	err = begin_check_machine(why, bytes);
	if (err)
		return err;
	text = text_in(why, bytes);
	if (has_threads()) {
		text_string(&text, "another thread was started before clew (by "
				   "an LD_AUDIT library?)");
		return -EBUSY;
	}
	trap_take_inherited_mask();
	err = shadow_reserve();
	if (!err)
		err = process_watch_forks();
	if (!err)
		err = hook_update(cold);
	if (err) {
		text_string(&text, "clew cannot hook its functions");
		obstacle_explain(&text, err);
		return err;
	}
	loader_watch(cold); /* without, dlopen goes unnoticed */
	return 0;
}

/*
 * The process is clew's own, which `clew cache warm` has executed for this alone. Its exit
 * status says what is kept: clew itself would never exit with such a one.
 */
static void warm(struct cold *cold)
{
	char why[256] = "";
	uint32_t kept = 0;
	int err = begin_check_machine(why, sizeof(why));

	trap_take_inherited_mask();
	if (!err)
		err = shadow_reserve();
	if (!err)
		err = hook_warm(cold, &kept);
	sys_call(SYS_exit_group,
		 err ? EXIT_FAILURE : (long)(WIRE_WARMED | kept), 0, 0, 0, 0,
		 0);
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
	uint64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	char why[256] = "";
	struct cold *cold;
	int err = begin_part(dir, why, sizeof(why), &cold);

	if (err)
		return;
	rt.first_stack_end = (uintptr_t)argv;
	thread_pointer_learn(find_auxiliary(environment, AT_HWCAP2));
	record_arguments(&cold->recorder.part, argc, argv);
	if (cold->config.no_children)
		exec_clean_environment(environment);
	else
		exec_keep_environment(environment);
	if (cold->config.warmed_files)
		warm(cold);
	err = prepare_unheard(cold, why, sizeof(why));
	if (err) {
		part_disable(&cold->recorder.part, why);
	} else {
		if (cold->config.snapshot_signal)
			chosen_signal_begin(cold->config.snapshot_signal,
					    snapshot_take);
		rt.header->hook_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
		begin_time(cold);
		budget_start();
		rt.header->start_cpu_ns =
			sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
		atomic_store(&rt.header->state, WIRE_RUNNING);
	}
}

/* Or it has been loaded by the program, as an agent: in front of nothing. */
static int is_preloaded(void)
{
	return lookup_next("gnu_get_libc_version") != NULL;
}

/*
 * Whether the program has rights that its user lacks (set-user-id, set-group-id, file
 * capabilities). Then nothing may depend on the environment, which the user has written.
 * The loader has removed variables from it, so that the auxiliary vector does not lie
 * directly behind it; libc knows where it is.
 */
static int has_more_rights(void)
{
	unsigned long (*auxiliary)(unsigned long) =
		(unsigned long (*)(unsigned long))lookup_next("getauxval");

	return (auxiliary && auxiliary(AT_SECURE)) ||
	       sys_call(SYS_geteuid, 0, 0, 0, 0, 0, 0) !=
		       sys_call(SYS_getuid, 0, 0, 0, 0, 0, 0) ||
	       sys_call(SYS_getegid, 0, 0, 0, 0, 0, 0) !=
		       sys_call(SYS_getgid, 0, 0, 0, 0, 0, 0);
}

__attribute__((constructor)) static void initialise(int argc, char **argv,
						    char **environment)
{
	int saved_errno = errno;
	const char *dir;

	if (own_place_is_in_blocks())
		attach_begin_in_blocks();
	clew_attachment.version = WIRE_ATTACH_VERSION; /* it is whole */
	if (!is_preloaded())
		return;
	clew_attachment.state = WIRE_ATTACH_PRELOADED;
	rt.runtimes = &clew_attachment.runtimes;
	next_find();
	dir = has_more_rights()
		      ? NULL
		      : find_variable(environment, CONFIG_DIR_VARIABLE);
	if (dir && *dir == '/' && begin_is_possible(dir)) {
		begin_learn_starts();
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
	handlers_load_asked(&rt.cold->config);
	switch_unmute(muted);
}

__attribute__((destructor)) static void finish(void)
{
	if (!rt.header || rt.header->state != WIRE_RUNNING || rt.is_unrecorded)
		return;
	/* A child whose fork was not seen has its parent's part. */
	if (!process_is_own(0))
		return;
	changed_text_look();
	begin_end();
	atomic_store(&rt.header->state, WIRE_ENDED);
	part_finish(&rt.recorder->part);
	trace_finish(&rt.recorder->trace);
}
