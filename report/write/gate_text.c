/* SPDX-License-Identifier: MIT */
/* See gate_text.h. */
#include "report/write/gate_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

const char *gate_state_text(enum gate_state state)
{
	static const char *const texts[] = {
		[GATE_PASSED] = "passed",
		[GATE_UNDECIDED] = "undecided",
		[GATE_FAILED] = "failed",
	};

	return texts[state];
}

char *gate_value(const struct session *session, enum diff_key key,
		 uint64_t value)
{
	return memory_printf("%s", key == DIFF_CALLS
					   ? GROUPED(value)
					   : text_amount(session, value).text);
}

char *gate_percent(uint64_t before, uint64_t after)
{
	if (before == 0)
		return memory_printf("%s", after ? "from 0" : "+0.0%");
	return memory_printf("%+.1f%%",
			     100 * ((double)after / (double)before - 1));
}

static char *others_text(size_t others)
{
	return others > 0 ? memory_printf(", and %s more function%s",
					  GROUPED(others), text_plural(others))
			  : memory_string("", 0);
}

char *gate_values(struct session *session, const struct gate_result *result)
{
	const enum diff_key key = result->condition->key;
	char *before = gate_value(session, key, result->before);
	char *after = gate_value(session, key, result->after);
	char *percent = gate_percent(result->before, result->after);
	char *others = others_text(result->others);
	char *text = memory_printf(
		"%s%s%s before, %s after (%s)%s",
		result->function
			? shown_name(&session->names, &session->catalog,
				     result->function)
			: "",
		result->function ? ": " : "", before, after, percent, others);

	free(before);
	free(after);
	free(percent);
	free(others);
	return text;
}

char *gate_summary(const struct gate *gate)
{
	const size_t passed = gate->count - gate->failed - gate->undecided;

	if (gate->failed > 0)
		return memory_printf("failed: %zu of %zu condition%s",
				     gate->failed, gate->count,
				     text_plural(gate->count));
	if (gate->undecided > 0)
		return memory_printf(
			"passed: %zu of %zu condition%s; undecided: %zu",
			passed, gate->count, text_plural(gate->count),
			gate->undecided);
	return memory_printf("passed: %zu condition%s", passed,
			     text_plural(passed));
}

void text_gate(FILE *out, struct session *session, const struct gate *gate)
{
	char *summary = gate_summary(gate);

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->results[i];
		const int has_failed = result->state == GATE_FAILED;
		char *values;

		if (result->state == GATE_PASSED)
			continue;
		values = gate_values(session, result);
		text_begin(out, session->has_color,
			   has_failed ? STYLE_MORE : STYLE_WARM);
		fputs(gate_state_text(result->state), out);
		text_end(out, session->has_color,
			 has_failed ? STYLE_MORE : STYLE_WARM);
		fprintf(out, ": %s: %s%s\n", result->condition->text, values,
			has_failed ? ""
				   : "; this may be chance: record for longer");
		free(values);
	}
	if (gate->failed == 0)
		fprintf(out, "%s\n", summary);
	free(summary);
}

/* ---- JUnit ---- */

/*
 * Writes text for XML, which has no control characters. Names contain none, but
 * may contain the two characters at the end of the first plane, which XML
 * lacks.
 */
static void write_xml(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char *at = (const unsigned char *)text;

		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else if (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe)
			fputc('?', out), text += 2;
		else
			fputc(*text, out);
	}
}

static void write_case(FILE *out, struct session *session,
		       const struct gate_result *result)
{
	char *values = gate_values(session, result);

	fputs("    <testcase classname=\"clew.diff\" name=\"", out);
	write_xml(out, result->condition->text);
	fputs("\" time=\"0\"", out);
	if (result->state == GATE_PASSED) {
		fputs("/>\n", out);
		free(values);
		return;
	}
	fputs(">\n", out);
	if (result->state == GATE_FAILED) {
		fputs("      <failure type=\"condition\" message=\"", out);
		write_xml(out, values);
		fputs("\"/>\n", out);
	} else {
		fputs("      <skipped message=\"undecided: ", out);
		write_xml(out, values);
		fputs("; this may be chance\"/>\n", out);
	}
	fputs("    </testcase>\n", out);
	free(values);
}

void junit_gate(FILE *out, struct session *session, const struct gate *gate)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"clew diff\" tests=\"%zu\" "
		"failures=\"%zu\" "
		"errors=\"0\" skipped=\"%zu\" time=\"0\">\n",
		gate->count, gate->failed, gate->undecided);
	for (size_t i = 0; i < gate->count; i++)
		write_case(out, session, &gate->results[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
}
