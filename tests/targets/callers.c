/* SPDX-License-Identifier: MIT */
/*
 * Native methods of tests/targets/Callers.java, which count their callers by
 * the number that these pass. Methods of Changed.java, Lines.java, Stacks.java,
 * Suspended.java and Unhooked.java also call them.
 */
#include <jni.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT 17

static _Atomic jlong counts[COUNT];

JNIEXPORT jint JNICALL Java_com_acme_Callers_hit(JNIEnv *jni, jclass class,
						 jint who)
{
	atomic_fetch_add(&counts[who], 1);
	return who;
}

JNIEXPORT jint JNICALL Java_com_acme_Callers_wide(
	JNIEnv *jni, jobject self, jint who, jlong a, jdouble b, jfloat c,
	jstring d, jintArray e, jbyte f, jshort g, jchar h, jboolean i,
	jdouble j, jdouble k, jdouble l, jdouble m, jdouble n, jdouble o,
	jdouble p, jdouble q)
{
	atomic_fetch_add(&counts[who], 1);
	if (a != (jlong)1 << 40 || b != 1.5 || c != 2.5f ||
	    (*jni)->GetStringLength(jni, d) != 4 ||
	    (*jni)->GetArrayLength(jni, e) != 3)
		return 1;
	if (f != -1 || g != -2 || h != 'c' || i != JNI_TRUE)
		return 2;
	if (j != 1 || k != 2 || l != 3 || m != 4 || n != 5 || o != 6 ||
	    p != 7 || q != 8)
		return 3;
	return 1234;
}

JNIEXPORT jint JNICALL Java_com_acme_Changed_own(JNIEnv *jni, jclass class,
						 jint who)
{
	atomic_fetch_add(&counts[who], 1);
	return who;
}

/* Calls back into Java, which calls a native. */
static jint up(JNIEnv *jni, jclass class, jint who)
{
	jmethodID back = (*jni)->GetStaticMethodID(jni, class, "back", "(I)I");

	atomic_fetch_add(&counts[who], 1);
	return back ? (*jni)->CallStaticIntMethod(jni, class, back, who) : 0;
}

static void fail(JNIEnv *jni, jclass class, jint who)
{
	atomic_fetch_add(&counts[who], 1);
	(*jni)->ThrowNew(
		jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
		"as it should");
}

JNIEXPORT jlong JNICALL Java_com_acme_Callers_count(JNIEnv *jni, jclass class,
						    jint who)
{
	return counts[who];
}

/* These cannot be found by name. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	static const JNINativeMethod methods[] = {
		{ "up", "(I)I", (void *)up },
		{ "fail", "(I)V", (void *)fail },
	};
	JNIEnv *jni;
	jclass class;

	if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8))
		return JNI_ERR;
	class = (*jni)->FindClass(jni, "com/acme/Callers");
	if (!class || (*jni)->RegisterNatives(jni, class, methods, 2))
		return JNI_ERR;
	return JNI_VERSION_1_8;
}

static _Atomic jlong generated_calls;

/* Generates code that counts its calls and returns its argument. */
static void *generate(void)
{
	static const unsigned char code[] = {
		0x48, 0xb8, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $, %rax */
		0xf0, 0x48, 0xff, 0x00,                   /* lock incq (%rax) */
		0x89, 0xd0,                               /* mov %edx, %eax */
		0xc3,
	};
	void *counter = &generated_calls;
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	memcpy(at, code, sizeof(code));
	memcpy(at + 2, &counter, sizeof(counter));
	return mprotect(at, 4096, PROT_READ | PROT_EXEC) ? NULL : at;
}

JNIEXPORT void JNICALL Java_com_acme_Unhooked_generate(JNIEnv *jni,
						       jclass class)
{
	const JNINativeMethod method = { "generated", "(I)I", generate() };

	(*jni)->RegisterNatives(jni, class, &method, 1);
}

JNIEXPORT jlong JNICALL Java_com_acme_Unhooked_generatedCalls(JNIEnv *jni,
							      jclass class)
{
	return generated_calls;
}

static _Atomic jlong critical_calls;

JNIEXPORT jint JNICALL Java_com_acme_Unhooked_critical(JNIEnv *jni,
						       jclass class, jint i)
{
	atomic_fetch_add(&critical_calls, 1);
	return i;
}

/* JDK 17 and older may call this instead if an option permits it. */
JNIEXPORT jint JavaCritical_com_acme_Unhooked_critical(jint i)
{
	atomic_fetch_add(&critical_calls, 1);
	return i;
}

JNIEXPORT jlong JNICALL Java_com_acme_Unhooked_criticalCalls(JNIEnv *jni,
							     jclass class)
{
	return critical_calls;
}
