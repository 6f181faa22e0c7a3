/* SPDX-License-Identifier: MIT */
/*
 * A JVM that runs already reads no options any more. But a thread of clew can
 * attach to the JVM, as any thread of native code can, and then use the tool
 * interface (JVMTI) like an agent.
 */
#include "jvm/late.h"

#include <errno.h>
#include <jni.h>
#include <stdatomic.h>

#include "jvm/agent.h"
#include "jvm/hotspot/hotspot.h"
#include "jvm/jvmti/daemon.h"
#include "preload/host/config.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"

typedef jint (*list_function)(JavaVM **machines, jsize room, jsize *count);

/*
 * Written with the loader's lock held, before another thread of clew reads it.
 */
static uint64_t machine_base; /* 0 if no JVM is loaded */

void late_meet(const struct module *machine)
{
	machine_base = machine->base;
}

int late_is_there(void)
{
	return machine_base && rt.config->java != CONFIG_JAVA_OFF;
}

/* Returns the process's JVM, or NULL if none exists at present. */
static JavaVM *find_machine(void)
{
	const list_function list = (list_function)lookup_in_map(
		lookup_module(machine_base), "JNI_GetCreatedJavaVMs");
	JavaVM *machine = NULL;
	jsize count = 0;

	if (!list || list(&machine, 1, &count) != JNI_OK)
		return NULL;
	return count > 0 ? machine : NULL;
}

/*
 * Newest version of Java for which no crashes are known when clew attaches to a
 * JVM with the collector ZGC.
 */
#define CALM_VERSION 17

/*
 * Returns whether the JVM uses ZGC and is newer than CALM_VERSION or of unknown
 * version. ZGC of JDK 25 processes a thread's frames when the thread returns to
 * them. In a test, clew attached twelve times to each of 60 processes, and one
 * process crashed in this code of ZGC. The cause is unknown.
 */
static int is_delicate(uint64_t pc)
{
	const unsigned char *is_used = hotspot_option(pc, "UseZGC");
	const int version = hotspot_version(pc);

	return is_used && *is_used && (!version || version > CALM_VERSION);
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

/*
 * Returns 0 without effect if the JVM does not exist any more, because its
 * agent has ended with it, or if it did not get the agent because of its
 * collector (is_delicate()).
 */
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
