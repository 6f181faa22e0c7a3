/* SPDX-License-Identifier: MIT */
/* See probe_file.h. */
#include "cli/probes/probe_file.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "machine/elf_numbers.h"

static const char *problem_of(int err)
{
	if (err == -ENOEXEC)
		return "not an " MACHINE_NAME " ELF file";
	if (err == -EBADMSG)
		return "its ELF structures are damaged";
	return strerror(-err);
}

int probe_file_open(struct probe_file *file, const char *path, char **why)
{
	int err = image_open(&file->image, path);

	if (err)
		return fail(why, err, "%s: %s", path, problem_of(err));
	file->inquiry = (struct inquiry){ .image = &file->image };
	err = inquiry_begin(&file->inquiry);
	if (!err)
		err = probe_map_init(&file->map, &file->inquiry,
				     &file->inquiry.scratch);
	if (!err)
		return 0;
	probe_file_close(file);
	return fail(why, err, "%s: %s", path, problem_of(err));
}

void probe_file_close(struct probe_file *file)
{
	arena_fini(&file->inquiry.scratch);
	image_close(&file->image);
}
