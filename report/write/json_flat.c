/* SPDX-License-Identifier: MIT */
/* JSON of the flat table. */
#include <inttypes.h>

#include "report/write/json.h"

/* Returns the 95 % interval of a sampled time. */
static json_t *range_of(const struct summary *summary, uint64_t ns,
			struct share_interval likely)
{
	double all = (double)summary->time_ns;

	if (ns == 0)
		return json_pack("[oo]", json_number(0),
				 json_number(summary->unseen_ns));
	return json_pack("[oo]", json_number((uint64_t)(all * likely.low)),
			 json_number((uint64_t)(all * likely.high)));
}

/* Adds the address of a row, its function and its line. */
static void set_site(json_t *value, struct catalog *catalog, uint32_t site)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	const size_t count =
		catalog_site_frames(catalog, site, 0, frames, CATALOG_FRAMES);
	char vaddr[24];

	snprintf(vaddr, sizeof(vaddr), "0x%" PRIx64,
		 catalog->sites[site].vaddr);
	json_object_set_new(value, "vaddr", json_string(vaddr));
	if (count == 0 || count > CATALOG_FRAMES)
		return;
	if (frames[count - 1].name)
		json_object_set_new(value, "function",
				    json_text(frames[count - 1].name));
	if (frames[0].file && frames[0].line) {
		json_object_set_new(value, "file", json_text(frames[0].file));
		json_object_set_new(value, "line", json_number(frames[0].line));
	}
}

static json_t *row_of(struct session *session, const struct flat_row *row)
{
	const struct summary *summary = &session->summary;
	json_t *value = json_function(&session->catalog, row->function);

	if (row->site)
		set_site(value, &session->catalog, row->site);
	json_object_set_new(value, "calls", json_number(row->self.calls));
	json_object_set_new(value, session->value ? "self_value" : "self_ns",
			    json_number(row->self.ns));
	json_object_set_new(value, session->value ? "total_value" : "total_ns",
			    json_number(row->total.ns));
	if (summary_is_sampled(summary)) {
		json_object_set_new(
			value, "self_ns_95",
			range_of(summary, row->self.ns,
				 summary_own_share(summary, row->self.ns,
						   row->self.samples)));
		json_object_set_new(
			value, "total_ns_95",
			range_of(summary, row->total.ns,
				 summary_total_share(summary, row->total.ns,
						     row->total.samples)));
	}
	json_object_set_new(value, "samples", json_number(row->self.samples));
	json_object_set_new(value, "total_samples",
			    json_number(row->total.samples));
	if (row->has_quantiles)
		json_object_set_new(value, "within_ns",
				    json_pack("{soso}", "p50",
					      json_number(row->half_below_ns),
					      "p99",
					      json_number(row->most_below_ns)));
	if (row->copied_bytes > 0)
		json_object_set_new(value, "copied_bytes",
				    json_number(row->copied_bytes));
	if (row->timing.ended > 0) {
		json_object_set_new(value, "timed", json_timing(&row->timing));
		json_object_set_new(
			value, "too_fine",
			json_boolean(timing_is_too_fine(
				&session->tree.timings, row->function,
				&row->timing, row->self.ns)));
	}
	json_object_set_new(value, "contexts", json_number(row->contexts));
	json_object_set_new(value, "callers", json_number(row->callers));
	json_object_set_new(value, "callees", json_number(row->callees));
	return value;
}

void json_flat(FILE *out, struct session *session, const struct flat_view *view)
{
	const struct flat *flat = view->flat;
	size_t top = view->top;
	struct json_stream file = { .out = out }, object, rows;
	size_t shown = top > 0 && top < flat->count ? top : flat->count;

	object = json_begin(&file, NULL, "{");
	json_summary(&object, session);
	rows = json_begin(&object, "functions", "[");
	for (size_t i = 0; i < shown; i++)
		json_member(&rows, NULL, row_of(session, &flat->rows[i]));
	json_end(&rows, "]");
	json_jni(&object, session, view->selection);
	json_end(&object, "}\n");
}
