/* SPDX-License-Identifier: MIT */
/* See trace_lines.h. */
#include "report/write/trace_lines.h"

const char *call_ending_word(enum call_ending ending)
{
	static const char *const words[] = {
		[CALL_RETURNED] = "returned",
		[CALL_LEFT] = "left",
		[CALL_CUT] = "cut",
		[CALL_OPEN] = "open",
	};

	return words[ending];
}

const char *call_gap_word(enum call_gap gap)
{
	static const char *const words[] = {
		[GAP_MISSING] = "missing",
		[GAP_DAMAGED] = "damaged",
		[GAP_MISMATCH] = "mismatch",
		[GAP_MOVED] = "moved",
	};

	return words[gap];
}

const char *call_gap_text(enum call_gap gap)
{
	static const char *const texts[] = {
		[GAP_MISSING] = "packets are missing",
		[GAP_DAMAGED] = "the trace is damaged here",
		[GAP_MISMATCH] = "the stack is not what calls have made it",
		[GAP_MOVED] = "the stack has moved",
	};

	return texts[gap];
}

const char *call_clock_word(enum call_clock clock)
{
	static const char *const words[] = {
		[CLOCK_STAMPED] = "stamp",
		[CLOCK_INTERPOLATED] = "interpolated",
		[CLOCK_NOT_BEFORE] = "not before",
	};

	return words[clock];
}

void trace_output_count(struct trace_output *output,
			const struct call_line *line)
{
	if (line->kind == LINE_GAP)
		output->gaps[line->event.gap]++;
	if (line->kind == LINE_CLOSE || line->kind == LINE_LEAF)
		output->bounded +=
			line->event.tsc != line->event.call.inner_tsc;
	if (line->kind != LINE_OPEN && line->kind != LINE_LEAF)
		return;
	output->calls++;
	output->estimated += line->event.call.clock != CLOCK_STAMPED;
}

void trace_output_fini(struct trace_output *output)
{
	shown_names_fini(&output->names);
	idmap_fini(&output->columns);
}
