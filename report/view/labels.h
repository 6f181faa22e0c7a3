/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a tree are counted as.
 *
 * A label is a function of the catalog for each node: the node's own, or one
 * that stands for its module, or the group that it is in. Tables have one row
 * for each label.
 */
#ifndef CLEW_VIEW_LABELS_H
#define CLEW_VIEW_LABELS_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

enum label_by {
	LABEL_FUNCTION,
	LABEL_MODULE,
	LABEL_GROUP,
	LABEL_JNI,     /* a native method with the Java method that calls it */
	LABEL_JNI_ENV, /* a function of JNI's with what calls it */
	LABEL_JAVA, /* a function, as LABEL_FUNCTION: Java methods alone count */
	/* A function with all that lead to it; nodes of no calls and time: none */
	LABEL_CONTEXT,
};

/* Between two, in a label of LABEL_JNI and LABEL_CONTEXT. */
#define LABEL_JNI_FROM " <- "

/* One for each node; may add functions to the catalog. free() them. */
uint32_t *labels_of(const struct tree *tree, struct catalog *catalog,
		    enum label_by by);

/* That of LABEL_JNI for a native method and its caller, FUNCTION_NONE included. */
uint32_t labels_jni(struct catalog *catalog, uint32_t native, uint32_t caller);

/*
 * 1 for each node that has no ancestor of the same label: sums over these
 * count recursion once. label_count: of the catalog's functions. free() it.
 */
uint8_t *labels_outermost(const struct tree *tree, const uint32_t *labels,
			  size_t label_count);

#endif
