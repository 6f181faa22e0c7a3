/* SPDX-License-Identifier: MIT */
/* `clew cache`: lists, fills and prunes the caches of analyses and indexes. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "cli/common/cache_folder.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/known_words.h"
#include "cli/common/option_values.h"
#include "cli/common/session_cache.h"
#include "cli/recording/cache_warming.h"
#include "digest/digest_links.h"
#include "image/analysis_place.h"
#include "symbolizer/index.h"

enum {
	KEY_OLDER = 'o',
	KEY_MOST = 'm',
	KEY_ALL = 'a',
	KEY_JOBS = 'j',
	KEY_JSON = 0x100,
	KEY_NO_LIBRARIES,
	KEY_NO_INDEXES,
	KEY_NO_LOADING,
};

enum { DAY_SECONDS = 24 * 60 * 60, DEFAULT_DAYS = 30 };

static const struct argp_option argp_options[] = {
	{ "older-than", KEY_OLDER, "DAYS", 0,
	  "prune: Remove what was not used for DAYS (default: 30)",
	  HELP_LIMITS },
	{ "max-size", KEY_MOST, "BYTES", 0,
	  "prune: Remove the oldest until this is left (K, M, G)",
	  HELP_LIMITS },
	{ "all", KEY_ALL, NULL, 0, "prune: Remove everything", HELP_LIMITS },
	{ "json", KEY_JSON, NULL, 0, "ls: Write JSON", HELP_CONTENTS },
	{ "jobs", KEY_JOBS, "N", 0,
	  "warm: Process N files at a time (default: CPUs)", HELP_CONTENTS },
	{ "no-libraries", KEY_NO_LIBRARIES, NULL, 0,
	  "warm: Skip the libraries that the files need", HELP_CONTENTS },
	{ "no-indexes", KEY_NO_INDEXES, NULL, 0,
	  "warm: Skip the indexes of debug information", HELP_CONTENTS },
	{ "no-loading", KEY_NO_LOADING, NULL, 0,
	  "warm: Generate no stubs and no hooked text", HELP_CONTENTS },
	{ 0 },
};

struct cache_options {
	uint64_t days;
	uint64_t most_bytes;
	int takes_all, is_json;
	struct cache_warming warming;
	char **arguments;
	int argument_count;
};

static void check(const struct cache_options *options, struct argp_state *state)
{
	static const char *const verbs[] = { "ls", "prune", "warm" };
	const char *verb = options->arguments ? options->arguments[0] : NULL;
	char *why;

	if (!verb) {
		argp_error(state, "nothing to do; give ls, prune or warm");
		return;
	}
	if (known_words_find(verb, verbs, 3) == 3) {
		why = known_words_text(verb, verbs, 3);
		complain_of_usage(state, "%s: %s", verb, why);
		free(why);
	}
	if (strcmp(verb, "warm") == 0 && options->argument_count == 1)
		argp_error(state, "warm: no PROGRAM or FILE is given");
	if (strcmp(verb, "warm") != 0 && options->argument_count > 1)
		complain_of_usage(state, "%s: takes no argument", verb);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct cache_options *options = state->input;

	switch (key) {
	case KEY_OLDER:
		options->days =
			parse_number(state, "older-than", argument, 100000);
		return 0;
	case KEY_MOST:
		if (text_parse_size(argument, &options->most_bytes) != 0)
			complain_of_usage(state,
					  "--max-size=%s: not a size; write "
					  "500M, for example",
					  argument);
		return 0;
	case KEY_ALL:
		options->takes_all = 1;
		return 0;
	case KEY_JSON:
		options->is_json = 1;
		return 0;
	case KEY_JOBS:
		options->warming.jobs =
			(uint32_t)parse_number(state, "jobs", argument, 1024);
		return 0;
	case KEY_NO_LIBRARIES:
		options->warming.has_no_libraries = 1;
		return 0;
	case KEY_NO_INDEXES:
		options->warming.has_no_indexes = 1;
		return 0;
	case KEY_NO_LOADING:
		options->warming.loads_nothing = 1;
		return 0;
	case ARGP_KEY_ARGS:
		options->arguments = state->argv + state->next;
		options->argument_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Entries ---- */

