/* SPDX-License-Identifier: MIT */
/*
 * The names of Java methods that count their own calls, and of those that were
 * not changed. The name of a method that counts has one number, however often
 * its class is loaded or changed, and by any loader. If methods with the same
 * name were changed in one class and not in another, the name has a second
 * number as one that was not changed. Any thread may call these functions,
 * which do not call libc.
 */
#ifndef CLEW_JVM_EXACT_JAVA_TRACKED_H
#define CLEW_JVM_EXACT_JAVA_TRACKED_H

#include <stdint.h>

#include "wire/recording.h"

/* A name in a class file, without a terminating NUL. */
struct tracked_name {
	const char *text;
	uint32_t bytes;
};

struct tracked_method {
	struct tracked_name class_name; /* "java/lang/String" */
	struct tracked_name name, signature;
	struct tracked_name source; /* source file without a folder, or "" */
	uint32_t line; /* first line of the method; 0 if it is not known */
};

/*
 * Returns the number under which a method counts, and records the method's name
 * at the first request. stands_by is 1 if the method counts only while counting
 * is switched on. Returns 0 if there is no room.
 */
uint32_t java_tracked_number(const struct tracked_method *method,
			     int stands_by);

/* Returns the number that java_tracked_number() has given to a method, or 0. */
uint32_t java_tracked_find(const struct tracked_method *method);

/*
 * Returns whether the number belongs to a constructor. This is slow, because
 * the whole table is searched.
 */
int java_tracked_is_constructor(uint32_t number);

/* Records that a method is not changed, and the reason, once for each name. */
void java_tracked_skip(const struct tracked_method *method,
		       enum wire_java_left why);

/* Forgets all numbers, when a recording with another configuration begins. */
void java_tracked_forget(void);

#endif
