/* SPDX-License-Identifier: MIT */
/* See finder.h. */
#include "report/view/finder.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/clone_suffix.h"
#include "base/memory.h"
#include "report/view/selection.h"

/* The user's text, parsed in each of its possible meanings. */
struct query {
	char *text;
	/*
	 * The last identifier of the text: each name by rules 5 and 6 has it.
	 */
	char *word;
	char *squeezed; /* the text without blanks that may be omitted */
	int is_address;
	uint64_t vaddr;
	/* whether only a function that begins at `vaddr` matches */
	int has_start;
	char *module; /* module of the address; NULL for any module */
	char *file;   /* source file; NULL if the text names no source line */
	uint32_t line;
	regex_t regex;
	int has_regex;
};

/* ---- Queries ---- */

static int is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' ||
	       (unsigned char)letter >= 0x80;
}

/* Returns the last identifier in a text, which the caller frees. */
static char *last_word(const char *text)
{
	size_t end = strlen(text), start;

	while (end > 0 && !is_word(text[end - 1]))
		end--;
	start = end;
	while (start > 0 && is_word(text[start - 1]))
		start--;
	return memory_string(text + start, end - start);
}

/* Parses "0x12e0" and "module+0x12e0". */
static void parse_address(struct query *query)
{
	const char *digits = query->text;
	const char *plus = strrchr(query->text, '+');
	char *end;

	if (plus)
		digits = plus + 1;
	if (strncmp(digits, "0x", 2) != 0 ||
	    !isxdigit((unsigned char)digits[2]))
		return;
	errno = 0;
	query->vaddr = strtoull(digits, &end, 16);
	query->is_address = !*end && errno == 0;
	if (query->is_address && plus)
		query->module = memory_string(query->text,
					      (size_t)(plus - query->text));
}

/* Parses "parse.c:12". */
static void parse_line(struct query *query)
{
	const char *colon = strrchr(query->text, ':');
	char *end;
	unsigned long line;

	if (!colon || colon == query->text || colon[-1] == ':' ||
	    !isdigit((unsigned char)colon[1]))
		return;
	errno = 0;
	line = strtoul(colon + 1, &end, 10);
	if (*end || errno || line == 0 || line > UINT32_MAX)
		return;
	query->line = (uint32_t)line;
	query->file = memory_string(query->text, (size_t)(colon - query->text));
}

/*
 * Returns the text as names are spelled, which have a blank before the suffix
 * of a user-defined literal: operator"" _km. The caller frees it.
 */
static char *spelled(const char *text)
{
	static const char literal[] = "operator\"\"";
	const char *at = strstr(text, literal);

	if (at)
		at += strlen(literal);
	if (!at || !is_word(*at))
		return memory_string(text, strlen(text));
	return memory_printf("%.*s %s", (int)(at - text), text, at);
}

/*
 * Parses and removes the address of a name of struct shown_names: "init
 * [0x12e0]".
 */
static void take_start(struct query *query)
{
	char *bracket = strrchr(query->text, '['), *end;

	if (!bracket || bracket - query->text < 2 || bracket[-1] != ' ' ||
	    strncmp(bracket, "[0x", 3) != 0 ||
	    !isxdigit((unsigned char)bracket[3]))
		return;
	errno = 0;
	query->vaddr = strtoull(bracket + 1, &end, 16);
	if (strcmp(end, "]") != 0 || errno != 0)
		return;
	query->has_start = 1;
	bracket[-1] = '\0';
}

static void query_init(struct query *query, const char *text)
{
	*query = (struct query){ .text = spelled(text) };
	take_start(query);
	query->word = last_word(query->text);
	query->squeezed = selection_squeezed(query->text);
	parse_address(query);
	parse_line(query);
	query->has_regex = *text && regcomp(&query->regex, query->text,
					    REG_EXTENDED | REG_NOSUB) == 0;
}

static void query_fini(struct query *query)
{
	free(query->text);
	free(query->word);
	free(query->squeezed);
	free(query->module);
	free(query->file);
	if (query->has_regex)
		regfree(&query->regex);
}

/* ---- Names ---- */

static int is_equal(struct catalog *catalog, uint32_t function,
		    const struct query *query)
{
	const char *names[A2N_MERGED_MAX];
	size_t count;

	if (strcmp(catalog_name(catalog, function), query->text) == 0 ||
	    strcmp(catalog_full_name(catalog, function), query->text) == 0)
		return 1;
	count = catalog_merged_names(catalog, function, names, A2N_MERGED_MAX);
	for (size_t i = 0; i < count && i < A2N_MERGED_MAX; i++)
		if (strcmp(names[i], query->text) == 0)
			return 1;
	return 0;
}

