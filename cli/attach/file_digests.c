/* SPDX-License-Identifier: MIT */
/* See file_digests.h. */
#include "cli/attach/file_digests.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/truncated_files.h"
#include "digest/digest_links.h"
#include "image/content.h"
#include "image/image.h"
#include "symbolizer/indexer/worker.h"

/* Limits of the worker. 100 MB take 0.1 s. */
#define SECONDS 5
#define BYTES   (UINT64_C(1) << 30)

/*
 * A file's digest, which is unknown at first, and its stamp before the file was
 * read.
 */
struct file_digest {
	struct file_stamp stamp;
	struct content content;
};

struct digest_request {
	const char *cache;
	const struct target_maps *maps;
	const uint8_t *is_wanted;
	struct file_digest *digests; /* shared memory, one for each mapping */
};

/*
 * The worker reads only files that no other user can change, so it is not under
 * control of a hostile file, as the worker may be that analyses the process's
 * files. The file is opened again by its descriptor, because its path may lead
 * to another file by now. The stamp belongs to the descriptor that is read.
 */
static void digest(const char *cache, uint32_t owner, int fd,
		   const struct file_stamp *stamp, struct file_digest *out)
{
	struct content known;
	struct image image;
	char path[32];

	if (!stamp->is_settled || !file_stamp_is_guarded(stamp, owner) ||
	    digest_link_find(cache, stamp, known.digest) != -ENOENT)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (image_open(&image, path) != 0)
		return;
	out->stamp = image.stamp;
	out->content = content_of(&image);
	image_close(&image);
}

static int work(const void *context, int unused)
{
	const struct digest_request *request = context;
	struct file_stamp stamp;
	uint32_t owner;
	int err = digest_folder_owner(request->cache, &owner);

	(void)unused;
	truncated_files_read_as_zeros();
	for (size_t i = 0; i < request->maps->count && !err; i++) {
		const int fd =
			request->is_wanted[i]
				? image_open_file(request->maps->items[i].path,
						  &stamp)
				: -1;

		if (fd < 0)
			continue;
		digest(request->cache, owner, fd, &stamp, &request->digests[i]);
		close(fd);
	}
	return err;
}

void file_digests_store(const char *cache, const struct target_maps *maps,
			const uint8_t *is_wanted)
{
	const struct worker_limits limits = { .seconds = SECONDS,
					      .bytes = BYTES,
					      .is_silent = 1 };
	const size_t bytes = (maps->count + 1) * sizeof(struct file_digest);
	struct file_digest *digests = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct digest_request request = { cache, maps, is_wanted,
						digests };
	char why[WORKER_WHY_BYTES];

	if (digests == MAP_FAILED)
		return;
	worker_run(&limits, work, &request, -1, why);
	for (size_t i = 0; i < maps->count; i++)
		if (content_is_known(&digests[i].content))
			digest_link_keep(cache, &digests[i].stamp,
					 digests[i].content.digest);
	munmap(digests, bytes);
}
