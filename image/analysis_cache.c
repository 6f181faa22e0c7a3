/* SPDX-License-Identifier: MIT */
/*
 * See analysis_cache.h. A cache file is a header, the functions as they are
 * recorded, and a checksum of both: 64-bit FNV-1a over little-endian words
 * instead of bytes (Fowler, Noll, Vo; RFC 9923). Each of its steps is a
 * bijection of the state, so a change of a single word is always noticed. The
 * checksum detects incomplete and damaged files. Only the user and root can
 * have written the file, and the hash of the module's content in the header
 * cannot be forged.
 *
 * Wrong records would make clew patch wrong addresses. Records must therefore
 * satisfy the same rules as an analysis: in order, inside the module, known
 * verdicts.
 */
#include "image/analysis_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* for rename() */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/cache_path.h"
#include "image/traits.h"
#include "wire/verdict.h"

#define CACHE_MAGIC   "clewana\n"
#define CACHE_VERSION 4

/*
 * The version of the analysis. Increase this number when the same file would
 * get other verdicts.
 */
#define ANALYSIS_VERSION 33

#define MAX_COUNT        (UINT32_C(1) << 26)
#define JUMP_BYTES       5 /* size of a jmp rel32 */

struct cache_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t analysis_version;
	uint32_t count;
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	struct content content;
	uint64_t vaddr_start;
	uint64_t vaddr_end;
	uint32_t traits;
	uint32_t reserved; /* always 0 */
};
_Static_assert(sizeof(struct cache_header) == 112, "on disk");

static uint64_t fnv1a(uint64_t hash, const void *words, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 8) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)words + at, 8);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static uint64_t checksum(const struct cache_header *header,
			 const struct wire_function *functions)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = fnv1a(hash, header, sizeof(*header));
	return fnv1a(hash, functions, header->count * sizeof(*functions));
}

static struct cache_header header_of(const struct analysis *analysis)
{
	struct cache_header header = {
		.version = CACHE_VERSION,
		.analysis_version = ANALYSIS_VERSION,
		.count = analysis->function_count,
		.build_id_bytes = analysis->build_id_bytes,
		.content = analysis->content,
		.vaddr_start = analysis->vaddr_start,
		.vaddr_end = analysis->vaddr_end,
		.traits = analysis->traits,
	};

	memcpy(header.magic, CACHE_MAGIC, sizeof(header.magic));
	memcpy(header.build_id, analysis->build_id, sizeof(header.build_id));
	return header;
}

static size_t file_bytes(uint32_t count)
{
	return sizeof(struct cache_header) +
	       count * sizeof(struct wire_function) + sizeof(uint64_t);
}

/*
 * Returns whether a function's island is plausible. Only short jumps have an
 * island, and its 5 bytes must be in the module.
 */
static int island_is_sound(const struct analysis *analysis,
			   const struct wire_function *function)
{
	uint64_t site = function->vaddr + function->patch_offset;
	uint64_t island = site + 2 + (uint64_t)(int64_t)function->island;

	if (function->verdict != VERDICT_IS_JUMP_SHORT)
		return function->island == 0;
	return function->island != 0 && island >= analysis->vaddr_start &&
	       island < analysis->vaddr_end &&
	       analysis->vaddr_end - island >= JUMP_BYTES;
}

/*
 * Returns 0 if the function has a jump that does not fit into it or, for
 * VERDICT_IS_JUMP_PADDED, into it and the padding after it.
 */
static int jump_is_sound(const struct wire_function *function,
			 uint64_t next_vaddr)
{
	const unsigned int end = function->patch_offset + JUMP_BYTES;

	if (function->verdict == VERDICT_IS_JUMP)
		return end <= function->size_bytes;
	return function->verdict != VERDICT_IS_JUMP_PADDED ||
	       function->vaddr + end <= next_vaddr;
}

static int record_is_sound(const struct analysis *analysis,
			   const struct wire_function *function)
{
	uint64_t room = analysis->vaddr_end - function->vaddr;
	int is_written = verdict_is_written(function->verdict);

	return function->vaddr >= analysis->vaddr_start &&
	       function->vaddr < analysis->vaddr_end &&
	       function->size_bytes <= room &&
	       function->verdict < VERDICT_COUNT &&
	       island_is_sound(analysis, function) &&
	       is_written == (wire_displaced_bytes(function) != 0) &&
	       function->patch_offset + wire_displaced_bytes(function) <=
		       function->size_bytes;
}

static int records_are_sound(const struct analysis *analysis,
			     const struct wire_function *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t next_vaddr =
			i + 1 < count ? list[i + 1].vaddr : analysis->vaddr_end;

		if (!record_is_sound(analysis, &list[i]) ||
		    next_vaddr <= list[i].vaddr ||
		    !jump_is_sound(&list[i], next_vaddr))
			return 0;
	}
	return 1;
}

/*
 * Returns 0 if the bytes of a cache file are a valid analysis of this module,
 * otherwise -EBADMSG. *header becomes the file's header.
 */
