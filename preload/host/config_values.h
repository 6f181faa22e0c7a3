/* SPDX-License-Identifier: MIT */
/*
 * Settings whose values are numbers or words: their meaning, their defaults,
 * and which of them exclude each other. Used by config.c.
 */
#ifndef CLEW_HOST_CONFIG_VALUES_H
#define CLEW_HOST_CONFIG_VALUES_H

#include "preload/host/config.h"

/* Sets all defaults that are not 0. Call it before the first setting. */
void config_begin(struct config *config);

/* Sets a value. Returns 0, -EINVAL, or -ENOENT if there is no such setting. */
int config_set(struct config *config, const char *word, const char *text);

/* Completes the configuration. Called after the last setting. */
void config_end(struct config *config);

#endif
