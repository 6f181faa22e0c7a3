/* SPDX-License-Identifier: MIT */
/*
 * Java methods that tell of their calls themselves, and those that were left as they were,
 * by their names: each has one number, however often its class is loaded or changed, and by
 * whatever loader. Any thread. No libc.
 */
#ifndef CLEW_JVM_EXACT_JAVA_TRACKED_H
#define CLEW_JVM_EXACT_JAVA_TRACKED_H

#include <stdint.h>

#include "wire/recording.h"

/* A method as a class file has it; neither is terminated. */
struct tracked_name {
	const char *text;
	uint32_t bytes;
};

struct tracked_method {
	struct tracked_name class_name; /* "java/lang/String" */
	struct tracked_name name, signature;
	struct tracked_name source; /* its file, without a folder; or "" */
	uint32_t line;              /* that it begins at; 0: not known */
};

/* The number under which a method counts, at times or always; 0: there is no room. */
uint32_t java_tracked_number(const struct tracked_method *method,
			     int stands_by);

/* The same, of one that counts already, or 0: it does not. */
uint32_t java_tracked_find(const struct tracked_method *method);

/* Whether a constructor has that number. It is looked for everywhere: slow. */
int java_tracked_is_constructor(uint32_t number);

/* It is left as it was, for a reason. */
void java_tracked_leave(const struct tracked_method *method,
			enum wire_java_left why);

/* All numbers: a recording with another configuration begins. */
void java_tracked_forget(void);

#endif
