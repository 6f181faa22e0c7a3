/* SPDX-License-Identifier: MIT */
/*
 * Watchers that make notes on lookups of classes, methods and fields by name
 * (jni_watch.h).
 */
#include "jvm/jni/jni_notes.h"
#include "jvm/jni/jni_watch.h"
#include "preload/hot/thread.h"

static void note(const char *name, const char *signature)
{
	struct wire_jni_note *its;

	if (!jni_notes_are_wanted() || !name)
		return;
	its = jni_notes_find_lookup(hot.id, name, signature);
	if (its)
		jni_note_count(&its->count, 1);
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	jclass found = jni_real.FindClass(env, name);

	note(name, NULL);
	return jni_references_count(env, found);
}

#define MEMBER(function, type, name_of_ours)                                   \
	static type JNICALL name_of_ours(JNIEnv *env, jclass class,            \
					 const char *name,                     \
					 const char *signature)                \
	{                                                                      \
		type found = jni_real.function(env, class, name, signature);   \
                                                                               \
		note(name, signature);                                         \
		return found;                                                  \
	}
MEMBER(GetMethodID, jmethodID, method_id)
MEMBER(GetStaticMethodID, jmethodID, static_method_id)
MEMBER(GetFieldID, jfieldID, field_id)
MEMBER(GetStaticFieldID, jfieldID, static_field_id)

void jni_lookups_watch(jni_watchers watchers)
{
	watchers[JNI_PLACE(FindClass)] = (void *)find_class;
	watchers[JNI_PLACE(GetMethodID)] = (void *)method_id;
	watchers[JNI_PLACE(GetStaticMethodID)] = (void *)static_method_id;
	watchers[JNI_PLACE(GetFieldID)] = (void *)field_id;
	watchers[JNI_PLACE(GetStaticFieldID)] = (void *)static_field_id;
}
