/* SPDX-License-Identifier: MIT */
/* Names and locations of a catalog's functions, from liba2n. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/function_catalog.h"

enum { LARGE_BYTES = 4 << 20 };

/* Separates names of methods that share code, up to SHARED_NAMES_BYTES. */
#define SHARED " / "
enum { SHARED_NAMES_BYTES = 256 };

/*
 * Reports that a module is read. For a large module this is printed at once,
 * because reading it takes seconds the first time.
 */
static void tell(struct catalog *catalog, const struct catalog_module *module)
{
	struct stat status;
	char *what;

	if (!catalog->progress || stat(module->path, &status) != 0)
		return;
	what = memory_printf("reading the symbols of %s", module->name);
	if (status.st_size > LARGE_BYTES)
		progress_announce(catalog->progress, what);
	else
		progress_update(catalog->progress, what, 0, 0);
	free(what);
}

const struct a2n_module *catalog_symbols(struct catalog *catalog,
					 struct catalog_module *module)
{
	if (module->was_tried)
		return module->a2n;
	module->was_tried = 1;
	if (!catalog->a2n && a2n_create(NULL, &catalog->a2n) != 0)
		return NULL;
	tell(catalog, module);
	/*
	 * On failure a2n stays NULL, and the module's functions have no names.
	 */
	a2n_module_open(catalog->a2n, module->path, &module->build_id,
			&module->a2n);
	return module->a2n;
}

size_t catalog_frames_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr, struct a2n_frame *frames, size_t room)
{
	const struct a2n_module *a2n =
		catalog_symbols(catalog, &catalog->modules[module]);

	return a2n ? a2n_module_lookup(a2n, vaddr, frames, room) : 0;
}

size_t catalog_frames(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *frames, size_t room)
{
	const struct catalog_function *entry = &catalog->functions[function];

	if (entry->module == CATALOG_NO_MODULE || entry->is_named)
		return 0;
	return catalog_frames_at(catalog, entry->module, entry->vaddr, frames,
				 room);
}

int catalog_segment(struct catalog *catalog, uint32_t module, uint64_t vaddr,
		    struct a2n_segment *out)
{
	const struct a2n_module *a2n =
		catalog_symbols(catalog, &catalog->modules[module]);

	return a2n ? a2n_module_segment(a2n, vaddr, out) : -ENOENT;
}

/* Finds the frame of the function itself, not of code inlined at its start. */
static int find_frame(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *out)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count =
		catalog_frames(catalog, function, frames, CATALOG_FRAMES);

	if (count == 0 || count > CATALOG_FRAMES)
		return 0;
	*out = frames[count - 1];
	return 1;
}

int catalog_place(struct catalog *catalog, uint32_t function, const char **file,
		  uint32_t *line)
{
	const struct catalog_function *entry = &catalog->functions[function];
	struct a2n_frame frame;

	if (entry->file != 0) {
		*file = catalog->files.items[entry->file - 1];
		*line = entry->line;
		return 1;
	}
	if (!find_frame(catalog, function, &frame) || !frame.file ||
	    frame.line == 0)
		return 0;
	*file = frame.file;
	*line = frame.line;
	return 1;
}

static char *find_name(struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	struct a2n_frame frame;

	if (!find_frame(catalog, function, &frame) || !frame.name)
		return memory_printf("%s+0x%" PRIx64,
				     catalog->modules[entry->module].name,
				     entry->vaddr);
	if (!frame.from_symbol || frame.start == entry->vaddr)
		return text_printable(
			memory_string(frame.name, frame.name_length));
	return text_printable(memory_printf("%s+0x%" PRIx64, frame.name,
					    entry->vaddr - frame.start));
}

int catalog_is_address(const struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const char *module = catalog->modules[entry->module].name;
	size_t length = strlen(module);

	return entry->name && strncmp(entry->name, module, length) == 0 &&
	       strncmp(entry->name + length, "+0x", 3) == 0;
}

const char *catalog_name(struct catalog *catalog, uint32_t function)
{
	struct catalog_function *entry = &catalog->functions[function];

	if (!entry->name)
		entry->name = find_name(catalog, function);
	return entry->name;
}

int catalog_has_name(struct catalog *catalog, uint32_t function)
{
	return catalog->functions[function].is_named ||
	       !strstr(catalog_name(catalog, function), "+0x");
}