static int is_plain(struct catalog *catalog, uint32_t function,
		    const struct query *query)
{
	return selection_is_named(catalog, function, query->text);
}

/*
 * Returns whether the name ends with `text`, directly after "::", a dot or a
 * slash.
 */
static int is_last_part(const char *name, const void *text)
{
	const size_t length = strlen(name), wanted = strlen(text);
	const char *at = name + length - wanted;

	if (wanted == 0 || wanted >= length || strcmp(at, text) != 0)
		return 0;
	return at[-1] == '.' || at[-1] == '/' ||
	       (at - name >= 2 && at[-1] == ':' && at[-2] == ':');
}

static int is_text(const char *name, const void *text)
{
	return strcmp(name, text) == 0;
}

/* Returns whether the name can match by rules 5 and 6 at all. */
static int has_word(struct catalog *catalog, uint32_t function,
		    const struct query *query)
{
	return *query->word &&
	       strstr(catalog_full_name(catalog, function), query->word);
}

/* Matches names as tables show them, which have template arguments. */
static int is_shown(struct catalog *catalog, uint32_t function,
		    const struct query *query)
{
	return has_word(catalog, function, query) &&
	       selection_has_short_name(catalog, function, A2N_SHORTEST,
					is_text, query->text);
}

static int is_short(struct catalog *catalog, uint32_t function,
		    const struct query *query)
{
	return has_word(catalog, function, query) &&
	       selection_has_short_name(catalog, function, A2N_BARE, is_text,
					query->text);
}

static int is_end(struct catalog *catalog, uint32_t function,
		  const struct query *query)
{
	const char *text = query->text;

	/* "...::f", as tables on a narrow terminal show it */
	if (strncmp(text, "...::", 5) == 0 || strncmp(text, "\u2026::", 5) == 0)
		text += 5;
	return has_word(catalog, function, query) &&
	       selection_has_short_name(catalog, function, A2N_BARE,
					is_last_part, text);
}

/* ---- Names with other blanks ---- */

static int is_squeezed_text(const char *name, const void *text)
{
	char *squeezed = selection_squeezed(name);
	const int is = is_text(squeezed, text) || is_last_part(squeezed, text);

	free(squeezed);
	return is;
}

static int is_plain_loosely(struct catalog *catalog, uint32_t function,
			    const struct query *query)
{
	return has_word(catalog, function, query) &&
	       (is_squeezed_text(catalog_full_name(catalog, function),
				 query->squeezed) ||
		selection_is_named_loosely(catalog, function, query->squeezed));
}

static int is_part_loosely(struct catalog *catalog, uint32_t function,
			   const struct query *query)
{
	return has_word(catalog, function, query) &&
	       selection_has_short_name(catalog, function, A2N_BARE,
					is_squeezed_text, query->squeezed);
}

static int matches_regex(struct catalog *catalog, uint32_t function,
			 const struct query *query)
{
	return query->has_regex &&
	       regexec(&query->regex, catalog_name(catalog, function), 0, NULL,
		       0) == 0;
}

/* ---- Addresses ---- */

/* Returns whether a module has this name, with or without ".so.1.2". */
static int is_module(const struct catalog_module *module, const char *name)
{
	const size_t length = strlen(name);

	return strcmp(module->name, name) == 0 ||
	       (strncmp(module->name, name, length) == 0 &&
		strncmp(module->name + length, ".so", 3) == 0);
}

static int may_have_address(const struct catalog *catalog, uint32_t function,
			    const struct query *query)
{
	const struct catalog_function *one = &catalog->functions[function];

	return query->is_address && one->module != CATALOG_NO_MODULE &&
	       !one->is_named &&
	       (!query->module ||
		is_module(&catalog->modules[one->module], query->module));
}

static int begins_at(struct catalog *catalog, uint32_t function,
		     const struct query *query)
{
	return may_have_address(catalog, function, query) &&
	       catalog->functions[function].vaddr == query->vaddr;
}

static int ends_before(const struct catalog_function *function, uint64_t vaddr)
{
	return function->size_bytes &&
	       vaddr - function->vaddr >= function->size_bytes;
}

/*
 * Adds a chosen function's whole if it is a part that was split off: "f.cold".
 */
static void add_whole(struct catalog *catalog, uint32_t part, uint8_t *chosen)
{
	const char *name = catalog_name(catalog, part);
	const uint32_t module = catalog->functions[part].module;

	if (!strstr(name, ".cold"))
		return;
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++)
		if (catalog->functions[i].module == module &&
		    !catalog->functions[i].is_named &&
		    catalog_is_part(catalog, name, i))
			chosen[i] = 1;
}

/*
 * Chooses the function that contains the address. Without a module, only the
 * program itself is searched. A function of unknown size ends at the next one.
 */
