/* SPDX-License-Identifier: MIT */
#include "jvm/jvmti/daemon.h"

JNIEnv *daemon_attach(JavaVM *vm)
{
	JavaVMAttachArgs arguments = { .version = JNI_VERSION_1_8,
				       .name = (char *)"clew" };
	JNIEnv *jni = NULL;

	return (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&jni,
						  &arguments) == JNI_OK
		       ? jni
		       : NULL;
}
