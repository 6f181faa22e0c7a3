/* SPDX-License-Identifier: MIT */
/*
 * A folder in the cache for analyses that serve one session only: those of
 * files in other file systems, such as a container's. `clew cache prune`
 * removes the folder of a killed session.
 */
#ifndef CLEW_CLI_COMMON_SESSION_CACHE_H
#define CLEW_CLI_COMMON_SESSION_CACHE_H

#define SESSION_CACHE_PREFIX "session-"

/* Returns the folder's path, which the caller frees, or NULL on failure. */
char *session_cache_make(const char *cache);

/* Removes the folder and frees its path, which may be NULL. */
void session_cache_remove(char *path);

#endif
