/* SPDX-License-Identifier: MIT */
/*
 * Watchers that make notes on copies of arrays and strings, and on critical
 * sections (jni_watch.h).
 */
#include "jvm/jni/jni_notes.h"
#include "jvm/jni/jni_watch.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/thread.h"
#include "preload/sys/sys.h"
#include "wire/recording.h"

#define LONG_NS UINT64_C(1000000)
/*
 * A number of ticks of the time stamp counter, to recognize short sections
 * fast. The ticks take less than LONG_NS, since no counter is slower than 525
 * MHz.
 */
#define LONG_TICKS (UINT64_C(1) << 19)

static struct wire_moment began;

static void note(uint64_t bytes)
{
	struct wire_jni_note *its;

	if (!jni_notes_are_wanted())
		return;
	its = jni_notes_find(hot.id, WIRE_JNI_COPY);
	if (its)
		jni_note_add(its, bytes);
}

/* ---- Arrays ---- */

/*
 * Defines the watchers for arrays of one type. The JVM's function
 * Get...Elements() returns the elements themselves or a copy; the functions for
 * regions always copy.
 */
#define ARRAYS(name, type)                                                     \
	static type *JNICALL elements_##type(JNIEnv *env, type##Array array,   \
					     jboolean *is_copy)                \
	{                                                                      \
		jboolean copied = JNI_FALSE;                                   \
		type *elements = jni_real.Get##name##ArrayElements(env, array, \
								   &copied);   \
                                                                               \
		if (is_copy)                                                   \
			*is_copy = copied;                                     \
		if (elements && copied)                                        \
			note((uint64_t)jni_real.GetArrayLength(env, array) *   \
			     sizeof(type));                                    \
		return elements;                                               \
	}                                                                      \
	static void JNICALL get_##type(JNIEnv *env, type##Array array,         \
				       jsize start, jsize count, type *to)     \
	{                                                                      \
		jni_real.Get##name##ArrayRegion(env, array, start, count, to); \
		if (count > 0)                                                 \
			note((uint64_t)count * sizeof(type));                  \
	}                                                                      \
	static void JNICALL set_##type(JNIEnv *env, type##Array array,         \
				       jsize start, jsize count,               \
				       const type *from)                       \
	{                                                                      \
		jni_real.Set##name##ArrayRegion(env, array, start, count,      \
						from);                         \
		if (count > 0)                                                 \
			note((uint64_t)count * sizeof(type));                  \
	}
ARRAYS(Boolean, jboolean)
ARRAYS(Byte, jbyte)
ARRAYS(Char, jchar)
ARRAYS(Short, jshort)
ARRAYS(Int, jint)
ARRAYS(Long, jlong)
ARRAYS(Float, jfloat)
ARRAYS(Double, jdouble)

/* ---- Strings ---- */

static uint64_t bytes_of(const char *text)
{
	uint64_t bytes = 1;

	while (*text++)
		bytes++;
	return bytes;
}

static const jchar *JNICALL chars(JNIEnv *env, jstring string,
				  jboolean *is_copy)
{
	jboolean copied = JNI_FALSE;
	const jchar *text = jni_real.GetStringChars(env, string, &copied);

	if (is_copy)
		*is_copy = copied;
	if (text && copied)
		note((uint64_t)jni_real.GetStringLength(env, string) *
		     sizeof(jchar));
	return text;
}

static const char *JNICALL utf_chars(JNIEnv *env, jstring string,
				     jboolean *is_copy)
{
	jboolean copied = JNI_FALSE;
	const char *text = jni_real.GetStringUTFChars(env, string, &copied);

	if (is_copy)
		*is_copy = copied;
	if (text && copied && jni_notes_are_wanted())
		note(bytes_of(text));
	return text;
}

static void JNICALL region(JNIEnv *env, jstring string, jsize start,
			   jsize count, jchar *to)
{
	jni_real.GetStringRegion(env, string, start, count, to);
	if (count > 0)
		note((uint64_t)count * sizeof(jchar));
}

