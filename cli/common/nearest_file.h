/* SPDX-License-Identifier: MIT */
/* Finds the file that a user probably meant by a name that does not exist. */
#ifndef CLEW_CLI_COMMON_NEAREST_FILE_H
#define CLEW_CLI_COMMON_NEAREST_FILE_H

/*
 * Returns the name in the folder that is most similar to `name`
 * (base/nearest.h), or NULL if no name is similar. The caller frees it.
 */
char *nearest_file(const char *folder, const char *name);

#endif
