/* SPDX-License-Identifier: MIT */
/*
 * The stores of profiles that clew sends to: which address they have, and what
 * they expect there.
 */
#ifndef CLEW_CLI_PUSH_PUSH_STORES_H
#define CLEW_CLI_PUSH_PUSH_STORES_H

#include "report/export/export.h"

struct push_body {
	const char *content_type;
	const char *encoding; /* value of Content-Encoding, or NULL */
	void *data;           /* The caller frees it. */
	size_t bytes;
};

struct push_store {
	const char *name;
	const char *path;   /* path of the API below the address of the store */
	size_t max_samples; /* default of --max-samples */
	/* Labels have names as in Prometheus: letters, digits and "_". */
	int has_label_names;
	/* Creates the body of the request. Returns 0, or -errno and *why. */
	int (*fill)(struct export *export, struct push_body *body, char **why);
	/*
	 * Checks an answer of a request that succeeded. Returns 0, or -errno
	 * and *why if the store rejected data. NULL: answers have no content.
	 */
	int (*check)(const void *answer, size_t bytes, char **why);
};

/* The choices of --to. */
#define PUSH_STORES "otlp|pyroscope|parca"

/* Terminated by an entry without a name. The first one is the default. */
extern const struct push_store push_stores[];

#endif
