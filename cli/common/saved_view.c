/* SPDX-License-Identifier: MIT */
/* See saved_view.h. */
#include "cli/common/saved_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "cli/common/cache_folder.h"
#include "cli/common/nearest_file.h"
#include "cli/common/replacement.h"

enum { NAME_MAX_BYTES = 64, FILE_MAX_BYTES = 65536 };

const char *const saved_option_names[SAVED_OPTIONS] = {
	[SAVED_MODULE] = "module",     [SAVED_FUNCTION] = "function",
	[SAVED_FOCUS] = "focus",       [SAVED_IGNORE] = "ignore",
	[SAVED_COLLAPSE] = "collapse", [SAVED_FOLD] = "fold",
};

/* Returns the folder of views, or NULL and *why. The caller frees it. */
static char *views_folder(char **why)
{
	const char *settings = getenv("XDG_CONFIG_HOME");
	const char *home = home_folder();

	if (settings && *settings == '/')
		return memory_printf("%s/clew/views", settings);
	if (home)
		return memory_printf("%s/.config/clew/views", home);
	fail(why, -ENOENT, "$HOME is no folder, and views are saved there");
	return NULL;
}

/*
 * Checks the name of a view. It becomes a file's name, and must contain no
 * character that is special in shells.
 */
static int check_name(const char *name, char **why)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.";

	if (*name && *name != '.' && strlen(name) <= NAME_MAX_BYTES &&
	    strspn(name, letters) == strlen(name))
		return 0;
	return fail(why, -EINVAL,
		    "%s: a view's name has letters, digits, '-', '_' and '.'",
		    name);
}

static int refuse_missing(const char *folder, const char *name, char **why)
{
	char *nearest = nearest_file(folder, name);
	const int err =
		nearest ? fail(why, -ENOENT,
			       "%s: no such view in %s; did you mean %s?", name,
			       folder, nearest)
			: fail(why, -ENOENT,
			       "%s: no such view in %s; --save-view=%s saves "
			       "one",
			       name, folder, name);

	free(nearest);
	return err;
}

static int read_line(struct saved_view *view, char *line)
{
	char *equals = strchr(line, '=');
	size_t i = 0;

	if (!equals)
		return -EINVAL;
	*equals = '\0';
	while (i < SAVED_OPTIONS && strcmp(line, saved_option_names[i]) != 0)
		i++;
	if (i == SAVED_OPTIONS)
		return -EINVAL;
	if (!view->values[i])
		view->values[i] = equals + 1;
	return 0;
}

static int read_lines(struct saved_view *view, const char *path, char **why)
{
	char *next = view->text;

	for (unsigned int number = 1; *next; number++) {
		char *line = next, *end = strchr(line, '\n');

		next = end ? end + 1 : line + strlen(line);
		if (end)
			*end = '\0';
		if (read_line(view, line) != 0)
			return fail(why, -EINVAL, "%s:%u: not an option's line",
				    path, number);
	}
	return 0;
}

static int read_file(struct saved_view *view, FILE *in, const char *path,
		     char **why)
{
	size_t bytes;

	view->text = memory_zeroed(FILE_MAX_BYTES + 1, 1);
	bytes = fread(view->text, 1, FILE_MAX_BYTES, in);
	if (bytes == FILE_MAX_BYTES || ferror(in))
		return fail(why, -EFBIG, "%s: not a saved view", path);
	return read_lines(view, path, why);
}

int saved_view_read(struct saved_view *view, const char *name, char **why)
{
	char *folder, *path;
	FILE *in;
	int err = check_name(name, why);

	if (err)
		return err;
	folder = views_folder(why);
	if (!folder)
		return -ENOENT;
	path = memory_printf("%s/%s", folder, name);
	in = regular_file_stream(path);
	if (in) {
		err = read_file(view, in, path, why);
		fclose(in);
	} else if (errno == ENOENT) {
		err = refuse_missing(folder, name, why);
	} else {
		err = fail(why, -errno, "%s: %s", path, strerror(errno));
	}
	free(path);
	free(folder);
	return err;
}

static int write_file(const struct saved_view *view, const char *path,
		      char **why)
{
	const struct recording_readers only_user = { 0 };
	struct replacement file;
	int err = replacement_begin(&file, path, &only_user, why);

	if (err)
		return err;
	for (size_t i = 0; i < SAVED_OPTIONS; i++) {
		if (view->values[i])
			fprintf(file.out, "%s=%s\n", saved_option_names[i],
				view->values[i]);
	}
	return replacement_commit(&file, why);
}

int saved_view_write(const struct saved_view *view, const char *name,
		     char **why)
{
	char *folder, *path;
	int err = check_name(name, why);

	for (size_t i = 0; i < SAVED_OPTIONS && !err; i++) {
		if (view->values[i] && strchr(view->values[i], '\n'))
			err = fail(why, -EINVAL,
				   "--%s contains a line break, which cannot "
				   "be saved",
				   saved_option_names[i]);
	}
	if (err)
		return err;
	folder = views_folder(why);
	if (!folder)
		return -ENOENT;
	cache_folder_make(folder, 0700);
	path = memory_printf("%s/%s", folder, name);
	err = write_file(view, path, why);
	free(path);
	free(folder);
	return err;
}
