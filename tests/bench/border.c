/* SPDX-License-Identifier: MIT */
/* The natives of Border.java. */
#include <jni.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 2000, LOOPS = 500 };

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

JNIEXPORT jint JNICALL Java_Border_empty(JNIEnv *jni, jclass class, jint a)
{
	return a;
}

/* Prints the least time of one round of the statements. */
#define TIME(name, ...)                                                        \
	do {                                                                   \
		double best = 1e18;                                            \
                                                                               \
		for (int loop = 0; loop < LOOPS; loop++) {                     \
			const double start = now_ns();                         \
			double took;                                           \
                                                                               \
			for (int i = 0; i < CALLS; i++) {                      \
				__VA_ARGS__;                                   \
			}                                                      \
			took = now_ns() - start;                               \
			best = took < best ? took : best;                      \
		}                                                              \
		printf("%s=%.2f\n", name, best / CALLS);                       \
	} while (0)

JNIEXPORT void JNICALL Java_Border_functions(JNIEnv *jni, jclass class,
					     jintArray ints, jstring text)
{
	jclass string = (*jni)->GetObjectClass(jni, text);
	jint four[4];

	TIME("GetVersion", (*jni)->GetVersion(jni));
	TIME("GetArrayLength", (*jni)->GetArrayLength(jni, ints));
	TIME("GetIntArrayRegion",
	     (*jni)->GetIntArrayRegion(jni, ints, 0, 4, four));
	TIME("GetMethodID", (*jni)->GetMethodID(jni, string, "indexOf",
						"(Ljava/lang/String;I)I"));
	TIME("GetObjectClass, DeleteLocalRef",
	     (*jni)->DeleteLocalRef(jni, (*jni)->GetObjectClass(jni, text)));
	TIME("NewGlobalRef, DeleteGlobalRef",
	     (*jni)->DeleteGlobalRef(jni, (*jni)->NewGlobalRef(jni, text)));
	TIME("GetStringUTFChars, its release",
	     (*jni)->ReleaseStringUTFChars(
		     jni, text, (*jni)->GetStringUTFChars(jni, text, NULL)));
	TIME("GetPrimitiveArrayCritical, its release",
	     (*jni)->ReleasePrimitiveArrayCritical(
		     jni, ints,
		     (*jni)->GetPrimitiveArrayCritical(jni, ints, NULL), 0));
	fflush(stdout);
}
