/* SPDX-License-Identifier: MIT */
/*
 * Inconsistencies of a recording, counted while its contexts are read. If the
 * recording of a process that has ended has any, it is damaged or libclew.so
 * has a defect, and reports say so.
 */
#ifndef CLEW_MERGE_INCONSISTENCIES_H
#define CLEW_MERGE_INCONSISTENCIES_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

/* Numbers of contexts of one process. */
struct inconsistencies {
	uint64_t strangers; /* contexts whose function is in no module */
	uint64_t orphans;   /* contexts whose caller was not recorded */
	uint64_t circular;  /* contexts whose caller is also their callee */
	/*
	 * contexts whose depth is neither that of their caller plus one nor 1
	 */
	uint64_t uneven;
};

/*
 * Returns one sentence for reports about a part with this number of contexts,
 * which the caller frees; NULL if there is nothing to report. If the part's
 * process had not ended yet, its strangers and orphans are not reported,
 * because the part may lack the newest modules and callers.
 */
char *inconsistencies_text(const struct inconsistencies *inconsistencies,
			   const struct part_copy *part, size_t contexts);

/* Returns the meaning of an enum wire_java as text for reports. */
const char *java_text(uint32_t state);

/*
 * Each of the following functions returns the text of a problem, which the
 * caller frees, or NULL if the part does not have this problem. The first two
 * functions report problems with Java and native methods, and with calls of JNI
 * functions. If a part has several problems of one group, only the first one is
 * returned.
 */
char *java_problem_text(const struct part_copy *part);
char *jni_problem_text(const struct part_copy *part);

/*
 * Returns a problem's text if it is not known which module made memory
 * executable, because there was no room for the records.
 */
char *makers_problem_text(const struct part_copy *part);

/*
 * Returns a problem's text if the stacks of some threads could not be unwound
 * when clew attached.
 */
char *rootless_problem_text(const struct part_copy *part);

/* Returns a problem's text if the program has overwritten some hooks. */
char *overwritten_problem_text(const struct part_copy *part);

/* Returns a problem's text if the budget was not kept. */
char *budget_problem_text(const struct part_copy *part);

#endif
