/* SPDX-License-Identifier: MIT */
/*
 * The headers that a user adds to requests.
 *
 * The arguments of a process are visible to other users of the host.
 * Credentials are therefore read from a file or from $CLEW_PUSH_HEADERS, with
 * one header in each line, and refused as arguments.
 */
#ifndef CLEW_CLI_PUSH_PUSH_HEADERS_H
#define CLEW_CLI_PUSH_PUSH_HEADERS_H

#include <stddef.h>

#define PUSH_HEADERS_VARIABLE "CLEW_PUSH_HEADERS"

/* The caller sets all members to 0 before use. */
struct push_headers {
	char **lines; /* "Name: value" */
	size_t count, capacity;
	size_t secrets; /* number of lines that did not come from arguments */
};

/* Adds an argument. Returns 0, or -EINVAL and *why. */
int push_headers_add(struct push_headers *headers, const char *line,
		     char **why);

/*
 * Adds the lines of a file, if `path` is not NULL, and of the variable. Empty
 * lines and lines that begin with # mean nothing. Returns 0, or -errno and
 * *why, which does not quote a value.
 */
int push_headers_read(struct push_headers *headers, const char *path,
		      char **why);

void push_headers_fini(struct push_headers *headers);

#endif
