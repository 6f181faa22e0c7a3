/* SPDX-License-Identifier: MIT */
/*
 * Reads each file in a process of its own, so that a damaged or huge file ends
 * only that process, and all processors are used. If several processes want the
 * same analysis at once, one computes it (analysis_claim.h). Indexes are not
 * shared in this way.
 */
#include "cli/recording/cache_warming.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli/common/cache_folder.h"
#include "cli/common/command.h"
#include "cli/recording/cache_programs.h"
#include "cli/recording/loaded_files.h"
#include "cli/target/executable.h"
#include "image/analysis.h"
#include "symbolizer/a2n.h"

/* Results of a process, in shared memory. */
struct found {
	pid_t reader;
	int is_named; /* Named as an argument: its error fails the command. */
	int is_finished, err;
	int is_no_code;
	int had_analysis, had_index; /* Already in the cache. */
	uint32_t functions;
	uint64_t symbols, rows;
	/*
	 * Why data is missing, for example that there is no debug information.
	 */
	char reason[160];
};

struct sized_file {
	size_t number;
	off_t bytes;
};

struct readers {
	const struct cache_warming *warming;
	const struct loaded_files *files;
	struct sized_file *order; /* In the order of starting. */
	struct found *found;
	uint8_t *kept; /* For each named file: enum cache_kept. */
	size_t named;
	const char *folder;
	size_t begun, ended;
};

/* ---- In a process of its own ---- */

/* Sets *had to whether the analysis was in the cache. */
static int analyse(const char *path, const char *folder, struct found *found,
		   int *had)
{
	struct arena arena = { 0 };
	struct analysis analysis = { 0 };
	int err = analysis_of_file(path, folder, &arena, &analysis);

	found->functions = analysis.function_count;
	*had = analysis.from_cache;
	arena_fini(&arena);
	return err;
}

/*
 * Returns 0 if the analysis is in the cache afterwards or the file has no code,
 * -ENOSPC if it could not be stored, or another -errno.
 */
static int read_analysis(const char *path, const char *folder,
			 struct found *found)
{
	int has = 0;
	int err = analyse(path, folder, found, &found->had_analysis);

	found->is_no_code = err == -ENODATA;
	if (found->is_no_code)
		return 0;
	if (!err && !found->had_analysis)
		err = analyse(path, folder, found, &has);
	else
		has = 1;
	return err || has ? err : -ENOSPC;
}

static int read_index(const char *path, struct found *found)
{
	const struct a2n_module *module;
	struct a2n_module_info info;
	struct a2n *a2n;
	int err = a2n_create(NULL, &a2n);

	if (err)
		return err;
	err = a2n_module_open(a2n, path, NULL, &module);
	if (!err) {
		a2n_module_info(module, &info);
		found->symbols = info.symbol_count;
		found->rows = info.row_count;
		found->had_index = info.was_cached;
		snprintf(found->reason, sizeof(found->reason), "%s",
			 info.reason ? info.reason : "");
	}
	a2n_destroy(a2n);
	return err;
}

static void read_file(const struct readers *readers, size_t number)
{
	const char *path = readers->files->paths[number];
	struct found *found = &readers->found[number];

	found->err = read_analysis(path, readers->folder, found);
	if (!found->err && !readers->warming->has_no_indexes)
		found->err = read_index(path, found);
	found->is_finished = 1;
}

/* ---- In the caller ---- */

static uint32_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0
		       ? (uint32_t)CPU_COUNT(&set)
		       : 1;
}

static void begin_next(struct readers *readers)
{
	const size_t number = readers->order[readers->begun].number;
	struct found *found = &readers->found[number];

	fflush(NULL);
	found->reader = fork();
	if (found->reader == 0) {
		read_file(readers, number);
		_exit(0);
	}
	if (found->reader < 0) {
		found->err = -errno;
		found->is_finished = 1;
		readers->ended++;
	}
	readers->begun++;
}

static void await_one(struct readers *readers)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (size_t i = 0; pid > 0 && i < readers->files->count; i++)
		if (readers->found[i].reader == pid) {
			/* The pid may be reused. */
			readers->found[i].reader = 0;
			readers->ended++;
		}
	if (pid < 0 && errno == ECHILD)
		readers->ended = readers->begun;
}

static uint32_t jobs_of(const struct readers *readers)
{
	return readers->warming->jobs ? readers->warming->jobs : processors();
}

static void read_all(struct readers *readers)
{
	const uint32_t jobs = jobs_of(readers);
	const size_t count = readers->files->count;
	struct progress progress;

	progress_init(&progress);
	while (readers->ended < count) {
		while (readers->begun < count &&
		       readers->begun - readers->ended < jobs)
			begin_next(readers);
		progress_update(&progress, "reading files", readers->ended,
				count);
		if (readers->ended < readers->begun)
			await_one(readers);
	}
	progress_clear(&progress);
}

/* Reports files whose stubs could not be stored. Returns the exit status. */
static int print_failures(const char *command, const struct readers *readers)
{
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < readers->named; i++) {
		if (!(readers->kept[i] & CACHE_FAILED))
			continue;
		complain(command,
			 "%s: its stubs could not be stored; check free disk "
			 "space and the limits on memory and file size",
			 readers->files->paths[i]);
		status = EXIT_FAILURE;
	}
	return status;
}

/*
 * Creates stubs for the named programs, unless an option excludes this. Called
 * after their analyses are stored. Returns the exit status.
 */
