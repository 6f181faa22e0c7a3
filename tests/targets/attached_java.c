/* SPDX-License-Identifier: MIT */
/*
 * Natives of Attached.java, which count their calls in a file that a test
 * shares. The words of the file: [0] ready, [1] go, [2] bind late, [3] end, [4]
 * request the length of a method, [5] its length in bytes of code, [8 + t]
 * thread t is held, [128 + who] calls by `who`.
 */
#include <fcntl.h>
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { READY, GO, LATE, END, TELL, BYTES, HELD = 8, CALLS = 128, WORDS = 512 };

static _Atomic uint64_t *shared;

static jint count(jint who)
{
	atomic_fetch_add(&shared[CALLS + who], 1);
	return 7;
}

static jint JNICALL count_registered(JNIEnv *env, jclass class, jint who)
{
	return count(who);
}

JNIEXPORT void JNICALL Java_com_acme_Attached_share(JNIEnv *env, jclass class,
						    jstring file)
{
	static const JNINativeMethod methods[] = {
		{ (char *)"registered", (char *)"(I)I",
		  (void *)count_registered },
	};
	const char *path = (*env)->GetStringUTFChars(env, file, NULL);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, WORDS * 8) != 0)
		_exit(3);
	shared = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	close(fd);
	(*env)->ReleaseStringUTFChars(env, file, path);
	if ((*env)->RegisterNatives(env, class, methods, 1))
		_exit(4);
}

JNIEXPORT void JNICALL Java_com_acme_Attached_ready(JNIEnv *env, jclass class)
{
	shared[READY] = 1;
}

/* Reads the length as a JVMTI agent that exists for a moment. */
static void tell_bytes(JNIEnv *env, jclass class)
{
	const jvmtiCapabilities wanted = { .can_get_bytecodes = 1 };
	const jmethodID method =
		(*env)->GetStaticMethodID(env, class, "outer", "(I)I");
	unsigned char *code = NULL;
	jvmtiEnv *jvmti;
	jint bytes = 0;
	JavaVM *vm;

	if ((*env)->GetJavaVM(env, &vm) ||
	    (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9))
		return;
	(*jvmti)->AddCapabilities(jvmti, &wanted);
	(*jvmti)->GetBytecodes(jvmti, method, &bytes, &code);
	(*jvmti)->Deallocate(jvmti, code);
	(*jvmti)->DisposeEnvironment(jvmti);
	shared[BYTES] = (uint64_t)bytes;
	shared[TELL] = 0;
}

JNIEXPORT jboolean JNICALL Java_com_acme_Attached_pause(JNIEnv *env,
							jclass class,
							jint thread)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	while (!shared[GO] && !shared[END]) {
		shared[HELD + thread] = 1;
		if (thread == 0 && shared[TELL])
			tell_bytes(env, class);
		nanosleep(&moment, NULL);
	}
	shared[HELD + thread] = 0;
	return !shared[END];
}

JNIEXPORT jint JNICALL Java_com_acme_Attached_hit(JNIEnv *env, jclass class,
						  jint who)
{
	return count(who);
}

JNIEXPORT jint JNICALL Java_com_acme_Attached_late(JNIEnv *env, jclass class,
						   jint who)
{
	return count(who);
}

JNIEXPORT jboolean JNICALL Java_com_acme_Attached_mayBindLate(JNIEnv *env,
							      jclass class)
{
	return shared[LATE] != 0;
}

JNIEXPORT jint JNICALL Java_com_acme_Attached_up(JNIEnv *env, jclass class,
						 jint who)
{
	const jmethodID back =
		(*env)->GetStaticMethodID(env, class, "back", "(I)I");

	(*env)->CallStaticIntMethod(env, class, back, 0);
	return count(who);
}
