/* SPDX-License-Identifier: MIT */
/*
 * The natives do what the tracker does not do in Java: they count calls whose
 * context is not at its home in the count table, verify calls, correct the
 * thread's id after exceptions (caught, passed), restore it at the end of a
 * call (exit), and return the address of the thread's block (word).
 *
 * A native uses the block of the operating system's thread, also if Java runs a
 * virtual thread. While a virtual thread is mounted, its id is in the block of
 * its carrier. The ids are exchanged when the virtual thread is mounted or
 * unmounted (java_border.h). Since Java 24 a virtual thread may be unmounted
 * inside of a native (Object.wait0()). The native then returns on the carrier,
 * but not to its Java caller: there the virtual thread continues when it is
 * mounted again.
 *
 * The JVM finds the natives by their names in the libraries of its agents. In a
 * JVM that runs already, RegisterNatives() binds them. For a class of the JVM
 * itself this function prints a warning, unless a Java method has called it
 * (from_java.h).
 */
#include "jvm/exact/tracker_natives.h"

#include "jvm/exact/java_border.h"
#include "jvm/exact/java_call.h"
#include "jvm/exact/java_tracked.h"
#include "jvm/exact/java_verify.h"
#include "jvm/exact/tracker_class.h"
#include "jvm/exact/tracker_standby.h"
#include "jvm/jvmti/java_exceptions.h"
#include "preload/hot/count.h"
#include "preload/hot/record.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/record/numbers.h"
#include "preload/sys/text.h"
#include "wire/id.h"

#define EXPORT       __attribute__((visibility("default")))
#define NATIVE(name) Java_java_lang_ClewNatives_##name

EXPORT jlong JNICALL NATIVE(enter)(JNIEnv *jni, jclass class, jint number);
EXPORT void JNICALL NATIVE(exit)(JNIEnv *jni, jclass class, jlong kept);
EXPORT void JNICALL NATIVE(caught)(JNIEnv *jni, jclass class, jlong kept,
				   jint number);
EXPORT jlong JNICALL NATIVE(word)(JNIEnv *jni, jclass class);
EXPORT void JNICALL NATIVE(passed)(JNIEnv *jni, jclass class, jlong began);

#define NOBODY 0 /* the number 0, which no method has */

/*
 * One of this number of new contexts is verified on average, unless
 * verification is off. A verification takes long, because the JVM has to report
 * the stack.
 */
#define FIRST_PERIOD 256

/*
 * Returns whether to verify the call: at random for new contexts, and for calls
 * that are due.
 */
static int is_drawn(enum count_result result, uint64_t id)
{
	if (result == COUNT_IS_DUE)
		return count_is_drawn(id);
	return result == COUNT_IS_FIRST && rt.verify_period && hot.tally &&
	       record_draw() % FIRST_PERIOD == 0;
}

EXPORT jlong JNICALL NATIVE(enter)(JNIEnv *jni, jclass class, jint number)
{
	const uint64_t caller = hot.id;
	const uint64_t id = id_push(caller, id_key((uint32_t)number));

	if (number == NOBODY)
		return (jlong)caller;
	hot.java_counting = 0; /* an exception may have left the tracker */
	if (is_drawn(java_call_count(caller, (uint32_t)number), id))
		java_verify(jni, id);
	return (jlong)caller;
}

EXPORT void JNICALL NATIVE(exit)(JNIEnv *jni, jclass class, jlong kept)
{
	*(volatile uint64_t *)&hot.id = (uint64_t)kept;
}

/*
 * Returns the id of the context "(folded)" in which calls below `caller` are
 * counted if there is no room for their contexts.
 */
static uint64_t folded_below(uint64_t caller)
{
	union note note = tally_note(hot.tally, caller);

	while (note.word && note.function != WIRE_FOLDED) {
		const uint64_t id = id_push(caller, id_key(WIRE_FOLDED));

		if (tally_note(hot.tally, id).word)
			return id;
		caller = id_pop(caller, id_key(note.function));
		note = tally_note(hot.tally, caller);
	}
	return note.word ? caller : id_push(ID_ROOT, id_key(WIRE_FOLDED));
}

/*
 * If the innermost function is a Java method, removes it from *id and returns
 * 1.
 */
static int leave_java(uint64_t *id)
{
	const union note note = tally_note(hot.tally, *id);

	if (*id == ID_ROOT || !note.word || !numbers_are_java(note.function))
		return 0;
	*id = id_pop(*id, id_key(note.function));
	return 1;
}

/*
 * Called by a method whose handler has caught an exception; `kept` is the id of
 * the method's caller. Sets the method's own id, and so removes calls that have
 * ended without a report, such as constructors whose super() has thrown.
 */
EXPORT void JNICALL NATIVE(caught)(JNIEnv *jni, jclass class, jlong kept,
				   jint number)
{
	const uint64_t caller = (uint64_t)kept;
	const uint64_t id = id_push(caller, id_key((uint32_t)number));

	if (number == NOBODY)
		return;
	hot.java_counting = 0;
	*(volatile uint64_t *)&hot.id =
		java_call_is_folded(id) ? folded_below(caller) : id;
}