struct cache_entry {
	char *name;
	uint64_t bytes;
	time_t used;
	int is_index; /* An index of debug information. */
	/* Read or written by recordings; otherwise by an indexer. */
	int is_record;
	int is_former; /* Name in the format of an earlier version of clew. */
	const char *directory;
};

struct cache_entries {
	struct cache_entry *items;
	size_t count, capacity;
	uint64_t bytes;
	char **folders; /* Folders inside the cache of analyses. */
	size_t folder_count, folder_capacity;
};

static int by_use(const void *left, const void *right)
{
	const struct cache_entry *a = left, *b = right;

	return a->used < b->used ? -1 : a->used > b->used;
}

static int ends_with(const char *name, const char *end)
{
	const size_t length = strlen(name), bytes = strlen(end);

	return length > bytes && strcmp(name + length - bytes, end) == 0;
}

/*
 * Returns the time of the last use. For files of recordings this is the access
 * time, because the modification time of stubs is their seal
 * (preload/stubs/prelinked_file.h).
 */
static time_t last_use(const struct cache_entry *entry,
		       const struct stat *status)
{
	return entry->is_record ? status->st_atime : status->st_mtime;
}

static int is_of_recordings(const char *name)
{
	return ends_with(name, ".prelinked") || ends_with(name, ".hooked") ||
	       ends_with(name, ".analysis") || ends_with(name, ".learnt") ||
	       ends_with(name, DIGEST_LINK_SUFFIX);
}

/* Returns whether the name does not begin with a digest. */
static int has_former_name(const char *name)
{
	return strspn(name, "0123456789abcdef") != (size_t)2 * DIGEST_BYTES;
}

static void add(struct cache_entries *entries, const char *directory, int fd,
		const char *name)
{
	struct cache_entry entry = {
		.is_index = ends_with(name, ".a2n"),
		.is_record = is_of_recordings(name),
		.directory = directory,
	};
	struct stat status;

	if ((!entry.is_index && !entry.is_record &&
	     strncmp(name, "tmp-", 4) != 0) ||
	    fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !(S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)))
		return;
	entry.is_former = entry.is_record && has_former_name(name);
	entry.name = memory_string(name, strlen(name));
	entry.bytes = (uint64_t)status.st_size;
	entry.used = last_use(&entry, &status);
	entries->items =
		memory_grow(entries->items, entries->count, &entries->capacity,
			    sizeof(*entries->items));
	entries->items[entries->count++] = entry;
	entries->bytes += entry.bytes;
}

/*
 * Adds the cache's files in a directory, and sorts all entries: the least
 * recently used one first. `path` must outlive the entries. Returns 0 or
 * -errno.
 */
static int list_folder(const char *path, struct cache_entries *entries)
{
	DIR *stream = opendir(path);
	struct dirent *item;

	if (!stream)
		return -errno;
	while ((item = readdir(stream)))
		add(entries, path, dirfd(stream), item->d_name);
	closedir(stream);
	if (entries->count > 0)
		qsort(entries->items, entries->count, sizeof(*entries->items),
		      by_use);
	return 0;
}

static int is_inner_folder(const char *name)
{
	return strncmp(name, ANALYSIS_PLACE_USER,
		       strlen(ANALYSIS_PLACE_USER)) == 0 ||
	       strncmp(name, SESSION_CACHE_PREFIX,
		       strlen(SESSION_CACHE_PREFIX)) == 0 ||
	       strcmp(name, ANALYSIS_PLACE_OTHERS) == 0;
}

/* Adds a folder inside the cache, and its content. */
static void list_inner(const char *path, const char *name,
		       struct cache_entries *entries)
{
	char *folder = memory_printf("%s/%s", path, name);

