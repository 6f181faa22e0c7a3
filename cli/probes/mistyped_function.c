/* SPDX-License-Identifier: MIT */
/* See mistyped_function.h. */
#include "cli/probes/mistyped_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "image/symbols.h"
#include "symbolizer/a2n.h"

enum { NAMES_MAX = 3 };

/* The most similar names so far, the best one first. */
struct similar_names {
	char *word; /* the user's text without arguments and parameters */
	struct similar_name {
		char *text;
		size_t distance;
	} items[NAMES_MAX];
	size_t count;
};

static int has_name(const struct similar_names *names, const char *text)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i].text, text) == 0)
			return 1;
	return 0;
}

static void insert(struct similar_names *names, const char *text,
		   size_t distance)
{
	size_t at = names->count;

	if (has_name(names, text))
		return;
	if (at < NAMES_MAX)
		names->count++;
	else if (distance < names->items[--at].distance)
		free(names->items[at].text);
	else
		return;
	for (; at > 0 && distance < names->items[at - 1].distance; at--)
		names->items[at] = names->items[at - 1];
	names->items[at].text = memory_string(text, strlen(text));
	names->items[at].distance = distance;
}

/* Returns the number of "::" in a name. */
static size_t count_scopes(const char *name)
{
	size_t count = 0;

	while ((name = strstr(name, "::"))) {
		name += 2;
		count++;
	}
	return count;
}

/*
 * Inserts a name if it is similar. Compares only as many last parts of a C++
 * name as the user wrote.
 */
static void offer_name(struct similar_names *names, const char *text)
{
	struct nearest nearest = nearest_to(names->word);
	const size_t wanted = count_scopes(names->word);
	const char *compared = text;

	for (size_t i = count_scopes(text); i > wanted; i--)
		compared = strstr(compared, "::") + 2;
	nearest_offer(&nearest, compared, strlen(compared));
	if (nearest.best)
		insert(names, text, nearest.distance);
}

static void offer_mangled(struct similar_names *names, const char *symbol)
{
	char *whole = a2n_demangle(symbol);
	char *bare = whole ? a2n_short_name(whole, A2N_BARE) : NULL;

	if (bare)
		offer_name(names, bare);
	free(bare);
	free(whole);
}

static int offer(void *context, const struct symbol *symbol)
{
	if (!symbol->is_function || !symbol->is_defined)
		return 0;
	if (strncmp(symbol->name, "_Z", 2) == 0)
		offer_mangled(context, symbol->name);
	else
		offer_name(context, symbol->name);
	return 0;
}

static struct similar_names names_like(const char *text)
{
	char *bare =
		strpbrk(text, "<(") ? a2n_short_name(text, A2N_BARE) : NULL;

	return (struct similar_names){
		.word = bare ? bare : memory_string(text, strlen(text)),
	};
}

/* Returns "did you mean A, B or C?" or NULL, and frees the names. */
static char *question_of(struct similar_names *names)
{
	char *text = NULL;

	for (size_t i = 0; i < names->count; i++) {
		const char *between = !i                     ? "did you mean "
				      : i + 1 < names->count ? ", "
							     : " or ";
		char *longer =
			memory_printf("%s%s%s", text ? text : "", between,
				      text_printable(names->items[i].text));

		free(text);
		free(names->items[i].text);
		text = longer;
	}
	if (text) {
		char *question = memory_printf("%s?", text);

		free(text);
		text = question;
	}
	free(names->word);
	return text;
}

int mistyped_function_refuse(const struct image *image, const char *path,
			     const char *function, char **why)
{
	struct similar_names names = names_like(function);
	char *question;

	symbols_walk(image, offer, &names);
	question = question_of(&names);
	fail(why, -ENOENT, "%s has no function %s%s%s", path, function,
	     question ? "; " : "", question ? question : "");
	free(question);
	return -ENOENT;
}

char *mistyped_function_question(const struct needed_libraries *files,
				 const char *function)
{
	struct similar_names names = names_like(function);
	struct image image;

	for (size_t i = 0; i < files->count; i++) {
		if (image_open(&image, files->items[i].path) != 0)
			continue;
		symbols_walk(&image, offer, &names);
		image_close(&image);
	}
	return question_of(&names);
}
