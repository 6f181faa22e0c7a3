/* SPDX-License-Identifier: MIT */
/*
 * Natives of tests/targets/Envs.java. Each counts its calls of JNI functions,
 * and what it copies, keeps and does not release.
 */
#include <jni.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COUNTS_MAX 256

/* Calls of a function by one native. */
static struct {
	char native[64];
	const char *function;
	long calls;
} counts[COUNTS_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(const char *native, const char *function)
{
	const char *last = strrchr(native, '_');
	int i = 0;

	native = last ? last + 1 : native;
	pthread_mutex_lock(&lock);
	while (counts[i].function && (strcmp(counts[i].native, native) != 0 ||
				      strcmp(counts[i].function, function)))
		i++;
	snprintf(counts[i].native, sizeof(counts[i].native), "%s", native);
	counts[i].function = function;
	counts[i].calls++;
	pthread_mutex_unlock(&lock);
}

#define CALL(function, ...)                                                    \
	(count(__func__, #function), (*jni)->function(jni, ##__VA_ARGS__))

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_com_acme_Envs_##name

/* ---- Lookups ---- */

NATIVE(jint, lookups)(JNIEnv *jni, jclass class, jint rounds)
{
	jint found = 0;

	for (int i = 0; i < rounds; i++) {
		jclass string = CALL(FindClass, "java/lang/String");

		found += CALL(GetMethodID, string, "length", "()I") != NULL;
		found += CALL(GetMethodID, string,
			      i % 2 ? "isEmpty" : "isBlank", "()Z") != NULL;
		found += CALL(GetStaticMethodID, string, "valueOf",
			      "(I)Ljava/lang/String;") != NULL;
		found += CALL(GetFieldID, class, "anInt", "I") != NULL;
		found += CALL(GetStaticFieldID, class, "aStatic", "D") != NULL;
		CALL(DeleteLocalRef, string);
	}
	return found;
}

/* ---- Copies ---- */

static __attribute__((noinline)) jlong copy_ints(JNIEnv *jni, jintArray ints)
{
	jint *elements = CALL(GetIntArrayElements, ints, NULL);
	jlong sum = elements[0]++;

	CALL(ReleaseIntArrayElements, ints, elements, 0);
	__asm__ volatile("" ::: "memory"); /* no tail call */
	return sum;
}

NATIVE(jlong, copies)
(JNIEnv *jni, jclass class, jbyteArray bytes, jintArray ints,
 jdoubleArray doubles, jstring text, jint rounds)
{
	jlong sum = 0;

	for (int i = 0; i < rounds; i++) {
		jdouble three[3];
		jboolean is_copy;
		jbyte *elements = CALL(GetByteArrayElements, bytes, &is_copy);
		const char *utf = CALL(GetStringUTFChars, text, NULL);
		const jchar *chars = CALL(GetStringChars, text, NULL);

		sum += elements[i % 1000]++ + is_copy + utf[1] + chars[1];
		CALL(ReleaseByteArrayElements, bytes, elements, JNI_ABORT);
		CALL(ReleaseStringUTFChars, text, utf);
		CALL(ReleaseStringChars, text, chars);
		CALL(GetDoubleArrayRegion, doubles, 1, 2, three);
		CALL(SetDoubleArrayRegion, doubles, 0, 2, three);
		sum += (jlong)three[0] + copy_ints(jni, ints);
		sum += CALL(GetArrayLength, ints);
	}
	return sum;
}

/* ---- Critical sections ---- */

static void stay(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec -
		       from.tv_nsec <
	       ns);
}

NATIVE(void, sections)
(JNIEnv *jni, jclass class, jintArray ints, jint rounds, jint slow)
{
	for (int i = 0; i < rounds; i++) {
		jint *outer = CALL(GetPrimitiveArrayCritical, ints, NULL);
		jint *inner = CALL(GetPrimitiveArrayCritical, ints, NULL);

		inner[0]++;
		if (i < slow)
			stay(3000000);
		CALL(ReleasePrimitiveArrayCritical, ints, inner, 0);
		CALL(ReleasePrimitiveArrayCritical, ints, outer, 0);
	}
}

/* ---- Local references: not released, deleted, requested, in a frame ---- */

NATIVE(jint, locals)(JNIEnv *jni, jclass class, jint many, jint how)
{
	jint length = 0;

	if (how == 2)
		CALL(EnsureLocalCapacity, many);
	if (how == 3)
		CALL(PushLocalFrame, many);
	for (int i = 0; i < many; i++) {
		jstring text = CALL(NewStringUTF, "local");

		length += CALL(GetStringLength, text);
		if (how == 1)
			CALL(DeleteLocalRef, text);
	}
	if (how == 3)
		CALL(PopLocalFrame, NULL);
	return length;
}

/* ---- Global references ---- */

NATIVE(void, keep)
(JNIEnv *jni, jclass class, jobject object, jint many, jint deleted)
{
	for (int i = 0; i < many; i++) {
		jobject kept = CALL(NewGlobalRef, object);
		jweak weak = CALL(NewWeakGlobalRef, object);

		if (i < deleted)
			CALL(DeleteGlobalRef, kept);
		CALL(DeleteWeakGlobalRef, weak);
	}
}

/* ---- Calls of Java ---- */

static jdouble call_list(JNIEnv *jni, jclass class, jmethodID method, ...)
{
	jdouble result;
	va_list list;

	va_start(list, method);
	result = CALL(CallStaticDoubleMethodV, class, method, list);
	va_end(list);
	return result;
}

static jmethodID method_of(JNIEnv *jni, jclass class, const char *name,
			   const char *signature)
{
	return (*jni)->GetMethodID(jni, class, name, signature);
}

NATIVE(jdouble, upcalls)(JNIEnv *jni, jclass class, jobject self, jint rounds)
{
	jdouble sum = 0;

	for (int i = 0; i < rounds; i++) {
		const jvalue values[] = { { .d = 0.5 }, { .i = 3 } };
		jobject object;
#define M(name, signature) method_of(jni, class, name, signature)

		sum += CALL(CallBooleanMethod, self, M("getBoolean", "(ZD)Z"),
			    (jboolean)0, 0.5);
		sum += CALL(CallByteMethod, self, M("getByte", "(BF)B"),
			    (jbyte)3, 2.0f);
		sum += CALL(CallCharMethod, self, M("getChar", "(C)C"),
			    (jchar)'y');
		sum += CALL(CallShortMethod, self, M("getShort", "(SJD)S"),
			    (jshort)5, (jlong)6, 7.0);
		sum += CALL(CallIntMethod, self,
			    M("getInt", "(IDFJIDIIIDDDDDD)I"), 1, 2.0, 3.0f,
			    (jlong)4, 5, 6.0, 7, 8, 9, 10.0, 11.0, 12.0, 13.0,
			    14.0, 15.0);
		sum += (jdouble)CALL(CallLongMethod, self,
				     M("getLong", "(JLjava/lang/Object;)J"),
				     (jlong)1 << 35, class) > 0;
		sum += CALL(CallFloatMethod, self, M("getFloat", "(FD)F"), 1.5f,
			    3.0);
		sum += CALL(CallDoubleMethod, self, M("getDouble", "(DFI)D"),
			    1.25, 2.5f, 3);
		object = CALL(CallObjectMethod, self,
			      M("getObject",
				"(Ljava/lang/Object;I)Ljava/lang/Object;"),
			      class, i);
		sum += CALL(IsSameObject, object, self);
		CALL(DeleteLocalRef, object);
		CALL(CallVoidMethod, self, M("getVoid", "(ID)V"), 2, 0.25);
		CALL(CallNonvirtualVoidMethod, self, class,
		     M("getVoid", "(ID)V"), 1, 0.5);
		object = CALL(NewObject, class, M("<init>", "(ID)V"), 5, 6.5);
		sum += CALL(GetDoubleField, object,
			    (*jni)->GetFieldID(jni, class, "aDouble", "D"));
		CALL(DeleteLocalRef, object);
		sum += CALL(CallStaticDoubleMethodA, class,
			    (*jni)->GetStaticMethodID(jni, class, "getStatic",
						      "(DI)D"),
			    values);
		sum += call_list(jni, class,
				 (*jni)->GetStaticMethodID(
					 jni, class, "getStatic", "(DI)D"),
				 7.5, 2);
	}
	return sum;
}

/* ---- Fields, for which the JVM has special code ---- */

NATIVE(jdouble, fields)(JNIEnv *jni, jclass class, jobject self, jint rounds)
{
	jdouble sum = 0;
#define F(name, signature) (*jni)->GetFieldID(jni, class, name, signature)

	for (int i = 0; i < rounds; i++) {
		jobject object = CALL(GetObjectField, self,
				      F("anObject", "Ljava/lang/Object;"));

		sum += CALL(GetBooleanField, self, F("aBoolean", "Z"));
		sum += CALL(GetByteField, self, F("aByte", "B"));
		sum += CALL(GetCharField, self, F("aChar", "C"));
		sum += CALL(GetShortField, self, F("aShort", "S"));
		sum += CALL(GetIntField, self, F("anInt", "I"));
		sum += (jdouble)CALL(GetLongField, self, F("aLong", "J"));
		sum += CALL(GetFloatField, self, F("aFloat", "F"));
		sum += CALL(GetDoubleField, self, F("aDouble", "D"));
		CALL(SetObjectField, self, F("anObject", "Ljava/lang/Object;"),
		     object);
		CALL(SetFloatField, self, F("aFloat", "F"), 1.5f);
		CALL(DeleteLocalRef, object);
	}
	return sum;
}

/* ---- A pending exception ---- */

NATIVE(jint, missing)(JNIEnv *jni, jclass class)
{
	const int is_missing = !CALL(FindClass, "no/such/Class");
	jthrowable thrown = CALL(ExceptionOccurred);

	CALL(ExceptionClear);
	CALL(DeleteLocalRef, thrown);
	return is_missing && thrown;
}

/*
 * ---- A thread that Java does not know, whose references are not deleted ----
 */

struct attached {
	JavaVM *vm;
	jint many, length;
};

static void *run_attached(void *argument)
{
	struct attached *attached = argument;
	JNIEnv *jni;

	if ((*attached->vm)
		    ->AttachCurrentThread(attached->vm, (void **)&jni, NULL))
		return NULL;
	for (int i = 0; i < attached->many; i++) {
		jstring text = CALL(NewStringUTF, "attached");

		attached->length += CALL(GetStringUTFLength, text);
	}
	(*attached->vm)->DetachCurrentThread(attached->vm);
	return NULL;
}

NATIVE(jint, attached)(JNIEnv *jni, jclass class, jint many)
{
	struct attached attached = { .many = many };
	pthread_t thread;

	CALL(GetJavaVM, &attached.vm);
	if (pthread_create(&thread, NULL, run_attached, &attached))
		return -1;
	pthread_join(thread, NULL);
	return attached.length;
}

NATIVE(void, print)(JNIEnv *jni, jclass class)
{
	for (int i = 0; counts[i].function; i++)
		printf("%ld %s <- %s\n", counts[i].calls, counts[i].function,
		       counts[i].native);
	fflush(stdout);
}
