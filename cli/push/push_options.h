/* SPDX-License-Identifier: MIT */
/* Options that say where profiles are sent and what identifies them. */
#ifndef CLEW_CLI_PUSH_PUSH_OPTIONS_H
#define CLEW_CLI_PUSH_PUSH_OPTIONS_H

#include <argp.h>

#include "cli/push/push_headers.h"
#include "cli/push/push_stores.h"

struct push_options {
	const struct push_store *store;
	const char *url; /* address as the user wrote it; set by the command */
	const char *service;
	struct export_label *labels; /* names are copies */
	size_t label_count, label_capacity;
	struct push_headers headers;
	const char *headers_path, *ca;
	int is_insecure;
	int are_given; /* whether any of these options is given */
	int64_t timeout_ms;
	/* maximum number of samples; 0 if there is no limit */
	size_t max_samples;
	int has_max_samples;
};

/* Sets the defaults, before parsing. */
void push_options_init(struct push_options *options);
void push_options_fini(struct push_options *options);

/*
 * Returns the options as arguments of `clew push`, without --headers, and their
 * number. The caller frees each one and the array.
 */
char **push_options_words(const struct push_options *options, size_t *count);

/* Returns whether any option was given. */
int push_options_are_given(const struct push_options *options);

/* Use as a child; its input is a struct push_options. */
extern const struct argp push_argp;

/* For commands in whose help other options come first. */
extern const struct argp later_push_argp;

#endif
