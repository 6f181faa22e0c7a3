/* SPDX-License-Identifier: MIT */
/*
 * The native methods of org.clew.Clew (agent/java/org/clew/Clew.java). The JVM
 * finds them because it searches its agents' libraries for natives, and
 * libclew.so is an agent.
 *
 * Java calls them through a bridge, like any native (jvm/natives/bridge.h), so
 * the thread's context is that of the calling Java method. The functions of
 * this file do not appear in contexts.
 */
#include <errno.h>
#include <jni.h>
#include <linux/limits.h>

#include "agent/clew.h"

#define EXPORT       __attribute__((visibility("default")))
#define NATIVE(name) Java_org_clew_Recorded_##name

/* A char takes at most three bytes in modified UTF-8. */
#define NAME_CHARS      55
#define NAME_CHAR_BYTES 3

EXPORT jboolean JNICALL NATIVE(isHere)(JNIEnv *jni, jobject self);
EXPORT jint JNICALL NATIVE(setHooked)(JNIEnv *jni, jobject self,
				      jboolean is_hooked);
EXPORT jlong JNICALL NATIVE(context)(JNIEnv *jni, jobject self);
EXPORT jint JNICALL NATIVE(flags)(JNIEnv *jni, jobject self);
EXPORT jint JNICALL NATIVE(depth)(JNIEnv *jni, jobject self, jlong id);
EXPORT jlong JNICALL NATIVE(parent)(JNIEnv *jni, jobject self, jlong id);
EXPORT void JNICALL NATIVE(mark)(JNIEnv *jni, jobject self, jstring name,
				 jlong number);
EXPORT void JNICALL NATIVE(begin)(JNIEnv *jni, jobject self, jstring name,
				  jlong number);
EXPORT void JNICALL NATIVE(end)(JNIEnv *jni, jobject self, jstring name,
				jlong number);
EXPORT jlong JNICALL NATIVE(verified)(JNIEnv *jni, jobject self);
EXPORT jdouble JNICALL NATIVE(wrongAtMost)(JNIEnv *jni, jobject self);
EXPORT jint JNICALL NATIVE(snapshot)(JNIEnv *jni, jobject self,
				     jbyteArray path);

EXPORT jboolean JNICALL NATIVE(isHere)(JNIEnv *jni, jobject self)
{
	return JNI_TRUE;
}

EXPORT jlong JNICALL NATIVE(context)(JNIEnv *jni, jobject self)
{
	return (jlong)clew_context().id;
}

EXPORT jint JNICALL NATIVE(flags)(JNIEnv *jni, jobject self)
{
	return (jint)clew_context().flags;
}

EXPORT jint JNICALL NATIVE(depth)(JNIEnv *jni, jobject self, jlong id)
{
	return (jint)clew_depth((uint64_t)id);
}

EXPORT jlong JNICALL NATIVE(parent)(JNIEnv *jni, jobject self, jlong id)
{
	return (jlong)clew_parent((uint64_t)id);
}

/*
 * Calls how() with a Java string as a C string. Calls clew_context() first,
 * which records the present context, so that a mark can refer to it.
 */
static void call_with_name(JNIEnv *jni, void (*how)(const char *, uint64_t),
			   jstring name, jlong number)
{
	char text[NAME_CHARS * NAME_CHAR_BYTES + 1] = "";
	jsize chars = name ? (*jni)->GetStringLength(jni, name) : 0;

	clew_context();
	if (chars > NAME_CHARS)
		chars = NAME_CHARS;
	if (name)
		(*jni)->GetStringUTFRegion(jni, name, 0, chars, text);
	how(text, (uint64_t)number);
}

EXPORT void JNICALL NATIVE(mark)(JNIEnv *jni, jobject self, jstring name,
				 jlong number)
{
	call_with_name(jni, clew_mark, name, number);
}

EXPORT void JNICALL NATIVE(begin)(JNIEnv *jni, jobject self, jstring name,
				  jlong number)
{
	call_with_name(jni, clew_begin, name, number);
}

EXPORT void JNICALL NATIVE(end)(JNIEnv *jni, jobject self, jstring name,
				jlong number)
{
	call_with_name(jni, clew_end, name, number);
}

EXPORT jlong JNICALL NATIVE(verified)(JNIEnv *jni, jobject self)
{
	struct clew_checks checks;

	return clew_confidence(&checks) ? 0 : (jlong)checks.verified;
}

EXPORT jdouble JNICALL NATIVE(wrongAtMost)(JNIEnv *jni, jobject self)
{
	struct clew_checks checks;

	return clew_confidence(&checks) ? 1 : checks.wrong_at_most;
}

EXPORT jint JNICALL NATIVE(setHooked)(JNIEnv *jni, jobject self,
				      jboolean is_hooked)
{
	return is_hooked ? clew_hook() : clew_unhook();
}

/*
 * The native of clew's Java class that writes a snapshot. The path ends in NUL.
 */
EXPORT jint JNICALL NATIVE(snapshot)(JNIEnv *jni, jobject self, jbyteArray path)
{
	jbyte bytes[PATH_MAX];
	const jsize count = (*jni)->GetArrayLength(jni, path);

	if (count > PATH_MAX)
		return -ENAMETOOLONG;
	(*jni)->GetByteArrayRegion(jni, path, 0, count, bytes);
	return clew_snapshot((const char *)bytes);
}
