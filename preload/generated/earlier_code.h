/* SPDX-License-Identifier: MIT */
/* Memory that the program made executable before clew was attached. */
#ifndef CLEW_GENERATED_EARLIER_CODE_H
#define CLEW_GENERATED_EARLIER_CODE_H

#include "preload/stubs/pads.h"

/*
 * Marks that memory, except clew's pads: calls from it may be calls of
 * generated code. Returns whether there is any. Reads /proc.
 */
int earlier_code_share(const struct pads *pads);

#endif
