/* SPDX-License-Identifier: MIT */
/* See early_analysis.h. */
#include "cli/attach/early_analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/truncated_files.h"
#include "cli/attach/file_digests.h"
#include "cli/common/library.h"
#include "cli/common/session_cache.h"
#include "cli/target/other_files.h"
#include "image/analysis.h"
#include "image/analysis_cache.h"
#include "image/dynamic.h"
#include "symbolizer/indexer/worker.h"
#include "wire/recording.h"

/* Limits of the worker. libLLVM (117 MB) takes one second. */
#define SECONDS 20
#define BYTES   (UINT64_C(4) << 30)

/* Larger counts are cut to this; a hostile file may forge them. */
#define FUNCTIONS_MAX (UINT64_C(1) << 26)

/* Value in early->noted: the process is refused because of this file. */
#define IS_REFUSED UINT64_MAX

void early_analysis_init(struct early_analysis *early, char *cache,
			 const struct hook_selection *selection)
{
	*early = (struct early_analysis){ .cache = cache,
					  .selection = selection };
}

void early_analysis_fini(struct early_analysis *early)
{
	session_cache_remove(early->session_cache);
	idmap_fini(&early->noted);
	free(early->cache);
}

/* ---- In the worker ---- */

/* Memory that the worker and the command share: the worker's results so far. */
struct early_findings {
	size_t at; /* Index of the mapping that the worker reads. */
	/*
	 * Number of functions to hook of the module that begins at each
	 * mapping; 0 for mappings that are not wanted.
	 */
	uint64_t functions[];
};

struct early_request {
	const struct early_analysis *early;
	pid_t pid;
	const struct target_maps *maps;
	const uint8_t *is_wanted; /* For each mapping. */
	struct early_findings *findings;
};

/* A file of a process. */
struct early_file {
	/* Path by which clew opens the file; the caller frees it. */
	char *path;
	/*
	 * The process has another file system, and clew's does not contain this
	 * file.
	 */
	int is_foreign;
};

static struct early_file find_file(pid_t pid, const char *path)
{
	struct early_file file = {
		.is_foreign = other_files_are_there(pid) &&
			      !other_files_have(pid, path),
	};

	file.path = file.is_foreign ? other_files_mapped(pid, path)
				    : memory_printf("%s", path);
	return file;
}

/*
 * Returns whether the file is libc or cannot be opened as a module. Such files
 * are analysed only if rules select them.
 */
static int is_libc(const char *path)
{
	struct image image;
	int is;

	if (image_open(&image, path) != 0)
		return 1;
	is = dynamic_is_libc(&image);
	image_close(&image);
	return is;
}

/*
 * Analyses a file, or reads its analysis from a cache. Analyses of foreign
 * files are stored in the session's cache only, because the other cache is for
 * files that the user's own processes may load. Returns 0 or -errno.
 */
static int analyse_file(const struct early_analysis *early,
			const struct early_file *file, int is_selected,
			struct arena *arena, struct analysis *analysis)
{
	if (!is_selected && is_libc(file->path))
		return -ENOENT;
	if (!file->is_foreign || !early->cache)
		return analysis_of_file(file->path, early->cache, arena,
					analysis);
	return analysis_of_foreign_file(file->path, early->cache,
					early->session_cache, arena, analysis);
}

static int write_answer(int fd, const struct analysis *analysis)
{
	const size_t bytes =
		analysis->function_count * sizeof(*analysis->functions);

	return write(fd, analysis, sizeof(*analysis)) ==
				       (ssize_t)sizeof(*analysis) &&
			       write(fd, analysis->functions, bytes) ==
				       (ssize_t)bytes
		       ? 0
		       : -EIO;
}

static int analyse_one(const struct early_request *request, size_t i, int fd)
{
	const struct early_analysis *early = request->early;
	const char *path = request->maps->items[i].path;
	const int is_selected =
		hook_selection_has_module(early->selection, path);
	struct early_file file = find_file(request->pid, path);
	struct arena arena = { 0 };
	struct analysis analysis;
	int err = early->cache || is_selected
			  ? analyse_file(early, &file, is_selected, &arena,
					 &analysis)
			  : -ENOENT;

	if (!err && is_selected)
		request->findings->functions[i] = hook_selection_count(
			early->selection, path, file.path, &analysis);
	err = !err && fd >= 0 ? write_answer(fd, &analysis) : 0;
	arena_fini(&arena);
	free(file.path);
	return err;
}

static int work(const void *context, int fd)
{
	const struct early_request *request = context;
	int err = 0;

	truncated_files_read_as_zeros();
	for (size_t i = 0; i < request->maps->count && !err; i++) {
		request->findings->at = i;
		if (request->is_wanted[i])
			err = analyse_one(request, i, fd);
	}
	return err;
}

/* ---- Requests to the worker and their results ---- */