static int check(const struct analysis *analysis, const uint8_t *file,
		 size_t bytes, struct cache_header *header)
{
	struct cache_header wanted = header_of(analysis);
	const struct wire_function *functions;
	uint64_t sum;

	if (bytes < file_bytes(0))
		return -EBADMSG;
	memcpy(header, file, sizeof(*header));
	wanted.count = header->count;
	wanted.traits = header->traits;
	if (memcmp(header, &wanted, sizeof(wanted)) != 0 ||
	    header->count > MAX_COUNT || header->traits & ~TRAITS_KNOWN ||
	    bytes != file_bytes(header->count))
		return -EBADMSG;
	functions = (const void *)(file + sizeof(*header));
	memcpy(&sum, file + bytes - sizeof(sum), sizeof(sum));
	if (sum != checksum(header, functions) ||
	    !records_are_sound(analysis, functions, header->count))
		return -EBADMSG;
	return 0;
}

/*
 * Reads the file into memory, checks it there, and sets *analysis. A mapped
 * file could change after the check.
 */
static int take(struct arena *arena, int fd, size_t bytes,
		struct analysis *analysis)
{
	uint8_t *file = arena_alloc(arena, bytes);
	struct cache_header header;
	size_t used = 0;
	int err;

	if (!file)
		return -ENOMEM;
	while (used < bytes) {
		ssize_t got = read(fd, file + used, bytes - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EBADMSG;
		used += (size_t)got;
	}
	err = check(analysis, file, bytes, &header);
	if (err)
		return err;
	analysis->functions = (void *)(file + sizeof(struct cache_header));
	analysis->function_count = header.count;
	analysis->traits = header.traits;
	analysis->from_cache = 1;
	return 0;
}

static int is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) &&
	       (st->st_uid == geteuid() || st->st_uid == 0) &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int load(const char *path, struct arena *arena,
		struct analysis *analysis)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!is_trusted(&st))
		err = -EPERM;
	else if (st.st_size <= 0 ||
		 (uint64_t)st.st_size > file_bytes(MAX_COUNT))
		err = -EBADMSG;
	else
		err = take(arena, fd, (size_t)st.st_size, analysis);
	close(fd);
	return err;
}

static int write_all(int fd, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	while (count > 0) {
		ssize_t put = write(fd, at, count);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		at += put;
		count -= (size_t)put;
	}
	return 0;
}

static int write_file(int fd, const struct analysis *analysis)
{
	struct cache_header header = header_of(analysis);
	uint64_t sum = checksum(&header, analysis->functions);
	int err = write_all(fd, &header, sizeof(header));

	if (!err)
		err = write_all(fd, analysis->functions,
				header.count * sizeof(*analysis->functions));
	if (!err)
		err = write_all(fd, &sum, sizeof(sum));
	return err;
}

/*
 * Sets *temporary to a path that depends on the pid and the time. If another
 * writer has chosen the same path, open() fails because of O_EXCL.
 */
static int temporary_path(struct cache_path *temporary,
			  const struct cache_path *path)
{
	struct timespec now = { 0 };
	uint64_t unique[2];

	clock_gettime(CLOCK_MONOTONIC, &now);
	unique[0] = (uint64_t)getpid();
	unique[1] = (uint64_t)now.tv_sec << 30 | (uint64_t)now.tv_nsec;
	*temporary = *path;
	cache_path_add(temporary, ".");
	cache_path_add_hex(temporary, (const uint8_t *)unique, sizeof(unique));
	return temporary->is_too_long ? -ENAMETOOLONG : 0;
}

/*
 * Returns the mode of a new file. All users may read root's analyses if they
 * may read root's folder.
 */
static mode_t mode_in(const char *cache_dir)
{
	int fd = open(cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int is_open = fd >= 0 && !fstat(fd, &st) && st.st_uid == 0 &&
		      geteuid() == 0 && (st.st_mode & S_IROTH);

	if (fd >= 0)
		close(fd);
	return is_open ? 0644 : 0600;
}

static int store(const char *cache_dir, const struct cache_path *path,
		 const struct analysis *analysis)
{
	struct cache_path temporary;
	int err = temporary_path(&temporary, path);
	int fd;

	if (err)
		return err;
	fd = open(temporary.text,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  mode_in(cache_dir));
	if (fd < 0)
		return -errno;
	err = write_file(fd, analysis);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary.text, path->text))
		err = -errno;
	if (err)
		unlink(temporary.text);
	return err;
}

int analysis_cache_load(const char *cache_dir, struct arena *arena,
			struct analysis *analysis)
{
	struct cache_path path;
	int errno_before = errno;
	int err = cache_path_of(&path, cache_dir, analysis);

	if (!err)
		err = load(path.text, arena, analysis);
	errno = errno_before;
	return err;
}

int analysis_cache_store(const char *cache_dir, const struct analysis *analysis)
{
	struct cache_path path;
	int errno_before = errno;
	int err = cache_path_of(&path, cache_dir, analysis);

	if (!err)
		err = store(cache_dir, &path, analysis);
	errno = errno_before;
	return err;
}
