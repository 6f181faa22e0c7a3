/* SPDX-License-Identifier: MIT */
/* Where analyses of modules are kept. */
#ifndef CLEW_CLI_COMMON_CACHE_FOLDER_H
#define CLEW_CLI_COMMON_CACHE_FOLDER_H

#include <sys/types.h>

/* The user's own, by the XDG rules, or NULL: nor where $HOME is not there. free() it. */
char *cache_folder(void);

/* Makes a folder and those above it, as far as it can. */
void cache_folder_make(const char *path, mode_t mode);

#endif
