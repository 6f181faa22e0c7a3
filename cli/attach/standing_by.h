/* SPDX-License-Identifier: MIT */
/*
 * Attaches to a process of `clew record --java=standby`: calls of Java methods
 * are counted in its recording while a `clew attach` runs. Nothing else of the
 * process is changed.
 */
#ifndef CLEW_CLI_ATTACH_STANDING_BY_H
#define CLEW_CLI_ATTACH_STANDING_BY_H

#include "cli/attach/attaching.h"

/*
 * Returns whether the process is one, and stores that in attaching->stands_by.
 */
int standing_by_look(struct attaching *attaching);

/* Switch the counting on and off. Return 0, or -errno and *why. */
int standing_by_enter(struct attaching *attaching, char **why);
int standing_by_leave(struct attaching *attaching, char **why);

/* Returns whether counting is on. No controller may be attached any more. */
int standing_by_is_entered(const struct attaching *attaching);

#endif
