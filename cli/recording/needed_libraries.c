/* SPDX-License-Identifier: MIT */
/* See needed_libraries.h. */
#include "cli/recording/needed_libraries.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/recording/loader_cache.h"
#include "image/dynamic.h"
#include "machine/elf_numbers.h"

enum { LIBRARIES_MAX = 100000, NEEDED_MAX = 10000 };

static const char *const default_folders[] = { MACHINE_LIBRARY_FOLDERS };

struct library_search {
	struct needed_libraries *libraries;
	struct loader_cache cache;
	/*
	 * path in the program's PT_INTERP if it is of glibc's loader, or NULL
	 */
	char *interpreter;
};

/* ---- Content of a file ---- */

/* Returns a string of the dynamic section, or NULL. The caller frees it. */
static char *text_of(const struct image *image, int64_t tag)
{
	uint64_t offset;
	const char *text = dynamic_value(image, tag, &offset)
				   ? dynamic_string(image, offset)
				   : NULL;

	return text ? memory_string(text, strlen(text)) : NULL;
}

static char *interpreter_of(const struct image *image)
{
	const Elf64_Phdr *segment = image_segment(image, PT_INTERP);
	uint64_t left;
	const char *text =
		segment ? (const char *)image_at(image, segment->p_vaddr, &left)
			: NULL;

	if (!text || !memchr(text, '\0', left) ||
	    strcmp(text_basename(text), MACHINE_LOADER) != 0)
		return NULL;
	return memory_string(text, strlen(text));
}

static void take_search(struct needed_library *library,
			const struct image *image)
{
	uint64_t flags;

	library->search = text_of(image, DT_RUNPATH);
	library->is_runpath = library->search != NULL;
	if (!library->search)
		library->search = text_of(image, DT_RPATH);
	library->has_no_defaults = dynamic_value(image, DT_FLAGS_1, &flags) &&
				   flags & DF_1_NODEFLIB;
}

/* ---- Searching ---- */

static int is_library(const char *path)
{
	struct image image;

	if (image_open(&image, path) != 0)
		return 0;
	image_close(&image);
	return 1;
}

/* Returns `path` if it is a library. Otherwise frees it and returns NULL. */
static char *take_if_there(char *path)
{
	if (is_library(path))
		return path;
	free(path);
	return NULL;
}

/* Returns the folder of a file, the value of $ORIGIN. The caller frees it. */
static char *origin_of(const char *path)
{
	char *real = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	char *folder = memory_string(
		slash ? real : "/",
		slash && slash != real ? (size_t)(slash - real) : 1);

	free(real);
	return folder;
}

/*
 * Returns a word of a search path with $ORIGIN replaced, or NULL if it has
 * another variable or $ORIGIN twice. The caller frees it.
 */
static char *expand(const char *word, size_t length, const char *origin)
{
	static const char *const names[] = { "$ORIGIN", "${ORIGIN}" };
	char *text = memory_string(word, length);

	for (size_t i = 0; i < 2; i++) {
		char *at = strstr(text, names[i]), *expanded;

		if (!at)
			continue;
		expanded = memory_printf("%.*s%s%s", (int)(at - text), text,
					 origin, at + strlen(names[i]));
		free(text);
		text = expanded;
	}
	if (!strchr(text, '$'))
		return text;
	free(text);
	return NULL;
}

/*
 * Searches a library in a list of folders, which any of the `separators`
 * separates. An empty item is the current folder, and $ORIGIN the folder of the
 * file `of`. Returns the library's path, which the caller frees, or NULL.
 */
