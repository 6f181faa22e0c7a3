/* SPDX-License-Identifier: MIT */
/*
 * An agent that calls, or jumps to, its own Agent_OnLoad() by name, as some
 * agents do.
 */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jint (*volatile own)(JavaVM *, char *, void *) = Agent_OnLoad;

	printf("agent: %s\n", options ? options : "none");
	if (options && !strcmp(options, "again"))
		return own(vm, "once", reserved);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	return Agent_OnLoad(vm, options, reserved);
}
