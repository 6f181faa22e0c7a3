/* SPDX-License-Identifier: MIT */
/*
 * If the cache has no number for a location, the calling method is requested
 * from the JVM (GetStackTrace), which takes one or two microseconds. If the
 * cache has no number for a stack, only those of its methods are requested that
 * are not cached either (java_compose.h). After the JVM has unloaded code, or
 * has collected garbage, which may unload classes, all results are forgotten,
 * because an address may then belong to another method. While a thread is in a
 * native, the code that called the native and this code's method exist.
 */
#include "jvm/natives/java_callers.h"

#include <errno.h>
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/hotspot/java_numbers.h"
#include "jvm/hotspot/java_recall.h"
#include "jvm/jvmti/environment.h"
#include "jvm/jvmti/line_tables.h"
#include "jvm/natives/bridge.h"
#include "jvm/natives/java_compose.h"
#include "jvm/natives/java_scopes.h"
#include "jvm/natives/java_stack.h"
#include "preload/hot/record.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/switch.h"
#include "preload/record/recorder.h"
#include "preload/stack/trampolines.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/* How long callers_end_late() waits for requests. */
#define PATIENCE_MS 5000
#define IN_NATIVE   (-1)          /* the JVM's location of a native method */
#define INTERPRETER "Interpreter" /* HotSpot's name of the interpreter's code */

static uint64_t machine_pc; /* address of a function of the JVM */
static uint64_t ready_ns;   /* time when requests became possible */
/* JVMTI environment for requests; NULL if no requests are possible */
static _Atomic(jvmtiEnv *) tool;
/* Number of calls of callers_doubt() that callers_trust() has not ended yet. */
static _Atomic int doubts;
static _Atomic int askers; /* number of threads that may be using `tool` */
/* The JVMTI environment that sends events to clew, or NULL. */
static jvmtiEnv *heard;

/*
 * Returns how many of the methods on the stack, from the innermost on, are not
 * in the thread's context yet. On a cut stack (JAVA_STACK_CUT), the methods
 * outside of the next outer native with a bridge are in the context already.
 */
static jint end_of(const struct bridge_frame *frame,
		   const jvmtiFrameInfo *calls, jint count)
{
	const struct bridge_frame *outer =
		(const struct bridge_frame *)frame->outer;
	jint end = count;

	if (frame->end != JAVA_STACK_CUT)
		return count;
	for (jint i = count; i-- > 0;)
		if (calls[i].location == IN_NATIVE)
			end = i;
	for (jint i = end; outer && i < count; i++)
		if (calls[i].location == IN_NATIVE &&
		    (const void *)calls[i].method == outer->bridge->method)
			return i;
	return end;
}

/*
 * Returns the index of the bytecode at which a method calls the next inner one,
 * or WIRE_BYTECODE_NONE.
 */
static uint16_t call_of(const jvmtiFrameInfo *call)
{
	return call->location >= 0 && call->location < WIRE_BYTECODE_NONE
		       ? (uint16_t)call->location
		       : WIRE_BYTECODE_NONE;
}

/*
 * Returns the number of a stack of `count` methods, innermost first. is_deeper:
 * the stack has more methods. Returns 0 if the number cannot be determined now.
 */
static uint32_t number_stack(jvmtiEnv *jvmti, JNIEnv *jni,
			     const jvmtiFrameInfo *calls, jint count,
			     int is_deeper)
{
	struct java_stack_numbers stack;
	uint32_t used = 0;

	if (is_deeper) {
		stack.numbers[used] = WIRE_STACK_CUT;
		stack.calls[used++] = WIRE_BYTECODE_NONE;
	}
	while (count-- > 0) {
		stack.calls[used] = call_of(&calls[count]);
		stack.numbers[used] =
			java_numbers_method(jvmti, jni, calls[count].method);
		if (!stack.numbers[used++])
			return 0;
	}
	stack.count = used;
	return java_numbers_stack(&stack);
}

/*
 * Returns the number of the innermost method alone, for use if there is no room
 * for a stack; CALLERS_NOBODY if this is a native, 0 if the number cannot be
 * determined.
 */
static uint32_t number_caller(jvmtiEnv *jvmti, JNIEnv *jni,
			      const jvmtiFrameInfo *caller)
{
	if (caller->location == IN_NATIVE)
		return CALLERS_NOBODY;
	return java_numbers_method(jvmti, jni, caller->method);
}

