/* SPDX-License-Identifier: MIT */
/*
 * Native methods of tests/targets/Natives.java, which count their calls. Some
 * are found by their names, others are passed to RegisterNatives() and have no
 * names once the library is stripped.
 */
#include <jni.h>
#include <stdatomic.h>

enum {
	PLAIN,
	MIXED,
	INSTANCE,
	OVER_INT,
	OVER_STRING,
	INNER,
	THROWS,
	UP,
	REGISTERED,
	REGISTERED_ARRAY,
	SHARED,
	COUNT
};

static _Atomic jlong counts[COUNT];

#define ENTER(which) atomic_fetch_add(&counts[which], 1)

JNIEXPORT jint JNICALL Java_com_acme_Natives_plain(JNIEnv *jni, jclass class,
						   jint a)
{
	ENTER(PLAIN);
	return a + 1;
}

JNIEXPORT jlong JNICALL Java_com_acme_Natives_mixed(JNIEnv *jni, jclass class,
						    jlong a, jdouble b,
						    jstring text,
						    jobjectArray rows,
						    jobject entry)
{
	ENTER(MIXED);
	return a + (jlong)b + (*jni)->GetStringLength(jni, text) +
	       (*jni)->GetArrayLength(jni, rows);
}

JNIEXPORT jint JNICALL Java_com_acme_Natives_instance(JNIEnv *jni, jobject self,
						      jobject other)
{
	ENTER(INSTANCE);
	return (*jni)->IsSameObject(jni, self, other);
}

JNIEXPORT jint JNICALL Java_com_acme_Natives_over__I(JNIEnv *jni, jclass class,
						     jint a)
{
	ENTER(OVER_INT);
	return a;
}

JNIEXPORT jint JNICALL Java_com_acme_Natives_over__Ljava_lang_String_2(
	JNIEnv *jni, jclass class, jstring text)
{
	ENTER(OVER_STRING);
	return (*jni)->GetStringUTFLength(jni, text);
}

JNIEXPORT jboolean JNICALL
Java_com_acme_Natives_00024Inner_inner(JNIEnv *jni, jobject self, jbyte a,
				       jchar b, jshort c, jboolean d, jfloat e)
{
	ENTER(INNER);
	return (jboolean)(a + b + c + d + (int)e != 0);
}

JNIEXPORT void JNICALL Java_com_acme_Natives_fail(JNIEnv *jni, jclass class)
{
	ENTER(THROWS);
	(*jni)->ThrowNew(
		jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
		"thrown");
}

/* Recurses to 0 through Java. */
JNIEXPORT jint JNICALL Java_com_acme_Natives_up(JNIEnv *jni, jclass class,
						jint depth)
{
	jmethodID down = (*jni)->GetStaticMethodID(jni, class, "down", "(I)I");

	ENTER(UP);
	return down ? (*jni)->CallStaticIntMethod(jni, class, down, depth) : 0;
}

static jint JNICALL one(JNIEnv *jni, jclass class, jint a, jint b)
{
	ENTER(REGISTERED);
	return a * b;
}

static jint JNICALL two(JNIEnv *jni, jclass class, jlongArray longs)
{
	ENTER(REGISTERED_ARRAY);
	return (*jni)->GetArrayLength(jni, longs);
}

/* The native code of two methods. */
static void JNICALL three(JNIEnv *jni, jclass class)
{
	ENTER(SHARED);
}

JNIEXPORT jlongArray JNICALL Java_com_acme_Natives_counts(JNIEnv *jni,
							  jclass class)
{
	jlongArray array = (*jni)->NewLongArray(jni, COUNT);
	jlong copy[COUNT];

	for (int i = 0; i < COUNT; i++)
		copy[i] = counts[i];
	if (array)
		(*jni)->SetLongArrayRegion(jni, array, 0, COUNT, copy);
	return array;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	static const JNINativeMethod methods[] = {
		{ "registered", "(II)I", (void *)one },
		{ "registered", "([J)I", (void *)two },
		{ "sharedOne", "()V", (void *)three },
		{ "sharedTwo", "()V", (void *)three },
	};
	JNIEnv *jni;
	jclass class;

	if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK)
		return JNI_ERR;
	class = (*jni)->FindClass(jni, "com/acme/Natives");
	if (!class || (*jni)->RegisterNatives(jni, class, methods, 4))
		return JNI_ERR;
	return JNI_VERSION_1_8;
}
