/* SPDX-License-Identifier: MIT */
/*
 * What keeps clew from recording a process, in words for whoever started it.
 */
#ifndef CLEW_HOST_OBSTACLE_H
#define CLEW_HOST_OBSTACLE_H

#include "preload/sys/text.h"

/* Appends ": " and what the system call meant that failed with `err`, a -errno. */
void obstacle_explain(struct text *text, int err);

#endif