size_t catalog_merged_names(struct catalog *catalog, uint32_t function,
			    const char **names, size_t room)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const struct a2n_module *a2n;

	if (entry->module == CATALOG_NO_MODULE || entry->is_named ||
	    entry->kind != KIND_NATIVE)
		return 0;
	a2n = catalog_symbols(catalog, &catalog->modules[entry->module]);
	return a2n ? a2n_module_merged(a2n, entry->vaddr, names, room) : 0;
}

/*
 * Returns the name with that of one function that was merged with this one, and
 * with the number of the others; NULL if there are none.
 */
static char *with_merged(struct catalog *catalog, uint32_t function,
			 const char *name, const enum a2n_detail *detail)
{
	const char *other;
	const size_t count = catalog_merged_names(catalog, function, &other, 1);
	char *shorter, *text;

	if (count == 0)
		return NULL;
	shorter = detail ? a2n_short_name(other, *detail) : NULL;
	if (shorter)
		other = shorter;
	text = text_printable(
		count == 1
			? memory_printf("%s (= %s)", name, other)
			: memory_printf("%s (= %s, and %s more)", name, other,
					text_grouped(count - 1).text));
	free(shorter);
	return text;
}

const char *catalog_full_name(struct catalog *catalog, uint32_t function)
{
	uint64_t *merged;
	char *name;

	if (catalog->functions[function].module == CATALOG_NO_MODULE ||
	    catalog->functions[function].is_named)
		return catalog_name(catalog, function);
	merged = idmap_at(&catalog->merged, (uint64_t)function + 1);
	if (*merged == 0) {
		name = with_merged(catalog, function,
				   catalog_name(catalog, function), NULL);
		*merged = name ? (uintptr_t)name : 1;
	}
	return *merged == 1 ? catalog_name(catalog, function)
			    : (const char *)(uintptr_t)*merged;
}

const char *catalog_marked_name(struct catalog *catalog, uint32_t function)
{
	struct left_out *left = catalog->functions[function].left_out;

	if (!left)
		return catalog_full_name(catalog, function);
	if (!left->marked_name)
		left->marked_name = memory_printf(
			"%s {%s %%}", catalog_full_name(catalog, function),
			text_percentage(100 * left_out_counted(left)).text);
	return left->marked_name;
}

/* ---- Short names ---- */

/* Returns the length of the folders in "a/b.c:12", or 0 for any other text. */
static size_t folders_length(const char *text, size_t length)
{
	size_t at = length;

	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (at == length || at < 2 || text[at - 1] != ':')
		return 0;
	while (at > 0 && text[at - 1] != '/')
		at--;
	return at;
}

/*
 * Returns the short name of one function in a label. Source lines lose their
 * folders together with template arguments.
 */
static char *short_part(const char *text, size_t length, enum a2n_detail detail)
{
	const size_t folders =
		detail == A2N_BARE ? folders_length(text, length) : 0;
	char *part = memory_string(text + folders, length - folders);
	char *shorter = a2n_short_name(part, detail);

	if (!shorter)
		return part;
	free(part);
	return shorter;
}

/*
 * Returns the first separator of functions in a label: callers, methods that
 * share code, or the function of a source line. NULL if there is none.
 */
static const char *find_separator(const char *text, size_t *length)
{
	static const char *const separators[] = { " <- ", SHARED, " in " };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(separators) / sizeof(*separators); i++) {
		const char *at = strstr(text, separators[i]);

		if (!at || (first && at > first))
			continue;
		first = at;
		*length = strlen(separators[i]);
	}
	return first;
}

/* Returns a label with the short name of each function. */
static char *short_label(const char *text, enum a2n_detail detail)
{
	char *label = memory_string("", 0), *part, *longer;
	const char *end;
	size_t gap = 0;

	while ((end = find_separator(text, &gap))) {
		part = short_part(text, (size_t)(end - text), detail);
		longer = memory_printf("%s%s%.*s", label, part, (int)gap, end);
		free(label);
		free(part);
		label = longer;
		text = end + gap;
	}
	part = short_part(text, strlen(text), detail);
	longer = memory_printf("%s%s", label, part);
	free(label);
	free(part);
	return longer;
}

