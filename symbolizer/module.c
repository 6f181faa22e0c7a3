/* SPDX-License-Identifier: MIT */
/* See module.h. */
#include "symbolizer/module.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/dwarf/download.h"
#include "symbolizer/dwarf/sources.h"
#include "symbolizer/index_cache.h"
#include "symbolizer/indexer/build.h"

struct index_search {
	const struct a2n *a2n;
	const char *path; /* absolute path of the module, including the root */
	const struct a2n_build_id *wanted;
	/*
	 * Directory of the index in the cache, or NULL if the index is not
	 * cached.
	 */
	char *directory;
	char name[INDEX_CACHE_NAME_BYTES];
};

static int same_build(const uint8_t *a, uint32_t a_bytes,
		      const struct a2n_build_id *b)
{
	return a_bytes == b->bytes && memcmp(a, b->data, a_bytes) == 0;
}

static int may_download(const struct a2n *a2n)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return !(a2n->flags & A2N_NO_DOWNLOAD) && urls && *urls;
}

static size_t folder_length(const char *path)
{
	return (size_t)(strrchr(path, '/') - path);
}

/* Returns whether both files are in the same folder. */
static int is_same_folder(const char *a, const char *b)
{
	return *a == '/' && folder_length(a) == folder_length(b) &&
	       memcmp(a, b, folder_length(b)) == 0;
}

/*
 * Returns whether all files that the index was created from are unchanged. The
 * module itself is identified by its content: it may have been moved, or be
 * another copy next to a file that was missing before.
 */
static int is_up_to_date(const struct index_search *search,
			 const struct index *index)
{
	for (size_t i = 0; i < index->source_count; i++) {
		const struct index_source *source = &index->sources[i];
		uint64_t bytes, mtime_ns;

		if (source->role & SOURCE_MODULE) {
			if (index->header->flags & INDEX_WANTS_NEIGHBOUR &&
			    !is_same_folder(index_text(index, source->path),
					    search->path))
				return 0;
			continue;
		}
		source_read_state(index_text(index, source->path), &bytes,
				  &mtime_ns);
		if (bytes != source->bytes || mtime_ns != source->mtime_ns)
			return 0;
	}
	return !(index->header->flags & INDEX_WANTS_DOWNLOAD) ||
	       !may_download(search->a2n);
}

static int open_fd(const struct index_search *search, int fd,
		   struct index *index)
{
	const struct timespec used[2] = { { .tv_nsec = UTIME_NOW },
					  { .tv_nsec = UTIME_OMIT } };
	int err;

	if (fd < 0)
		return fd;
	err = index_open(index, fd);
	if (!err && !is_up_to_date(search, index)) {
		index_close(index);
		err = -ESTALE;
	}
	if (!err)
		futimens(fd, used); /* read by `clew cache prune` */
	close(fd);
	return err;
}

static int find_cached(const struct index_search *search, struct index *index)
{
	const struct a2n *a2n = search->a2n;

	if (!search->directory || (a2n->flags & A2N_REBUILD))
		return -ENOENT;
	return open_fd(search,
		       index_cache_find(search->directory, search->name),
		       index);
}

static int build(const void *request, int fd)
{
	return build_index(request, fd);
}

static int run_worker(const struct index_search *search, int fd)
{
	const struct a2n *a2n = search->a2n;
	struct build_request request = {
		.path = search->path,
		.root = a2n->root,
		.debug_roots = (const char *const *)a2n->debug_roots,
		.build_id = search->wanted,
		.download_seconds = may_download(a2n) ? a2n->limits.seconds : 0,
	};
	struct worker_limits limits = a2n->limits;
	char why[WORKER_WHY_BYTES];
	char reason[WORKER_WHY_BYTES + 32];
	int err;

	limits.may_download = request.download_seconds != 0;

	if (a2n->flags & A2N_NO_DEBUG)
		request.without_debug =
			"no debug information: it was not requested";
	err = worker_run(&limits, build, &request, fd, why);
	/*
	 * Tries again with less data. The index then contains the reason why
	 * data is missing.
	 */
	while (err == -ECHILD && !request.without_symbols) {
		request.without_symbols = request.without_debug == reason;
		snprintf(reason, sizeof(reason), "no %s: %s",
			 request.without_symbols ? "symbols"
						 : "debug information",
			 why);
		request.without_debug = reason;
		if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
			return -EIO;
		err = worker_run(&limits, build, &request, fd, why);
	}
	return err == -ECHILD ? -EBADMSG : err;
}

