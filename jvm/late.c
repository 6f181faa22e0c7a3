/* SPDX-License-Identifier: MIT */
/*
 * Nobody loads agents into a machine that runs. But a thread of ours can attach to it, as
 * threads of native code do, and has the tool interface then as an agent does.
 */
#include "jvm/late.h"

#include <errno.h>
#include <jni.h>
#include <stdatomic.h>

#include "jvm/agent.h"
#include "jvm/hotspot/hotspot.h"
#include "jvm/machine/daemon.h"
#include "preload/host/config.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"

typedef jint (*list_function)(JavaVM **machines, jsize room, jsize *count);

/* Written under the loader's lock, before there is a thread that asks. */
static uint64_t machine_base; /* 0: none has been met */

void late_meet(const struct module *machine)
{
	machine_base = machine->base;
}

int late_is_there(void)
{
	return machine_base && rt.config->java != CONFIG_JAVA_OFF;
}

/* NULL: it has not been made yet, or is gone. */
static JavaVM *find_machine(void)
{
	const list_function list =
		(list_function)lookup_in(machine_base, "JNI_GetCreatedJavaVMs");
	JavaVM *machine = NULL;
	jsize count = 0;

	if (!list || list(&machine, 1, &count) != JNI_OK)
		return NULL;
	return count > 0 ? machine : NULL;
}

#define CALM_VERSION 17 /* of the machine */

/*
 * With ZGC of JDK 25, which looks after a thread's frames when it comes back to
 * them, processes have died of what is done here: 1 of 60 that were attached to
 * twelve times. Nobody knows why.
 */
static int is_delicate(uint64_t pc)
{
	const unsigned char *is_used = hotspot_option(pc, "UseZGC");
	const int32_t *version = hotspot_static_at(pc, "Abstract_VM_Version",
						   "_vm_major_version");

	return is_used && *is_used && (!version || *version > CALM_VERSION);
}

void late_begin(void)
{
	JavaVM *vm = find_machine();
	JNIEnv *jni;

	if (!vm)
		return;
	if (is_delicate((uintptr_t)(*vm)->GetEnv)) {
		atomic_store(&rt.header->java, WIRE_JAVA_COLLECTOR);
		return;
	}
	jni = daemon_attach(vm);
	if (!jni) {
		atomic_store(&rt.header->java, WIRE_JAVA_REFUSED);
		return;
	}
	agent_begin_late(vm, jni);
	(*vm)->DetachCurrentThread(vm);
}

/* With the machine goes what of ours is in it. */
int late_end(void)
{
	JavaVM *vm = find_machine();
	JNIEnv *jni;
	int err;

	if (!vm || atomic_load(&rt.header->java) == WIRE_JAVA_COLLECTOR)
		return 0;
	jni = daemon_attach(vm);
	if (!jni)
		return -EBUSY;
	err = agent_end_late(vm, jni);
	(*vm)->DetachCurrentThread(vm);
	return err;
}
