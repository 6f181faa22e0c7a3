/* SPDX-License-Identifier: MIT */
/*
 * A process of `clew record --java=standby`: calls of Java methods count in its recording
 * while a `clew attach` is there, and nothing else of it is changed.
 */
#ifndef CLEW_CLI_ATTACH_STANDING_BY_H
#define CLEW_CLI_ATTACH_STANDING_BY_H

#include "cli/attach/attaching.h"

/* Whether the process is such a one, which attaching->stands_by says from then on. */
int standing_by_look(struct attaching *attaching);

/* They count from now on; and no more. 0, or -errno and *why. */
int standing_by_enter(struct attaching *attaching, char **why);
int standing_by_leave(struct attaching *attaching, char **why);

/* Whether they count, though perhaps nobody is attached any more. */
int standing_by_is_entered(const struct attaching *attaching);

#endif