/* ---- Critical sections, during which no collector may move objects ---- */

static void enter(JNIEnv *env)
{
	struct jni_thread *thread = jni_thread_of(env);

	if (!thread || thread->sections++)
		return;
	thread->section_id = jni_notes_are_wanted() ? hot.id : 0;
	thread->since = stamp_counter();
}

static struct wire_moment now(void)
{
	return (struct wire_moment){ stamp_counter(),
				     sys_clock_ns(CLOCK_MONOTONIC) };
}

/*
 * Converts ticks to nanoseconds, by the average rate of the time stamp counter
 * since `began`.
 */
static uint64_t ns_of(uint64_t ticks)
{
	const struct wire_moment latest = now();
	const double rate = (double)(latest.ns - began.ns) /
			    (double)(latest.tsc - began.tsc);

	return (uint64_t)((double)ticks * rate);
}

static void leave(JNIEnv *env)
{
	struct jni_thread *thread = jni_thread_of(env);
	struct wire_jni_note *its;
	uint64_t ticks, ns;

	if (!thread || !thread->sections || --thread->sections)
		return;
	ticks = stamp_counter() - thread->since;
	if (ticks < LONG_TICKS || !thread->section_id ||
	    !jni_notes_are_wanted())
		return;
	ns = ns_of(ticks);
	its = ns > LONG_NS
		      ? jni_notes_find(thread->section_id, WIRE_JNI_CRITICAL)
		      : NULL;
	if (its)
		jni_note_add(its, ns);
}

static void *JNICALL critical(JNIEnv *env, jarray array, jboolean *is_copy)
{
	void *elements =
		jni_real.GetPrimitiveArrayCritical(env, array, is_copy);

	if (elements)
		enter(env);
	return elements;
}

static void JNICALL release_critical(JNIEnv *env, jarray array, void *elements,
				     jint mode)
{
	jni_real.ReleasePrimitiveArrayCritical(env, array, elements, mode);
	if (mode != JNI_COMMIT)
		leave(env);
}

static const jchar *JNICALL string_critical(JNIEnv *env, jstring string,
					    jboolean *is_copy)
{
	const jchar *text = jni_real.GetStringCritical(env, string, is_copy);

	if (text)
		enter(env);
	return text;
}

static void JNICALL release_string_critical(JNIEnv *env, jstring string,
					    const jchar *text)
{
	jni_real.ReleaseStringCritical(env, string, text);
	leave(env);
}

#define WATCH_ARRAYS(name, type)                                               \
	watchers[JNI_PLACE(Get##name##ArrayElements)] =                        \
		(void *)elements_##type;                                       \
	watchers[JNI_PLACE(Get##name##ArrayRegion)] = (void *)get_##type;      \
	watchers[JNI_PLACE(Set##name##ArrayRegion)] = (void *)set_##type

void jni_copies_watch(jni_watchers watchers)
{
	began = now();
	WATCH_ARRAYS(Boolean, jboolean);
	WATCH_ARRAYS(Byte, jbyte);
	WATCH_ARRAYS(Char, jchar);
	WATCH_ARRAYS(Short, jshort);
	WATCH_ARRAYS(Int, jint);
	WATCH_ARRAYS(Long, jlong);
	WATCH_ARRAYS(Float, jfloat);
	WATCH_ARRAYS(Double, jdouble);
	watchers[JNI_PLACE(GetStringChars)] = (void *)chars;
	watchers[JNI_PLACE(GetStringUTFChars)] = (void *)utf_chars;
	watchers[JNI_PLACE(GetStringRegion)] = (void *)region;
	watchers[JNI_PLACE(GetPrimitiveArrayCritical)] = (void *)critical;
	watchers[JNI_PLACE(ReleasePrimitiveArrayCritical)] =
		(void *)release_critical;
	watchers[JNI_PLACE(GetStringCritical)] = (void *)string_critical;
	watchers[JNI_PLACE(ReleaseStringCritical)] =
		(void *)release_string_critical;
}
