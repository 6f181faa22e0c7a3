/* SPDX-License-Identifier: MIT */
/*
 * Changes classes that are already loaded. RetransformClasses() makes the JVM
 * send the event ClassFileLoadHook for each such class, as for a class that is
 * being loaded.
 */
#ifndef CLEW_JVM_JVMTI_LOADED_CLASSES_H
#define CLEW_JVM_JVMTI_LOADED_CLASSES_H

#include <jni.h>
#include <jvmti.h>
#include <stddef.h>

struct loaded_classes_asker {
	/*
	 * Returns whether to change a class. `name` is like "java/lang/String";
	 * `loader` is NULL for the bootstrap loader.
	 */
	int (*is_meant)(JNIEnv *jni, jobject loader, const char *name);
	/*
	 * Called for each class that the JVM refuses to change. The first
	 * `bytes` characters of `name` are the class's name; no NUL follows
	 * them.
	 */
	void (*refuse)(const char *name, size_t bytes);
};

/*
 * Changes each loaded class that the JVM calls modifiable (IsModifiableClass)
 * and for which is_meant() returns nonzero.
 */
void loaded_classes_change(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct loaded_classes_asker *asker);

#endif