/*
 * Returns whether the mapping is code of a module, except libclew.so, files of
 * stubs and deleted files.
 */
static int is_module(const struct target_mapping *mapping)
{
	const char *name = text_basename(mapping->path);
	const char *end = strrchr(name, '.');

	return *mapping->path == '/' && mapping->is_executable &&
	       !mapping->is_deleted && strcmp(name, LIBRARY_NAME) != 0 &&
	       !(end && strcmp(end, WIRE_STUBS_SUFFIX) == 0);
}

/*
 * Returns whether this is the first executable mapping among adjacent items
 * with its path.
 */
static int is_first_of_module(const struct target_maps *maps, size_t i)
{
	const char *path = maps->items[i].path;

	while (i-- > 0 && strcmp(maps->items[i].path, path) == 0)
		if (maps->items[i].is_executable)
			return 0;
	return 1;
}

static uint64_t *noted_of(struct early_analysis *early,
			  const struct target_mapping *mapping)
{
	uint64_t hash =
		hash_add(HASH_START, mapping->path, strlen(mapping->path));

	hash = hash_add(hash, &mapping->inode, sizeof(mapping->inode));
	return idmap_at(&early->noted, hash_key(hash));
}

/* Returns NULL and *why if memory is short. */
static struct early_findings *findings_of(const struct target_maps *maps,
					  char **why)
{
	const size_t bytes =
		sizeof(struct early_findings) + maps->count * sizeof(uint64_t);
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at != MAP_FAILED)
		return at;
	fail(why, -ENOMEM, "not enough memory to analyse its files");
	return NULL;
}

static void free_findings(struct early_findings *findings,
			  const struct target_maps *maps)
{
	munmap(findings, sizeof(*findings) + maps->count * sizeof(uint64_t));
}

static int refuse(const char *path, const char *reason, char **why)
{
	return fail(why, -EBADMSG, "%s cannot be analysed: %s", path, reason);
}

/*
 * Runs the worker. If fd is not -1, the worker writes the analyses to fd and is
 * not permitted to store them in a cache. Returns 0; or -errno and *why if the
 * worker has crashed or has taken too long, or cannot be started. Without the
 * number of functions, clew would not know how much memory the process needs.
 */
static int run(struct early_analysis *early, pid_t pid,
	       const struct target_maps *maps, const uint8_t *is_wanted, int fd,
	       struct early_findings *findings, char **why)
{
	const char *const folders[] = { early->cache, NULL };
	const struct worker_limits limits = {
		.seconds = SECONDS,
		.bytes = BYTES,
		.is_silent = 1,
		/*
		 * With an fd, the worker reads the target's files through
		 * /proc. Landlock, which is used if folders are listed, would
		 * hide these.
		 */
		.writable = fd < 0 ? folders : NULL,
	};
	const struct early_request request = { early, pid, maps, is_wanted,
					       findings };
	const pid_t worker = worker_start(&limits, work, &request, fd);
	char reason[WORKER_WHY_BYTES] = "";
	size_t at;

	if (worker < 0)
		return fail(why, worker,
			    "a process that analyses its files cannot be "
			    "started: %s",
			    strerror(-worker));
	if (worker_wait(worker, &limits, reason) != -ECHILD)
		return 0;
	at = findings->at;
	if (at >= maps->count)
		at = 0;
	*noted_of(early, &maps->items[at]) = IS_REFUSED;
	return refuse(maps->items[at].path, reason, why);
}

/*
 * Returns an array with a flag for each mapping: whether it is a module that is
 * not analysed yet. The caller frees the array.
 */
static uint8_t *list_new(struct early_analysis *early,
			 const struct target_maps *maps)
{
	uint8_t *is_wanted = memory_zeroed(maps->count + 1, 1);

	for (size_t i = 0; i < maps->count; i++)
		is_wanted[i] = is_module(&maps->items[i]) &&
			       is_first_of_module(maps, i) &&
			       !*noted_of(early, &maps->items[i]);
	return is_wanted;
}

static int any(const uint8_t *is_wanted, size_t count)
{
	return memchr(is_wanted, 1, count) != NULL;
}

static void note(struct early_analysis *early, const struct target_maps *maps,
		 const uint8_t *is_wanted,
		 const struct early_findings *findings)
{
	for (size_t i = 0; i < maps->count; i++) {
		const uint64_t functions = findings->functions[i];

		if (is_wanted[i])
			*noted_of(early, &maps->items[i]) =
				1 + (functions < FUNCTIONS_MAX ? functions
							       : FUNCTIONS_MAX);
	}
}

static int sum_up(struct early_analysis *early, const struct target_maps *maps,
		  uint64_t *functions, char **why)
{
	*functions = 0;
	for (size_t i = 0; i < maps->count; i++) {
		const struct target_mapping *mapping = &maps->items[i];
		uint64_t noted;

		if (!is_module(mapping) || !is_first_of_module(maps, i))
			continue;
		noted = *noted_of(early, mapping);
		if (noted == IS_REFUSED)
			return refuse(mapping->path,
				      "it failed in another process, which "
				      "also maps this file",
				      why);
		*functions += noted ? noted - 1 : 0;
	}
	return 0;
}