/* Returns the short form of catalog_name(). */
static char *short_name(struct catalog *catalog, uint32_t function,
			enum a2n_detail detail)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const char *name = catalog_name(catalog, function);

	if (entry->kind == KIND_GROUP || entry->kind == KIND_JNI)
		return short_label(name, detail);
	if (entry->module != CATALOG_NO_MODULE &&
	    catalog_is_address(catalog, function))
		return memory_string(name, strlen(name));
	return short_part(name, strlen(name), detail);
}

char *catalog_short_name(struct catalog *catalog, uint32_t function,
			 enum a2n_detail detail)
{
	const struct left_out *left = catalog->functions[function].left_out;
	char *name = short_name(catalog, function, detail);
	char *more = with_merged(catalog, function, name, &detail);

	if (more) {
		free(name);
		name = more;
	}
	if (left) {
		more = memory_printf(
			"%s {%s %%}", name,
			text_percentage(100 * left_out_counted(left)).text);
		free(name);
		name = more;
	}
	return name;
}

/* ---- Native methods ---- */

/* Returns whether `text` is one of the names in `list`. */
static int is_listed(const char *list, const char *text)
{
	const size_t length = strlen(text);
	const char *at = list;

	while ((at = strstr(at, text))) {
		const char *behind = at + length;

		if ((at == list || at[-1] == ' ') &&
		    (!*behind || strncmp(behind, SHARED, strlen(SHARED)) == 0))
			return 1;
		at = behind;
	}
	return 0;
}

void catalog_call_native(struct catalog *catalog, uint32_t function,
			 const char *name)
{
	struct catalog_function *entry = &catalog->functions[function];
	char *printable, *both;

	if (entry->is_named)
		return;
	printable = text_printable(memory_string(name, strlen(name)));
	if (entry->kind != KIND_JNI) {
		entry->kind = KIND_JNI;
		free(entry->name);
		entry->name = printable;
		return;
	}
	if (!is_listed(entry->name, printable) &&
	    strlen(entry->name) < SHARED_NAMES_BYTES) {
		both = memory_printf("%s" SHARED "%s", entry->name, printable);
		free(entry->name);
		entry->name = both;
	}
	free(printable);
}

const char *catalog_module_name(const struct catalog *catalog,
				uint32_t function)
{
	uint32_t module = catalog->functions[function].module;

	return module == CATALOG_NO_MODULE ? "" : catalog->modules[module].name;
}

uint32_t catalog_function_around(struct catalog *catalog, uint32_t module,
				 uint64_t vaddr)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count = catalog_frames_at(catalog, module, vaddr, frames,
					 CATALOG_FRAMES);
	char *name;
	uint32_t function;

	if (count > 0 && count <= CATALOG_FRAMES &&
	    frames[count - 1].from_symbol &&
	    frames[count - 1].start != UINT64_MAX)
		return catalog_function_at(catalog, module,
					   frames[count - 1].start);
	name = memory_printf("(in %s)", catalog->modules[module].name);
	function = catalog_named(catalog, KIND_NATIVE, module, name);
	free(name);
	return function;
}

int catalog_is_part(struct catalog *catalog, const char *symbol,
		    uint32_t function)
{
	const char *whole = catalog_name(catalog, function);
	size_t length = strlen(whole);

	if (strncmp(symbol, whole, length) != 0)
		return 0;
	symbol += length;
	return *symbol == '\0' || strncmp(symbol, ".cold", 5) == 0 ||
	       strncmp(symbol, " [clone .cold", 13) == 0;
}

const char *function_kind_text(enum function_kind kind)
{
	static const char *const texts[KIND_COUNT] = {
		[KIND_NOTE] = "note",       [KIND_NATIVE] = "native",
		[KIND_JNI] = "jni",         [KIND_JAVA] = "java",
		[KIND_INLINED] = "inlined", [KIND_GENERATED] = "generated",
		[KIND_KERNEL] = "kernel",   [KIND_CLEW] = "clew",
		[KIND_GROUP] = "group",     [KIND_BLOCKED] = "blocked",
	};

	return texts[kind];
}

/* The JVM finds native methods by names that begin with "Java_". */
enum function_kind catalog_kind(struct catalog *catalog, uint32_t function)
{
	enum function_kind kind = catalog->functions[function].kind;

	if (kind == KIND_NATIVE &&
	    strncmp(catalog_name(catalog, function), "Java_", 5) == 0)
		return KIND_JNI;
	return kind;
}
