/* SPDX-License-Identifier: MIT */
/* See taken_reader.h. */
#include "report/recording/taken_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "wire/recording.h"

char *taken_path(const char *part_path)
{
	const size_t stem = suffix_stem(part_path, WIRE_PART_SUFFIX);

	return stem ? memory_printf("%.*s%s", (int)stem, part_path,
				    WIRE_TAKEN_SUFFIX)
		    : NULL;
}

/*
 * Returns whether a file of `bytes` bytes has room for the arrays whose lengths
 * its header contains.
 */
static int is_whole(const struct wire_taken *head, uint64_t bytes)
{
	const uint64_t most = bytes - sizeof(*head);

	return head->header_bytes == sizeof(*head) &&
	       head->packet_bytes == sizeof(struct wire_taken_packet) &&
	       head->count_bytes == sizeof(struct wire_taken_count) &&
	       head->packet_count <= most / head->packet_bytes &&
	       head->count_count <=
		       (most - head->packet_count * head->packet_bytes) /
			       head->count_bytes;
}

static int read_array(FILE *in, void *array, uint64_t count, size_t size)
{
	return fread(array, size, count, in) == count ? 0 : -EBADMSG;
}

static int read_head(FILE *in, struct wire_taken *head, const char *path,
		     char **why)
{
	struct stat status;

	if (fstat(fileno(in), &status) != 0 || !S_ISREG(status.st_mode) ||
	    fread(head, sizeof(*head), 1, in) != 1 ||
	    memcmp(head->magic, WIRE_TAKEN_MAGIC, sizeof(head->magic)) != 0)
		return fail(why, -ENOEXEC, "%s is not a file of packet counts",
			    path);
	if (head->version != WIRE_TAKEN_VERSION)
		return fail(why, -EPROTO,
			    "%s: this version of clew cannot read format "
			    "version %" PRIu32,
			    path, head->version);
	if (!is_whole(head, (uint64_t)status.st_size))
		return fail(why, -EBADMSG, "%s: the header is damaged", path);
	return 0;
}

static int read_all(struct taken *taken, FILE *in, const char *path, char **why)
{
	struct wire_taken head;
	int err = read_head(in, &head, path, why);

	if (err)
		return err;
	*taken = (struct taken){
		.packets = memory_zeroed(head.packet_count + 1,
					 sizeof(*taken->packets)),
		.packet_count = head.packet_count,
		.counts = memory_zeroed(head.count_count + 1,
					sizeof(*taken->counts)),
		.count_count = head.count_count,
		.taken = head.taken,
		.calls = head.calls,
		.bad_words = head.bad_words,
	};
	err = read_array(in, taken->packets, head.packet_count,
			 sizeof(*taken->packets));
	if (!err)
		err = read_array(in, taken->counts, head.count_count,
				 sizeof(*taken->counts));
	if (err) {
		taken_close(taken);
		return fail(why, err, "%s: the file is truncated", path);
	}
	return 0;
}

int taken_open(struct taken *taken, const char *path, char **why)
{
	FILE *in = regular_file_stream(path);
	int err;

	if (!in)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	err = read_all(taken, in, path, why);
	fclose(in);
	return err;
}

void taken_close(struct taken *taken)
{
	free(taken->packets);
	free(taken->counts);
	*taken = (struct taken){ 0 };
}

int taken_has(const struct taken *taken, uint64_t offset, uint64_t sequence)
{
	size_t low = 0, high = taken ? taken->packet_count : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (taken->packets[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return taken && low < taken->packet_count &&
	       taken->packets[low].offset == offset &&
	       taken->packets[low].sequence >= sequence;
}
