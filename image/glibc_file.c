/* SPDX-License-Identifier: MIT */
/* See glibc_file.h. */
#include "image/glibc_file.h"

#include <stddef.h>
#include <string.h>

#include "machine/elf_numbers.h"
#include "match/glob.h"

static const struct {
	const char *soname;
	const char *file; /* glob of the file's name before glibc 2.34 */
} older_files[] = {
	{ MACHINE_LOADER, "ld-2.*.so" },
	{ "libc.so.6", "libc-2.*.so" },
	{ "libdl.so.2", "libdl-2.*.so" },
	{ "libpthread.so.0", "libpthread-2.*.so" },
};

int glibc_file_is(const char *path, const char *soname)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(slash ? slash + 1 : path, soname) == 0)
		return 1;
	for (size_t i = 0; i < sizeof(older_files) / sizeof(*older_files); i++)
		if (strcmp(older_files[i].soname, soname) == 0)
			return glob_matches_file(older_files[i].file, path);
	return 0;
}
