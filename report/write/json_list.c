/* SPDX-License-Identifier: MIT */
/* JSON of `clew list`: modules and their functions. */
#include <stdlib.h>

#include "report/view/java_methods.h"
#include "report/write/json.h"

static json_t *function_of(struct catalog *catalog, uint32_t index)
{
	json_t *value = json_function(catalog, index);
	unsigned int verdict = catalog->functions[index].verdict;

	json_object_del(value, "module");
	json_object_set_new(
		value, "hooked",
		json_boolean(verdict_class(verdict) == VERDICT_HOOKED));
	json_object_set_new(value, "verdict",
			    json_string(json_verdict(verdict)));
	if (catalog_loops(&catalog->functions[index]))
		json_object_set_new(value, "in_doubt", json_true());
	if (catalog->functions[index].is_leaf)
		json_object_set_new(value, "leaf", json_true());
	return value;
}

static void write_functions(struct json_stream *object,
			    const struct list_view *view, uint32_t module)
{
	struct json_stream array = json_begin(object, "functions", "[");
	struct catalog *catalog = view->catalog;
	uint32_t left = catalog->modules[module].function_count;

	for (uint32_t i = catalog->modules[module].first_function; left > 0;
	     i++) {
		if (catalog->functions[i].module != module ||
		    !catalog_is_recorded(&catalog->functions[i]))
			continue;
		left--;
		if (list_shows(view, &catalog->functions[i]))
			json_member(&array, NULL, function_of(catalog, i));
	}
	json_end(&array, "]");
}

/* Lists the Java methods that `clew list` names. */
static json_t *java_list(const struct list_view *view)
{
	struct catalog *catalog = view->catalog;
	json_t *list = json_array();

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];
		const char *way = java_method_way(one, view->is_java_in_place);
		json_t *value;

		if (way ? view->detail != LIST_ALL : !one->java_left)
			continue;
		value = json_object();
		json_object_set_new(
			value, "name",
			json_text(catalog_name(catalog, (uint32_t)i)));
		json_object_set_new(value, "counted",
				    json_boolean(one->reports_calls));
		if (way)
			json_object_set_new(value, "way", json_string(way));
		else
			json_object_set_new(
				value, "reason",
				json_string(java_left_text(one->java_left)));
		json_array_append_new(list, value);
	}
	return list;
}

static void write_java(struct json_stream *object, const struct list_view *view)
{
	const struct java_methods methods = java_methods_of(view->catalog);
	json_t *value, *left;

	if (methods.counted + methods.left == 0)
		return;
	value = json_object();
	left = json_object();
	for (unsigned int i = 0; i < WIRE_JAVA_LEFT_COUNT; i++)
		if (methods.by_reason[i] > 0)
			json_object_set_new(left, java_left_word(i),
					    json_number(methods.by_reason[i]));
	json_object_set_new(value, "counted", json_number(methods.counted));
	json_object_set_new(value, "standing_by",
			    json_number(methods.standing_by));
	json_object_set_new(value, "left", left);
	if (view->detail != LIST_REASONS)
		json_object_set_new(value, "methods", java_list(view));
	json_member(object, "java_methods", value);
}

static void write_module(struct json_stream *array,
			 const struct list_view *view, uint32_t index,
			 const struct coverage *coverage)
{
	const struct catalog_module *module = &view->catalog->modules[index];
	struct json_stream object = json_begin(array, NULL, "{");

	json_member(&object, "path", json_text(module->printable_path));
	json_member(&object, "state",
		    json_string(module_state_text(module->state)));
	json_member(&object, "hooked",
		    json_boolean(module->state == MODULE_IS_HOOKED));
	json_member(&object, "coverage", json_coverage(coverage));
	if (list_shows_some(view, coverage))
		write_functions(&object, view, index);
	json_end(&object, "}");
}

void json_list(FILE *out, const struct list_view *view)
{
	struct json_stream file = { .out = out }, object, modules;
	struct coverage *coverage = coverage_of_modules(view->catalog);
	struct coverage total;

	coverage_total(view->catalog, coverage, &total);
	object = json_begin(&file, NULL, "{");
	json_member(&object, "clew", json_string(CLEW_VERSION));
	json_member(&object, "forecast", json_boolean(view->is_forecast));
	if (!view->is_forecast)
		json_member(&object, "breakpoint_hits",
			    json_number(view->trap_hits));
	json_member(&object, "total", json_coverage(&total));
	modules = json_begin(&object, "modules", "[");
	for (uint32_t i = 0; i < view->catalog->module_count; i++)
		write_module(&modules, view, i, &coverage[i]);
	json_end(&modules, "]");
	write_java(&object, view);
	json_end(&object, "}\n");
	free(coverage);
}
