/* SPDX-License-Identifier: MIT */
/*
 * Loading the body of a part that was opened by its header: see part_reader.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "report/recording/part_reader.h"

int part_bring(struct part_copy *part, char **why)
{
	struct part_copy whole;
	int err;

	if (!part->is_header)
		return 0;
	err = part_open(&whole, part->path, why);
	if (err)
		return err;
	if (whole.header->pid == part->header->pid &&
	    whole.header->seq == part->header->seq &&
	    whole.header->start_ns == part->header->start_ns) {
		part_close(part);
		*part = whole;
		return 0;
	}
	err = fail(why, -ESTALE,
		   "%s: the part was replaced by the part of another process",
		   part->name);
	part_close(&whole);
	return err;
}

void part_let_go(struct part_copy *part)
{
	unsigned char *header = memory_zeroed(1, sizeof(*part->header));

	memcpy(header, part->bytes, sizeof(*part->header));
	free(part->bytes);
	free(part->damage);
	part->bytes = header;
	part->header = (const void *)header;
	part->size_bytes = sizeof(*part->header);
	part->inherited_at = part->inherited_bytes = 0;
	part->damage = NULL;
	part->is_header = 1;
}
