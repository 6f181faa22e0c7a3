/* SPDX-License-Identifier: MIT */
/* Memory that the program made executable before clew was attached. */
#ifndef CLEW_GENERATED_EARLIER_CODE_H
#define CLEW_GENERATED_EARLIER_CODE_H

#include "preload/stubs/pads.h"

/*
 * Notes such memory outside modules, except clew's own, as possible generated
 * code (natives_share()), so that guarded stubs check calls from it. Returns
 * whether there is any. Reads /proc.
 */
int earlier_code_share(const struct pads *pads);

#endif
