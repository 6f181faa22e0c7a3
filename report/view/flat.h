/* SPDX-License-Identifier: MIT */
/*
 * The flat table: one row a function, over all its contexts; or one for each
 * module, process or thread (labels.h).
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
	struct measure total; /* with all below, recursion counted once */
	struct timing timing; /* as measured, where calls were timed */
	uint64_t contexts;
	uint32_t callers; /* different functions that called it */
	uint32_t callees; /* different functions that it called */
	uint32_t function;
	/* Of a native's calls by a Java method, as measured, if that is known. */
	int has_quantiles;
	uint64_t half_below_ns, most_below_ns;
	uint64_t copied_bytes; /* by JNI's functions, in these calls */
};

struct flat {
	struct flat_row *rows; /* only those with calls or time */
	size_t count;
	int has_quantiles;
	int has_copies;
};

/* Of a row's calls so many thousandths took less than most_below_ns. */
enum { FLAT_MOST = 990 };

enum flat_key {
	FLAT_CALLS, /* numbers descend, words ascend */
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

/* `labels` are of the tree, and label_count the catalog's functions. */
void flat_init(struct flat *flat, const struct tree *tree,
	       const uint32_t *labels, size_t label_count);
void flat_fini(struct flat *flat);

/* Total time of one call in nanoseconds; 0 if there were no calls. */
uint64_t flat_per_call_ns(const struct flat_row *row);

void flat_select(struct flat *flat, const struct selection *selection,
		 struct catalog *catalog);
/* Only groups: of LABEL_JNI, say, none of the functions that are in none. */
void flat_keep_groups(struct flat *flat, struct catalog *catalog);
/* Only Java methods each call of which counts. */
void flat_keep_java(struct flat *flat, const struct catalog *catalog);
/*
 * Within what half of the calls of each row stayed, and most of them, where calls were
 * timed and the labels are those of LABEL_JNI.
 */
void flat_find_quantiles(struct flat *flat, const struct tree *tree,
			 const uint32_t *labels, size_t label_count);
/* What was copied in the calls of each row, by labels of LABEL_JNI. */
void flat_find_copies(struct flat *flat, const struct jni_usage *usage,
		      struct catalog *catalog);
void flat_sort(struct flat *flat, const struct flat_keys *keys,
	       struct catalog *catalog);

/* "calls,name" and so on: 0, or -EINVAL. */
int flat_parse_keys(const char *text, struct flat_keys *keys);

#endif
