/* SPDX-License-Identifier: MIT */
/*
 * The agent of the tool interface (JVMTI).
 *
 * The JVM reports the code that it generates, if time is sampled
 * (CompiledMethodLoad, DynamicCodeGenerated), and each native method once its
 * code is known (NativeMethodBind), whether the method is found by name or
 * given to RegisterNatives(). The event of a native contains an address, and a
 * method whose identifier exists. The agent never requests the identifiers of a
 * whole class, which would take memory of the JVM. Before VMStart the JVM does
 * not return names. Natives that are bound before VMStart are stored, and most
 * of them get bridges (bridge.h). Once names are available, the agent sets the
 * signatures in these bridges.
 */
#include <errno.h>
#include <jvmti.h>

#include "jvm/agent.h"
#include "jvm/class_changes.h"
#include "jvm/exact/java_exact.h"
#include "jvm/exact/tracker_natives.h"
#include "jvm/exact/tracker_standby.h"
#include "jvm/hotspot/inlined_methods.h"
#include "jvm/inplace/in_place.h"
#include "jvm/jni/jni_env.h"
#include "jvm/jvmti/asked_method.h"
#include "jvm/jvmti/environment.h"
#include "jvm/jvmti/line_tables.h"
#include "jvm/natives/bound_natives.h"
#include "jvm/natives/bridge.h"
#include "jvm/natives/bridges.h"
#include "jvm/natives/intrinsics.h"
#include "jvm/natives/java_callers.h"
#include "jvm/natives/native_relays.h"
#include "preload/generated/records.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/patch/relay.h"
#include "preload/sys/lock.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/*
 * Maximum number of natives that are bound before VMStart. The JDK binds some
 * hundreds.
 */
#define EARLY_MAX 4096

struct early {
	jmethodID method;
	void *address;
	int is_intrinsic;
	struct bridge *bridge; /* the native's bridge, or NULL */
};

static struct {
	_Atomic(JavaVM *) vm; /* the JVM that has the agent, or NULL */
	/* The JVM that got the agent last. Not changed when that JVM ends. */
	_Atomic(JavaVM *) last_vm;
	/*
	 * The JVMTI environment that sends events to this file, or NULL. Not
	 * changed when the JVM ends.
	 */
	jvmtiEnv *heard;
	/* whether bridges can determine the callers of natives */
	int knows_callers;
	int is_exact; /* whether Java methods count their calls */
	int knows_intrinsics;
	/*
	 * Whether Java methods count their calls all the time, not only while
	 * counting is switched on (standby). Bridges then need not find
	 * callers.
	 */
	int is_silent;
	struct lock lock; /* protects the following members */
	/*
	 * An array of EARLY_MAX elements; NULL until the first element is
	 * added.
	 */
	struct early *early;
	uint32_t early_count;
} agent;

/* ---- Names ---- */

/*
 * Returns whether the method's class is VirtualThread. While its natives mount
 * a virtual thread, a request for callers makes the JVM fail.
 */
static int changes_threads(const struct java_method *method)
{
	return same_text(method->class, "Ljava/lang/VirtualThread;");
}

/*
 * Returns whether the tracker (tracker_class.h) may call the native: with exact
 * counting, any native whose code is in the JVM's library. While the tracker is
 * interpreted, it calls some of these natives to read and to store the thread's
 * id. A bridge would restore the former id afterwards.
 */
static int may_be_trackers(const void *address)
{
	JavaVM *vm = atomic_load(&agent.last_vm);

	return agent.is_exact &&
	       lookup_module((uintptr_t)address) ==
		       lookup_module((uintptr_t)(*vm)->GetEnv);
}

/*
 * Returns whether calls of a native go through a bridge. An intrinsic
 * (intrinsics.h) gets a bridge only if its code is hooked and the tracker does
 * not call it. Without a hook only some of its calls would count and all would
 * become slower, and intrinsics are called most often.
 */
static int is_bridged(const struct early *bound)
{
	return agent.knows_callers &&
	       (!bound->is_intrinsic ||
		(relay_is_needless((uintptr_t)bound->address) &&
		 !may_be_trackers(bound->address)));
}

/*
 * Records the native's name. If the native has a bridge, its calls then count
 * below their Java callers, under the number of the native's code or of its
 * relay. Bridges of VirtualThread determine no callers.
 */
