/* SPDX-License-Identifier: MIT */
/* Sends a profile to a store. */
#ifndef CLEW_CLI_PUSH_PUSH_H
#define CLEW_CLI_PUSH_PUSH_H

#include "cli/push/push_options.h"

/*
 * The prepared request. It is checked before a recording is read, which may
 * take long.
 */
struct push {
	const struct push_options *options;
	char *url; /* with the path of the store's API */
	struct push_headers headers;
};

struct push_result {
	size_t bytes; /* number of bytes of the request's body */
	unsigned int tries;
};

/*
 * Checks the address and reads the headers. Returns 0, and then the caller
 * calls push_end(); or -errno and *why.
 */
int push_begin(struct push *push, const struct push_options *options,
	       char **why);

/* Sends an export. Returns 0, or -errno and *why. */
int push_send(const struct push *push, struct export *export,
	      struct push_result *result, char **why);

/*
 * Passes the headers that are no arguments on to later commands that this
 * process starts, in the environment, which other users cannot read. Returns
 * 0; or -E2BIG and *why if the kernel does not accept such a long variable.
 */
int push_share_secrets(const struct push *push, char **why);

void push_end(struct push *push);

#endif
