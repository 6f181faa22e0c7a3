/* SPDX-License-Identifier: MIT */
/* See shown_place.h. */
#include "cli/probes/shown_place.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "image/probe_spec.h"
#include "image/symbols.h"
#include "report/view/finder.h"

#define RETURN "%return"

enum { LISTED = 5 };

/* "[MODULE:]NAME[+OFFSET]" or "[MODULE:]NAME%return". */
struct shown_place {
	char *module; /* glob, or NULL */
	char *name;
	uint64_t offset;
	int is_return;
};

/* ---- The user's text ---- */

/* Removes "+OFFSET" from the name, unless the name is only that. */
static void take_offset(struct shown_place *place)
{
	char *plus = strrchr(place->name, '+'), *end;
	uint64_t offset;

	if (!plus || plus == place->name || !isdigit((unsigned char)plus[1]))
		return;
	errno = 0;
	offset = strtoull(plus + 1, &end, 0);
	if (*end || errno != 0)
		return;
	place->offset = offset;
	*plus = '\0';
}

static void parse(struct shown_place *place, const char *text)
{
	const char *colon = probe_text_colon(text);
	const size_t suffix = strlen(RETURN);
	size_t length;

	*place = (struct shown_place){ .module = NULL };
	if (colon) {
		place->module = memory_string(text, (size_t)(colon - text));
		text = colon + 1;
	}
	length = strlen(text);
	if (length > suffix && strcmp(text + length - suffix, RETURN) == 0) {
		place->is_return = 1;
		length -= suffix;
	}
	place->name = memory_string(text, length);
	take_offset(place);
}

static void fini(struct shown_place *place)
{
	free(place->module);
	free(place->name);
}

/* Returns whether the text may refer to the file. */
static int is_meant(const struct shown_place *place, const char *path)
{
	if (!place->module)
		return 1;
	return fnmatch(place->module,
		       strchr(place->module, '/') ? path : text_basename(path),
		       0) == 0;
}

/* ---- Functions ---- */

struct file_functions {
	struct catalog *catalog;
	uint32_t module;
};

static int add_function(void *context, const struct symbol *symbol)
{
	const struct file_functions *functions = context;

	if (symbol->is_function && symbol->is_defined)
		catalog_function_at(functions->catalog, functions->module,
				    symbol->vaddr);
	return 0;
}

