/* SPDX-License-Identifier: MIT */
/*
 * Attaches to a process that was started by `clew record --java=standby`: while
 * a `clew attach` runs, calls of Java methods are counted in the process's
 * recording. Nothing else of the process is changed.
 */
#ifndef CLEW_CLI_ATTACH_STANDING_BY_H
#define CLEW_CLI_ATTACH_STANDING_BY_H

#include "cli/attach/attaching.h"

/*
 * Returns whether the process was started with --java=standby and has a JVM
 * that can count, and stores this in attaching->stands_by.
 */
int standing_by_check(struct attaching *attaching);

/*
 * Switch the counting of Java methods on and off. Return 0, or -errno and *why.
 */
int standing_by_switch_on(struct attaching *attaching, char **why);
int standing_by_switch_off(struct attaching *attaching, char **why);

/*
 * Returns whether counting is on, also if the controller that has switched it
 * on does not exist any more.
 */
int standing_by_is_on(const struct attaching *attaching);

#endif
