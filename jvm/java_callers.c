/* SPDX-License-Identifier: MIT */
/*
 * The machine is asked about each place once (GetStackTrace), for a microsecond or
 * two, and again after it has unloaded code, or collected garbage, classes with it:
 * then an address may become another's. A thread that is in a native called from a
 * place keeps that place's method, and its code, alive.
 */
#include "jvm/java_callers.h"

#include <errno.h>
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>

#include "jvm/bridge.h"
#include "jvm/hotspot.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/record/recorder.h"
#include "preload/stack/trampolines.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define ROOM_LEAST  1024
#define INTERPRETER "Interpreter" /* as HotSpot calls its code */

static uint64_t machine_pc;      /* of a function of the machine's */
static _Atomic(jvmtiEnv *) tool; /* NULL: nobody can be asked yet */

/* A method that has called a native: open addressing, three quarters full at most. */
struct method {
	jmethodID id; /* NULL: free */
	uint32_t number;
};

static struct {
	struct lock lock; /* taken before that of the names */
	struct method *table;
	uint32_t room, used;
} methods;

static struct method *slot_of(struct method *table, uint32_t room,
			      jmethodID method)
{
	uint64_t i = (uintptr_t)method * ID_MULTIPLIER >> 32;

	while (table[i & (room - 1)].id && table[i & (room - 1)].id != method)
		i++;
	return &table[i & (room - 1)];
}

static int grow(void)
{
	const uint32_t room = methods.room ? 2 * methods.room : ROOM_LEAST;
	struct method *table;

	if (methods.used < methods.room / 4 * 3)
		return 0;
	table = sys_map_private(room * sizeof(*table));
	if (sys_failed(table))
		return -ENOMEM;
	for (uint32_t i = 0; i < methods.room; i++)
		if (methods.table[i].id)
			*slot_of(table, room, methods.table[i].id) =
				methods.table[i];
	if (methods.table)
		sys_munmap(methods.table,
			   methods.room * sizeof(*methods.table));
	methods.table = table;
	methods.room = room;
	return 0;
}

static uint32_t number_of(jmethodID method)
{
	uint32_t number = 0;
	uint64_t signals;

	lock_acquire(&methods.lock, &signals);
	if (methods.room)
		number = slot_of(methods.table, methods.room, method)->number;
	lock_release(&methods.lock, &signals);
	return number;
}

/* Another thread may have been faster: its number is as good. */
static uint32_t add(jmethodID method, const char *text, size_t bytes)
{
	struct recorder *recorder = rt.recorder;
	uint32_t number = 0;
	uint64_t signals;

	lock_acquire(&methods.lock, &signals);
	if (!grow()) {
		struct method *slot =
			slot_of(methods.table, methods.room, method);

		number = slot->number;
		if (!number)
			number = function_names_add(
				&recorder->names, &recorder->part,
				WIRE_RANGE_JAVA, text, bytes);
		if (number && !slot->id) {
			*slot = (struct method){ method, number };
			methods.used++;
		}
	}
	lock_release(&methods.lock, &signals);
	return number;
}

/* The text of a wire_name of Java's: class, name and signature, each with a NUL. */
static size_t put(char *to, size_t room, const char *const parts[3])
{
	size_t used = 0;

	for (int i = 0; i < 3; i++) {
		const size_t bytes = strlen(parts[i]) + 1;

		if (bytes > room - used)
			return 0;
		copy_bytes(to + used, parts[i], bytes);
		used += bytes;
	}
	return used;
}

static uint32_t name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	char *called = NULL, *signature = NULL, *class_name = NULL;
	char text[WIRE_NAME_BYTES_MAX];
	jclass class = NULL;
	uint32_t number = 0;
	size_t bytes;

	if (!(*jvmti)->GetMethodName(jvmti, method, &called, &signature,
				     NULL) &&
	    !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL)) {
		bytes = put(text, sizeof(text),
			    (const char *[]){ class_name, called, signature });
		if (bytes)
			number = add(method, text, bytes);
	}
	if (class)
		(*jni)->DeleteLocalRef(jni, class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)called);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
	return number;
}