static size_t choose_around(struct catalog *catalog, const uint8_t *candidates,
			    const struct query *query, uint8_t *chosen)
{
	uint32_t best = FUNCTION_NONE;
	size_t count = 0;

	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];

		if (!may_have_address(catalog, i, query) ||
		    (!query->module && one->module != 0) ||
		    one->vaddr > query->vaddr)
			continue;
		if (best == FUNCTION_NONE ||
		    one->vaddr > catalog->functions[best].vaddr)
			best = i;
	}
	if (best == FUNCTION_NONE ||
	    ends_before(&catalog->functions[best], query->vaddr))
		return 0;
	chosen[best] = 1;
	add_whole(catalog, best, chosen);
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		chosen[i] = chosen[i] && (!candidates || candidates[i]);
		count += chosen[i];
	}
	return count;
}

/* ---- Source lines ---- */

/* The functions of one module that have code of a line. */
struct line_search {
	struct catalog *catalog;
	const struct query *query;
	/* maps 1 + the start of a function that was found to 1 */
	struct idmap direct, inlined;
};

static int is_file(const struct a2n_frame *frame, const char *name)
{
	const size_t wanted = strlen(name);

	if (!frame->file || frame->file_length < wanted ||
	    memcmp(frame->file + frame->file_length - wanted, name, wanted) !=
		    0)
		return 0;
	return frame->file_length == wanted ||
	       frame->file[frame->file_length - wanted - 1] == '/';
}

static void visit_row(void *context, const struct a2n_range *range,
		      const struct a2n_frame *frames, size_t count)
{
	struct line_search *search = context;
	const struct query *query = search->query;

	(void)range;
	for (size_t i = 0; i < count; i++) {
		if (frames[i].line != query->line ||
		    !is_file(&frames[i], query->file) ||
		    frames[count - 1].start == UINT64_MAX)
			continue;
		*idmap_at(i + 1 == count ? &search->direct : &search->inlined,
			  frames[count - 1].start + 1) = 1;
	}
}

/* Returns the number of functions that begin at an address of the map. */
static size_t choose_starts(const struct catalog *catalog,
			    const uint8_t *candidates, uint32_t module,
			    const struct idmap *starts, uint8_t *chosen)
{
	size_t count = 0;

	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];

		if (one->module != module || one->is_named ||
		    (candidates && !candidates[i]) ||
		    !idmap_find(starts, one->vaddr + 1))
			continue;
		chosen[i] = 1;
		count++;
	}
	return count;
}

/*
 * Chooses functions with code of the line; in modules without such functions,
 * those into which the line was inlined.
 */
static size_t choose_line(struct catalog *catalog, const uint8_t *candidates,
			  const struct query *query, uint8_t *chosen)
{
	size_t count = 0;

	for (uint32_t i = 0; i < catalog->module_count; i++) {
		struct line_search search = { .catalog = catalog,
					      .query = query };
		const struct a2n_module *symbols =
			catalog_symbols(catalog, &catalog->modules[i]);
		size_t found = 0;

		if (symbols)
			a2n_module_rows(symbols, visit_row, &search);
		found = choose_starts(catalog, candidates, i, &search.direct,
				      chosen);
		if (found == 0)
			found = choose_starts(catalog, candidates, i,
					      &search.inlined, chosen);
		count += found;
		idmap_fini(&search.direct);
		idmap_fini(&search.inlined);
	}
	return count;
}

/* ---- Rules ---- */

typedef int rule(struct catalog *catalog, uint32_t function,
		 const struct query *query);

static int starts_there(const struct catalog *catalog, uint32_t function,
			const struct query *query)
{
	const struct catalog_function *one = &catalog->functions[function];

	return one->module != CATALOG_NO_MODULE && !one->is_named &&
	       one->vaddr == query->vaddr;
}

/* Returns the number of functions that match. */
static size_t choose(struct catalog *catalog, const uint8_t *candidates,
		     const struct query *query, rule *is_match, uint8_t *chosen)
{
	size_t count = 0;

	for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count; i++) {
		if ((candidates && !candidates[i]) ||
		    (query->has_start && !starts_there(catalog, i, query)))
			continue;
		chosen[i] = is_match(catalog, i, query) != 0;
		count += chosen[i];
	}
	return count;
}

static size_t choose_by_any_rule(struct catalog *catalog,
				 const uint8_t *candidates,
				 const struct query *query,
				 struct found_functions *found)
{
	uint8_t *chosen = found->chosen;
	rule *const by_name[] = { is_equal, is_plain, begins_at };
	rule *const by_part[] = { is_shown, is_short, is_end, is_plain_loosely,
				  is_part_loosely };
	size_t count = 0;

