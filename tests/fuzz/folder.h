/* SPDX-License-Identifier: MIT */
/* A fuzzer's own folder in $TMPDIR or /tmp, removed when the fuzzer ends. */
#ifndef CLEW_FUZZ_FOLDER_H
#define CLEW_FUZZ_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char fuzz_folder_path[256];

static int fuzz_folder_remove_entry(const char *path, const struct stat *status,
				    int kind, struct FTW *place)
{
	return remove(path);
}

static void fuzz_folder_remove(void)
{
	nftw(fuzz_folder_path, fuzz_folder_remove_entry, 8,
	     FTW_DEPTH | FTW_PHYS);
}

/* Returns the path of the folder, which the first call creates. */
static inline const char *fuzz_folder(void)
{
	const char *parent = getenv("TMPDIR");

	if (*fuzz_folder_path)
		return fuzz_folder_path;
	snprintf(fuzz_folder_path, sizeof(fuzz_folder_path),
		 "%s/clew-fuzz-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(fuzz_folder_path) || atexit(fuzz_folder_remove))
		abort();
	return fuzz_folder_path;
}

#endif