static char *search_along(const char *folders, const char *separators,
			  const char *name, const char *of)
{
	char *origin = origin_of(of), *found = NULL;

	while (folders && !found) {
		const size_t length = strcspn(folders, separators);
		char *folder = expand(folders, length, origin);

		if (folder)
			found = take_if_there(memory_printf(
				"%s%s%s", folder, *folder ? "/" : "", name));
		free(folder);
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	free(origin);
	return found;
}

/*
 * Searches the DT_RPATH of a library and of the libraries that need it. A
 * DT_RUNPATH of the library replaces all of them.
 */
static char *search_rpaths(const struct needed_libraries *libraries, size_t by,
			   const char *name)
{
	char *found = NULL;

	if (libraries->items[by].is_runpath)
		return NULL;
	for (;; by = libraries->items[by].parent) {
		const struct needed_library *library = &libraries->items[by];

		if (!library->is_runpath)
			found = search_along(library->search, ":", name,
					     library->path);
		if (found || by == 0)
			return found;
	}
}

static char *search_defaults(const struct library_search *finding,
			     const char *name)
{
	const char *cached = loader_cache_find(&finding->cache, name);
	char *found =
		cached ? take_if_there(memory_string(cached, strlen(cached)))
		       : NULL;

	for (size_t i = 0;
	     !found && i < sizeof(default_folders) / sizeof(*default_folders);
	     i++)
		found = take_if_there(
			memory_printf("%s/%s", default_folders[i], name));
	return found;
}

/*
 * Searches the library `name`, which the file with index `by` needs. Returns
 * its path, which the caller frees, or NULL.
 */
static char *search(const struct library_search *finding, size_t by,
		    const char *name)
{
	const struct needed_libraries *libraries = finding->libraries;
	const struct needed_library *library = &libraries->items[by];
	char *found;

	if (strchr(name, '/')) {
		char *origin = origin_of(library->path);

		found = expand(name, strlen(name), origin);
		free(origin);
		return found ? take_if_there(found) : NULL;
	}
	if (strcmp(name, MACHINE_LOADER) == 0 && finding->interpreter)
		return memory_string(finding->interpreter,
				     strlen(finding->interpreter));
	found = search_rpaths(libraries, by, name);
	if (!found)
		found = search_along(getenv("LD_LIBRARY_PATH"), ":;", name,
				     libraries->items[0].path);
	if (!found && library->is_runpath)
		found = search_along(library->search, ":", name, library->path);
	if (!found && !library->has_no_defaults)
		found = search_defaults(finding, name);
	return found;
}

/* ---- The list ---- */

static void add(struct needed_libraries *libraries, char *path,
		const char *name, size_t parent)
{
	struct needed_library *library;

	libraries->items =
		memory_grow(libraries->items, libraries->count,
			    &libraries->capacity, sizeof(*libraries->items));
	library = &libraries->items[libraries->count++];
	*library = (struct needed_library){
		.path = path,
		.name = memory_string(name, strlen(name)),
		.parent = parent,
	};
}

static void add_missing(struct needed_libraries *libraries, const char *name)
{
	for (size_t i = 0; i < libraries->missing_count; i++)
		if (strcmp(libraries->missing[i], name) == 0)
			return;
	libraries->missing = memory_grow(
		libraries->missing, libraries->missing_count,
		&libraries->missing_capacity, sizeof(*libraries->missing));
	libraries->missing[libraries->missing_count++] =
		memory_string(name, strlen(name));
}

/* Returns whether the file is listed, under this name or another. */
static int is_listed(const struct needed_libraries *libraries, const char *name,
		     const char *path)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (strcmp(libraries->items[i].name, name) == 0 ||
		    (path && strcmp(libraries->items[i].path, path) == 0))
			return 1;
	return 0;
}

static void add_needed(struct library_search *finding, size_t by,
		       const char *name)
{
	struct needed_libraries *libraries = finding->libraries;
	char *path;

	if (is_listed(libraries, name, NULL) ||
	    libraries->count == LIBRARIES_MAX)
		return;
	path = search(finding, by, name);
	if (!path)
		add_missing(libraries, name);
	else if (is_listed(libraries, name, path))
		free(path);
	else
		add(libraries, path, name, by);
}

static void add_all_needed(struct library_search *finding, size_t by)
{
	struct image image;
	uint64_t offset;

	if (image_open(&image, finding->libraries->items[by].path) != 0)
		return;
	take_search(&finding->libraries->items[by], &image);
	if (by == 0)
		finding->interpreter = interpreter_of(&image);
	for (uint32_t i = 0;
	     i < NEEDED_MAX && dynamic_nth(&image, DT_NEEDED, i, &offset);
	     i++) {
		const char *name = dynamic_string(&image, offset);

		if (name && *name)
			add_needed(finding, by, name);
	}
	image_close(&image);
}

/* Adds libraries that the user preloads into all programs. */
static void add_preloaded(struct library_search *finding)
{
	char *words = getenv("LD_PRELOAD"), *rest = NULL;

	if (!words)
		return;
	words = memory_string(words, strlen(words));
	for (char *word = strtok_r(words, ": ", &rest); word;
	     word = strtok_r(NULL, ": ", &rest))
		add_needed(finding, 0, word);
	free(words);
}

void needed_libraries_find(struct needed_libraries *libraries, const char *path)
{
	struct library_search finding = { .libraries = libraries };

	*libraries = (struct needed_libraries){ 0 };
	loader_cache_open(&finding.cache);
	add(libraries, memory_string(path, strlen(path)), path, 0);
	add_preloaded(&finding);
	for (size_t i = 0; i < libraries->count; i++)
		add_all_needed(&finding, i);
	if (finding.interpreter &&
	    !is_listed(libraries, MACHINE_LOADER, finding.interpreter)) {
		add(libraries, finding.interpreter, MACHINE_LOADER, 0);
		finding.interpreter = NULL;
	}
	free(finding.interpreter);
	loader_cache_close(&finding.cache);
}

void needed_libraries_fini(struct needed_libraries *libraries)
{
	for (size_t i = 0; i < libraries->count; i++) {
		free(libraries->items[i].path);
		free(libraries->items[i].name);
		free(libraries->items[i].search);
	}
	for (size_t i = 0; i < libraries->missing_count; i++)
		free(libraries->missing[i]);
	free(libraries->items);
	free(libraries->missing);
	*libraries = (struct needed_libraries){ 0 };
}
