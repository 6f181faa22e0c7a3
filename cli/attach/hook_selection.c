/* SPDX-License-Identifier: MIT */
/* See hook_selection.h. */
#include "cli/attach/hook_selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/special_modules.h"
#include "image/symbols.h"
#include "image/traits.h"
#include "match/ere.h"
#include "match/glob.h"
#include "wire/module_functions.h"

struct hook_rule {
	struct hook_rule *next;
	int is_function, is_exclusion;
	/* A glob for modules, a regular expression for functions. */
	char *text;
	struct ere regex;
};

/* ---- The configuration ---- */

static void add_rule(struct hook_selection *selection, const char *text,
		     size_t bytes, int is_function, int is_exclusion)
{
	struct hook_rule *rule = arena_alloc(&selection->arena, sizeof(*rule));
	char *copy = arena_alloc(&selection->arena, bytes + 1);
	const char *why;

	if (!rule || !copy)
		return;
	memcpy(copy, text, bytes);
	*rule = (struct hook_rule){
		.next = selection->rules,
		.is_function = is_function,
		.is_exclusion = is_exclusion,
		.text = copy,
	};
	if (is_function && ere_compile(&rule->regex, copy, arena_memory,
				       &selection->arena, &why) != 0)
		return;
	selection->rules = rule;
	selection->has_wishes[is_function] |= !is_exclusion;
}

static void read_line(struct hook_selection *selection, const char *line,
		      size_t bytes)
{
	static const struct {
		const char *word;
		int is_function, is_exclusion;
	} words[] = {
		{ "module ", 0, 0 },
		{ "not-module ", 0, 1 },
		{ "function ", 1, 0 },
		{ "not-function ", 1, 1 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t length = strlen(words[i].word);

		if (bytes > length && !strncmp(line, words[i].word, length))
			add_rule(selection, line + length, bytes - length,
				 words[i].is_function, words[i].is_exclusion);
	}
	if (!strncmp(line, "time ", 5))
		selection->is_timed = !strncmp(line + 5, "exact", 5);
	if (bytes == 4 && !strncmp(line, "libc", 4))
		selection->has_libc = 1;
	if (!strncmp(line, "java ", 5))
		selection->has_java_vm = !strncmp(line + 5, "vm", 2);
}

void hook_selection_init(struct hook_selection *selection, const char *config)
{
	*selection = (struct hook_selection){ 0 };
	while (*config) {
		const size_t bytes = strcspn(config, "\n");

		read_line(selection, config, bytes);
		config += bytes + (config[bytes] == '\n');
	}
}

void hook_selection_fini(struct hook_selection *selection)
{
	arena_fini(&selection->arena);
}

/* ---- Modules and functions ---- */

static int matches(struct hook_rule *rule, const char *name)
{
	return rule->is_function ? ere_matches(&rule->regex, name)
				 : glob_matches_file(rule->text, name);
}

/*
 * Returns whether the rules select a name: no excluding rule matches, and a
 * selecting rule matches or no selecting rule exists. If so, stores in
 * *is_wanted whether a selecting rule matches.
 */
static int is_selected(const struct hook_selection *selection, int is_function,
		       const char *name, int *is_wanted)
{
	*is_wanted = 0;
	for (struct hook_rule *rule = selection->rules; rule;
	     rule = rule->next) {
		if (rule->is_function != is_function || !matches(rule, name))
			continue;
		if (rule->is_exclusion)
			return 0;
		*is_wanted = 1;
	}
	return *is_wanted || !selection->has_wishes[is_function];
}

int hook_selection_has_module(const struct hook_selection *selection,
			      const char *path)
{
	const enum module_state state = special_module_state(path);
	int is_wanted;

	if (!is_selected(selection, 0, path, &is_wanted))
		return 0;
	if (state == MODULE_IS_LIBC)
		return is_wanted || selection->has_libc;
	if (state == MODULE_IS_JAVA_VM)
		return is_wanted || selection->has_java_vm;
	return state == MODULE_IS_HOOKED;
}

static int has_function_rules(const struct hook_selection *selection)
{
	const struct hook_rule *rule = selection->rules;

	while (rule && !rule->is_function)
		rule = rule->next;
	return rule != NULL;
}

struct function_choice {
	const struct hook_selection *selection;
	const struct analysis *analysis;
	uint8_t *is_named, *is_in; /* For each function. */
};

static int judge(void *context, const struct symbol *symbol)
{
	struct function_choice *naming = context;
	const struct analysis *analysis = naming->analysis;
	uint32_t until;
	int is_wanted;

	if (!symbol->is_function || !symbol->is_defined)
		return 0;
	until = wire_functions_until(analysis->functions,
				     analysis->function_count, symbol->vaddr);
	if (!until || analysis->functions[until - 1].vaddr != symbol->vaddr)
		return 0;
	naming->is_named[until - 1] = 1;
	if (!naming->is_in[until - 1])
		naming->is_in[until - 1] = (uint8_t)is_selected(
			naming->selection, 1, symbol->name, &is_wanted);
	return 0;
}

/*
 * Returns whether rules select a function without a symbol. For rules its name
 * is MODULE+0xADDRESS, as in reports.
 */
static int is_nameless_in(const struct hook_selection *selection,
			  const char *path, uint64_t vaddr)
{
	char *name = memory_printf("%s+0x%" PRIx64, text_basename(path), vaddr);
	int is_wanted;
	const int is_in = is_selected(selection, 1, name, &is_wanted);

	free(name);
	return is_in;
}

static uint64_t count_by_name(const struct hook_selection *selection,
			      const char *path, const char *here,
			      const struct analysis *analysis)
{
	const size_t count = analysis->function_count;
	struct function_choice naming = {
		.selection = selection,
		.analysis = analysis,
		.is_named = memory_zeroed(count + 1, 1),
		.is_in = memory_zeroed(count + 1, 1),
	};
	struct image image;
	uint64_t selected = 0;

	if (image_open(&image, here) == 0) {
		symbols_walk(&image, judge, &naming);
		image_close(&image);
	}
	for (size_t i = 0; i < count; i++) {
		const struct wire_function *function = &analysis->functions[i];

		if (verdict_class(function->verdict) != VERDICT_HOOKED)
			continue;
		selected += naming.is_named[i]
				    ? naming.is_in[i]
				    : (uint64_t)is_nameless_in(selection, path,
							       function->vaddr);
	}
	free(naming.is_named);
	free(naming.is_in);
	return selected;
}

/*
 * Modules with these traits are not hooked: their code does not tolerate
 * changed return addresses.
 */
#define TRAITS_REFUSED                                                         \
	(TRAIT_GO | TRAIT_OCAML | TRAIT_HASKELL | TRAIT_AOT | TRAIT_V8 |       \
	 TRAIT_SPLIT_STACK)

uint64_t hook_selection_count(const struct hook_selection *selection,
			      const char *path, const char *here,
			      const struct analysis *analysis)
{
	uint64_t selected = 0;

	if (analysis->traits & TRAITS_REFUSED)
		return 0;
	if (has_function_rules(selection))
		return count_by_name(selection, path, here, analysis);
	for (uint32_t i = 0; i < analysis->function_count; i++)
		selected += verdict_class(analysis->functions[i].verdict) ==
			    VERDICT_HOOKED;
	return selected;
}
