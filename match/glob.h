/* SPDX-License-Identifier: MIT */
/*
 * Whether all of a text matches a glob: *, ?, [a-z], [!a-z], and \ before what
 * shall stand for itself, as fnmatch(glob, text, 0) has it in the locale "C".
 * What begins like a bracket expression and is none stands for itself.
 *
 * fnmatch() follows the locale, which can mean to wait for a lock that the
 * caller's caller holds: iconv_open() while it loads a converter.
 */
#ifndef CLEW_MATCH_GLOB_H
#define CLEW_MATCH_GLOB_H

int glob_matches(const char *glob, const char *text);

/* A glob with a '/' is meant for the file's path, any other for its name. */
int glob_matches_file(const char *glob, const char *path);

#endif
