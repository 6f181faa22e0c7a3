/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>

#include "jvm/jni/jni_globals.h"
#include "jvm/jni/jni_notes.h"
#include "jvm/jni/jni_watch.h"
#include "preload/hot/thread.h"

/*
 * Number of local references that a native may have without a request for more
 * (JNI specification, "Local References"). The JVM deletes them when the native
 * returns to Java.
 */
#define CAPACITY 16
/*
 * This bit of bridge_locals.capacity is set once a note says that the native
 * has exceeded its capacity.
 */
#define IS_NOTED (UINT32_C(1) << 31)

/* ---- Local references ---- */

/*
 * Returns the record of local references of the thread's present native, which
 * is the native that Java has called last. The record is in the frame of this
 * native's bridge. Without an active Java frame, the thread has one record for
 * all its code. Returns NULL if the native has no bridge, the JVM's layout is
 * unknown, or there are too many threads.
 */
static struct bridge_locals *locals_of(JNIEnv *env)
{
	const uint64_t java_frame = jni_thread_java_frame(env);
	struct jni_thread *thread;

	if (java_frame == UINT64_MAX)
		return NULL;
	if (java_frame)
		return hot.java_top && hot.java_top < java_frame
			       ? &((struct bridge_frame *)hot.java_top)->locals
			       : NULL;
	thread = jni_thread_of(env);
	return thread ? &thread->below : NULL;
}

static uint32_t capacity_of(const struct bridge_locals *locals)
{
	const uint32_t capacity = locals->capacity & ~IS_NOTED;

	return capacity ? capacity : CAPACITY;
}

static void note_locals(struct bridge_locals *locals)
{
	struct wire_jni_note *note;

	if (!jni_notes_are_wanted())
		return;
	note = jni_notes_find(hot.id, WIRE_JNI_LOCALS);
	if (!note)
		return;
	if (!(locals->capacity & IS_NOTED))
		jni_note_count(&note->count, 1);
	if (locals->live >
	    atomic_load_explicit(&note->most, memory_order_relaxed))
		atomic_store_explicit(&note->most, locals->live,
				      memory_order_relaxed);
	locals->capacity |= IS_NOTED;
}

jobject jni_references_count(JNIEnv *env, jobject made)
{
	struct bridge_locals *locals = made ? locals_of(env) : NULL;

	if (locals && ++locals->live > capacity_of(locals))
		note_locals(locals);
	return made;
}

