/* SPDX-License-Identifier: MIT */
/* A machine that ran before clew was attached to its process. */
#ifndef CLEW_JVM_LATE_H
#define CLEW_JVM_LATE_H

#include "preload/modules/modules.h"

/* That module is a machine's, which is to be asked. Under the loader's lock. */
void late_meet(const struct module *machine);

/* As generated/managed.h says. */
int late_is_there(void);
void late_begin(void);
int late_end(void);

#endif
