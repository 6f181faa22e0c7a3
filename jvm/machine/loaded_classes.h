/* SPDX-License-Identifier: MIT */
/*
 * Changes classes that are already loaded in the same way as classes that are
 * being loaded: the JVM sends the event for each again (RetransformClasses,
 * ClassFileLoadHook).
 */
#ifndef CLEW_JVM_MACHINE_LOADED_CLASSES_H
#define CLEW_JVM_MACHINE_LOADED_CLASSES_H

#include <jni.h>
#include <jvmti.h>
#include <stddef.h>

struct loaded_classes_asker {
	/*
	 * Whether to change a class, by its loader and its name,
	 * "java/lang/String".
	 */
	int (*is_meant)(JNIEnv *jni, jobject loader, const char *name);
	/* The JVM refuses to change this class. */
	void (*refuse)(const char *name, size_t bytes);
};

/* Changes each class for which is_meant() is true. */
void loaded_classes_change(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct loaded_classes_asker *asker);

#endif
