/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the location of a probe (image/probe_spec.h),
 * and lines of its actions (expression/probe_action.h).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expression/probe_action.h"
#include "image/probe_spec.h"
#include "tests/fuzz/pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const char *text)
{
	struct probe_spec *spec = malloc(sizeof(*spec));

	if (probe_spec_parse(text, spec) == 0) {
		if (spec->is_return && !*spec->function)
			abort();
		probe_spec_means(spec, "/usr/lib/libz.so.1", 0);
		probe_spec_means(spec, "/bin/true", 1);
	}
	free(spec);
}

static void check_action(const struct probe_action *action)
{
	uint32_t count = 0;

	for (const struct probe_field *f = action->fields; f; f = f->next) {
		if (f->field.end < f->field.start ||
		    f->field.end > strlen(f->text) ||
		    f->field.string_bytes > EXPRESSION_STRING_MAX)
			abort();
		count++;
	}
	if (count > EXPRESSION_FIELDS_MAX)
		abort();
	if (action->call &&
	    (!*action->call->object || !*action->call->function))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *line, *rest = text;
	struct pieces *pieces = calloc(1, sizeof(*pieces));
	struct probe_action action = { 0 };
	struct expression_problem problem;

	line = strsep(&rest, "\n");
	check_place(line);
	while ((line = strsep(&rest, "\n")))
		if (probe_action_add(&action, line, pieces_take, pieces,
				     &problem) == 0 &&
		    action.field_count > EXPRESSION_FIELDS_MAX)
			abort();
	check_action(&action);
	pieces_free(pieces);
	free(text);
	return 0;
}
