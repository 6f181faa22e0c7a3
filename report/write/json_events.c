/* SPDX-License-Identifier: MIT */
/* JSON of single marks and probe hits. */
#include <stdlib.h>

#include "report/write/json.h"

/* Returns a number or a string; null if the probe could not read it. */
static json_t *value_of(const struct mark_value *value)
{
	if (value->is_missing)
		return json_null();
	if (value->string)
		return json_text(value->string);
	if (value->format == WIRE_FIELD_DECIMAL)
		return json_integer((json_int_t)value->number);
	return json_number(value->number);
}

json_t *json_event_values(const struct mark_list *marks,
			  const struct mark_event *event)
{
	json_t *values = json_object();

	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct mark_value *value =
			&marks->values[event->first_value + i];

		json_object_set_new(values, value->name, value_of(value));
	}
	return values;
}

static json_t *event_of(struct session *session, const struct mark_event *event)
{
	static const char *const kinds[] = {
		[WIRE_MARK_MOMENT] = "moment",
		[WIRE_MARK_BEGIN] = "begin",
		[WIRE_MARK_END] = "end",
	};
	const struct mark_list *marks = &session->marks;
	json_t *object = json_pack(
		"{sosososssoso}", "time_ns", json_number(event->time_ns), "pid",
		json_number(event->pid), "tid", json_number(event->tid), "kind",
		kinds[event->kind], "name",
		json_text(marks->sums[event->name].name), "number",
		json_number(event->number));

	if (event->value_count)
		json_object_set_new(object, "values",
				    json_event_values(marks, event));
	if (event->function != FUNCTION_NONE)
		json_object_set_new(
			object, "function",
			json_text(catalog_marked_name(&session->catalog,
						      event->function)));
	return object;
}

void json_events(FILE *out, struct session *session)
{
	const struct mark_event **events = mark_list_by_time(&session->marks);
	struct json_stream file = { .out = out };
	struct json_stream object = json_begin(&file, NULL, "{"), array;

	array = json_begin(&object, "events", "[");
	for (size_t i = 0; i < session->marks.event_count; i++)
		json_member(&array, NULL, event_of(session, events[i]));
	json_end(&array, "]");
	json_summary(&object, session);
	json_end(&object, "}\n");
	free(events);
}
