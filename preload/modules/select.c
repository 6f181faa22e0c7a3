/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "preload/modules/select.h"

#include <stddef.h>
#include <string.h>

#include "image/special_modules.h"
#include "match/glob.h"

/*
 * Returns whether a rule or an option requests a module that is excluded by
 * default.
 */
static int is_asked_for(const struct config *config, enum module_state state,
			int wanted)
{
	switch (state) {
	case MODULE_IS_LIBC:
		return wanted || config->hook_libc;
	case MODULE_IS_JAVA_VM:
		return wanted || config->java == CONFIG_JAVA_VM;
	default:
		return 0;
	}
}

int select_is_libc(const char *path)
{
	return special_module_state(path) == MODULE_IS_LIBC;
}

static int rule_matches_module(struct rule *rule, const char *path)
{
	if (!glob_matches_file(rule->text, path))
		return 0;
	rule->matches++;
	return 1;
}

static int has_handlers(const struct config *config, const char *path)
{
	const struct handler_object *object = config->handler_objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	return object != NULL;
}

enum module_state select_module(const struct config *config, const char *path)
{
	enum module_state state = special_module_state(path);
	int wanted = 0, has_wishes = 0, unwanted = 0;

	for (struct rule *rule = config->rules; rule; rule = rule->next) {
		if (rule->kind == RULE_MODULE) {
			has_wishes = 1;
			wanted |= rule_matches_module(rule, path);
		} else if (rule->kind == RULE_NOT_MODULE) {
			unwanted |= rule_matches_module(rule, path);
		}
	}
	if (has_handlers(config, path))
		return MODULE_IS_HANDLERS;
	if (is_asked_for(config, state, wanted))
		state = MODULE_IS_HOOKED;
	else if (state != MODULE_IS_HOOKED)
		return state;
	return unwanted || (has_wishes && !wanted) ? MODULE_IS_DESELECTED
						   : state;
}

int select_has_function_rules(const struct config *config)
{
	for (const struct rule *rule = config->rules; rule; rule = rule->next)
		if (rule->kind == RULE_FUNCTION ||
		    rule->kind == RULE_NOT_FUNCTION)
			return 1;
	return 0;
}

int select_function(const struct config *config, const char *name)
{
	int wanted = 0, has_wishes = 0, unwanted = 0;

	for (struct rule *rule = config->rules; rule; rule = rule->next) {
		int is_wish = rule->kind == RULE_FUNCTION;

		if (!is_wish && rule->kind != RULE_NOT_FUNCTION)
			continue;
		has_wishes |= is_wish;
		if (!ere_matches(&rule->regex, name))
			continue;
		rule->matches++;
		*(is_wish ? &wanted : &unwanted) = 1;
	}
	return !unwanted && (wanted || !has_wishes);
}