/*
 * Requests the native's caller from the JVM. Returns its number as
 * callers_find() does, or 0 if it cannot be determined now. In the JVM's stack,
 * frame 0 is the native and frame 1 its caller.
 */
static uint32_t query_caller(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jvmtiFrameInfo caller;
	uint32_t number;
	jint count;

	if ((*jvmti)->GetStackTrace(jvmti, NULL, 1, 1, &caller, &count))
		return 0;
	/*
	 * If another native is the caller, its context already contains the
	 * Java callers.
	 */
	if (!count || caller.location == IN_NATIVE)
		return CALLERS_NOBODY;
	number = number_stack(jvmti, jni, &caller, 1, 0);
	return number ? number : number_caller(jvmti, jni, &caller);
}

/*
 * Requests the whole Java stack up to the next native with a context from the
 * JVM. Returns its number as callers_find_stack() does, or 0 if it cannot be
 * determined now.
 */
static uint32_t query_stack(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct bridge_frame *frame)
{
	jvmtiFrameInfo calls[JAVA_STACK_TOLD_MAX + 1];
	uint32_t number;
	jint count, end;

	if ((*jvmti)->GetStackTrace(jvmti, NULL, 1, JAVA_STACK_TOLD_MAX + 1,
				    calls, &count))
		return 0;
	end = end_of(frame, calls, count);
	if (!end)
		return CALLERS_NOBODY;
	number = number_stack(jvmti, jni, calls,
			      end > JAVA_STACK_TOLD_MAX ? JAVA_STACK_TOLD_MAX
							: end,
			      end > JAVA_STACK_TOLD_MAX);
	if (number)
		return number;
	atomic_fetch_add(&rt.header->stackless_natives, 1);
	return number_caller(jvmti, jni, &calls[0]);
}

/* ---- Stacks that are composed of known methods ---- */

/*
 * One of this number of composed stacks is verified, or more if verify_period
 * is smaller. The first COMPOSED_PERIOD stacks are all verified. If
 * verify_period is 0, none is, except in a stress build.
 */
#define COMPOSED_PERIOD 64
/*
 * After this number of wrongly composed stacks, no stack is composed any more.
 */
#define COMPOSED_WRONG_MAX 8

static void forget(void);

/*
 * Returns whether the frame's stack has another hash now than when it was
 * looked up, because a new generation has begun meanwhile
 * (java_stack_forget()).
 */
static int has_changed(const struct bridge_frame *frame)
{
	uint32_t end;

	return frame->stack && java_stack_hash(frame, &end) != frame->stack;
}

static int may_compose(const struct bridge_frame *frame)
{
	return !frame->expected && !atomic_load(&doubts) &&
	       rt.header->mismatched_composed < COMPOSED_WRONG_MAX;
}

/*
 * Returns whether to verify a composed stack. The stack's hash serves as the
 * random number.
 */
static int is_to_verify(const struct bridge_frame *frame)
{
	const uint32_t period = rt.verify_period < COMPOSED_PERIOD
					? rt.verify_period
					: COMPOSED_PERIOD;

	return CLEW_STRESS ||
	       (period > 0 && (rt.header->composed_stacks < COMPOSED_PERIOD ||
			       (uint32_t)(frame->stack * ID_MULTIPLIER >> 32) <=
				       UINT32_MAX / period));
}

/*
 * Counts a verification of a composed stack. If the stack was wrong, forgets
 * all that was learnt about methods and locations.
 */
static void note_composed(int is_wrong)
{
	atomic_fetch_add(&rt.header->verified_composed, 1);
	if (!is_wrong)
		return;
	atomic_fetch_add(&rt.header->mismatched_composed, 1);
	forget();
}

/*
 * Returns the number of a stack that is not known yet: composed if possible,
 * otherwise requested from the JVM. 0 if it cannot be determined now.
 */
static uint32_t learn_stack(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct bridge_frame *frame)
{
	uint32_t composed = 0, number;
	const enum composed how =
		may_compose(frame) ? java_compose(jvmti, jni, frame, &composed)
				   : COMPOSED_NOT;

	if (how == COMPOSED_KNOWN)
		atomic_fetch_add(&rt.header->composed_stacks, 1);
	if (composed && !is_to_verify(frame))
		return composed;
	number = query_stack(jvmti, jni, frame);
	if (!number) /* the JVM gave no answer, so nothing can be verified */
		return composed;
	if (how != COMPOSED_NOT && !has_changed(frame))
		note_composed(number != composed);
	return number;
}