static void name_binding(const struct early *bound,
			 const struct java_method *method)
{
	struct native_relay relay = { 0 };

	if (bound->bridge && changes_threads(method))
		atomic_store(&bound->bridge->is_silent, 1);
	else if (bound->bridge &&
		 native_relays_find((uintptr_t)bound->address, bound->method,
				    method, &relay))
		atomic_store(&bound->bridge->target, relay.entry);
	records_bind((uintptr_t)bound->address,
		     bound->is_intrinsic ? WIRE_INTRINSIC : relay.number,
		     method);
}

static void bind(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, void *address,
		 void **new_address)
{
	struct early bound = { method, address, intrinsics_have(method), NULL };
	struct asked_method asked;

	if (asked_method_ask(jvmti, method, &asked)) {
		const struct java_method its = asked_method_names(&asked);
		const int is_ours = own_code_is_library((uintptr_t)address);

		if (is_bridged(&bound) && !changes_threads(&its) &&
		    !tracker_natives_are(its.class))
			bound.bridge = bridges_make(
				class_changes_native(&its, address), method,
				its.signature);
		if (!is_ours)
			name_binding(&bound, &its);
		if (bound.bridge) {
			atomic_store(&bound.bridge->is_silent,
				     (uint32_t)agent.is_silent);
			bound.bridge->original = address;
			*new_address = bridges_entry(bound.bridge);
		}
	} else {
		records_miss();
	}
	asked_method_give_back(jvmti, jni, &asked);
}

static int put_early(const struct early *early)
{
	uint64_t signals;
	int is_kept = 0;

	lock_acquire(&agent.lock, &signals);
	if (!agent.early) {
		agent.early = sys_map_private(EARLY_MAX * sizeof(struct early));
		if (sys_failed(agent.early))
			agent.early = NULL;
	}
	if (agent.early && agent.early_count < EARLY_MAX) {
		agent.early[agent.early_count++] = *early;
		is_kept = 1;
	}
	lock_release(&agent.lock, &signals);
	return is_kept;
}

/*
 * Stores a native whose name and arguments are determined later. Counts the
 * native as unnamed if there is no room.
 */
static void keep_early(jmethodID method, void *address, void **new_address)
{
	struct early early = { method, address, intrinsics_have(method), NULL };

	if (is_bridged(&early))
		early.bridge = bridges_make_early(address, method);
	if (!put_early(&early)) {
		records_miss();
		return;
	}
	if (early.bridge && agent.is_silent)
		atomic_store(&early.bridge->is_silent, 1);
	if (early.bridge)
		*new_address = bridges_entry(early.bridge);
}

/*
 * Removes the native that was stored last, and copies it to *out. Returns 0 if
 * no native is stored.
 */
static int take_early(struct early *out)
{
	uint64_t signals;
	int is_there;

	lock_acquire(&agent.lock, &signals);
	is_there = agent.early_count > 0;
	if (is_there)
		*out = agent.early[--agent.early_count];
	lock_release(&agent.lock, &signals);
	return is_there;
}

static void name_early(jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct early early;

	while (take_early(&early)) {
		struct asked_method asked;

		if (asked_method_ask(jvmti, early.method, &asked)) {
			const struct java_method its =
				asked_method_names(&asked);

			if (early.bridge)
				bridges_set_arguments(early.bridge,
						      its.signature);
			name_binding(&early, &its);
		} else {
			records_miss();
		}
		asked_method_give_back(jvmti, jni, &asked);
	}
}

/* ---- Events (clew's own calls in event functions are not recorded) ---- */

static void JNICALL has_started(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	name_early(jvmti, jni);
	jni_env_begin(jvmti, jni);
	errno = saved_errno;
	switch_unmute(muted);
}

static void JNICALL is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	java_exact_begin(jvmti, jni);
	errno = saved_errno;
	switch_unmute(muted);
}

/*
 * A bridge that serves only while clew attaches. clew binds one native after
 * the other to this bridge, if the native had code before. The JVM reports each
 * binding by an event, and is_bound() then stores the native's own bridge in
 * the event's new address.
 */
static struct {
	struct bridge *bridge;
	/* The event of the native that was bound last has arrived. */
	int has_arrived;
} stand_in;

/*
 * Returns the code of a native that was bound to the stand-in, and sets the
 * event's new address to this code; the caller may store another one there.
 * Returns `address` if the native was not bound to the stand-in.
 */
static void *real_address(void *address, void **new_address)
{
	if (!stand_in.bridge || address != bridges_entry(stand_in.bridge))
		return address;
	stand_in.has_arrived = 1;
	*new_address = stand_in.bridge->original;
	return stand_in.bridge->original;
}

