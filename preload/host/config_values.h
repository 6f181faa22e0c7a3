/* SPDX-License-Identifier: MIT */
/*
 * Settings whose texts are numbers or words: what they mean, what they are where nobody has
 * set them, and which of them exclude each other.
 *
 * Whoever reads the configuration (config.c), before anything else runs.
 */
#ifndef CLEW_HOST_CONFIG_VALUES_H
#define CLEW_HOST_CONFIG_VALUES_H

#include "preload/host/config.h"

/* Before any is set. */
void config_begin(struct config *config);

/* 0, -EINVAL, or -ENOENT: this is no such setting. */
int config_set(struct config *config, const char *word, const char *text);

/* Behind the last. */
void config_end(struct config *config);

#endif
