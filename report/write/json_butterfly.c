/* SPDX-License-Identifier: MIT */
/* JSON of a function with its callers and callees. */
#include "report/write/json.h"

static json_t *measure_json(const struct session *session,
			    const struct measure *measure)
{
	return json_pack("{sosososo}", "calls", json_number(measure->calls),
			 "tail", json_number(measure->tails),
			 session->value ? "value" : "ns",
			 json_number(measure->ns), "samples",
			 json_number(measure->samples));
}

static void write_rows(struct json_stream *object, const char *key,
		       struct session *session,
		       const struct butterfly_row *rows, size_t count)
{
	struct json_stream array = json_begin(object, key, "[");

	for (size_t i = 0; i < count; i++) {
		json_t *value =
			json_function(&session->catalog, rows[i].function);

		json_object_update_new(value,
				       measure_json(session, &rows[i].edge));
		json_member(&array, NULL, value);
	}
	json_end(&array, "]");
}

/* Returns the bins of a histogram. Empty bins are omitted. */
static json_t *bins_json(const struct timings *timings,
			 const struct timing_bins *bins)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WIRE_BINS; i++) {
		if (bins->calls[i] > 0)
			json_array_append_new(
				array,
				json_pack(
					"{soso}", "from_ns",
					json_number(timings_bin_ns(timings, i)),
					"calls", json_number(bins->calls[i])));
	}
	return array;
}

void json_butterfly(FILE *out, struct session *session,
		    const struct butterfly_view *view)
{
	const struct butterfly *butterfly = view->butterfly;
	struct json_stream file = { .out = out }, object;

	object = json_begin(&file, NULL, "{");
	json_summary(&object, session);
	json_member(&object, "name", json_text(view->name));
	json_member(&object, "self", measure_json(session, &butterfly->self));
	json_member(&object, session->value ? "total_value" : "total_ns",
		    json_number(butterfly->total.ns));
	if (butterfly->timing.ended > 0) {
		json_member(&object, "timed", json_timing(&butterfly->timing));
		json_member(
			&object, "histogram",
			bins_json(&session->tree.timings, &butterfly->bins));
	}
	write_rows(&object, "callers", session, butterfly->callers,
		   butterfly->caller_count);
	write_rows(&object, "callees", session, butterfly->callees,
		   butterfly->callee_count);
	json_end(&object, "}\n");
}
