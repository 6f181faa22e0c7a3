/* SPDX-License-Identifier: MIT */
/*
 * The function is called in the JVMTI event MonitorWait. The JVM sends this
 * event inside of Object.wait(), which clew calls by JNI, so the function's
 * caller is a Java method.
 */
#include "jvm/jvmti/from_java.h"

#include <errno.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stddef.h>

#include "jvm/jvmti/environment.h"
#include "jvm/jvmti/java_exceptions.h"

struct wished_call {
	from_java_function function;
	void *context;
};

/*
 * The call that the event has to make. Set by the thread that triggers the
 * event. NULL if no call is wanted.
 */
static struct wished_call *_Atomic under_way;

static void JNICALL waits(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			  jobject object, jlong ms)
{
	const struct wished_call *wished = atomic_load(&under_way);

	if (wished)
		wished->function(jni, wished->context);
	atomic_store(&under_way, NULL);
}

static int wait_for_nobody(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Object");
	jobject object = class ? (*jni)->AllocObject(jni, class) : NULL;
	jmethodID wait;

	if (has_thrown(jni) || !object)
		return -ENOMEM;
	wait = (*jni)->GetMethodID(jni, class, "wait", "(JI)V");
	if (has_thrown(jni) || !wait || (*jni)->MonitorEnter(jni, object))
		return -ENOTSUP;
	(*jni)->CallVoidMethod(jni, object, wait, (jlong)1, (jint)0);
	has_thrown(jni);
	(*jni)->MonitorExit(jni, object);
	(*jni)->DeleteLocalRef(jni, object);
	(*jni)->DeleteLocalRef(jni, class);
	return 0;
}

static int call(jvmtiEnv *jvmti, JNIEnv *jni, struct wished_call *wished)
{
	static const jvmtiEventCallbacks callbacks = { .MonitorWait = waits };
	const jvmtiCapabilities wanted = { .can_generate_monitor_events = 1 };
	jthread self;
	int err = -ENOTSUP;

	if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) ||
	    (*jvmti)->GetCurrentThread(jvmti, &self))
		return err;
	atomic_store(&under_way, wished);
	if (!(*jvmti)->SetEventNotificationMode(
		    jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_WAIT, self)) {
		err = wait_for_nobody(jni);
		(*jvmti)->SetEventNotificationMode(
			jvmti, JVMTI_DISABLE, JVMTI_EVENT_MONITOR_WAIT, self);
	}
	if (atomic_exchange(&under_way, NULL))
		err = -ENOTSUP; /* the JVM did not send the event */
	(*jni)->DeleteLocalRef(jni, self);
	return err;
}

int from_java_call(JavaVM *vm, JNIEnv *jni, from_java_function function,
		   void *context)
{
	struct wished_call wished = { function, context };
	jvmtiEnv *jvmti = environment_open(vm);
	int err;

	if (!jvmti)
		return -ENOTSUP;
	err = call(jvmti, jni, &wished);
	(*jvmti)->DisposeEnvironment(jvmti);
	return err;
}