#define MAKER(function, type, ours, parameters, ...)                           \
	static type JNICALL ours parameters                                    \
	{                                                                      \
		return jni_references_count(                                   \
			env, jni_real.function(env, ##__VA_ARGS__));           \
	}
MAKER(ToReflectedMethod, jobject, reflected_method,
      (JNIEnv * env, jclass class, jmethodID method, jboolean is_static), class,
      method, is_static)
MAKER(ToReflectedField, jobject, reflected_field,
      (JNIEnv * env, jclass class, jfieldID field, jboolean is_static), class,
      field, is_static)
MAKER(DefineClass, jclass, define_class,
      (JNIEnv * env, const char *name, jobject loader, const jbyte *bytes,
       jsize count),
      name, loader, bytes, count)
MAKER(GetSuperclass, jclass, superclass, (JNIEnv * env, jclass class), class)
MAKER(ExceptionOccurred, jthrowable, exception, (JNIEnv * env))
MAKER(NewLocalRef, jobject, new_local, (JNIEnv * env, jobject object), object)
MAKER(AllocObject, jobject, alloc, (JNIEnv * env, jclass class), class)
MAKER(GetObjectClass, jclass, object_class, (JNIEnv * env, jobject object),
      object)
MAKER(GetObjectField, jobject, object_field,
      (JNIEnv * env, jobject object, jfieldID field), object, field)
MAKER(GetStaticObjectField, jobject, static_object_field,
      (JNIEnv * env, jclass class, jfieldID field), class, field)
MAKER(NewString, jstring, new_string,
      (JNIEnv * env, const jchar *text, jsize count), text, count)
MAKER(NewStringUTF, jstring, new_string_utf, (JNIEnv * env, const char *text),
      text)
MAKER(NewObjectArray, jobjectArray, new_object_array,
      (JNIEnv * env, jsize count, jclass class, jobject first), count, class,
      first)
MAKER(GetObjectArrayElement, jobject, array_element,
      (JNIEnv * env, jobjectArray array, jsize index), array, index)
MAKER(NewDirectByteBuffer, jobject, new_buffer,
      (JNIEnv * env, void *address, jlong bytes), address, bytes)
MAKER(GetModule, jobject, module, (JNIEnv * env, jclass class), class)

#define NEW_ARRAY(type, ours)                                                  \
	MAKER(New##type##Array, j##ours##Array, new_##ours,                    \
	      (JNIEnv * env, jsize count), count)
NEW_ARRAY(Boolean, boolean)
NEW_ARRAY(Byte, byte)
NEW_ARRAY(Char, char)
NEW_ARRAY(Short, short)
NEW_ARRAY(Int, int)
NEW_ARRAY(Long, long)
NEW_ARRAY(Float, float)
NEW_ARRAY(Double, double)

/*
 * Defines three watchers of JNI functions that call a method and return a
 * reference. The watchers take the method's arguments as variable arguments, as
 * a va_list and as an array.
 */
#define MAKERS(function, ours, parameters, ...)                                \
	MAKER(function##V, jobject, ours##_by_list,                            \
	      (JNIEnv * env, parameters, va_list list), __VA_ARGS__, list)     \
	MAKER(function##A, jobject, ours##_by_array,                           \
	      (JNIEnv * env, parameters, const jvalue *array), __VA_ARGS__,    \
	      array)                                                           \
	static jobject JNICALL ours(JNIEnv *env, parameters, ...)              \
	{                                                                      \
		jobject made;                                                  \
		va_list list;                                                  \
                                                                               \
		va_start(list, method);                                        \
		made = jni_real.function##V(env, __VA_ARGS__, list);           \
		va_end(list);                                                  \
		return jni_references_count(env, made);                        \
	}
#define COMMA ,
MAKERS(NewObject, new_object, jclass class COMMA jmethodID method, class,
       method)
MAKERS(CallObjectMethod, call, jobject object COMMA jmethodID method, object,
       method)
MAKERS(CallNonvirtualObjectMethod, call_nonvirtual,
       jobject object COMMA jclass class COMMA jmethodID method, object, class,
       method)
MAKERS(CallStaticObjectMethod, call_static, jclass class COMMA jmethodID method,
       class, method)

static void JNICALL delete_local(JNIEnv *env, jobject object)
{
	struct bridge_locals *locals = locals_of(env);

	if (object && locals && locals->live)
		locals->live--;
	jni_real.DeleteLocalRef(env, object);
}

static jint JNICALL ensure_capacity(JNIEnv *env, jint capacity)
{
	const jint result = jni_real.EnsureLocalCapacity(env, capacity);
	struct bridge_locals *locals = locals_of(env);

	if (result == JNI_OK && locals &&
	    locals->live + (uint32_t)capacity > capacity_of(locals))
		locals->capacity = locals->live + (uint32_t)capacity;
	return result;
}

static jint JNICALL push_frame(JNIEnv *env, jint capacity)
{
	const jint result = jni_real.PushLocalFrame(env, capacity);
	struct jni_thread *thread = jni_thread_of(env);
	struct bridge_locals *locals = locals_of(env);

	if (result != JNI_OK || !locals || !thread)
		return result;
	if (thread->pushed_count == JNI_WATCH_PUSHED)
		/* For want of room, forgets all stored frames. */
		thread->pushed_count = 0;
	thread->pushed[thread->pushed_count].whose = locals;
	thread->pushed[thread->pushed_count++].before = *locals;
	*locals = (struct bridge_locals){ 0, (uint32_t)capacity };
	return result;
}

/*
 * Skips entries on top of the stack that do not belong to the present native:
 * other natives have returned without calling PopLocalFrame().
 */
static jobject JNICALL pop_frame(JNIEnv *env, jobject result)
{
	jobject kept = jni_real.PopLocalFrame(env, result);
	struct jni_thread *thread = jni_thread_of(env);
	struct bridge_locals *locals = locals_of(env);
	int is_found = 0;

	while (thread && thread->pushed_count && !is_found) {
		thread->pushed_count--;
		is_found = thread->pushed[thread->pushed_count].whose == locals;
		if (is_found)
			*locals = thread->pushed[thread->pushed_count].before;
	}
	return jni_references_count(env, kept);
}

/* ---- Global references ---- */

static jobject note_global(jobject made)
{
	struct wire_jni_note *note =
		made && jni_notes_are_wanted()
			? jni_notes_find(hot.id, WIRE_JNI_GLOBALS)
			: NULL;

	if (!note)
		return made;
	if (jni_globals_add(made, jni_note_index(note)))
		jni_notes_miss();
	else
		jni_note_count(&note->count, 1);
	return made;
}

/*
 * Notes that a global reference is deleted. Called before the deletion, because
 * afterwards the same address may belong to a new reference.
 */
static void note_deletion(jobject object)
{
	uint32_t index;
	struct wire_jni_note *note;

	if (!object || jni_globals_take(object, &index))
		return;
	note = jni_note_at(index);
	if (note)
		atomic_fetch_add_explicit(&note->amount, 1,
					  memory_order_relaxed);
}

static jobject JNICALL new_global(JNIEnv *env, jobject object)
{
	return note_global(jni_real.NewGlobalRef(env, object));
}

static void JNICALL delete_global(JNIEnv *env, jobject object)
{
	note_deletion(object);
	jni_real.DeleteGlobalRef(env, object);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object)
{
	return note_global(jni_real.NewWeakGlobalRef(env, object));
}

static void JNICALL delete_weak(JNIEnv *env, jweak object)
{
	note_deletion(object);
	jni_real.DeleteWeakGlobalRef(env, object);
}

/* ---- The table ---- */

static void watch_calls(jni_watchers watchers)
{
#define WATCH_MAKERS(function, ours)                                           \
	watchers[JNI_PLACE(function)] = (void *)ours;                          \
	watchers[JNI_PLACE(function##V)] = (void *)ours##_by_list;             \
	watchers[JNI_PLACE(function##A)] = (void *)ours##_by_array
	WATCH_MAKERS(NewObject, new_object);
	WATCH_MAKERS(CallObjectMethod, call);
	WATCH_MAKERS(CallNonvirtualObjectMethod, call_nonvirtual);
	WATCH_MAKERS(CallStaticObjectMethod, call_static);
}

void jni_references_watch(jni_watchers watchers)
{
	static const struct {
		size_t place;
		void *ours;
	} all[] = {
		{ JNI_PLACE(ToReflectedMethod), (void *)reflected_method },
		{ JNI_PLACE(ToReflectedField), (void *)reflected_field },
		{ JNI_PLACE(DefineClass), (void *)define_class },
		{ JNI_PLACE(GetSuperclass), (void *)superclass },
		{ JNI_PLACE(ExceptionOccurred), (void *)exception },
		{ JNI_PLACE(NewLocalRef), (void *)new_local },
		{ JNI_PLACE(AllocObject), (void *)alloc },
		{ JNI_PLACE(GetObjectClass), (void *)object_class },
		{ JNI_PLACE(GetObjectField), (void *)object_field },
		{ JNI_PLACE(GetStaticObjectField),
		  (void *)static_object_field },
		{ JNI_PLACE(NewString), (void *)new_string },
		{ JNI_PLACE(NewStringUTF), (void *)new_string_utf },
		{ JNI_PLACE(NewObjectArray), (void *)new_object_array },
		{ JNI_PLACE(GetObjectArrayElement), (void *)array_element },
		{ JNI_PLACE(NewDirectByteBuffer), (void *)new_buffer },
		{ JNI_PLACE(GetModule), (void *)module },
		{ JNI_PLACE(NewBooleanArray), (void *)new_boolean },
		{ JNI_PLACE(NewByteArray), (void *)new_byte },
		{ JNI_PLACE(NewCharArray), (void *)new_char },
		{ JNI_PLACE(NewShortArray), (void *)new_short },
		{ JNI_PLACE(NewIntArray), (void *)new_int },
		{ JNI_PLACE(NewLongArray), (void *)new_long },
		{ JNI_PLACE(NewFloatArray), (void *)new_float },
		{ JNI_PLACE(NewDoubleArray), (void *)new_double },
		{ JNI_PLACE(DeleteLocalRef), (void *)delete_local },
		{ JNI_PLACE(EnsureLocalCapacity), (void *)ensure_capacity },
		{ JNI_PLACE(PushLocalFrame), (void *)push_frame },
		{ JNI_PLACE(PopLocalFrame), (void *)pop_frame },
		{ JNI_PLACE(NewGlobalRef), (void *)new_global },
		{ JNI_PLACE(DeleteGlobalRef), (void *)delete_global },
		{ JNI_PLACE(NewWeakGlobalRef), (void *)new_weak },
		{ JNI_PLACE(DeleteWeakGlobalRef), (void *)delete_weak },
	};

	watch_calls(watchers);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		watchers[all[i].place] = all[i].ours;
}
