/* SPDX-License-Identifier: MIT */
/*
 * Which Java methods are to be counted exactly: patterns as --java=exact:PATTERN,... has
 * them, of "com.acme.Foo.bar" or of the class alone. A glob; /REGEX/; ! in front of one
 * excludes. Without any that includes, an application's own classes are meant.
 */
#ifndef CLEW_JVM_EXACT_JAVA_SELECTION_H
#define CLEW_JVM_EXACT_JAVA_SELECTION_H

#include <stddef.h>

/* Read them, anew if it was done before; NULL: there are none. 0 or -errno. */
int java_selection_begin(const char *patterns);

/* Whether classes of the machine's own may be meant. */
int java_selection_names_classes(void);

/*
 * Whether a method is meant, by the name of its class, as in "com.acme.Foo", and its own.
 * is_own: the class is the machine's. Any thread.
 */
int java_selection_has(const char *class_name, const char *method, int is_own);

/* Whether some method of a class may be, as far as its name says. */
int java_selection_may_have(const char *class_name);

/*
 * What stays as it is, by its internal name, "java/lang/Object": what the tracker itself
 * needs, or the machine handles in ways of its own.
 */
int java_selection_is_needed(const char *class_name);

/* "java/lang/String", of so many bytes, with dots. */
#define JAVA_SELECTION_NAME_BYTES 1024
void java_selection_dotted(char out[JAVA_SELECTION_NAME_BYTES],
			   const char *name, size_t bytes);

#endif