/*
 * Called if an exception leaves, or is caught by, a call that does not count
 * and has stored no id. Removes calls that have ended without a report. If this
 * call began before anything was counted (PASSED_NEVER), its callers do not
 * count either, so all innermost Java methods of the context have ended.
 */
EXPORT void JNICALL NATIVE(passed)(JNIEnv *jni, jclass class, jlong began)
{
	uint64_t id = hot.id;

	if (began == NOBODY)
		return;
	hot.java_counting = 0;
	if (began == PASSED_NEVER)
		while (leave_java(&id))
			;
	else
		id = java_verify_live(jni, id);
	*(volatile uint64_t *)&hot.id = id;
}

/*
 * Returns the word for the field of the thread's object: the complement of its
 * block's address.
 */
EXPORT jlong JNICALL NATIVE(word)(JNIEnv *jni, jclass class)
{
	return (jlong) ~(uintptr_t)&hot;
}

int tracker_natives_are(const char *signature)
{
	return same_text(signature, "L" TRACKER_NATIVES ";");
}

/*
 * Returns the identifier of a method of the natives' class, or NULL if it does
 * not exist.
 */
static jmethodID find(JNIEnv *jni, jclass natives, const char *name,
		      const char *descriptor)
{
	const jmethodID method =
		(*jni)->GetStaticMethodID(jni, natives, name, descriptor);

	return has_thrown(jni) ? NULL : method;
}

/*
 * Calls each native once without an effect, so that the JVM does not have to
 * bind one later, inside of the tracker.
 */
int tracker_natives_find(JNIEnv *jni, jclass natives)
{
	const jmethodID enter = find(jni, natives, "enter", "(I)J");
	const jmethodID leave = find(jni, natives, "exit", "(J)V");
	const jmethodID catches = find(jni, natives, "caught", "(JI)V");
	const jmethodID word = find(jni, natives, "word", "()J");
	const jmethodID passed = find(jni, natives, "passed", "(J)V");
	const jlong id = (jlong)hot.id;
	int is_missing = 0;

	if (!enter || !leave || !catches || !word || !passed)
		return -1;
	(*jni)->CallStaticLongMethod(jni, natives, enter, NOBODY);
	is_missing |= has_thrown(jni);
	(*jni)->CallStaticVoidMethod(jni, natives, leave, id);
	is_missing |= has_thrown(jni);
	(*jni)->CallStaticVoidMethod(jni, natives, catches, id, NOBODY);
	is_missing |= has_thrown(jni);
	(*jni)->CallStaticLongMethod(jni, natives, word);
	is_missing |= has_thrown(jni);
	(*jni)->CallStaticVoidMethod(jni, natives, passed, (jlong)NOBODY);
	is_missing |= has_thrown(jni);
	return is_missing ? -1 : 0;
}

int tracker_natives_register(JNIEnv *jni, jclass natives)
{
	static const JNINativeMethod methods[] = {
		{ (char *)"enter", (char *)"(I)J", (void *)NATIVE(enter) },
		{ (char *)"exit", (char *)"(J)V", (void *)NATIVE(exit) },
		{ (char *)"caught", (char *)"(JI)V", (void *)NATIVE(caught) },
		{ (char *)"word", (char *)"()J", (void *)NATIVE(word) },
		{ (char *)"passed", (char *)"(J)V", (void *)NATIVE(passed) },
	};

	return (*jni)->RegisterNatives(jni, natives, methods,
				       sizeof(methods) / sizeof(*methods))
		       ? -1
		       : 0;
}

/* ---- Threads ---- */

void tracker_natives_mounted(jvmtiEnv *jvmti, JNIEnv *jni)
{
	void *id = NULL;

	(*jvmti)->GetThreadLocalStorage(jvmti, NULL, &id);
	hot.carrier_id = java_border_exchange(jni, (uintptr_t)id);
}

void tracker_natives_unmounted(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const uint64_t id = java_border_exchange(jni, hot.carrier_id);

	(*jvmti)->SetThreadLocalStorage(jvmti, NULL, (void *)(uintptr_t)id);
}

/*
 * Returns the id without its innermost constructors. A constructor whose
 * super() throws reports no end itself, and its callers may not have counted,
 * so that none of them has corrected the id.
 */
static uint64_t leave_constructors(uint64_t id)
{
	union note note = tally_note(hot.tally, id);

	while (id != ID_ROOT && note.word &&
	       java_tracked_is_constructor(note.function)) {
		id = id_pop(id, id_key(note.function));
		note = tally_note(hot.tally, id);
	}
	return id;
}

/*
 * Verifies the context at the end of a thread: no Java method is active any
 * more, so the context must contain none.
 */
void tracker_natives_end_thread(void)
{
	uint64_t id = hot.id;
	int is_wrong = 0;

	if (!switch_is_on())
		return;
	if (standby_is_wanted())
		*(volatile uint64_t *)&hot.id = id = leave_constructors(id);
	while (id != ID_ROOT && !is_wrong) {
		const union note note = tally_note(hot.tally, id);

		if (!note.word)
			return;
		is_wrong = numbers_are_java(note.function);
		id = id_pop(id, id_key(note.function));
	}
	java_verify_note(!is_wrong);
}
