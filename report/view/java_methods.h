/* SPDX-License-Identifier: MIT */
/*
 * Java methods whose calls were to be counted (--java=exact, standby or inplace), and are
 * or not.
 */
#ifndef CLEW_VIEW_JAVA_METHODS_H
#define CLEW_VIEW_JAVA_METHODS_H

#include "report/model/function_catalog.h"
#include "wire/told.h"

struct java_methods {
	uint64_t
		counted; /* methods each call of which counts, always or at times */
	uint64_t standing_by; /* those of them that do at times */
	uint64_t left;
	uint64_t by_reason[WIRE_JAVA_LEFT_COUNT]; /* of those that do not */
};

/* counted and left are 0 where nobody has asked for it. */
struct java_methods java_methods_of(const struct catalog *catalog);

/* How a method is counted: "exact", "inplace", "standby"; NULL: it is not. */
const char *java_method_way(const struct catalog_function *method,
			    int is_in_place);

/* To follow "left as they were:", as "smaller than --java-min-size". */
const char *java_left_text(unsigned int why);

/* "class_small", as a member of JSON. */
const char *java_left_word(unsigned int why);

#endif
