/* SPDX-License-Identifier: MIT */
/*
 * Selects the Java methods to count exactly: patterns of
 * --java=exact:PATTERN,... match "com.acme.Foo.bar" or the class alone. A
 * pattern is a glob or /REGEX/; ! in front of it excludes. Without patterns
 * that include, the application's own classes are selected.
 */
#ifndef CLEW_JVM_EXACT_JAVA_SELECTION_H
#define CLEW_JVM_EXACT_JAVA_SELECTION_H

#include <stddef.h>

/*
 * Reads the patterns, again if called again; NULL: none. Returns 0 or -errno.
 */
int java_selection_begin(const char *patterns);

/* True if classes of the JVM may be selected. */
int java_selection_names_classes(void);

/*
 * True if a method is selected, by its class's name, such as "com.acme.Foo",
 * and its own. is_own: the class belongs to the JVM. Any thread.
 */
int java_selection_has(const char *class_name, const char *method, int is_own);

/* True if methods of the class may be selected, according to its name. */
int java_selection_may_have(const char *class_name);

/*
 * True for classes that must not change, by their internal name,
 * "java/lang/Object": the tracker needs them, or the JVM treats them specially.
 */
int java_selection_is_needed(const char *class_name);

/* Writes a name like "java/lang/String" with dots. */
#define JAVA_SELECTION_NAME_BYTES 1024
void java_selection_dotted(char out[JAVA_SELECTION_NAME_BYTES],
			   const char *name, size_t bytes);

#endif