static void JNICALL is_bound(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jmethodID method, void *address,
			     void **new_address)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;
	jvmtiPhase phase;

	if ((*jvmti)->GetPhase(jvmti, &phase))
		records_miss();
	else if (phase == JVMTI_PHASE_START || phase == JVMTI_PHASE_LIVE)
		bind(jvmti, jni, method, real_address(address, new_address),
		     new_address);
	else
		keep_early(method, address, new_address);
	errno = saved_errno;
	switch_unmute(muted);
}

/* Runs on a thread of the JVM; the event has no JNIEnv. */
static void JNICALL is_compiled(jvmtiEnv *jvmti, jmethodID method, jint bytes,
				const void *start, jint map_count,
				const jvmtiAddrLocationMap *map,
				const void *inlined)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;
	JavaVM *vm = atomic_load(&agent.last_vm);
	struct compiled_code code = { .start = (uintptr_t)start,
				      .bytes = (uint32_t)bytes };
	JNIEnv *jni = NULL;
	struct asked_method asked;

	(*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8);
	if (asked_method_ask(jvmti, method, &asked)) {
		const struct java_method its = asked_method_names(&asked);

		code.tsc = records_compiled(code.start, (uint32_t)bytes, &its);
		inlined_methods_record(jvmti, jni, &code, inlined);
	}
	asked_method_give_back(jvmti, jni, &asked);
	errno = saved_errno;
	switch_unmute(muted);
}

static void JNICALL is_gone(jvmtiEnv *jvmti, jmethodID method,
			    const void *start)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	records_unloaded((uintptr_t)start);
	errno = saved_errno;
	switch_unmute(muted);
}

static void JNICALL is_generated(jvmtiEnv *jvmti, const char *name,
				 const void *start, jint bytes)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	records_generated((uintptr_t)start, (uint32_t)bytes, name);
	errno = saved_errno;
	switch_unmute(muted);
}

static int enable(jvmtiEnv *jvmti, const jvmtiEvent *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       events[i], NULL))
			return 0;
	return 1;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int listen(jvmtiEnv *jvmti)
{
	jvmtiEventCallbacks callbacks = {
		.VMStart = has_started,
		.VMInit = is_ready,
		.NativeMethodBind = is_bound,
		.CompiledMethodLoad = is_compiled,
		.CompiledMethodUnload = is_gone,
		.DynamicCodeGenerated = is_generated,
	};
	static const jvmtiEvent events[] = { JVMTI_EVENT_VM_START,
					     JVMTI_EVENT_NATIVE_METHOD_BIND,
					     JVMTI_EVENT_VM_INIT };
	jvmtiCapabilities wanted = { .can_generate_native_method_bind_events =
					     1 };

	/*
	 * The tracker calls natives of Unsafe, some of which change the
	 * thread's id. They must not be counted, and they are known by their
	 * intrinsics.
	 */
	agent.is_exact = java_exact_is_wanted() && agent.knows_intrinsics &&
			 !java_exact_prepare(jvmti, &callbacks);
	agent.is_silent = agent.is_exact && !standby_is_wanted();
	return !(*jvmti)->AddCapabilities(jvmti, &wanted) &&
	       !(*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					    sizeof(callbacks)) &&
	       enable(jvmti, events, COUNT(events) - (agent.is_exact ? 0 : 1));
}

/*
 * Requests the events by which generated code gets its names. Only samples of
 * time need these names.
 */
static void listen_to_compilers(jvmtiEnv *jvmti)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_COMPILED_METHOD_LOAD,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
	};
	jvmtiCapabilities wanted = { .can_generate_compiled_method_load_events =
					     1 };

	if ((rt.header->time == WIRE_TIME_CPU ||
	     rt.header->time == WIRE_TIME_WALL) &&
	    !(*jvmti)->AddCapabilities(jvmti, &wanted)) {
		line_tables_begin(jvmti);
		enable(jvmti, events, COUNT(events));
	}
}

/* ---- Calls from the JVM ---- */

void agent_forget(void)
{
	uint64_t signals;

	atomic_store(&agent.vm, NULL);
	lock_acquire(&agent.lock, &signals);
	agent.early_count = 0;
	lock_release(&agent.lock, &signals);
}

