/* SPDX-License-Identifier: MIT */
/*
 * What the options of a JVM say about archives of classes (CDS, and AOT caches of JDK 24
 * and later). The options are those of JNI_CreateJavaVM(), those in the environment, and
 * those in a file that -XX:VMOptionsFile names.
 */
#ifndef CLEW_JVM_CLASS_ARCHIVE_H
#define CLEW_JVM_CLASS_ARCHIVE_H

#include <jni.h>

/*
 * Whether the JVM writes a CDS archive when it exits. Such a JVM does not start if it has
 * an agent.
 */
int class_archive_is_written(const JavaVMInitArgs *given);

/*
 * Returns an option that keeps the JVM from using an archive, or NULL if there is none
 * that would let the JVM start and write the AOT cache that it was asked for.
 */
const char *class_archive_off(const JavaVMInitArgs *given);

#endif
