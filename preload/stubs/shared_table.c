/* SPDX-License-Identifier: MIT */
/* See shared_table.h. */
#include "preload/stubs/shared_table.h"

#include <errno.h>
#include <string.h>

#include "preload/stubs/prelinked_file.h"
#include "preload/sys/apart.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

struct request {
	const char *dir;
	const void *table;
	uint64_t bytes;
	void *mapped; /* the resulting mapping, or NULL */
	char name[PRELINKED_NAME_BYTES];
};

static int name_file(struct request *request)
{
	struct text text = text_in(request->name, sizeof(request->name));

	text_string(&text, WIRE_STUBS_MODULE);
	text_hex(&text, prelinked_sum(PRELINKED_SUM_OF_NOTHING, request->table,
				      request->bytes));
	text_string(&text, WIRE_STUBS_SUFFIX);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

static int fill_file(const struct prelinked_writing *writing,
		     const void *context)
{
	const struct request *request = context;

	return prelinked_file_write(writing, request->table, request->bytes, 0);
}

static int map_equal(struct request *request, int fd)
{
	void *mapped = place_map(request->bytes, SYS_PROT_OURS,
				 MAP_PRIVATE | MAP_NORESERVE, fd, 0);

	if (sys_failed(mapped))
		return (int)(long)mapped;
	if (memcmp(mapped, request->table, request->bytes) != 0) {
		sys_munmap(mapped, request->bytes);
		return -EBADMSG;
	}
	request->mapped = mapped;
	return 0;
}

/*
 * Called by apart_call() (sys/apart.h), because it opens files. Returns 0 or
 * -errno.
 */
static int find_file(void *argument)
{
	struct request *request = argument;
	struct prelinked_folder folder = { 0 };
	int err = prelinked_folder_open(&folder, request->dir), fd;

	if (err)
		return err;
	fd = prelinked_file_open_or_make(
		&folder, request->name, PRELINKED_TABLE,
		request->bytes + PRELINKED_HEAD_PAGE, fill_file, request);
	err = fd < 0 ? fd : map_equal(request, fd);
	if (fd >= 0)
		sys_close(fd);
	prelinked_folder_close(&folder);
	return err;
}

void *shared_table(const char *dir, const void *table, uint64_t bytes)
{
	struct request request = { .dir = dir, .table = table, .bytes = bytes };

	if (bytes < SHARED_TABLE_MIN_BYTES || name_file(&request))
		return NULL;
	(void)apart_call(find_file, &request);
	return request.mapped;
}
