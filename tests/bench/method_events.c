/* SPDX-License-Identifier: MIT */
/*
 * An agent that counts calls of Java methods by the JVM's events for entries
 * and exits, the least work that is possible with them:
 *
 * 	java -agentpath:method_events.so
 */
#include <jvmti.h>
#include <stdint.h>

static _Thread_local volatile uint64_t entries, exits;

static void JNICALL enters(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			   jmethodID method)
{
	entries++;
}

static void JNICALL leaves(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			   jmethodID method, jboolean has_thrown, jvalue result)
{
	exits++;
}

static void JNICALL begins(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					   JVMTI_EVENT_METHOD_ENTRY, NULL);
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					   JVMTI_EVENT_METHOD_EXIT, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = begins,
		.MethodEntry = enters,
		.MethodExit = leaves,
	};
	const jvmtiCapabilities wanted = {
		.can_generate_method_entry_events = 1,
		.can_generate_method_exit_events = 1,
	};
	jvmtiEnv *jvmti;

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_VM_INIT, NULL))
		return JNI_ERR;
	return JNI_OK;
}
