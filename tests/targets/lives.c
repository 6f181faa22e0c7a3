/* SPDX-License-Identifier: MIT */
/* Native methods of tests/targets/Lives.java, which ends in unusual ways. */
#include <jni.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS_MAX 16
#define UPCALLS     1000

static JavaVM *machine;
static jclass lives;
static jboolean are_daemons;

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	(void)reserved;
	machine = vm;
	return JNI_VERSION_1_8;
}

JNIEXPORT jint JNICALL Java_com_acme_Lives_hit(JNIEnv *jni, jclass class,
					       jint i)
{
	(void)jni;
	(void)class;
	return i;
}

JNIEXPORT void JNICALL Java_com_acme_Lives_crash(JNIEnv *jni, jclass class)
{
	static int *volatile nowhere;

	(void)jni;
	(void)class;
	*nowhere = 1;
}

JNIEXPORT void JNICALL Java_com_acme_Lives_exits(JNIEnv *jni, jclass class)
{
	(void)jni;
	(void)class;
	exit(5);
}

static void *live(void *argument)
{
	JNIEnv *jni;
	jmethodID up;

	if (are_daemons ? (*machine)->AttachCurrentThreadAsDaemon(
				  machine, (void **)&jni, NULL)
			: (*machine)->AttachCurrentThread(machine,
							  (void **)&jni, NULL))
		abort();
	up = (*jni)->GetStaticMethodID(jni, lives, "up", "(I)I");
	for (jint i = 0; i < UPCALLS; i++)
		if ((*jni)->CallStaticIntMethod(jni, lives, up, i) != i)
			abort();
	(*machine)->DetachCurrentThread(machine);
	return argument;
}

JNIEXPORT void JNICALL Java_com_acme_Lives_attach(JNIEnv *jni, jclass class,
						  jint count, jboolean daemons)
{
	pthread_t threads[THREADS_MAX];

	lives = (*jni)->NewGlobalRef(jni, class);
	are_daemons = daemons;
	for (jint i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, live, NULL);
	for (jint i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

JNIEXPORT void JNICALL Java_com_acme_Lives_fail(JNIEnv *jni, jclass class)
{
	(void)class;
	(*jni)->ThrowNew(
		jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
		"C's");
}

JNIEXPORT void JNICALL Java_com_acme_Lives_pending(JNIEnv *jni, jclass class)
{
	(*jni)->CallStaticVoidMethod(
		jni, class,
		(*jni)->GetStaticMethodID(jni, class, "thrower", "()V"));
}
