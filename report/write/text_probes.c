/* SPDX-License-Identifier: MIT */
/* See text_probes.h. */
#include "report/write/text_probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* Writes how locations are probed: "2 by a jump, 1 by a breakpoint". */
static void write_ways(FILE *out, const struct listed_probe *probe)
{
	static const struct {
		uint8_t tier;
		const char *text;
	} ways[] = { { PROBE_BY_STUB, "in a stub" },
		     { PROBE_BY_JUMP, "by a jump" },
		     { PROBE_BY_TRAP, "by a breakpoint" } };
	const char *between = "";

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const unsigned int count = probe->by_tier[ways[i].tier];

		if (!count)
			continue;
		fprintf(out, "%s%u %s", between, count, ways[i].text);
		between = ", ";
	}
	if (probe->by_tier[PROBE_BY_NONE])
		fprintf(out, ", %u not (%s)", probe->by_tier[PROBE_BY_NONE],
			probe_reason_text(probe->reason));
}

/* Returns why some hits of the probe could not be evaluated. */
static const char *why_unknown(const struct listed_probe *probe)
{
	return listed_probe_has_action(probe, "await") ||
			       listed_probe_has_action(probe, "slower ")
		       ? "could not be evaluated: clew did not see the call "
			 "begin, or cannot see it return"
		       : "could not be evaluated: they read memory that is "
			 "not mapped";
}

/*
 * Writes hits that do not count, hits whose values or handler are missing, and
 * crashes of the handler.
 */
static void write_others(FILE *out, const struct listed_probe *probe)
{
	const struct {
		uint64_t number;
		const char *text;
	} others[] = {
		{ probe->refused, "did not meet its condition" },
		{ probe->unknown, why_unknown(probe) },
		{ probe->over,
		  listed_probe_has_action(probe, "snapshot slowest ")
			  ? "have no snapshot: slower calls have them"
			  : "exceeded its limit" },
		{ probe->inside, "in a handler did not count" },
		{ probe->lost, "counted without values: there was no room" },
		{ probe->uncalled,
		  "counted without its handler, which was not loaded" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].number)
			fprintf(out, "probe %s: %s hit%s %s\n", probe->name,
				GROUPED(others[i].number),
				text_plural(others[i].number), others[i].text);
	for (size_t i = 0; i < probe->crash_count; i++) {
		char *text = listed_crash_text(probe, &probe->crashes[i]);

		fprintf(out, "probe %s: %s\n", probe->name, text);
		free(text);
	}
}

static void write_probe(FILE *out, const struct session *session,
			const struct listed_probe *probe)
{
	const unsigned int places = listed_probe_places(probe);
	const struct value_sum *hits =
		value_list_find(&session->values, probe->name);
	const uint64_t count = hits ? (uint64_t)hits->total : 0;

	fprintf(out, "probe %s: %s, ", probe->name, probe->text);
	if (!places) {
		fprintf(out, "was not placed: %s\n",
			listed_probe_reason(probe));
		return;
	}
	fprintf(out, "%s hit%s at %u location%s (", GROUPED(count),
		text_plural(count), places, text_plural(places));
	write_ways(out, probe);
	fprintf(out, ")%s; --value=%s shows them\n",
		probe->is_removed ? ", removed" : "", probe->name);
	write_others(out, probe);
}

void text_probes(FILE *out, const struct session *session)
{
	for (size_t i = 0; i < session->probes.count; i++)
		write_probe(out, session, &session->probes.items[i]);
}