/* Creates an index in memory. */
static int make_private(const struct index_search *search, struct index *index)
{
	int fd = memfd_create("clew-a2n", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = run_worker(search, fd);
	if (!err)
		err = index_open(index, fd);
	close(fd);
	return err;
}

/* Creates an index in the cache; the lock is held. */
static int make_cached(const struct index_search *search, struct index *index)
{
	const char *directory = search->directory;
	char *path;
	int fd = index_cache_begin(directory, &path);
	int err;

	if (fd < 0)
		return make_private(search, index);
	err = run_worker(search, fd);
	if (!err)
		err = index_open(index, fd);
	if (err || index_cache_commit(directory, search->name, path) != 0)
		unlink(path);
	close(fd);
	free(path);
	/* If the disk is full, the index is created in memory. */
	return err == -ENOSPC || err == -EDQUOT || err == -EIO
		       ? make_private(search, index)
		       : err;
}

static int make(const struct index_search *search, struct index *index,
		int *was_cached)
{
	const struct a2n *a2n = search->a2n;
	uint32_t patience = a2n->limits.seconds;
	int lock, err;

	if (!search->directory)
		return make_private(search, index);
	lock = index_cache_lock(search->directory, search->name, patience);
	if (lock < 0)
		return make_private(search, index);
	/* Another process may have created the index meanwhile. */
	err = find_cached(search, index);
	if (!err)
		*was_cached = 1;
	else
		err = make_cached(search, index);
	close(lock);
	return err;
}

/*
 * Called if the file cannot be read or has another build-id: opens an index of
 * the wanted build from the cache. Returns 0, or `otherwise` if there is none.
 */
static int find_elsewhere(const struct index_search *search,
			  struct index *index, int otherwise)
{
	const struct a2n *a2n = search->a2n;

	if (!a2n->cache || search->wanted->bytes == 0 ||
	    open_fd(search, index_cache_find_build(a2n->cache, search->wanted),
		    index) != 0)
		return otherwise;
	if (same_build(index->header->build_id, index->header->build_id_bytes,
		       search->wanted))
		return 0;
	index_close(index);
	return otherwise;
}

/*
 * Sets the directory and name of the index in the cache. Leaves the directory
 * NULL if there is no cache, or the file's digest cannot be computed.
 */
static void name_index(struct index_search *search,
		       const struct identity *identity)
{
	const struct a2n *a2n = search->a2n;
	uint8_t digest[DIGEST_BYTES];

	if (!a2n->cache || (a2n->flags & A2N_NO_CACHE) ||
	    identity_digest(search->path, identity, a2n->cache, digest) != 0)
		return;
	search->directory =
		index_cache_directory_of(a2n->cache, search->path, identity);
	index_cache_name(&identity->build_id, digest, a2n->config,
			 search->name);
}

static int open_absolute(const struct a2n *a2n, const char *path,
			 const struct a2n_build_id *wanted, struct index *index,
			 int *was_cached)
{
	struct index_search search = { .a2n = a2n,
				       .path = path,
				       .wanted = wanted };
	struct identity identity;
	int err = identity_of_file(path, &identity);

	*was_cached = 1;
	if (!err && wanted->bytes > 0 &&
	    !same_build(identity.build_id.data, identity.build_id.bytes,
			wanted))
		err = -ESTALE;
	if (err)
		return find_elsewhere(&search, index, err);
	name_index(&search, &identity);
	err = find_cached(&search, index);
	if (err) {
		*was_cached = 0;
		err = make(&search, index, was_cached);
	}
	free(search.directory);
	return err;
}

/* An index outlives the working directory to which a path may be relative. */
static int make_absolute(const char *path, char **out)
{
	char *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);
	int err = 0;

	if (path[0] != '/' && !directory)
		return -errno;
	if (asprintf(out, "%s%s%s", directory ? directory : "",
		     directory ? "/" : "", path) < 0)
		err = -ENOMEM;
	free(directory);
	return err;
}

int module_open_index(const struct a2n *a2n, const char *path,
		      const struct a2n_build_id *wanted, struct index *index,
		      int *was_cached)
{
	char *absolute;
	int err = *path ? make_absolute(path, &absolute) : -ENOENT;

	if (err)
		return err;
	err = open_absolute(a2n, absolute, wanted, index, was_cached);
	free(absolute);
	return err;
}

/* ---- Source files ---- */

struct source_request {
	const struct a2n_build_id *build_id;
	const char *file;
	uint32_t seconds;
};

/* Writes the path of the local copy to fd. */
static int download(const void *input, int fd)
{
	const struct source_request *request = input;
	char *path;
	int err = download_source_file(request->build_id, request->file,
				       request->seconds, &path);
	size_t length;

	if (err)
		return err;
	length = strlen(path);
	return write(fd, path, length) == (ssize_t)length ? 0 : -EIO;
}

static int read_path(int fd, char **path)
{
	char text[PATH_MAX];
	const ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return -errno;
	if (length == 0)
		return -ENOENT;
	text[length] = '\0';
	*path = strdup(text);
	return *path ? 0 : -ENOMEM;
}

int module_download_source(const struct a2n *a2n,
			   const struct a2n_build_id *build_id,
			   const char *file, char **path)
{
	const struct source_request request = { build_id, file,
						a2n->limits.seconds };
	struct worker_limits limits = a2n->limits;
	char why[WORKER_WHY_BYTES];
	int fd, err;

	if (!may_download(a2n))
		return -ENOENT;
	fd = memfd_create("clew-source", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	limits.may_download = 1;
	err = worker_run(&limits, download, &request, fd, why);
	if (!err)
		err = read_path(fd, path);
	close(fd);
	return err == -ECHILD ? -ETIMEDOUT : err;
}
