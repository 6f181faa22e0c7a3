/* SPDX-License-Identifier: MIT */
/*
 * Native methods of tests/targets/Jumps.java. Two of them end with a tail call
 * to a function that does all the work; calls() calls it.
 */
#include <jni.h>

#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noipa))
#endif

static volatile jlong sink;

OWN jlong jumps_work(jlong n)
{
	for (jlong i = 0; i < n; i++)
		sink += i;
	return sink;
}

OWN jlong jumps_further(jlong n)
{
	sink++;
	return jumps_work(n);
}

JNIEXPORT jlong JNICALL Java_com_acme_Jumps_jumps(JNIEnv *jni, jclass class,
						  jlong n)
{
	return jumps_work(n);
}

JNIEXPORT jlong JNICALL Java_com_acme_Jumps_twice(JNIEnv *jni, jclass class,
						  jlong n)
{
	return jumps_further(n);
}

JNIEXPORT jlong JNICALL Java_com_acme_Jumps_calls(JNIEnv *jni, jclass class,
						  jlong n)
{
	return jumps_work(n) + 1;
}
