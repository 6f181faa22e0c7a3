/* SPDX-License-Identifier: MIT */
/*
 * Names for the reasons of waits: "(futex)" for a thread that is blocked in
 * that system call, "(page fault)", "(runnable)" for one that waits for a
 * processor.
 */
#ifndef CLEW_MODEL_WAITS_H
#define CLEW_MODEL_WAITS_H

#include "report/model/function_catalog.h"

/* Returns the catalog's function for an enum wire_wait. */
uint32_t wait_function(struct catalog *catalog, uint32_t wait);

/*
 * Returns the name without parentheses, or "system call N" if the call with
 * this number has no known name; the caller frees it.
 */
char *wait_text(uint32_t wait);

#endif