void agent_begin(JavaVM *vm)
{
	JavaVM *nobody = NULL;
	jvmtiEnv *jvmti;

	if (!atomic_compare_exchange_strong(&agent.vm, &nobody, vm))
		return; /* the command line has also requested the agent */
	jvmti = environment_open(vm);
	if (jvmti) {
		atomic_store(&agent.last_vm, vm);
		agent.knows_intrinsics =
			!intrinsics_learn((uintptr_t)(*vm)->GetEnv);
		if (listen(jvmti)) {
			listen_to_compilers(jvmti);
			agent.heard = jvmti;
			agent.knows_callers = !callers_begin(vm);
			atomic_store(&rt.header->java,
				     java_exact_is_wanted() && !agent.is_exact
					     ? WIRE_JAVA_INEXACT
					     : WIRE_JAVA_TOLD);
			if (in_place_is_wanted() && !rt.is_late)
				in_place_prepare(vm);
			return;
		}
		(*jvmti)->DisposeEnvironment(jvmti);
	}
	atomic_store(&rt.header->java, WIRE_JAVA_REFUSED);
}

void agent_begin_idle(JavaVM *vm)
{
	atomic_store(&agent.vm, vm);
}

/* ---- A JVM that runs already ---- */

/*
 * Makes the stand-in lead to a native's code. Returns 0 if memory is short, or
 * if the event of the native before has not arrived: then no further natives
 * get bridges.
 */
static int make_stand_in(void *address)
{
	if (stand_in.bridge && !stand_in.has_arrived)
		return 0;
	if (!stand_in.bridge)
		stand_in.bridge = bridges_make_early(address, NULL);
	if (!stand_in.bridge)
		return 0;
	stand_in.has_arrived = 0;
	stand_in.bridge->is_silent = 1;
	stand_in.bridge->original = address;
	stand_in.bridge->native = (uintptr_t)address;
	atomic_store(&stand_in.bridge->target, (uintptr_t)address);
	return 1;
}

static void *choose_bridge(void *context, const struct bound_native *native)
{
	const struct early bound = { NULL, native->address,
				     intrinsics_have(native->method), NULL };

	if (bridges_find(native->address))
		return NULL;
	if (is_bridged(&bound) && !changes_threads(&native->its))
		return make_stand_in(native->address)
			       ? bridges_entry(stand_in.bridge)
			       : NULL;
	name_binding(&bound, &native->its);
	return NULL;
}

static void *choose_original(void *context, const struct bound_native *native)
{
	const struct bridge *bridge = bridges_find(native->address);

	return bridge ? bridge->original : NULL;
}

/*
 * Makes the JVM send the events for code that was generated before clew
 * attached.
 */
static void request_code_events(jvmtiEnv *jvmti)
{
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

void agent_begin_late(JavaVM *vm, JNIEnv *jni)
{
	const uint64_t pc = (uintptr_t)(*vm)->GetEnv;

	if (bound_natives_change(vm, jni, pc, NULL, NULL) < 0) {
		atomic_store(&rt.header->java, WIRE_JAVA_REFUSED);
		return;
	}
	rt.slotless_function = NULL;
	agent_begin(vm);
	if (!agent.heard)
		return;
	bridges_open();
	callers_begin_late();
	bound_natives_change(vm, jni, pc, choose_bridge, NULL);
	jni_env_begin(agent.heard, jni);
	request_code_events(agent.heard);
	if (agent.is_exact)
		java_exact_begin(agent.heard, jni);
	if (in_place_is_wanted())
		in_place_begin_late(vm, jni);
}

/*
 * Restores Java methods and JNI functions first, then binds natives to their
 * own code, then waits for threads that make a request to the JVM in a bridge.
 * Returns 0 or -errno.
 */
int agent_end_late(JavaVM *vm, JNIEnv *jni)
{
	long changed;
	int err;

	if (!agent.heard)
		return 0;
	err = java_exact_end(agent.heard, jni);
	if (!err)
		err = in_place_end();
	if (err)
		return err;
	jni_env_end(agent.heard);
	(*agent.heard)
		->SetEventNotificationMode(agent.heard, JVMTI_DISABLE,
					   JVMTI_EVENT_NATIVE_METHOD_BIND,
					   NULL);
	changed = bound_natives_change(vm, jni, (uintptr_t)(*vm)->GetEnv,
				       choose_original, NULL);
	bridges_close();
	err = callers_end_late();
	if (err)
		return err;
	(*agent.heard)->DisposeEnvironment(agent.heard);
	agent.heard = NULL;
	agent_forget();
	return changed < 0 ? (int)changed : 0;
}
