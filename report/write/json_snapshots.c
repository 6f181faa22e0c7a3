/* SPDX-License-Identifier: MIT */
/* JSON of the snapshots and of the calls that caused them. */
#include "report/write/json.h"

static json_t *snapshot_of(struct session *session,
			   const struct snapshot_list *list,
			   const struct listed_snapshot *one)
{
	json_t *object =
		json_pack("{sosososb}", "folder", json_text(one->folder),
			  "number", json_number(one->number), "pid",
			  json_number(one->pid), "trace", one->has_trace);
	json_t *function;

	if (one->tid) {
		json_object_set_new(object, "tid", json_number(one->tid));
		json_object_set_new(object, "time_ns",
				    json_number(one->time_ns));
	}
	if (one->call_ns)
		json_object_set_new(object, "call_ns",
				    json_number(one->call_ns));
	if (one->function != FUNCTION_NONE) {
		function = json_function(&session->catalog, one->function);
		json_object_update(object, function);
		json_decref(function);
	} else if (one->is_of_call && list->place) {
		json_object_set_new(object, "name", json_text(list->place));
	}
	return object;
}

void json_snapshots(FILE *out, struct session *session,
		    const struct snapshots_view *view)
{
	struct json_stream file = { .out = out };
	struct json_stream object = json_begin(&file, NULL, "{"), array;

	array = json_begin(&object, "snapshots", "[");
	for (size_t i = 0; i < view->list->count; i++)
		json_member(&array, NULL,
			    snapshot_of(session, view->list,
					&view->list->items[i]));
	json_end(&array, "]");
	json_summary(&object, session);
	json_end(&object, "}\n");
}
