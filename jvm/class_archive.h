/* SPDX-License-Identifier: MIT */
/*
 * Reads from the options of a JVM how it uses archives of classes (CDS, and AOT
 * caches of JDK 24 and later). The options are the arguments of
 * JNI_CreateJavaVM(), those in environment variables, and those in a file that
 * -XX:VMOptionsFile names.
 */
#ifndef CLEW_JVM_CLASS_ARCHIVE_H
#define CLEW_JVM_CLASS_ARCHIVE_H

#include <jni.h>

/*
 * Returns whether the options request that the JVM write a CDS archive. The JVM
 * then does not start if it has an agent.
 */
int class_archive_is_written(const JavaVMInitArgs *given);

/*
 * Returns the option that keeps the JVM from using an archive of classes, a
 * constant. Returns NULL for a JVM that has to write an AOT cache, because with
 * such an option the JVM would not write it.
 */
const char *class_archive_off(const JavaVMInitArgs *given);

#endif
