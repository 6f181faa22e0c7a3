/* SPDX-License-Identifier: MIT */
/* See selection.h. */
#include "report/view/selection.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/clone_suffix.h"
#include "base/memory.h"
#include "base/nearest.h"

int selection_is_asked(const struct selection *selection)
{
	return selection->module || selection->function;
}

int selection_has_module(const struct selection *selection,
			 const struct catalog_module *module)
{
	const char *glob = selection->module;
	const char *subject;

	if (!glob)
		return 1;
	subject = strchr(glob, '/') ? module->path : module->name;
	return fnmatch(glob, subject, 0) == 0;
}

/* ---- Blanks ---- */

static int is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' ||
	       letter == '$' || (unsigned char)letter >= 0x80;
}

char *selection_squeezed(const char *name)
{
	char *text = memory_string(name, strlen(name)), *to = text;

	for (const char *at = name; *at; at++) {
		if (*at == ' ' &&
		    (to == text || !is_word(to[-1]) || !is_word(at[1])))
			continue;
		*to++ = *at;
	}
	*to = '\0';
	return text;
}

static int is_matched(const char *name, const void *expression)
{
	char *squeezed;
	int is;

	if (regexec(expression, name, 0, NULL, 0) == 0)
		return 1;
	if (!strchr(name, ' '))
		return 0;
	squeezed = selection_squeezed(name);
	is = regexec(expression, squeezed, 0, NULL, 0) == 0;
	free(squeezed);
	return is;
}

/* ---- Names and modules ---- */

/*
 * Returns whether the function, or one whose code was merged with it, has such
 * a name.
 */
static int has_name(struct catalog *catalog, uint32_t function,
		    int (*is_such)(const char *name, const void *what),
		    const void *what)
{
	const char *names[A2N_MERGED_MAX];
	size_t count;

	if (is_such(catalog_name(catalog, function), what))
		return 1;
	count = catalog_merged_names(catalog, function, names, A2N_MERGED_MAX);
	for (size_t i = 0; i < count && i < A2N_MERGED_MAX; i++)
		if (is_such(names[i], what))
			return 1;
	return 0;
}

int selection_has_short_name(struct catalog *catalog, uint32_t function,
			     enum a2n_detail least,
			     int (*is_such)(const char *name, const void *what),
			     const void *what)
{
	int has = 0;

	for (int detail = (int)least; detail <= A2N_PARAMETERS && !has;
	     detail++) {
		char *name = catalog_short_name(catalog, function,
						(enum a2n_detail)detail);

		has = is_such(name, what);
		free(name);
	}
	return has;
}

int selection_has_function(const struct selection *selection,
			   struct catalog *catalog, uint32_t function)
{
	uint32_t module = catalog->functions[function].module;

	if (selection->module &&
	    (module == CATALOG_NO_MODULE ||
	     !selection_has_module(selection, &catalog->modules[module])))
		return 0;
	return !selection->function ||
	       has_name(catalog, function, is_matched, selection->function) ||
	       selection_has_short_name(catalog, function, A2N_SHORTEST,
					is_matched, selection->function);
}

uint8_t *selection_mask(const struct selection *selection,
			struct catalog *catalog)
{
	uint8_t *mask = memory_zeroed(catalog->function_count, 1);

	for (uint32_t i = 0; i < catalog->function_count; i++)
		mask[i] =
			(uint8_t)selection_has_function(selection, catalog, i);
	return mask;
}

int selection_has_any(const struct selection *selection,
		      struct catalog *catalog, const struct tree *tree)
{
	uint8_t *is_seen;
	int found = 0;

	if (!selection_is_asked(selection))
		return 1;
	is_seen = memory_zeroed(catalog->function_count, 1);
	for (size_t i = TREE_ROOT + 1; i < tree->count && !found; i++) {
		const uint32_t function = tree->nodes[i].function;

		if (is_seen[function])
			continue;
		is_seen[function] = 1;
		found = selection_has_function(selection, catalog, function);
	}
	free(is_seen);
	return found;
}

static int starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * Returns whether a parenthesis begins the parameters of the function itself,
 * not those of a function around it: "f(int)::{lambda()#1}", "f().g()" of D.
 */
