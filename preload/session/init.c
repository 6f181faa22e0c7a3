/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the runtime in the target.
 *
 * With glibc, the constructor starts the runtime. It runs before those of all
 * other modules (the library is linked with -z initfirst), so their
 * constructors are hooked already. musl ignores this flag and calls
 * constructors without arguments, but later: from __libc_start_main(). There,
 * clew's wrapper of that function starts the runtime.
 *
 * If anything fails, the program runs as though clew were absent, and the
 * recording, if one exists, contains the reason.
 */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "libc/libc.h"
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

/*
 * Returns the value of an entry of the auxiliary vector, which follows the
 * environment in memory; 0 if there is no entry of this type.
 */
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
 * Returns whether the process already has another thread. An auditor of the
 * loader (LD_AUDIT) can create one before the library starts, and so can a
 * constructor if the loader initializes another library first: libpthread,
 * before glibc 2.34. That thread may execute code that clew would change, and
 * it lacks clew's thread-local storage.
 */
static int has_threads(void)
{
	int own_tid = sys_gettid();

	return proc_each_thread(0, is_another, &own_tid) > 0;
}

/* Returns -errno and a sentence in why if the program must run without clew. */
static int prepare(struct cold *cold, char *why, size_t bytes)
{
	struct text text;
	int err;

	if (*why) /* the configuration is invalid */
		return -EINVAL;
	err = begin_check_machine(why, bytes);
	if (err)
		return err;
	text = text_in(why, bytes);
	if (!libc_modules_are_readable()) {
		text_string(&text,
			    "this version of musl has an unknown loader");
		return -ENOTSUP;
	}
	if (has_threads()) {
		text_string(&text, "another thread was started before clew, by "
				   "an LD_AUDIT library or, before glibc 2.34, "
				   "by a constructor");
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
	/* if this fails, modules that are loaded later are not hooked */
	loader_watch(cold);
	return 0;
}

/*
 * Hooks this process only to fill the cache, and exits. `clew cache warm` has
 * started the process for this purpose alone. The exit status reports what the
 * cache contains now; clew itself never exits with such a status.
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

/*
 * Calls prepare() with counting muted, so that calls that clew itself makes to
 * functions hooked already are not counted.
 */
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

/*
 * Returns whether the library precedes libc in symbol order, as with
 * LD_PRELOAD. If the program itself has loaded the library, for example as a
 * JVM agent, its wrappers of libc functions are never called.
 */
static int is_preloaded(void)
{
	return lookup_next("__libc_start_main") != NULL;
}

/*
 * Returns whether the program has rights that its user lacks (set-user-id,
 * set-group-id, file capabilities). clew must not trust the environment then,
 * because the user has written it. The loader has removed variables from the
 * environment, so the auxiliary vector does not follow it directly; libc has
 * the vector's address.
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

static void begin_preloaded(int argc, char **argv, char **environment)
{
	int saved_errno = errno;
	const char *dir;

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

__attribute__((constructor)) static void initialise(int argc, char **argv,
						    char **environment)
{
	if (own_place_is_in_blocks())
		attach_begin_in_blocks();
	/* This is stored last: it means that the rest is complete. */
	clew_attachment.version = WIRE_ATTACH_VERSION;
	if (is_preloaded() && !libc_is_musl())
		begin_preloaded(argc, argv, environment);
}

void init_before_main(const void *main, int argc, char **argv)
{
	uint32_t muted;

	if (libc_is_musl())
		begin_preloaded(argc, argv, argv + argc + 1);
	if (!rt.header || rt.header->state != WIRE_RUNNING)
		return;
	muted = switch_mute(HOT_MUTED_OWN);
	runtimes_announce();
	handlers_load_asked(&rt.cold->config);
	switch_unmute(muted);
}

__attribute__((destructor)) static void finish(void)
{
	if (!rt.header || rt.header->state != WIRE_RUNNING || rt.is_unrecorded)
		return;
	/*
	 * If this is a forked child whose fork clew has not noticed, the
	 * recording belongs to its parent.
	 */
	if (!process_is_own(0))
		return;
	changed_text_check();
	begin_end();
	atomic_store(&rt.header->state, WIRE_ENDED);
	part_finish(&rt.recorder->part);
	trace_finish(&rt.recorder->trace);
}
