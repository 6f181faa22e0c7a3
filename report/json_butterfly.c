/* SPDX-License-Identifier: MIT */
#include "report/json.h"

static json_t *measure_json(const struct measure *measure)
{
	return json_pack("{sososo}", "calls", json_number(measure->calls), "ns",
			 json_number(measure->ns), "samples",
			 json_number(measure->samples));
}

static void write_rows(struct json_stream *object, const char *key,
		       struct catalog *catalog,
		       const struct butterfly_row *rows, size_t count)
{
	struct json_stream array = json_begin(object, key, "[");

	for (size_t i = 0; i < count; i++) {
		json_t *value = json_function(catalog, rows[i].function);

		json_object_update_new(value, measure_json(&rows[i].edge));
		json_member(&array, NULL, value);
	}
	json_end(&array, "]");
}

void json_butterfly(FILE *out, struct session *session,
		    const struct butterfly_view *view)
{
	const struct butterfly *butterfly = view->butterfly;
	struct json_stream file = { .out = out }, object;

	object = json_begin(&file, NULL, "{");
	json_summary(&object, session);
	json_member(&object, "name", json_text(view->name));
	json_member(&object, "self", measure_json(&butterfly->self));
	json_member(&object, "total_ns", json_number(butterfly->total.ns));
	write_rows(&object, "callers", &session->catalog, butterfly->callers,
		   butterfly->caller_count);
	write_rows(&object, "callees", &session->catalog, butterfly->callees,
		   butterfly->callee_count);
	json_end(&object, "}\n");
}
