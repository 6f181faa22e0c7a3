/* SPDX-License-Identifier: MIT */
/* Memory that the program had made executable before clew came. */
#ifndef CLEW_FRONT_EARLIER_CODE_H
#define CLEW_FRONT_EARLIER_CODE_H

#include "preload/stubs/pads.h"

/*
 * Calls from there may be generated code's, but for clew's pads. Whether there is
 * any. Reads /proc.
 */
int earlier_code_share(const struct pads *pads);

#endif
