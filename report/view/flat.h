/* SPDX-License-Identifier: MIT */
/*
 * The flat table: one row for each function, over all its contexts; or one for
 * each module, process or thread (labels.h).
 */
#ifndef CLEW_VIEW_FLAT_H
#define CLEW_VIEW_FLAT_H

#include <stddef.h>
#include <stdint.h>

#include "report/model/function_catalog.h"
#include "report/model/jni_usage.h"
#include "report/model/tree.h"
#include "report/view/selection.h"

struct flat_row {
	struct measure self;
	/* time and calls including callees; recursion is counted once */
	struct measure total;
	struct timing timing; /* times as measured, if calls were timed */
	uint64_t contexts;
	uint32_t callers; /* number of functions that called it */
	uint32_t callees; /* number of functions that it called */
	uint32_t function;
	/*
	 * whether calls of this row's functions were not counted because of
	 * --budget
	 */
	uint8_t lacks_calls;
	/*
	 * index of the site in the catalog, for a row of one address; otherwise
	 * 0
	 */
	uint32_t site;
	/*
	 * Quantiles of the durations of a native's calls by one Java method, as
	 * measured, if has_quantiles is set.
	 */
	int has_quantiles;
	uint64_t half_below_ns, most_below_ns;
	/* bytes that JNI functions have copied in these calls */
	uint64_t copied_bytes;
};

struct flat {
	struct flat_row *rows; /* only the rows with calls or time */
	size_t count;
	int has_quantiles;
	int has_copies;
};

/* Thousandths of a row's calls that took less than most_below_ns. */
enum { FLAT_MOST = 990 };

enum flat_key {
	FLAT_CALLS, /* keys that are numbers sort descending, words ascending */
	FLAT_SELF,
	FLAT_TOTAL,
	FLAT_PER_CALL,
	FLAT_CONTEXTS,
	FLAT_CALLERS,
	FLAT_CALLEES,
	FLAT_NAME,
	FLAT_MODULE,
};

enum { FLAT_KEYS_MAX = 9 };

extern const char *const flat_key_names[FLAT_KEYS_MAX];

struct flat_keys {
	enum flat_key keys[FLAT_KEYS_MAX];
	unsigned int count;
};

/*
 * Creates the rows of a tree. `labels` belong to the tree; label_count is the
 * catalog's number of functions.
 */
void flat_init(struct flat *flat, const struct tree *tree,
	       const uint32_t *labels, size_t label_count);
void flat_fini(struct flat *flat);

/*
 * Sets lacks_calls in rows with functions that were left out for some time: the
 * row's time includes calls that were not counted.
 */
void flat_find_lacking(struct flat *flat, const struct tree *tree,
		       const uint32_t *labels, size_t label_count,
		       const struct catalog *catalog);

/*
 * Returns whether the row has calls and lacks none, so that the time of one
 * call is known.
 */
static inline int flat_has_per_call(const struct flat_row *row)
{
	return row->self.calls && !row->lacks_calls;
}

/* Returns the total time of one call in nanoseconds; 0 if it is unknown. */
uint64_t flat_per_call_ns(const struct flat_row *row);

void flat_select(struct flat *flat, const struct selection *selection,
		 struct catalog *catalog);
/*
 * Keeps only rows of groups; with LABEL_JNI, for example, functions without a
 * label are removed.
 */
void flat_keep_groups(struct flat *flat, struct catalog *catalog);
/* Keeps only Java methods of which each call is counted. */
void flat_keep_java(struct flat *flat, const struct catalog *catalog);
/*
 * Sets the quantiles of each row for which there are histograms. The labels
 * must be those of LABEL_JNI.
 */
void flat_find_quantiles(struct flat *flat, const struct tree *tree,
			 const uint32_t *labels, size_t label_count);
/*
 * Sets the bytes copied in the calls of each row. The labels must be those of
 * LABEL_JNI.
 */
void flat_find_copies(struct flat *flat, const struct jni_usage *usage,
		      struct catalog *catalog);
void flat_sort(struct flat *flat, const struct flat_keys *keys,
	       struct catalog *catalog);

/* Parses "calls,name" and the like. Returns 0 or -EINVAL. */
int flat_parse_keys(const char *text, struct flat_keys *keys);

#endif
