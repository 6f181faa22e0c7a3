/* SPDX-License-Identifier: MIT */
/* The answer of a collector to a request with OTLP profiles. */
#ifndef CLEW_EXPORT_OTLP_ANSWER_H
#define CLEW_EXPORT_OTLP_ANSWER_H

#include <stddef.h>

/*
 * Returns -EREMOTEIO and *why if a collector has accepted a request but
 * rejected some of its profiles; otherwise 0, also for an answer of another
 * format.
 */
int otlp_check_answer(const void *answer, size_t bytes, char **why);

#endif