static int is_last_list(const char *at)
{
	int depth = 0;

	do {
		depth += *at == '(';
		depth -= *at == ')';
		at++;
	} while (*at && depth > 0);
	return *at != '.' && *at != '(' && !strstr(at, "::");
}

/*
 * Returns the name without the return type of a C++ template: the text after
 * the last blank outside of brackets before the parameters.
 */
static const char *skip_type(const char *full)
{
	const char *name = full;
	int depth = 0;

	for (const char *at = full; *at; at++) {
		if (depth == 0 &&
		    (starts(at, "operator") ||
		     (*at == '(' && !starts(at, "(anonymous namespace)"))))
			break;
		if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at))
			depth--;
		else if (*at == ' ' && depth == 0)
			name = at + 1;
	}
	return name;
}

/*
 * Returns whether a function is a part of a coroutine, which is not the
 * coroutine's function.
 */
static int is_coroutine_part(const char *full)
{
	const size_t length = clone_suffix_strip(full, strlen(full));

	return clone_suffix_strip_coroutine(full, length) < length;
}

static int is_it(const char *full, const char *name)
{
	size_t length = strlen(name);

	return starts(full, name) &&
	       (full[length] == '\0' ||
		(full[length] == '(' && is_last_list(full + length) &&
		 !is_coroutine_part(full)));
}

static int is_called(const char *full, const void *name)
{
	/* A thunk is another function than the one it jumps to. */
	return is_it(full, name) ||
	       (!strstr(full, " thunk to ") && is_it(skip_type(full), name));
}

/* Like is_called(), for a squeezed name. */
static int is_called_loosely(const char *full, const void *name)
{
	char *whole = selection_squeezed(full);
	char *plain = selection_squeezed(skip_type(full));
	const int is = is_it(whole, name) ||
		       (!strstr(full, " thunk to ") && is_it(plain, name));

	free(whole);
	free(plain);
	return is;
}

int selection_is_named(struct catalog *catalog, uint32_t function,
		       const char *name)
{
	return has_name(catalog, function, is_called, name);
}

int selection_is_named_loosely(struct catalog *catalog, uint32_t function,
			       const char *squeezed)
{
	return has_name(catalog, function, is_called_loosely, squeezed);
}

uint8_t *selection_named(struct catalog *catalog, const char *name)
{
	uint8_t *mask = memory_zeroed(catalog->function_count, 1);
	int found = 0;

	for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count; i++) {
		mask[i] = (uint8_t)selection_is_named(catalog, i, name);
		found |= mask[i];
	}
	if (found)
		return mask;
	free(mask);
	return NULL;
}

/*
 * Returns the length of a name up to its parameters, ignoring brackets. Returns
 * the whole length if an operator's name comes first.
 */
static size_t plain_length(const char *name)
{
	int depth = 0;
	size_t i;

	for (i = 0; name[i]; i++) {
		if (starts(name + i, "operator"))
			return strlen(name);
		if (i && depth == 0 && name[i] == '(' && is_last_list(name + i))
			return i;
		if (strchr("<({[", name[i]))
			depth++;
		else if (strchr(">)}]", name[i]))
			depth--;
	}
	return i;
}

char *selection_plain_name(const char *full)
{
	const char *name = skip_type(full);

	return memory_string(name, plain_length(name));
}

static const char *nearest_by_typing(struct catalog *catalog, const char *name)
{
	struct nearest nearest = nearest_to(name);
	const char *full = NULL;

	for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count; i++) {
		const char *one = catalog_name(catalog, i);
		const char *plain = skip_type(one);
		const size_t before = nearest.distance;

		nearest_offer(&nearest, plain, plain_length(plain));
		if (nearest.distance < before)
			full = one;
	}
	return full;
}

const char *selection_nearest(struct catalog *catalog, const char *name)
{
	const char *nearest = NULL;

	for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count; i++) {
		const char *full = catalog_name(catalog, i);

		if (strstr(full, name) &&
		    (!nearest || strlen(full) < strlen(nearest)))
			nearest = full;
	}
	return nearest ? nearest : nearest_by_typing(catalog, name);
}
