/* SPDX-License-Identifier: MIT */
/* Lists all marks and probe hits in order of time. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "report/write/text_writer.h"

static void write_value(FILE *out, const struct mark_value *value)
{
	char *text = mark_value_text(value);

	fprintf(out, "  %s=%s", value->name, text);
	free(text);
}

static void write_event(FILE *out, struct session *session,
			const struct mark_event *event, uint64_t start)
{
	static const char *const kinds[] = {
		[WIRE_MARK_MOMENT] = "",
		[WIRE_MARK_BEGIN] = "begin ",
		[WIRE_MARK_END] = "end ",
	};
	const struct mark_list *marks = &session->marks;
	const uint64_t since =
		event->time_ns > start ? event->time_ns - start : 0;

	fprintf(out, "%7" PRIu64 ".%09" PRIu64 " %8" PRIu32 "  %s%s",
		since / 1000000000, since % 1000000000, event->tid,
		kinds[event->kind], marks->sums[event->name].name);
	if (event->number || event->kind != WIRE_MARK_MOMENT)
		fprintf(out, " %" PRIu64, event->number);
	for (uint32_t i = 0; i < event->value_count; i++)
		write_value(out, &marks->values[event->first_value + i]);
	if (event->function != FUNCTION_NONE) {
		text_begin(out, session->has_color, STYLE_DIM);
		fprintf(out, "  in %s",
			shown_name(&session->names, &session->catalog,
				   event->function));
		text_end(out, session->has_color, STYLE_DIM);
	}
	fputc('\n', out);
}

void text_events(FILE *out, struct session *session)
{
	const struct mark_event **events = mark_list_by_time(&session->marks);
	const uint64_t start = recording_start_ns(&session->recording);

	text_begin(out, session->has_color, STYLE_HEADING);
	fprintf(out, "%17s %8s  event\n", "seconds", "thread");
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < session->marks.event_count; i++)
		write_event(out, session, events[i], start);
	free(events);
	text_summary(out, session);
}