	entries->folders = memory_grow(entries->folders, entries->folder_count,
				       &entries->folder_capacity,
				       sizeof(*entries->folders));
	entries->folders[entries->folder_count++] = folder;
	list_folder(folder, entries);
}

/*
 * Adds the files of the cache in a directory, and in its folders for other
 * users and for sessions. Returns 0 or -errno.
 */
static int list(const char *path, struct cache_entries *entries)
{
	DIR *stream = opendir(path);
	struct dirent *item;

	while (stream && (item = readdir(stream)))
		if (is_inner_folder(item->d_name))
			list_inner(path, item->d_name, entries);
	if (stream)
		closedir(stream);
	return list_folder(path, entries);
}

static void remove_all(const char *path)
{
	DIR *stream = opendir(path);
	struct dirent *item;

	while (stream && (item = readdir(stream)))
		if (*item->d_name != '.')
			unlinkat(dirfd(stream), item->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(path);
}

/*
 * Removes indexes of earlier versions, which are in the folders v1, v2 beside
 * ours.
 */
static void remove_former_indexes(const char *directory)
{
	const char *current = text_basename(directory);

	for (int version = 1; version < atoi(current + 1); version++) {
		char *path =
			memory_printf("%.*sv%d", (int)(current - directory),
				      directory, version);

		remove_all(path);
		free(path);
	}
}

/* Removes those folders inside the cache that are empty. */
static void remove_folders(const struct cache_entries *entries)
{
	for (size_t i = 0; i < entries->folder_count; i++)
		rmdir(entries->folders[i]);
}

static void entries_fini(struct cache_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->items[i].name);
	for (size_t i = 0; i < entries->folder_count; i++)
		free(entries->folders[i]);
	free(entries->folders);
	free(entries->items);
}

