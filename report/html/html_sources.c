/* SPDX-License-Identifier: MIT */
/*
 * The page's text of source files (clew html --sources): the member "sources"
 * of its JSON, by number of the file.
 *
 * Pages are shared, and debug information may be hostile: it may name any file
 * of the user. Therefore only files with names of source files are embedded.
 * The same holds for the file to which symbolic links and ".." in the name
 * lead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/write/json.h"

/* A file with time in its lines. */
struct timed_file {
	uint32_t number; /* the file's number in the page */
	uint32_t module; /* the module whose debug information names the file */
	uint64_t ns;
};

struct timed_files {
	struct timed_file *items;
	size_t count, capacity;
	struct idmap by_number; /* maps 1 + the number to 1 + the index */
};

static void add(struct timed_files *files, uint32_t number, uint32_t module,
		uint64_t ns)
{
	uint64_t *slot = idmap_at(&files->by_number, (uint64_t)number + 1);

	if (*slot == 0) {
		files->items =
			memory_grow(files->items, files->count,
				    &files->capacity, sizeof(*files->items));
		files->items[files->count++] =
			(struct timed_file){ .number = number,
					     .module = module };
		*slot = files->count;
	}
	files->items[*slot - 1].ns += ns;
}

/*
 * Adds the files of all lines that have time, of lines inlined there, and of
 * lines that call functions with time.
 */
static void find_files(struct html_page *page, struct timed_files *files)
{
	const struct tree *tree = page->tree;

	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];
		struct a2n_frame frames[CATALOG_FRAMES];
		size_t count = catalog_site_frames(page->catalog, spot->site, 0,
						   frames, CATALOG_FRAMES);
		const struct catalog_site *site =
			&page->catalog->sites[spot->site];

		if (count > CATALOG_FRAMES)
			count = CATALOG_FRAMES;
		for (size_t j = 0; j < count; j++)
			if (frames[j].file && frames[j].line)
				add(files,
				    strings_number(&page->files,
						   frames[j].file),
				    site->announced_count ? CATALOG_NO_MODULE
							  : site->module,
				    spot->ns);
	}
	for (size_t i = 0; i < page->call_file_count; i++)
		add(files, page->call_files[i].number,
		    page->call_files[i].module, 0);
}

static int has_more_time(const void *a, const void *b)
{
	const struct timed_file *one = a, *other = b;

	if (one->ns != other->ns)
		return (one->ns < other->ns) - (one->ns > other->ns);
	return (one->number > other->number) - (one->number < other->number);
}

/* Returns whether the name is that of a source file. */
static int is_source_name(const char *path)
{
	static const char *const suffixes[] = {
		"c",   "cc",  "cpp", "cxx",  "c++",   "C",     "h",      "hh",
		"hpp", "hxx", "h++", "H",    "inc",   "inl",   "ipp",    "tcc",
		"tpp", "S",   "s",   "asm",  "m",     "mm",    "cu",     "cuh",
		"rs",  "go",  "d",   "di",   "f",     "F",     "f90",    "F90",
		"ada", "adb", "ads", "java", "kt",    "scala", "groovy", "cs",
		"py",  "pyx", "js",  "ts",   "swift", "zig",   "nim",    "ml",
		"hs",  "erl", "ex",  "lua",  "y",     "l",     "def",
	};
	const char *name = text_basename(path);
	const char *dot = strrchr(name, '.');

	/* The headers of the C++ library have no suffix. */
	if (!dot)
		return strstr(path, "/include/c++/") != NULL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcmp(dot + 1, suffixes[i]) == 0)
			return dot > name;
	return 0;
}

/* Returns the lines as one text, which the caller frees. */
static char *text_of(const struct source_file *file, size_t *bytes)
{
	char *text = NULL;
	FILE *out = memory_stream(&text, bytes);

	for (uint32_t i = 1; i <= file->line_count; i++) {
		fputs(source_line(file, i), out);
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

void html_page_sources(struct html_page *page, struct json_stream *out)
{
	struct timed_files files = { 0 };
	struct json_stream list;
	size_t left = HTML_SOURCES_BYTES_MAX;

	if (!page->view->sources)
		return;
	find_files(page, &files);
	if (files.count > 0)
		qsort(files.items, files.count, sizeof(*files.items),
		      has_more_time);
	list = json_begin(out, "sources", "[");
	for (size_t i = 0; i < files.count; i++) {
		const char *name = page->files.items[files.items[i].number];
		const struct source_file *file;
		size_t bytes;
		char *text;

		if (!is_source_name(name))
			continue;
		file = source_files_find(page->view->sources, page->catalog,
					 files.items[i].module, name);
		if (file->resolved && !is_source_name(file->resolved))
			continue;
		text = text_of(file, &bytes);
		if (bytes > 0 && bytes <= left) {
			json_member(
				&list, NULL,
				json_pack("{sososo}", "file",
					  json_number(files.items[i].number),
					  "newer", json_boolean(file->is_newer),
					  "text", json_text(text)));
			left -= bytes;
		}
		free(text);
	}
	json_end(&list, "]");
	free(files.items);
	idmap_fini(&files.by_number);
}
