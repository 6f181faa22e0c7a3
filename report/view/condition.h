/* SPDX-License-Identifier: MIT */
/*
 * A condition under which a comparison of two recordings fails, such as
 * `calls(parse)>0%` or `total>5ms`.
 *
 *     CONDITION = METRIC [ '(' FUNCTION ')' ] OPERATOR LIMIT
 *     METRIC    = calls | self | total
 *     FUNCTION  = name | *
 *     OPERATOR  = > | >= | < | <= | !=
 *     LIMIT     = [-] number [ % | ns | us | ms | s ]
 *
 * The change, from the first recording to the second, is compared with the
 * limit. Without FUNCTION, it is the change of the sum of all functions. With
 * `*`, each function is compared by itself. Blanks may stand between all parts.
 */
#ifndef CLEW_VIEW_CONDITION_H
#define CLEW_VIEW_CONDITION_H

#include "report/view/diff.h"

enum condition_operator {
	CONDITION_ABOVE,
	CONDITION_NOT_BELOW,
	CONDITION_BELOW,
	CONDITION_NOT_ABOVE,
	CONDITION_OTHER, /* the operator != */
};

struct condition {
	char *text; /* as the user wrote it, safe to print */
	enum diff_key key;
	/* name of the function; NULL for the sum of all functions */
	char *function;
	/* whether each function is judged by itself; `function` is then NULL */
	int is_each;
	enum condition_operator operator;
	/* whether the limit is a percentage of the first recording's value */
	int is_percent;
	/* whether the limit has a unit of time, and is in nanoseconds */
	int has_time_unit;
	double limit; /* percent, calls, nanoseconds or the value's unit */
};

/*
 * Parses a condition; the caller frees it by condition_fini(). Whether `self`
 * and `total` are times, which need a unit, depends on the recordings. Returns
 * 0; or -EINVAL and *why, which begins with the position of the error.
 */
int condition_parse(struct condition *condition, const char *text, char **why);
void condition_fini(struct condition *condition);

#endif
