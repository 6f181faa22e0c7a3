/* SPDX-License-Identifier: MIT */
/*
 * The text of source files that debug information names.
 *
 * The names may be wrong or hostile. Only regular files of limited size are
 * read, all of them together have another limit, and their lines are made safe
 * to print.
 */
#ifndef CLEW_CODE_SOURCE_FILES_H
#define CLEW_CODE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "report/model/function_catalog.h"

enum {
	SOURCE_BYTES_MAX = 16 << 20,
	/* Memory for the text and the positions of lines of all files. */
	SOURCE_TOTAL_BYTES_MAX = 256 << 20,
	SOURCE_LINE_BYTES_MAX = 1000, /* the rest of a longer line is omitted */
	SOURCE_PATHS_MAX = 64,
};

struct source_file {
	char *name; /* name as in debug information */
	/* path of the file that was read, or NULL if there is no text */
	char *path;
	char *why; /* why there is no text, or NULL if there is some */
	/*
	 * Path of the file that was read, without symbolic links and "..".
	 * NULL if there is no text, or a debuginfod server has sent it.
	 */
	char *resolved;
	/* The file was changed after the module was. */
	int is_newer;
	char *text;      /* lines, each with a NUL at its end */
	uint32_t *lines; /* positions in `text` */
	size_t line_count;
};

/* Paths that begin with `from` are searched below `to`. */
struct source_path {
	const char *from, *to;
	size_t from_length;
};

/* The caller sets all members except the paths to 0 before use. */
struct source_files {
	struct source_path paths[SOURCE_PATHS_MAX];
	size_t path_count;
	struct source_file **items;
	size_t count, capacity;
	/* maps the hash of name and module to 1 + the index */
	struct idmap by_name;
	size_t bytes;   /* memory of the texts and positions of lines */
	int is_offline; /* whether no server is queried any more */
};

/*
 * Adds "OLD=NEW", which must outlive `files`. Returns 0, -EINVAL if the text
 * has another form, or -ENOSPC if there are too many.
 */
int source_files_replace(struct source_files *files, const char *text);

/*
 * Returns the file that a module's debug information calls `name`, which is
 * read on first use; never NULL. The name is tried with each replacement, as it
 * is, and on the debuginfod servers.
 */
const struct source_file *source_files_find(struct source_files *files,
					    struct catalog *catalog,
					    uint32_t module, const char *name);

/*
 * Returns a line without its newline, safe to print; NULL if it does not exist.
 */
const char *source_line(const struct source_file *file, uint32_t line);

void source_files_fini(struct source_files *files);

#endif
