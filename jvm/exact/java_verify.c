/* SPDX-License-Identifier: MIT */
/* See java_verify.h. */
#include "jvm/exact/java_verify.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "classfile/classfile.h"
#include "jvm/exact/java_tracked.h"
#include "jvm/exact/tracker_standby.h"
#include "jvm/jvmti/java_context.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/record/numbers.h"
#include "wire/id.h"

#define FRAMES_MAX 512
#define KNOWN_LOG2 14
/*
 * Offset of the call of the tracker in a method; the method's number precedes
 * it (classfile/method_code.c).
 */
#define CALL_AT 3

static jvmtiEnv *_Atomic asked;

/*
 * A cache: numbers of methods that count, by the JVM's identifiers of methods,
 * which are never reused. The upper half of `number` is the lower half of the
 * method's identifier. With it a reader notices that two threads have stored
 * different entries at the same time.
 */
static struct {
	_Atomic uint64_t method, number;
} known[1 << KNOWN_LOG2] LARGE_TABLE;

void java_verify_begin(jvmtiEnv *jvmti)
{
	atomic_store(&asked, jvmti);
}

void java_verify_forget(void)
{
	/* Written only where needed: untouched pages take no memory. */
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (atomic_load_explicit(&known[i].method,
					 memory_order_relaxed))
			atomic_store(&known[i].method, 0);
}

void java_verify_note(int is_right)
{
	atomic_fetch_add_explicit(is_right ? &rt.header->verified_stacks
					   : &rt.header->mismatched_stacks,
				  1, memory_order_relaxed);
}

static struct tracked_name named(const char *text, size_t bytes)
{
	return (struct tracked_name){ text, (uint32_t)bytes };
}

/*
 * Returns the number that methods with this class name, name and signature have
 * (java_tracked.h), or 0.
 */
static uint32_t query_name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	char *name = NULL, *signature = NULL, *class_name = NULL;
	jclass class = NULL;
	uint32_t number = 0;

	if (!(*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) &&
	    !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) &&
	    *class_name == 'L') {
		const struct tracked_method its = {
			.class_name =
				named(class_name + 1, strlen(class_name) - 2),
			.name = named(name, strlen(name)),
			.signature = named(signature, strlen(signature)),
		};

		number = java_tracked_find(&its);
	}
	if (class)
		(*jni)->DeleteLocalRef(jni, class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
	return number;
}

/*
 * Returns whether the method's code contains the call of the tracker with this
 * number. A number alone does not prove this: methods get numbers before their
 * class is changed, the change may fail, and a class of the same name in
 * another loader may be unchanged. In standby the code is not read, because
 * there a missing method is no error (may_be_silent()).
 */
static int reports_begin(jvmtiEnv *jvmti, jmethodID method, uint32_t number)
{
	unsigned char *code = NULL;
	jint bytes = 0, max_locals = 0;
	int does;

	if (standby_is_wanted())
		return 1;
	if ((*jvmti)->GetMaxLocals(jvmti, method, &max_locals) ||
	    (*jvmti)->GetBytecodes(jvmti, method, &bytes, &code))
		return 0;
	does = classfile_reports_begin(code, (size_t)bytes,
				       (uint32_t)max_locals, number);
	(*jvmti)->Deallocate(jvmti, code);
	return does;
}

/* Returns the number of a method that counts its calls, or 0. */
static uint32_t query_counting(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	const uint32_t number = query_name(jvmti, jni, method);

	return number && reports_begin(jvmti, method, number) ? number : 0;
}

static uint32_t number_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	const uint64_t id = (uintptr_t)method;
	const uint64_t at = id * ID_MULTIPLIER >> (64 - KNOWN_LOG2);
	uint64_t number;

	number = atomic_load(&known[at].number);
	if (atomic_load(&known[at].method) == id &&
	    number >> 32 == (uint32_t)id)
		return (uint32_t)number;
	number = query_counting(jvmti, jni, method);
	if (number) {
		atomic_store(&known[at].number,
			     (uint64_t)(uint32_t)id << 32 | number);
		atomic_store(&known[at].method, id);
	}
	return (uint32_t)number;
}

/*
 * Moves *id outwards over one Java method and returns that method's number, or
 * 0 if the context contains no further Java method.
 */
static uint32_t next_in_context(uint64_t *id)
{
	while (*id != ID_ROOT) {
		const union note note = tally_note(hot.tally, *id);

		if (!note.word)
			return 0;
		*id = id_pop(*id, id_key(note.function));
		if (numbers_are_java(note.function))
			return note.function;
	}
	return 0;
}

/*
 * Returns whether a method is still at its call of the tracker at the entry, so
 * that its own call has not been counted. Methods may be active above it
 * nevertheless: at the first call from a class its loader, which may be written
 * in Java, searches for the tracker's class.
 */
static int is_before_entry(const jvmtiFrameInfo *frame)
{
	return frame->location >= 0 && frame->location <= CALL_AT;
}

