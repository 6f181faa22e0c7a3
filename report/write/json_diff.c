/* SPDX-License-Identifier: MIT */
/* JSON of the table of changes between two recordings. */
#include "report/write/gate_text.h"
#include "report/write/json.h"

static json_t *side_of(const struct session *session,
		       const struct flat_row *row, int has_calls)
{
	return json_pack("{sosososososo}", "calls",
			 has_calls ? json_number(row->self.calls) : json_null(),
			 session->value ? "self_value" : "self_ns",
			 json_number(row->self.ns),
			 session->value ? "total_value" : "total_ns",
			 json_number(row->total.ns), "samples",
			 json_number(row->self.samples), "total_samples",
			 json_number(row->total.samples), "contexts",
			 json_number(row->contexts));
}

static void write_conditions(struct json_stream *object,
			     struct session *session, const struct gate *gate)
{
	struct json_stream list = json_begin(object, "conditions", "[");

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->results[i];
		json_t *value =
			json_pack("{sosssoso}", "condition",
				  json_text(result->condition->text), "state",
				  gate_state_text(result->state), "before",
				  json_number(result->before), "after",
				  json_number(result->after));

		if (result->function)
			json_object_set_new(value, "function",
					    json_function(&session->catalog,
							  result->function));
		json_object_set_new(value, "more_functions",
				    json_number(result->others));
		json_member(&list, NULL, value);
	}
	json_end(&list, "]");
}

void json_diff(FILE *out, struct session *session, const struct diff_view *view)
{
	const struct diff_table *table = view->table;
	struct json_stream file = { .out = out }, object, rows;
	size_t shown = view->top > 0 && view->top < table->count ? view->top
								 : table->count;

	object = json_begin(&file, NULL, "{");
	json_member(&object, "clew", json_string(CLEW_VERSION));
	json_member(&object, "clocks",
		    json_pack("{sssssb}", "before",
			      time_text(view->diff->clock_before), "after",
			      time_text(view->diff->clock_after), "alike",
			      diff_has_like_clocks(view->diff)));
	if (view->gate)
		write_conditions(&object, session, view->gate);
	rows = json_begin(&object, "functions", "[");
	for (size_t i = 0; i < shown; i++) {
		const struct diff_row *row = &table->rows[i];
		json_t *value = json_function(&session->catalog, row->function);

		json_object_set_new(value, "before",
				    side_of(session, &row->before,
					    view->diff->has_calls_before));
		json_object_set_new(value, "after",
				    side_of(session, &row->after,
					    view->diff->has_calls_after));
		json_object_set_new(value, "significant",
				    json_boolean(row->is_significant));
		json_member(&rows, NULL, value);
	}
	json_end(&rows, "]");
	json_end(&object, "}\n");
}