/* Adds the functions of a file. Does nothing if it is no ELF file. */
static void add_functions(struct catalog *catalog, const char *path)
{
	const struct wire_module wire = { .state = 0 };
	const struct module_record record = {
		.module = &wire,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	struct file_functions functions = { .catalog = catalog };
	struct image image;
	struct catalog_list numbers = { 0 };

	if (image_open(&image, path) != 0)
		return;
	functions.module = catalog_add_module(catalog, &record, &numbers);
	free(numbers.items);
	if (functions.module != CATALOG_NO_MODULE)
		symbols_walk(&image, add_function, &functions);
	image_close(&image);
}

/* Returns the name without results, arguments and parameters. */
static char *bare_name(const char *name)
{
	char *bare = a2n_short_name(name, A2N_BARE);

	return bare ? bare : memory_string(name, strlen(name));
}

/*
 * Returns whether the user's text has all scopes of the function's name.
 * Reports also take "add" for "shop::add", but a probe at "add" may be meant
 * for a library that is loaded later.
 */
static int has_all_scopes(const struct shown_place *place,
			  struct catalog *catalog, uint32_t function)
{
	const char *unnamed = strstr(place->name, "(anonymous)");
	char *full = unnamed ? memory_printf("%.*s(anonymous namespace)%s",
					     (int)(unnamed - place->name),
					     place->name,
					     unnamed + strlen("(anonymous)"))
			     : memory_string(place->name, strlen(place->name));
	char *typed = bare_name(full);
	char *whole = bare_name(catalog_name(catalog, function));
	const size_t address = strcspn(typed, "[");
	int is;

	if (address > 0 && strncmp(typed + address, "[0x", 3) == 0)
		typed[address - 1] = '\0';
	is = strcmp(typed, whole) == 0;
	free(full);
	free(typed);
	free(whole);
	return is;
}

/* Sets *why to a message that lists texts which find one function each. */
static int refuse_several(struct catalog *catalog, const char *text,
			  const struct found_functions *found, char **why)
{
	char *list = memory_string("", 0);

	for (size_t i = 0; i < found->count && i < LISTED; i++) {
		char *one = finder_text(catalog, NULL, found->functions[i]);
		char *longer =
			memory_printf("%s%s'%s'", list, i ? ", " : "", one);

		free(list);
		free(one);
		list = longer;
	}
	fail(why, -EINVAL, "probe %s: %s functions match; write one of %s%s",
	     text, text_grouped(found->count).text, list,
	     found->count > LISTED ? ", ..." : "");
	free(list);
	return -EINVAL;
}

/* ---- The result ---- */

/*
 * Returns the resolved text, given its addresses. Libraries are named; without
 * a name, addresses are those of the program. Frees the addresses.
 */
static char *text_of(const struct shown_place *place, const char *text,
		     const char *path, int is_program, char *addresses)
{
	char *resolved = memory_printf("%s%s%s%s %s",
				       is_program ? "" : text_basename(path),
				       is_program ? "" : ":", addresses,
				       place->is_return ? RETURN : "", text);

	free(addresses);
	return resolved;
}

/* Returns the addresses of the chosen functions, separated by commas. */
static char *addresses_of(const struct catalog *catalog, const uint8_t *chosen,
			  uint64_t offset)
{
	char *list = memory_string("", 0);
	unsigned int count = 0;

	for (uint32_t i = 0; i < catalog->function_count; i++) {
		char *longer;

		if (!chosen[i])
			continue;
		longer =
			memory_printf("%s%s%#" PRIx64, list, count++ ? "," : "",
				      catalog->functions[i].vaddr + offset);
		free(list);
		list = longer;
	}
	return list;
}

static uint32_t count_chosen(const struct catalog *catalog,
			     const uint8_t *chosen)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < catalog->function_count; i++)
		count += chosen[i] != 0;
	return count;
}

/*
 * Searches one file. Returns 0 and *resolved, NULL if the file has no such
 * function; or -EINVAL and *why.
 */
static int search(const struct shown_place *place, const char *text,
		  const char *path, int is_program, char **resolved, char **why)
{
	struct found_functions found;
	struct catalog catalog;
	int err;

	catalog_init(&catalog);
	add_functions(&catalog, path);
	err = finder_find(&catalog, NULL, place->name, &found);
	if (err == -ESRCH) {
		catalog_fini(&catalog);
		return 0;
	}
	if (found.is_by_regex ||
	    !has_all_scopes(place, &catalog, found.functions[0]))
		err = -ESRCH;
	else if (err)
		err = refuse_several(&catalog, text, &found, why);
	else if (count_chosen(&catalog, found.chosen) >
		 PROBE_SPEC_MAX_ADDRESSES)
		err = fail(
			why, -EINVAL,
			"probe %s: %s functions have this name, but a probe "
			"has at most %d addresses; add arguments or scopes "
			"to the name",
			text,
			text_grouped(count_chosen(&catalog, found.chosen)).text,
			PROBE_SPEC_MAX_ADDRESSES);
	if (!err)
		*resolved = text_of(
			place, text, path, is_program,
			addresses_of(&catalog, found.chosen, place->offset));
	found_fini(&found);
	catalog_fini(&catalog);
	return err == -ESRCH ? 0 : err;
}

/*
 * Returns whether the text is the name of a file and an address in it, as
 * reports write functions without a name.
 */
static int is_address_in(const struct shown_place *place, const char *path)
{
	return !place->module && place->offset &&
	       strcmp(place->name, text_basename(path)) == 0;
}

int shown_place_resolve(const char *text, const struct needed_libraries *files,
			char **resolved, char **why)
{
	struct shown_place place;
	int err = 0;

	*resolved = NULL;
	parse(&place, text);
	for (size_t i = 0; i < files->count && !*resolved && !err; i++) {
		const char *path = files->items[i].path;

		if (is_address_in(&place, path))
			*resolved = text_of(
				&place, text, path, i == 0,
				memory_printf("%#" PRIx64, place.offset));
		else if (is_meant(&place, path))
			err = search(&place, text, path, i == 0, resolved, why);
	}
	fini(&place);
	return err;
}
