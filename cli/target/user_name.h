/* SPDX-License-Identifier: MIT */
#ifndef CLEW_CLI_TARGET_USER_NAME_H
#define CLEW_CLI_TARGET_USER_NAME_H

#include <sys/types.h>

/* The user's name, or "user 1000" if there is none of that id; free() it. */
char *user_name(uid_t uid);

#endif