	for (size_t i = 0; i < 3 && count == 0; i++)
		count = choose(catalog, candidates, query, by_name[i], chosen);
	if (count == 0 && query->is_address)
		count = choose_around(catalog, candidates, query, chosen);
	if (count == 0 && query->file)
		count = choose_line(catalog, candidates, query, chosen);
	for (size_t i = 0; i < sizeof(by_part) / sizeof(*by_part) && count == 0;
	     i++)
		count = choose(catalog, candidates, query, by_part[i], chosen);
	found->is_by_regex = count == 0;
	if (count == 0)
		count = choose(catalog, candidates, query, matches_regex,
			       chosen);
	return count;
}

/* ---- Matches ---- */

static int is_same(struct catalog *catalog, uint32_t one, uint32_t other)
{
	const char *a = catalog_name(catalog, one);
	const char *b = catalog_name(catalog, other);
	const size_t length = clone_suffix_strip(a, strlen(a));

	return length == clone_suffix_strip(b, strlen(b)) &&
	       memcmp(a, b, length) == 0;
}

/*
 * Lists a chosen function, unless the list is full or has a function with the
 * same name. Suffixes of clones are not compared.
 */
static void list_name(struct catalog *catalog, struct found_functions *found,
		      uint32_t function)
{
	if (found->count == FINDER_LISTED)
		return;
	for (size_t i = 0; i < found->count; i++)
		if (is_same(catalog, found->functions[i], function))
			return;
	found->functions[found->count++] = function;
}

/* Lists the chosen functions: those of the program, and then all others. */
static void list_names(struct catalog *catalog, struct found_functions *found)
{
	found->functions =
		memory_zeroed(FINDER_LISTED, sizeof(*found->functions));
	for (int is_own = 1; is_own >= 0; is_own--)
		for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count;
		     i++)
			if (found->chosen[i] && (catalog->functions[i].module ==
						 CATALOG_PROGRAM) == is_own)
				list_name(catalog, found, i);
}

int finder_find(struct catalog *catalog, const uint8_t *candidates,
		const char *text, struct found_functions *out)
{
	struct found_functions found = {
		.chosen = memory_zeroed(catalog->function_count + 1, 1)
	};
	struct query query;
	size_t count;

	if (!*text) {
		free(found.chosen);
		return -ESRCH;
	}
	query_init(&query, text);
	count = choose_by_any_rule(catalog, candidates, &query, &found);
	query_fini(&query);
	if (count == 0) {
		free(found.chosen);
		return -ESRCH;
	}
	list_names(catalog, &found);
	*out = found;
	return found.count == 1 ? 0 : -ENOTUNIQ;
}

void found_fini(struct found_functions *found)
{
	free(found->chosen);
	free(found->functions);
	*found = (struct found_functions){ 0 };
}

int finder_mask(struct catalog *catalog, const uint8_t *candidates,
		const char *text, uint8_t **chosen)
{
	struct found_functions found;
	const int err = finder_find(catalog, candidates, text, &found);

	*chosen = NULL;
	if (err == -ESRCH)
		return err;
	if (!err) {
		*chosen = found.chosen;
		found.chosen = NULL;
	}
	found_fini(&found);
	return err;
}

uint8_t *finder_called(const struct catalog *catalog, const struct tree *tree)
{
	uint8_t *called = memory_zeroed(catalog->function_count + 1, 1);

	for (size_t i = TREE_ROOT + 1; i < tree->count; i++)
		called[tree->nodes[i].function] = 1;
	return called;
}

/* Returns whether the text finds this function, and no other one. */
static int finds(struct catalog *catalog, const uint8_t *candidates,
		 const char *text, uint32_t function)
{
	struct found_functions found;
	const int err = finder_find(catalog, candidates, text, &found);
	int is_it;

	if (err == -ESRCH)
		return 0;
	is_it = err == 0 && found.chosen[function];
	found_fini(&found);
	return is_it;
}

char *finder_text(struct catalog *catalog, const uint8_t *candidates,
		  uint32_t function)
{
	const struct catalog_function *one = &catalog->functions[function];
	const char *full = catalog_name(catalog, function);

	for (int detail = A2N_BARE; detail <= A2N_PARAMETERS; detail++) {
		char *name = catalog_short_name(catalog, function,
						(enum a2n_detail)detail);

		if (finds(catalog, candidates, name, function))
			return name;
		free(name);
	}
	if (one->module == CATALOG_NO_MODULE || one->is_named ||
	    finds(catalog, candidates, full, function))
		return memory_string(full, strlen(full));
	return memory_printf("%s+0x%" PRIx64,
			     catalog->modules[one->module].name, one->vaddr);
}
