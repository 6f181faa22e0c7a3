/* SPDX-License-Identifier: MIT */
/*
 * Classes that are loaded already are changed as those are that are being loaded: the
 * machine asks for each again (RetransformClasses, ClassFileLoadHook).
 */
#ifndef CLEW_JVM_MACHINE_LOADED_CLASSES_H
#define CLEW_JVM_MACHINE_LOADED_CLASSES_H

#include <jni.h>
#include <jvmti.h>
#include <stddef.h>

struct loaded_classes_asker {
	/* Whether a class may be, by its loader and its name, "java/lang/String". */
	int (*is_meant)(JNIEnv *jni, jobject loader, const char *name);
	/* The machine does not change that one. */
	void (*refuse)(const char *name, size_t bytes);
};

/* Of each that is meant. */
void loaded_classes_change(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct loaded_classes_asker *asker);

#endif