static int make_stubs(const char *command, struct readers *readers)
{
	char *why;

	if (readers->warming->loads_nothing ||
	    readers->warming->has_no_libraries)
		return EXIT_SUCCESS;
	if (cache_programs(readers->files->paths, readers->named,
			   jobs_of(readers), readers->folder, readers->kept,
			   &why) == 0)
		return print_failures(command, readers);
	complain(command, "no stubs are created: %s", why);
	free(why);
	return EXIT_FAILURE;
}

static const char *error_text(int err)
{
	if (err == -ENOSPC)
		return "it could not be stored in the cache; check free disk "
		       "space and the limit on file size";
	if (err == -ENOEXEC)
		return "not a 64-bit ELF file";
	return err == -EBADMSG ? "damaged" : strerror(-err);
}

static const char *stubs_text(uint8_t kept)
{
	if (kept & CACHE_IS_BUSY)
		return "; another process is creating its stubs";
	if (!(kept & CACHE_HAS_STUBS))
		return "";
	return kept & CACHE_HAS_TEXT ? "; stubs and text" : "; stubs";
}

static void print_reader(const struct readers *readers, size_t number)
{
	const struct found *found = &readers->found[number];

	char *path = readers->files->paths[number];

	path = text_printable(memory_string(path, strlen(path)));
	printf("%s: ", path);
	free(path);
	if (found->is_no_code)
		printf("no code");
	else
		printf("%s functions%s", text_grouped(found->functions).text,
		       found->had_analysis ? ", already cached" : "");
	if (!readers->warming->has_no_indexes)
		printf("; %s symbols, %s rows%s%s%s",
		       text_grouped(found->symbols).text,
		       text_grouped(found->rows).text,
		       found->had_index ? ", already cached" : "",
		       *found->reason ? "; " : "", found->reason);
	if (number < readers->named)
		printf("%s", stubs_text(readers->kept[number]));
	putchar('\n');
}

/*
 * Prints the result of each file. Returns the exit status: EXIT_FAILURE if a
 * file that the user named could not be read.
 */
static int print_all(const char *command, const struct readers *readers)
{
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < readers->files->count; i++) {
		const struct found *found = &readers->found[i];

		if (found->is_finished && !found->err) {
			print_reader(readers, i);
			continue;
		}
		complain(command, "%s: %s", readers->files->paths[i],
			 found->is_finished ? error_text(found->err)
					    : "it could not be read: the "
					      "worker process crashed");
		if (found->is_named)
			status = EXIT_FAILURE;
	}
	for (size_t i = 0; i < readers->files->missing_count; i++)
		complain(command, "the dynamic loader does not find %s",
			 readers->files->missing[i]);
	return status;
}

/* ---- Choice of files ---- */

/*
 * Returns `name` if it is a path of a file, or else the path of the program
 * that `clew record` would run, or else `name`. The caller frees it.
 */
static char *resolve(const char *name)
{
	char *path;

	if (access(name, F_OK) == 0 || executable_find(name, &path) != 0)
		return memory_string(name, strlen(name));
	return path;
}

static int by_size(const void *left, const void *right)
{
	const struct sized_file *a = left, *b = right;

	return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

/* Sorts the largest files first, so that a long task does not start last. */
static struct sized_file *choose_order(const struct loaded_files *files)
{
	struct sized_file *order = memory_zeroed(files->count, sizeof(*order));
	struct stat status;

	for (size_t i = 0; i < files->count; i++) {
		order[i].number = i;
		if (stat(files->paths[i], &status) == 0)
			order[i].bytes = status.st_size;
	}
	qsort(order, files->count, sizeof(*order), by_size);
	return order;
}

/*
 * Lists the programs that the user named, or the interpreters of scripts, each
 * once and *named in number. Then lists the libraries that these need.
 */
static void choose_files(const struct cache_warming *warming,
			 struct loaded_files *files, size_t *named)
{
	for (int i = 0; i < warming->file_count; i++) {
		char *path = resolve(warming->files[i]);
		char *program = executable_program(path);

		loaded_files_add(files, program);
		free(program);
		free(path);
	}
	*named = files->count;
	for (size_t i = 0; !warming->has_no_libraries && i < *named; i++)
		loaded_files_add_needed(files, files->paths[i]);
}

int cache_warm(const char *command, const struct cache_warming *warming)
{
	char *folder = cache_folder();
	struct loaded_files files = { 0 };
	struct readers readers = {
		.warming = warming,
		.files = &files,
		.folder = folder,
	};
	size_t bytes;
	int status;

	if (!folder) {
		complain(command, "there is no folder for the cache; set "
				  "XDG_CACHE_HOME or HOME");
		return EXIT_FAILURE;
	}
	cache_folder_make(folder, 0700);
	if (access(folder, W_OK | X_OK) != 0) {
		complain(command, "nothing can be stored in %s: %s", folder,
			 strerror(errno));
		free(folder);
		return EXIT_FAILURE;
	}
	signal(SIGXFSZ, SIG_IGN); /* write(2) reports the error. */
	choose_files(warming, &files, &readers.named);
	bytes = files.count * sizeof(*readers.found);
	readers.found = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (readers.found == MAP_FAILED)
		memory_exhausted();
	for (size_t i = 0; i < readers.named; i++)
		readers.found[i].is_named = 1;
	readers.kept = memory_zeroed(readers.named, 1);
	readers.order = choose_order(&files);
	read_all(&readers);
	status = make_stubs(command, &readers);
	if (print_all(command, &readers) != EXIT_SUCCESS)
		status = EXIT_FAILURE;
	munmap(readers.found, bytes);
	free(readers.order);
	free(readers.kept);
	loaded_files_fini(&files);
	free(folder);
	return status;
}
