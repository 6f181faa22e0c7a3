/* SPDX-License-Identifier: MIT */
#ifndef CLEW_CLI_TARGET_USER_NAME_H
#define CLEW_CLI_TARGET_USER_NAME_H

#include <sys/types.h>

/*
 * Returns the name of the user with this id, or a text like "user 1000" if the
 * id has no name. The caller frees it.
 */
char *user_name(uid_t uid);

#endif
