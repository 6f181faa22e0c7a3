/* SPDX-License-Identifier: MIT */
/* The lines of a text report for the user's probes. */
#ifndef CLEW_WRITE_TEXT_PROBES_H
#define CLEW_WRITE_TEXT_PROBES_H

#include <stdio.h>

#include "report/view/session.h"

/*
 * Writes a line for each probe, and lines for its unusual hits and its crashes.
 */
void text_probes(FILE *out, const struct session *session);

#endif
