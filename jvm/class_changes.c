/* SPDX-License-Identifier: MIT */
/* See class_changes.h. */
#include "jvm/class_changes.h"

#include <jni.h>
#include <stdatomic.h>

#include "jvm/natives/java_callers.h"
#include "preload/generated/records.h"
#include "preload/sys/text.h"

#define AGENTS   "Lsun/instrument/InstrumentationImpl;"
#define RECORDER "Ljdk/jfr/internal/JVM;"

typedef void (*native_function)(JNIEnv *jni, jobject self, jlong agent,
				jobjectArray classes);
typedef void (*recorder_function)(JNIEnv *jni, jobject self,
				  jobjectArray classes);

static _Atomic(native_function) redefine, retransform;
static _Atomic(recorder_function) record;

static void change(native_function native, JNIEnv *jni, jobject self,
		   jlong agent, jobjectArray classes)
{
	callers_doubt();
	native(jni, self, agent, classes);
	callers_trust();
}

static void JNICALL redefines(JNIEnv *jni, jobject self, jlong agent,
			      jobjectArray classes)
{
	change(atomic_load(&redefine), jni, self, agent, classes);
}

static void JNICALL retransforms(JNIEnv *jni, jobject self, jlong agent,
				 jobjectArray classes)
{
	change(atomic_load(&retransform), jni, self, agent, classes);
}

/*
 * Called instead of the native by which the Flight Recorder adds events to
 * classes when one of its own recordings begins.
 */
static void JNICALL records(JNIEnv *jni, jobject self, jobjectArray classes)
{
	callers_doubt();
	atomic_load (&record)(jni, self, classes);
	callers_trust();
}

void *class_changes_native(const struct java_method *method, void *native)
{
	if (same_text(method->class, RECORDER) &&
	    same_text(method->name, "retransformClasses")) {
		atomic_store(&record, (recorder_function)native);
		return (void *)records;
	}
	if (!same_text(method->class, AGENTS))
		return native;
	if (same_text(method->name, "redefineClasses0")) {
		atomic_store(&redefine, (native_function)native);
		return (void *)redefines;
	}
	if (same_text(method->name, "retransformClasses0")) {
		atomic_store(&retransform, (native_function)native);
		return (void *)retransforms;
	}
	return native;
}