/* ---- The worker's answers ---- */

/*
 * The worker's answers in a file. The worker may be under control of a hostile
 * file, so their contents are checked.
 */
struct answers {
	int fd;
	uint64_t left;
};

static int take(struct answers *answers, void *out, uint64_t bytes)
{
	if (bytes > answers->left ||
	    read(answers->fd, out, bytes) != (ssize_t)bytes)
		return -EBADMSG;
	answers->left -= bytes;
	return 0;
}

/*
 * Reads the next analysis, whose functions the caller frees. Returns 0, or
 * -EBADMSG if the analysis is invalid or there is no further one.
 */
static int take_answer(struct answers *answers, struct analysis *analysis)
{
	uint64_t bytes;
	int err = take(answers, analysis, sizeof(*analysis));

	if (err)
		return err;
	bytes = analysis->function_count * sizeof(*analysis->functions);
	if (bytes > answers->left ||
	    analysis->build_id_bytes > sizeof(analysis->build_id))
		return -EBADMSG;
	analysis->functions = memory_zeroed(bytes + 1, 1);
	err = take(answers, analysis->functions, bytes);
	if (err)
		free(analysis->functions);
	return err;
}

/*
 * Stores the worker's analyses: those that it did not take from a cache in the
 * session's cache, if there is one, and all of them in `folder`, if it is not
 * NULL. Stops at the first invalid analysis.
 */
static void store_answers(struct early_analysis *early, int fd,
			  const struct inner_folder *folder)
{
	struct answers answers = { fd, (uint64_t)lseek(fd, 0, SEEK_END) };
	char *to = folder ? inner_folder_path(folder) : NULL;
	struct analysis analysis;

	lseek(fd, 0, SEEK_SET);
	while (take_answer(&answers, &analysis) == 0) {
		if (!analysis.from_cache && early->session_cache)
			analysis_cache_store(early->session_cache, &analysis);
		if (folder) {
			inner_folder_act(folder);
			analysis_cache_store(to, &analysis);
			inner_folder_act_no_more();
		}
		free(analysis.functions);
	}
	free(to);
}

/*
 * Runs a worker that sends its analyses back to this process, which stores
 * them. Returns as run() does.
 */
static int run_for_other_files(struct early_analysis *early, pid_t pid,
			       const struct target_maps *maps,
			       const uint8_t *is_wanted,
			       const struct inner_folder *folder,
			       struct early_findings *findings, char **why)
{
	const int fd = memfd_create("clew-early", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return fail(why, -errno,
			    "a file in memory for the analyses of its files "
			    "cannot be created: %s",
			    strerror(errno));
	if (early->cache && !early->session_cache)
		early->session_cache = session_cache_make(early->cache);
	err = run(early, pid, maps, is_wanted, fd, findings, why);
	if (!err)
		store_answers(early, fd, folder);
	close(fd);
	return err;
}

/* ---- Public functions ---- */

int early_analysis_run(struct early_analysis *early, pid_t pid,
		       const struct target_maps *maps, uint64_t *functions,
		       char **why)
{
	struct early_findings *findings = findings_of(maps, why);
	uint8_t *is_wanted;
	int err = 0;

	if (!findings)
		return -ENOMEM;
	is_wanted = list_new(early, maps);
	if (any(is_wanted, maps->count) && other_files_are_there(pid)) {
		err = run_for_other_files(early, pid, maps, is_wanted, NULL,
					  findings, why);
	} else if (any(is_wanted, maps->count)) {
		if (early->cache)
			file_digests_store(early->cache, maps, is_wanted);
		err = run(early, pid, maps, is_wanted, -1, findings, why);
	}
	if (!err)
		note(early, maps, is_wanted, findings);
	if (!err)
		err = sum_up(early, maps, functions, why);
	free_findings(findings, maps);
	free(is_wanted);
	return err;
}

int early_analysis_copy(struct early_analysis *early, pid_t pid,
			const struct target_maps *maps,
			const struct inner_folder *folder, char **why)
{
	struct early_findings *findings;
	uint8_t *is_wanted;
	int err;

	if (!early->cache)
		return 0;
	findings = findings_of(maps, why);
	if (!findings)
		return -ENOMEM;
	is_wanted = memory_zeroed(maps->count + 1, 1);
	for (size_t i = 0; i < maps->count; i++)
		is_wanted[i] = is_module(&maps->items[i]) &&
			       is_first_of_module(maps, i);
	err = run_for_other_files(early, pid, maps, is_wanted, folder, findings,
				  why);
	free_findings(findings, maps);
	free(is_wanted);
	return err;
}