static void remember_stack(uint64_t hash, uint32_t number)
{
	_Atomic uint64_t *entry = callers_stack_entry(hash, 0);

	if (atomic_load(entry) &&
	    atomic_load(entry) >> 32 != hash >> CALLERS_LOG2)
		entry = callers_stack_entry(hash, 1);
	atomic_store(entry, hash >> CALLERS_LOG2 << 32 | number);
}

static void remember_place(uint64_t place, uint32_t number)
{
	atomic_store(
		&callers_known[(place ^ place >> CALLERS_LOG2) % CALLERS_COUNT],
		place >> CALLERS_LOG2 << 32 | number);
}

/*
 * Draws the number of calls until the thread's next verification, which is
 * rt.verify_period on average. A thread that counts nothing has no random
 * numbers and uses the period itself. A period of 0 stands for no verification.
 */
static uint64_t draw_stacks_left(void)
{
	const uint64_t period = rt.verify_period;

	if (!period)
		return UINT64_MAX;
	return hot.random ? record_draw() % (2 * period) : period;
}

/*
 * Counts a verification: `expected` is the number that was known, `found` the
 * number according to the JVM, or 0 if the JVM gave none. Draws the time of the
 * next verification.
 */
static void note_verified(uint32_t expected, uint32_t found)
{
	hot.stacks_left = draw_stacks_left();
	if (!expected || !found)
		return;
	atomic_fetch_add(expected == found ? &rt.header->verified_stacks
					   : &rt.header->mismatched_stacks,
			 1);
}

static void note_asked(uint64_t began_ns)
{
	struct wire_header *header = rt.header;
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	const uint64_t ms = (began_ns - ready_ns) / 1000000;
	const unsigned int bin = wire_bin(ms);

	atomic_fetch_add(&header->asked_stacks, 1);
	atomic_fetch_add(&header->asked_ns, now_ns - began_ns);
	atomic_fetch_add(&header->asked_when[bin < WIRE_ASKED_BINS
						     ? bin
						     : WIRE_ASKED_BINS - 1],
			 1);
}

/*
 * Requests the stack of a virtual thread whose outer frames are in the heap,
 * and measures how long the requests of this thread take. The result is not
 * stored, because such a stack has no hash.
 */
static uint32_t query_frozen(jvmtiEnv *jvmti, JNIEnv *jni,
			     const struct bridge_frame *frame)
{
	const uint64_t began = stamp_counter();
	const uint32_t number = query_stack(jvmti, jni, frame);

	if (!hot.java_recall)
		return number;
	if (!hot.java_recall->frozen_since)
		hot.java_recall->frozen_since = began;
	hot.java_recall->frozen_ticks += stamp_counter() - began;
	return number;
}

static uint32_t query_number(jvmtiEnv *jvmti, JNIEnv *jni,
			     const struct bridge_frame *frame)
{
	if (frame->stack)
		return learn_stack(jvmti, jni, frame);
	return frame->end == JAVA_STACK_FROZEN ? query_frozen(jvmti, jni, frame)
					       : query_caller(jvmti, jni);
}

static uint32_t learn(jvmtiEnv *jvmti, struct bridge_frame *frame)
{
	JNIEnv *jni = (JNIEnv *)frame->arguments[0];
	const int saved_errno = errno;
	uint32_t muted, number;
	uint64_t began_ns;

	muted = switch_mute(HOT_MUTED_OWN);
	began_ns = sys_clock_ns(CLOCK_MONOTONIC);
	java_recall_begin();
	number = query_number(jvmti, jni, frame);
	switch_unmute(muted);
	errno = saved_errno;
	if (frame->expected)
		note_verified(frame->expected, has_changed(frame) ? 0 : number);
	else if (frame->end != JAVA_STACK_FROZEN)
		note_asked(began_ns);
	if (!number && frame->expected)
		return frame->expected;
	if (!number) {
		bridge_miss();
		return CALLERS_NOBODY;
	}
	if (atomic_load(&doubts))
		return number;
	if (frame->stack)
		remember_stack(frame->stack, number);
	else if (frame->end != JAVA_STACK_FROZEN)
		remember_place(frame->place, number);
	return number;
}

