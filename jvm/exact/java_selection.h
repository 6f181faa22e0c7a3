/* SPDX-License-Identifier: MIT */
/*
 * Selects the Java methods to count exactly, by --java=exact:PATTERN,... A
 * pattern is a glob, which matches "com.acme.Foo.bar" or the class alone, or
 * /REGEX/, which is searched in "com.acme.Foo.bar". A pattern that begins with
 * ! excludes. Without patterns that include, all methods are selected except
 * those of the JDK's classes.
 */
#ifndef CLEW_JVM_EXACT_JAVA_SELECTION_H
#define CLEW_JVM_EXACT_JAVA_SELECTION_H

#include <stddef.h>

/*
 * Reads the patterns, which replace those of an earlier call. NULL stands for
 * no patterns. Returns 0, or -errno for an invalid pattern, too many patterns,
 * or too little memory; the patterns before the error then stay in use.
 */
int java_selection_begin(const char *patterns);

/*
 * Returns whether there is a pattern without "!". If so, only methods that
 * match such a pattern are selected, also those of the JDK's classes.
 */
int java_selection_names_classes(void);

/*
 * Returns whether a method is selected. class_name is like "com.acme.Foo",
 * `method` is the method's name without the class. is_own is 1 for a class of
 * the JDK. Any thread may call this function.
 */
int java_selection_has(const char *class_name, const char *method, int is_own);

/*
 * Returns whether a pattern without "!" may match methods of the class, judged
 * by the beginning of the class's name only. Returns 0 if there is no such
 * pattern. class_name is like "com.acme.Foo".
 */
int java_selection_may_have(const char *class_name);

/*
 * Returns whether a class must not be changed, because the tracker calls it or
 * the JVM treats it specially. class_name is like "java/lang/Object".
 */
int java_selection_is_needed(const char *class_name);

/*
 * Copies a name of `bytes` characters, like "java/lang/String", with dots
 * instead of slashes, and terminates it by a NUL. Names that are too long are
 * cut.
 */
#define JAVA_SELECTION_NAME_BYTES 1024
void java_selection_dotted(char out[JAVA_SELECTION_NAME_BYTES],
			   const char *name, size_t bytes);

#endif
