/* SPDX-License-Identifier: MIT */
/* Explains to the user what prevents clew from recording a process. */
#ifndef CLEW_HOST_OBSTACLE_H
#define CLEW_HOST_OBSTACLE_H

#include "preload/sys/text.h"

/*
 * Appends ": " and an explanation of `err`, the -errno of a failed system call.
 */
void obstacle_explain(struct text *text, int err);

#endif
