/* SPDX-License-Identifier: MIT */
/* See view_steps.h. */
#include "cli/show/view_steps.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/option_values.h"
#include "report/view/transform.h"

static const char *const titles[] = {
	[STEP_FOCUS] = "focus",
	[STEP_HIDE] = "hide",
	[STEP_FOLD_MODULE] = "fold module",
	[STEP_FOLD_RECURSION] = "fold recursion",
};

int view_steps_add(struct view_steps *steps, enum view_step_kind kind,
		   struct catalog *catalog, uint32_t function)
{
	const char *name = NULL;
	uint32_t module;

	if (kind == STEP_FOLD_MODULE) {
		module = catalog->functions[function].module;
		if (module == CATALOG_NO_MODULE)
			return -ENOENT;
		name = catalog->modules[module].name;
	} else if (kind != STEP_FOLD_RECURSION) {
		name = catalog_name(catalog, function);
	}
	steps->items = memory_grow(steps->items, steps->count, &steps->capacity,
				   sizeof(*steps->items));
	steps->items[steps->count++] = (struct view_step){
		.kind = kind,
		.name = name ? memory_string(name, strlen(name)) : NULL,
	};
	return 0;
}

void view_steps_drop(struct view_steps *steps)
{
	free(steps->items[--steps->count].name);
}

void view_steps_fini(struct view_steps *steps)
{
	while (steps->count > 0)
		view_steps_drop(steps);
	free(steps->items);
}

char *view_steps_text(const struct view_steps *steps)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = memory_stream(&text, &bytes);

	for (size_t i = 0; i < steps->count; i++)
		fprintf(out, "%s%s%s%s", i ? "; " : "",
			titles[steps->items[i].kind],
			steps->items[i].name ? ": " : "",
			steps->items[i].name ? steps->items[i].name : "");
	fclose(out);
	return text;
}

static void transform_module(const char *name, struct catalog *catalog,
			     const struct tree *tree, struct tree *out)
{
	struct fold_rule rule = { .module = memory_escaped(name, "\\*?[") };
	struct transform transform = { .folds = &rule, .fold_count = 1 };
	struct timeline none = { 0 };

	tree_transform(tree, catalog, &transform, &none, out);
	free(rule.module);
}

static void transform_function(const struct view_step *step,
			       struct catalog *catalog, const struct tree *tree,
			       struct tree *out)
{
	char *pattern = literal_regex(step->name);
	struct timeline none = { 0 };
	struct transform transform = { 0 };
	regex_t regex;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		memory_exhausted();
	if (step->kind == STEP_FOCUS)
		transform.focus = &regex;
	else
		transform.ignore = &regex;
	tree_transform(tree, catalog, &transform, &none, out);
	regfree(&regex);
	free(pattern);
}

static void apply(const struct view_step *step, struct catalog *catalog,
		  const struct tree *tree, struct tree *out)
{
	struct transform recursion = { .folds_recursion = 1 };
	struct timeline none = { 0 };

	switch (step->kind) {
	case STEP_FOCUS:
	case STEP_HIDE:
		transform_function(step, catalog, tree, out);
		break;
	case STEP_FOLD_MODULE:
		transform_module(step->name, catalog, tree, out);
		break;
	case STEP_FOLD_RECURSION:
		tree_transform(tree, catalog, &recursion, &none, out);
		break;
	}
}

int view_steps_apply(const struct view_steps *steps, size_t from,
		     struct catalog *catalog, const struct tree *tree,
		     struct tree *out)
{
	struct tree result = { 0 };
	int is_empty = 0;

	for (size_t i = from; i < steps->count && !is_empty; i++) {
		struct tree next;

		apply(&steps->items[i], catalog, i == from ? tree : &result,
		      &next);
		if (i > from)
			tree_fini(&result);
		result = next;
		is_empty = result.count <= 1;
	}
	if (is_empty) {
		tree_fini(&result);
		return -ENODATA;
	}
	*out = result;
	return 0;
}