static int open_index(const char *directory, const char *name,
		      struct index *index)
{
	char *path = memory_printf("%s/%s", directory, name);
	int fd = regular_file_open(path, O_RDONLY);
	int err = fd < 0 ? fd : index_open(index, fd);

	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/* Returns the module's path, or "(unknown)". */
static const char *module_path(const struct index *index)
{

	for (size_t i = 0; i < index->source_count; i++) {
		if (index->sources[i].role & SOURCE_MODULE)
			return index_text(index, index->sources[i].path);
	}
	return "(unknown)";
}

/* ---- ls ---- */

static void print_entry(const struct cache_entry *entry,
			const struct index *index)
{
	char used[32] = "";
	struct tm when;
	char *text;

	if (localtime_r(&entry->used, &when))
		strftime(used, sizeof(used), "%Y-%m-%d %H:%M", &when);
	printf("%15s  %s  ", text_grouped(entry->bytes).text, used);
	if (!index) {
		printf("(damaged) %s\n", entry->name);
		return;
	}
	text = memory_printf(
		"%s%s%s%s", module_path(index), index->reason ? "  [" : "",
		index->reason ? index->reason : "", index->reason ? "]" : "");
	puts(text_printable(text));
	free(text);
}

static json_t *entry_to_json(const struct cache_entry *entry,
			     const struct index *index)
{
	json_t *object = json_pack("{s:s, s:I, s:I}", "name", entry->name,
				   "bytes", (json_int_t)entry->bytes, "used",
				   (json_int_t)entry->used);

	if (!index) {
		json_object_set_new(object, "damaged", json_true());
		return object;
	}
	json_object_set_new(object, "module",
			    json_string_nocheck(module_path(index)));
	json_object_set_new(object, "symbols",
			    json_integer((json_int_t)index->symbol_count));
	json_object_set_new(object, "rows",
			    json_integer((json_int_t)index->row_count));
	if (index->reason)
		json_object_set_new(object, "missing",
				    json_string_nocheck(index->reason));
	return object;
}

static void print_all(const char *directory,
		      const struct cache_entries *entries, int is_json)
{
	json_t *array = is_json ? json_array() : NULL;

	for (size_t i = 0; i < entries->count; i++) {
		const struct cache_entry *entry = &entries->items[i];
		struct index index = { 0 };
		int err;

		if (!entry->is_index)
			continue;
		err = open_index(entry->directory, entry->name, &index);
		if (is_json)
			json_array_append_new(
				array,
				entry_to_json(entry, err ? NULL : &index));
		else
			print_entry(entry, err ? NULL : &index);
		if (!err)
			index_close(&index);
	}
	if (is_json) {
		json_dumpf(array, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(array);
	} else {
		printf("%15s  in %zu file%s, %s\n",
		       text_grouped(entries->bytes).text, entries->count,
		       text_plural(entries->count), directory);
	}
}

/* ---- prune, and the whole command ---- */

static int is_pruned(const struct cache_options *options,
		     const struct cache_entry *entry, uint64_t left_bytes)
{
	double age = difftime(time(NULL), entry->used);

	if (options->takes_all || entry->is_former)
		return 1;
	/* An indexer may be writing a file that it has not renamed yet. */
	if (!entry->is_index && !entry->is_record)
		return age > DAY_SECONDS;
	return age > (double)options->days * DAY_SECONDS ||
	       left_bytes > options->most_bytes;
}

static int prune(const char *command, struct cache_entries *entries,
		 const struct cache_options *options)
{
	uint64_t left = entries->bytes, removed = 0;
	int status = EXIT_SUCCESS;

	for (size_t i = 0; i < entries->count; i++) {
		const struct cache_entry *entry = &entries->items[i];
		char *path;

		if (!is_pruned(options, entry, left))
			continue;
		path = memory_printf("%s/%s", entry->directory, entry->name);
		if (unlink(path) == 0) {
			left -= entry->bytes;
			removed++;
		} else if (errno != ENOENT) {
			complain(command, "%s: %s", path, strerror(errno));
			status = EXIT_FAILURE;
		}
		free(path);
	}
	printf("%s bytes in %" PRIu64 " file%s removed, %s bytes left\n",
	       text_grouped(entries->bytes - left).text, removed,
	       text_plural(removed), text_grouped(left).text);
	return status;
}

static int run(const char *command, struct a2n *a2n,
	       const struct cache_options *options)
{
	const char *directory = a2n_cache_directory(a2n);
	const char *verb = options->arguments[0];
	struct cache_entries entries = { 0 };
	char *folder = cache_folder();
	int status = EXIT_SUCCESS, err;

	if (!directory) {
		complain(command,
			 "there is no directory for the cache; set HOME or "
			 "XDG_CACHE_HOME");
		free(folder);
		return EXIT_FAILURE;
	}
	err = list(directory, &entries);
	if (err) {
		complain(command, "%s: %s", directory, strerror(-err));
		status = EXIT_FAILURE;
	} else if (strcmp(verb, "ls") == 0) {
		print_all(directory, &entries, options->is_json);
	} else {
		if (folder)
			list(folder, &entries);
		remove_former_indexes(directory);
		status = prune(command, &entries, options);
		remove_folders(&entries);
	}
	entries_fini(&entries);
	free(folder);
	return status;
}

int command_cache(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "ls|prune|warm PROGRAM|FILE...",
		.doc = "List, shrink or fill the caches of debug information, "
		       "analyses, stubs and hooked text.",
	};
	struct cache_options options = { .days = DEFAULT_DAYS,
					 .most_bytes = UINT64_MAX };
	struct a2n *a2n;
	int status, err;

	command_line_parse(&argp, argc, argv, 0, &options);
	if (strcmp(options.arguments[0], "warm") == 0) {
		options.warming.files = options.arguments + 1;
		options.warming.file_count = options.argument_count - 1;
		status = cache_warm(argv[0], &options.warming);
		err = finish_output(argv[0]);
		return status ? status : err;
	}
	err = a2n_create(NULL, &a2n);
	if (err) {
		complain(argv[0], "%s", strerror(-err));
		return EXIT_FAILURE;
	}
	status = run(argv[0], a2n, &options);
	a2n_destroy(a2n);
	err = finish_output(argv[0]);
	return status ? status : err;
}
