/* SPDX-License-Identifier: MIT */
/*
 * Adds the agent to the options of a new JVM. Launchers load libjvm.so and look
 * up JNI_CreateJavaVM() in this library, so they would not find a function of
 * the same name in libclew.so. clew therefore diverts the function (divert.h).
 *
 * An environment variable (JAVA_TOOL_OPTIONS) needs no diversion, but the JVM
 * reports options from there on standard error, and all JVMs that the program
 * starts inherit them.
 */
#include <jni.h>
#include <stdatomic.h>
#include <string.h>

#include "jvm/agent.h"
#include "jvm/agent_load.h"
#include "jvm/class_archive.h"
#include "jvm/exact/java_exact.h"
#include "jvm/exact/java_tracked.h"
#include "jvm/exact/java_verify.h"
#include "jvm/hotspot/java_numbers.h"
#include "jvm/jni/jni_env.h"
#include "jvm/jvm.h"
#include "jvm/late.h"
#include "jvm/natives/bridges.h"
#include "jvm/natives/native_relays.h"
#include "preload/host/config.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/patch/divert.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define CREATE      "JNI_CreateJavaVM"
#define MACHINE     "libjvm.so"
#define OPTIONS_MAX (1 << 20)
#define OURS_MAX    2
/*
 * Maximum number of addresses at which a libjvm.so is loaded during the life of
 * the process, at once or one after the other.
 */
#define MACHINES_MAX 4

typedef jint (*create_function)(JavaVM **vm, void **environment,
				void *arguments);

static struct divert creates[MACHINES_MAX];
/* number of used slots, protected by the loader's lock */
static uint32_t create_count;

/* ---- The options ---- */

static uint64_t bytes_of(const JavaVMInitArgs *arguments)
{
	return ((uint64_t)arguments->nOptions + OURS_MAX) *
	       sizeof(JavaVMOption);
}

/*
 * Returns whether the arguments have the layout of JNI 1.2 or later. The JVM
 * refuses the arguments of JNI 1.1, which have another layout.
 */
static int are_understood(const JavaVMInitArgs *arguments)
{
	return arguments && arguments->version >= JNI_VERSION_1_2 &&
	       arguments->nOptions >= 0 && arguments->nOptions < OPTIONS_MAX &&
	       (arguments->options || !arguments->nOptions);
}

/*
 * Returns a copy of the options with clew's options behind them, so that other
 * agents start before clew; NULL if the agent cannot be added. *count becomes
 * the number of all options. The caller unmaps the copy (bytes_of()).
 */
static JavaVMOption *extend(const JavaVMInitArgs *given, jint *count)
{
	const uint64_t bytes = (uint64_t)given->nOptions * sizeof(JavaVMOption);
	char *ours = agent_option();
	const char *exact =
		java_exact_avoids_archive() ? class_archive_off(given) : NULL;
	JavaVMOption *options;

	if (!ours) {
		atomic_store(&rt.header->java, WIRE_JAVA_PATH);
		return NULL;
	}
	if (class_archive_is_written(given)) {
		atomic_store(&rt.header->java, WIRE_JAVA_REFUSED);
		return NULL;
	}
	options = sys_map_private(bytes_of(given));
	if (sys_failed(options))
		return NULL;
	copy_bytes(options, given->options, bytes);
	*count = given->nOptions;
	options[(*count)++] = (JavaVMOption){ .optionString = ours };
	if (exact)
		options[(*count)++] =
			(JavaVMOption){ .optionString = (char *)exact };
	return options;
}

static jint create_with_agent(create_function original, JavaVM **vm,
			      void **environment, void *arguments)
{
	JavaVMInitArgs ours;
	jint result;

	ours = *(const JavaVMInitArgs *)arguments;
	ours.options = extend(arguments, &ours.nOptions);
	if (!ours.options)
		return original(vm, environment, arguments);
	result = original(vm, environment, &ours);
	if (result != JNI_OK)
		agent_forget();
	sys_munmap(ours.options, bytes_of(arguments));
	return result;
}

static jint create_with(create_function original, JavaVM **vm,
			void **environment, void *arguments)
{
	jint result;

	if (!are_understood(arguments) || rt.header->state != WIRE_RUNNING ||
	    runtime_is_filtered())
		return original(vm, environment, arguments);
	agent_forget();
	agent_await(1);
	result = create_with_agent(original, vm, environment, arguments);
	agent_await(0);
	return result;
}

/*
 * Defines the replacement of JNI_CreateJavaVM() in the libjvm.so of one slot.
 */
#define CREATE_IN(index)                                                       \
	static jint create_##index(JavaVM **vm, void **environment,            \
				   void *arguments)                            \
	{                                                                      \
		return create_with((create_function)creates[index].original,   \
				   vm, environment, arguments);                \
	}
CREATE_IN(0)
CREATE_IN(1)
CREATE_IN(2)
CREATE_IN(3)

static const create_function ours_in[MACHINES_MAX] = { create_0, create_1,
						       create_2, create_3 };

/* ---- The JVM ---- */

static int is_machine(const struct module *module)
{
	const char *slash = strrchr(module->path, '/');

	return !strcmp(slash ? slash + 1 : module->path, MACHINE);
}

/*
 * Returns the slot of the function at a pc: the former slot if a function at
 * this pc has had one, otherwise the next unused slot. Returns MACHINES_MAX if
 * all slots are used.
 */
static uint32_t find_slot(uint64_t pc)
{
	uint32_t slot = 0;

	while (slot < create_count && creates[slot].pc != pc)
		slot++;
	return slot;
}

static void meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count)
{
	uint32_t slot;
	uint64_t pc;

	if (rt.config->java == CONFIG_JAVA_OFF || !is_machine(module))
		return;
	pc = (uintptr_t)lookup_in(module->base, CREATE);
	if (!pc)
		return;
	if (rt.is_late)
		late_meet(module);
	slot = find_slot(pc);
	if (slot == MACHINES_MAX || divert(&creates[slot], module, windows, pc,
					   (void *)ours_in[slot])) {
		atomic_store(&rt.header->java, WIRE_JAVA_OPAQUE);
		return;
	}
	if (slot == create_count)
		create_count++;
	native_relays_make(module, windows);
	divert_refuse_hook(&creates[slot], module, functions, count);
	if (rt.config->hook_jni)
		jni_env_prepare(module, windows);
}

static void forget_numbers(void)
{
	java_numbers_forget();
	java_tracked_forget();
	java_verify_forget();
	native_relays_forget();
	jni_env_forget();
}

static void abandon(void)
{
	bridges_close();
	jni_env_abandon();
}

const struct managed_runtime jvm_runtime = {
	.meet_module = meet_module,
	.forget_numbers = forget_numbers,
	.is_there = late_is_there,
	.begin_late = late_begin,
	.end_late = late_end,
	.abandon = abandon,
	.switch_calls = java_exact_switch,
};
