/* SPDX-License-Identifier: MIT */
/*
 * Assigns labels to the nodes of a tree.
 *
 * A label is a function of the catalog: the node's own, or one that stands for
 * its module or its group. Tables have one row for each label.
 */
#ifndef CLEW_VIEW_LABELS_H
#define CLEW_VIEW_LABELS_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

enum label_by {
	LABEL_FUNCTION,
	LABEL_MODULE,
	LABEL_GROUP,
	LABEL_JNI,     /* a native method with its Java caller */
	LABEL_JNI_ENV, /* a JNI function with its caller */
	LABEL_JAVA,    /* like LABEL_FUNCTION; tables keep only Java methods */
	/*
	 * A function with its callers, up to a limit. The label of a node
	 * without calls and time is its function.
	 */
	LABEL_CONTEXT,
};

/*
 * Separates the function and its caller in a label of LABEL_JNI, LABEL_JNI_ENV
 * or LABEL_CONTEXT.
 */
#define LABEL_JNI_FROM " <- "

/*
 * Returns one label for each node; the caller frees them. May add functions to
 * the catalog.
 */
uint32_t *labels_of(const struct tree *tree, struct catalog *catalog,
		    enum label_by by);

/*
 * Returns the LABEL_JNI label of a native method and its caller. For one native
 * method, all callers that are no Java methods, such as FUNCTION_NONE, have one
 * label.
 */
uint32_t labels_jni(struct catalog *catalog, uint32_t native, uint32_t caller);

/*
 * Returns 1 for each node without an ancestor of the same label, so that sums
 * over these nodes count recursion once. label_count is the catalog's number of
 * functions. The caller frees the array.
 */
uint8_t *labels_outermost(const struct tree *tree, const uint32_t *labels,
			  size_t label_count);

#endif
