/* SPDX-License-Identifier: MIT */
/* See recording_readers.h. */
#include "cli/common/recording_readers.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/suffix.h"
#include "wire/recording.h"

static struct recording_readers of_file(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return (struct recording_readers){ 0 };
	return (struct recording_readers){
		.group = (status.st_mode & S_IRGRP) != 0,
		.gid = status.st_gid,
		.others = (status.st_mode & S_IROTH) != 0,
	};
}

/* Restricts readers to users who may read both. */
static void restrict_to(struct recording_readers *readers,
			struct recording_readers more)
{
	readers->group &= more.group && more.gid == readers->gid;
	readers->others &= more.others;
}

struct recording_readers recording_readers(const char *path)
{
	struct recording_readers readers = of_file(path);
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *part;

		if (!suffix_stem(entry->d_name, WIRE_PART_SUFFIX))
			continue;
		part = memory_printf("%s/%s", path, entry->d_name);
		restrict_to(&readers, of_file(part));
		free(part);
	}
	if (folder)
		closedir(folder);
	return readers;
}

struct recording_readers recording_readers_of_both(const char *path,
						   const char *other)
{
	struct recording_readers readers = recording_readers(path);

	restrict_to(&readers, recording_readers(other));
	return readers;
}

void recording_readers_apply(const struct recording_readers *readers, int fd)
{
	const mode_t mask = umask(0);
	mode_t mode = S_IRUSR | S_IWUSR;
	struct stat status;

	umask(mask);
	if (fstat(fd, &status) != 0)
		return;
	if (readers->others ||
	    (readers->group && readers->gid == status.st_gid))
		mode |= S_IRGRP | S_IWGRP;
	if (readers->others)
		mode |= S_IROTH | S_IWOTH;
	fchmod(fd, mode & ~mask);
}