/* 0: it cannot be told now. The native itself is frame 0. */
static uint32_t ask(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jvmtiFrameInfo caller;
	jboolean is_native;
	uint32_t number;
	jint count;

	if ((*jvmti)->GetStackTrace(jvmti, NULL, 1, 1, &caller, &count))
		return 0;
	if (!count)
		return CALLERS_NOBODY;
	if ((*jvmti)->IsMethodNative(jvmti, caller.method, &is_native))
		return 0;
	if (is_native) /* its own context is the caller's already */
		return CALLERS_NOBODY;
	number = number_of(caller.method);
	return number ? number : name(jvmti, jni, caller.method);
}

uint32_t callers_learn(struct bridge_frame *frame)
{
	jvmtiEnv *jvmti = atomic_load(&tool);
	const uint64_t place = frame->place;
	const int saved_errno = errno;
	uint32_t muted, number;

	if (!jvmti || runtime_is_filtered())
		return CALLERS_NOBODY;
	muted = switch_mute(HOT_MUTED_OWN);
	number = ask(jvmti, (JNIEnv *)frame->arguments[0]);
	switch_unmute(muted);
	errno = saved_errno;
	if (!number) {
		bridge_miss();
		return CALLERS_NOBODY;
	}
	atomic_store(
		&callers_known[(place ^ place >> CALLERS_LOG2) % CALLERS_COUNT],
		place >> CALLERS_LOG2 << 32 | number);
	return number;
}

/* ---- Events. No thread is in Java while garbage is collected. ---- */

static void forget(void)
{
	for (uint32_t i = 0; i < CALLERS_COUNT; i++)
		if (atomic_load_explicit(&callers_known[i],
					 memory_order_relaxed))
			atomic_store_explicit(&callers_known[i], 0,
					      memory_order_relaxed);
}

static void JNICALL code_is_unloaded(jvmtiEnv *jvmti, jmethodID method,
				     const void *code)
{
	forget();
}

static void JNICALL garbage_is_collected(jvmtiEnv *jvmti)
{
	forget();
}

static void JNICALL code_is_made(jvmtiEnv *jvmti, const char *name,
				 const void *code, jint bytes)
{
	if (!same_text(name, INTERPRETER) || bridge_interpreter_end)
		return;
	atomic_store(&bridge_interpreter_start, (uintptr_t)code);
	atomic_store(&bridge_interpreter_end,
		     (uintptr_t)code + (uint32_t)bytes);
}

/* All that is generated lies between two addresses. */
static int find_code(void)
{
	atomic_store(&bridge_code_start,
		     hotspot_static(machine_pc, "CodeCache", "_low_bound"));
	atomic_store(&bridge_code_end,
		     hotspot_static(machine_pc, "CodeCache", "_high_bound"));
	return bridge_code_end > bridge_code_start;
}

/* Until then nobody can be asked. */
static void JNICALL is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	if (bridge_interpreter_end && find_code())
		atomic_store(&tool, jvmti);
	errno = saved_errno;
	switch_unmute(muted);
}

/* Whoever is still in Java is not asked about any more. */
static void JNICALL is_over(jvmtiEnv *jvmti, JNIEnv *jni)
{
	atomic_store(&tool, NULL);
}

int callers_begin(void *machine)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = is_ready,
		.VMDeath = is_over,
		.DynamicCodeGenerated = code_is_made,
		.CompiledMethodUnload = code_is_unloaded,
		.GarbageCollectionFinish = garbage_is_collected,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_GARBAGE_COLLECTION_FINISH
	};
	const jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_generate_garbage_collection_events = 1,
	};
	JavaVM *vm = machine;
	jvmtiEnv *jvmti;

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK)
		return -1;
	if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return -1;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       events[i], NULL))
			return -1;
	machine_pc = (uintptr_t)(*vm)->GetEnv;
	trampolines_reserve(rt.recorder->part.file.path);
	return 0;
}
