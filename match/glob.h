/* SPDX-License-Identifier: MIT */
/*
 * Returns whether the whole text matches a glob: *, ?, [a-z], [!a-z], and \ to
 * quote, as fnmatch(glob, text, 0) in the locale "C". An incomplete bracket
 * expression stands for itself.
 *
 * fnmatch() itself uses the locale, and may wait for a lock that a caller
 * holds: iconv_open() while it loads a converter.
 */
#ifndef CLEW_MATCH_GLOB_H
#define CLEW_MATCH_GLOB_H

int glob_matches(const char *glob, const char *text);

/*
 * A glob with a '/' is matched against the file's path, any other against its
 * name.
 */
int glob_matches_file(const char *glob, const char *path);

#endif
