/* SPDX-License-Identifier: MIT */
/*
 * What threads wait for, by name: "(futex)" for a thread that is blocked in that
 * system call, "(page fault)", "(runnable)" for one that waits for a processor.
 */
#ifndef CLEW_MODEL_WAITS_H
#define CLEW_MODEL_WAITS_H

#include "report/model/function_catalog.h"

/* The function of the catalog that stands for an enum wire_wait. */
uint32_t wait_function(struct catalog *catalog, uint32_t wait);

/* Its name without the brackets, or "unknown"; free() it. */
char *wait_text(uint32_t wait);

#endif
