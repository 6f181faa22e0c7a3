/* SPDX-License-Identifier: MIT */
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
	void *mapped; /* NULL: nothing is */
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

static int write_file(const struct request *request,
		      const struct prelinked_folder *folder)
{
	struct prelinked_writing writing;
	int err = prelinked_file_begin(&writing, folder, request->name,
				       PRELINKED_TABLE,
				       request->bytes + PRELINKED_HEAD_PAGE);

	if (err)
		return err;
	err = prelinked_file_write(&writing, request->table, request->bytes, 0);
	if (!err)
		return prelinked_file_commit(&writing);
	prelinked_file_revert(&writing);
	return err;
}

/* Returns a descriptor or -errno. */
static int open_file(const struct request *request,
		     const struct prelinked_folder *folder)
{
	struct prelinked_head head;
	int fd = prelinked_file_open(folder, request->name, PRELINKED_TABLE,
				     &head);

	if (fd == -ENOENT && !write_file(request, folder))
		fd = prelinked_file_open(folder, request->name, PRELINKED_TABLE,
					 &head);
	if (fd >= 0 && head.bytes != request->bytes + PRELINKED_HEAD_PAGE) {
		sys_close(fd);
		return -EBADMSG;
	}
	return fd;
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

/* For apart_call(). */
static int find_file(void *argument)
{
	struct request *request = argument;
	struct prelinked_folder folder = { 0 };
	int err = prelinked_folder_open(&folder, request->dir), fd;

	if (err)
		return err;
	fd = open_file(request, &folder);
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