/*
 * Returns whether an active call began in an earlier session, and therefore
 * does not count in this one.
 */
static int is_former(jvmtiEnv *jvmti, jmethodID method)
{
	jboolean is_obsolete = JNI_FALSE;

	return rt.sessions > 1 &&
	       !(*jvmti)->IsMethodObsolete(jvmti, method, &is_obsolete) &&
	       is_obsolete;
}

/*
 * Returns whether an active call may be missing in the context. In standby this
 * is any call but the innermost, because a call counts only if counting was on
 * when it began.
 */
static int may_be_silent(jvmtiEnv *jvmti, jmethodID method, int is_innermost)
{
	return standby_is_wanted() ? !is_innermost : is_former(jvmti, method);
}

enum agreement {
	DIFFERS,
	AGREES,
	UNDECIDED,
};

/*
 * Compares the active methods with the context `id`: each active method that
 * counts its calls has to be in the context, in the same order.
 */
static enum agreement compare(jvmtiEnv *jvmti, JNIEnv *jni, uint64_t id)
{
	jvmtiFrameInfo frames[FRAMES_MAX];
	jint count = 0;
	uint32_t wanted = next_in_context(&id);
	int has_begun = 0, is_innermost;

	if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES_MAX, frames, &count))
		return UNDECIDED;
	for (jint i = 0; i < count; i++) {
		const uint32_t number = number_of(jvmti, jni, frames[i].method);

		if (!number || (has_begun && is_before_entry(&frames[i])))
			continue;
		is_innermost = !has_begun;
		has_begun = 1;
		if (number == wanted)
			wanted = next_in_context(&id);
		else if (!may_be_silent(jvmti, frames[i].method, is_innermost))
			return DIFFERS;
	}
	if (count == FRAMES_MAX)
		return UNDECIDED;
	return wanted ? DIFFERS : AGREES;
}

/*
 * Verifies once more before an error is counted: if a class was changed after
 * its frames were read, the identifiers of its methods mean the changed
 * methods.
 */
static void verify(jvmtiEnv *jvmti, JNIEnv *jni, uint64_t id)
{
	enum agreement agreement = compare(jvmti, jni, id);

	if (agreement == DIFFERS)
		agreement = compare(jvmti, jni, id);
	if (agreement != UNDECIDED)
		java_verify_note(agreement == AGREES);
}

/* ---- Calls that count beside others that do not ---- */

/*
 * Numbers of the active methods that count, innermost first, without the
 * innermost one, which has called the tracker.
 */
struct running {
	uint32_t numbers[FRAMES_MAX];
	uint32_t count;
	int is_cut; /* whether there are more, or the JVM returned an error */
};

static void find_running(jvmtiEnv *jvmti, JNIEnv *jni, struct running *running)
{
	jvmtiFrameInfo frames[FRAMES_MAX];
	jint count = 0;
	int has_begun = 0;

	running->count = 0;
	running->is_cut = (*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES_MAX,
						  frames, &count) ||
			  count == FRAMES_MAX;
	for (jint i = 0; i < count; i++) {
		const uint32_t number = number_of(jvmti, jni, frames[i].method);

		if (number && has_begun)
			running->numbers[running->count++] = number;
		has_begun |= number != 0;
	}
}

/*
 * Returns whether all Java methods of a context are among the active ones, in
 * this order. Also true if the context's remaining methods may be among the
 * active ones that were cut off.
 */
static int may_run(const struct running *running, uint64_t id)
{
	uint32_t wanted = next_in_context(&id);

	for (uint32_t i = 0; i < running->count && wanted; i++)
		if (running->numbers[i] == wanted)
			wanted = next_in_context(&id);
	return !wanted || running->is_cut;
}

static uint64_t find_live(jvmtiEnv *jvmti, JNIEnv *jni, uint64_t id)
{
	struct running running;

	if (!java_context_method(id))
		return id;
	find_running(jvmti, jni, &running);
	while (java_context_method(id) && !may_run(&running, id))
		next_in_context(&id);
	return id;
}

uint64_t java_verify_live(JNIEnv *jni, uint64_t id)
{
	jvmtiEnv *jvmti = atomic_load(&asked);
	uint32_t muted;

	if (!jvmti || !hot.tally || runtime_is_filtered())
		return id;
	muted = switch_mute(HOT_MUTED_OWN);
	id = find_live(jvmti, jni, id);
	switch_unmute(muted);
	return id;
}

/* ---- Verification ---- */

void java_verify(JNIEnv *jni, uint64_t id)
{
	jvmtiEnv *jvmti = atomic_load(&asked);
	uint32_t muted;

	if (!jvmti || !switch_is_on() || runtime_is_filtered())
		return;
	muted = switch_mute(HOT_MUTED_OWN);
	verify(jvmti, jni, id);
	switch_unmute(muted);
}