uint32_t callers_learn(struct bridge_frame *frame)
{
	uint32_t number = frame->expected ? frame->expected : CALLERS_NOBODY;
	jvmtiEnv *jvmti;

	atomic_fetch_add(&askers, 1);
	jvmti = atomic_load(&tool);
	if (jvmti && !runtime_is_filtered())
		number = learn(jvmti, frame);
	atomic_fetch_sub(&askers, 1);
	return number;
}

/*
 * ---- Events. The event of a garbage collection is sent while no thread runs
 * Java code. ----
 */

static void forget(void)
{
	for (uint32_t i = 0; i < CALLERS_COUNT; i++)
		if (atomic_load_explicit(&callers_known[i],
					 memory_order_relaxed))
			atomic_store_explicit(&callers_known[i], 0,
					      memory_order_relaxed);
	java_compose_forget();
	java_stack_forget();
}

/*
 * A thread that has looked up its stack before notices that the hash has
 * changed. Numbers that are determined from now on are not stored.
 */
void callers_doubt(void)
{
	atomic_fetch_add(&doubts, 1);
	forget();
}

void callers_trust(void)
{
	forget();
	atomic_fetch_sub(&doubts, 1);
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
	if (!same_text(name, INTERPRETER) || java_interpreter.end)
		return;
	atomic_store(&java_interpreter.start, (uintptr_t)code);
	atomic_store(&java_interpreter.end, (uintptr_t)code + (uint32_t)bytes);
}

/*
 * Finds the range of all generated code of the JVM. Returns whether it is
 * known.
 */
static int find_code(void)
{
	uint64_t start, end;

	java_stack_code(machine_pc, &start, &end);
	atomic_store(&java_code.start, start);
	atomic_store(&java_code.end, end);
	return end > start;
}

/*
 * Learns the layout of stacks in this JVM. Called once, because the layout does
 * not change while clew is detached.
 */
static void learn_machine(void)
{
	void *room;

	if (callers_stacks)
		return;
	room = sys_map_private(CALLERS_STACKS * sizeof(*callers_stacks));
	if (sys_failed(room))
		return;
	callers_stacks = room;
	if (java_stack_learn(machine_pc))
		atomic_fetch_add(&rt.header->stackless_natives, 1);
	java_scopes_learn(machine_pc);
}

/*
 * Called at VMInit, from which on requests are possible; also if clew attaches
 * later.
 */
static void JNICALL is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	if (java_interpreter.end && find_code()) {
		learn_machine();
		ready_ns = sys_clock_ns(CLOCK_MONOTONIC);
		atomic_store(&tool, jvmti);
	}
	errno = saved_errno;
	switch_unmute(muted);
}

static void JNICALL thread_ends(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	java_recall_end();
}

/*
 * Called at VMDeath. Makes no more requests, although some threads may still
 * run Java code.
 */
static void JNICALL is_over(jvmtiEnv *jvmti, JNIEnv *jni)
{
	atomic_store(&tool, NULL);
}

int callers_begin(void *machine)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = is_ready,
		.VMDeath = is_over,
		.ThreadEnd = thread_ends,
		.DynamicCodeGenerated = code_is_made,
		.CompiledMethodUnload = code_is_unloaded,
		.GarbageCollectionFinish = garbage_is_collected,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_THREAD_END,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_GARBAGE_COLLECTION_FINISH
	};
	const jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_generate_garbage_collection_events = 1,
	};
	JavaVM *vm = machine;
	jvmtiEnv *jvmti = environment_open(vm);

	if (!jvmti)
		return -1;
	if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return -1;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       events[i], NULL))
			return -1;
	line_tables_begin(jvmti);
	machine_pc = (uintptr_t)(*vm)->GetEnv;
	trampolines_reserve();
	heard = jvmti;
	return 0;
}

/*
 * All addresses are forgotten, because clew got no events about changes while
 * it was detached.
 */
void callers_begin_late(void)
{
	if (!heard)
		return;
	forget();
	java_recall_begin_again();
	is_ready(heard, NULL, NULL);
}

/*
 * Waits until no thread is making a request. Returns 0, or -EBUSY after
 * PATIENCE_MS.
 */
static int wait_for_askers(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; atomic_load(&askers); i++) {
		if (i == PATIENCE_MS)
			return -EBUSY;
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
	return 0;
}

int callers_end_late(void)
{
	atomic_store(&tool, NULL);
	if (wait_for_askers())
		return -EBUSY;
	if (heard)
		(*heard)->DisposeEnvironment(heard);
	heard = NULL;
	return 0;
}
