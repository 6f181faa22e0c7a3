/* SPDX-License-Identifier: MIT */
/*
 * Java methods whose calls clew was asked to count (--java=exact, standby or
 * inplace).
 */
#ifndef CLEW_VIEW_JAVA_METHODS_H
#define CLEW_VIEW_JAVA_METHODS_H

#include "report/model/function_catalog.h"
#include "wire/runtime_records.h"

struct java_methods {
	/* Methods of which each call is counted, always or while attached. */
	uint64_t counted;
	/*
	 * number of methods that are counted only while clew attach is attached
	 */
	uint64_t standing_by;
	uint64_t left;
	/* number of methods that are not counted, by reason */
	uint64_t by_reason[WIRE_JAVA_LEFT_COUNT];
};

/*
 * Counts the Java methods of a catalog. Without one of these options, all
 * numbers are 0.
 */
struct java_methods java_methods_of(const struct catalog *catalog);

/*
 * Returns how a method is counted: "exact", "inplace", "standby"; NULL: not
 * counted.
 */
const char *java_method_way(const struct catalog_function *method,
			    int is_in_place);

/*
 * Returns why a method is not counted (enum wire_java_left), for example
 * "smaller than --java-min-size".
 */
const char *java_left_text(unsigned int why);

/* Returns the reason as one word, for the names of JSON members: "small". */
const char *java_left_word(unsigned int why);

#endif
