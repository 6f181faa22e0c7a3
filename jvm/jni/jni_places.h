/* SPDX-License-Identifier: MIT */
/* Numbers of JNI's function table that C and assembly share. */
#ifndef CLEW_JVM_JNI_JNI_PLACES_H
#define CLEW_JVM_JNI_JNI_PLACES_H

#define JNI_FUNCTIONS_MAX 236 /* the number of places in the table of Java 24 */
#define JNI_JUMP_BYTES    8   /* distance between two of jni_jumps */

#endif
