/* SPDX-License-Identifier: MIT */
/*
 * A folder inside of the cache for analyses that serve one session only: those of
 * files that we do not have ourselves, such as a container's. A session that was
 * killed leaves its folder to `clew cache prune`.
 */
#ifndef CLEW_CLI_COMMON_SESSION_CACHE_H
#define CLEW_CLI_COMMON_SESSION_CACHE_H

#define SESSION_CACHE_PREFIX "session-"

/* The folder's path, for free(), or NULL if it cannot be made. */
char *session_cache_make(const char *cache);

/* Removes the folder and frees its path, which may be NULL. */
void session_cache_remove(char *path);

#endif
