/* SPDX-License-Identifier: MIT */
/* See rules.h. */
#include "report/recording/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

/* Maximum number of rules, against damaged parts; users write fewer. */
enum { RULES_MAX = 4096 };

int rule_next(const struct part_chunk *chunk, size_t *cursor,
	      struct recorded_rule *out)
{
	size_t left = chunk->payload_bytes - *cursor;
	const struct wire_rule *rule = (const void *)(chunk->payload + *cursor);

	if (left < sizeof(*rule) || rule->bytes < sizeof(*rule) ||
	    rule->bytes > left || rule->bytes % 8 != 0 ||
	    rule->text_bytes > rule->bytes - sizeof(*rule))
		return 0;
	*out = (struct recorded_rule){
		.text = (const char *)(rule + 1),
		.text_bytes = rule->text_bytes,
		.matches = rule->matches,
	};
	*cursor += rule->bytes;
	return 1;
}

static void add_rule(struct rule_sums *sums, const struct recorded_rule *rule)
{
	for (size_t i = 0; i < sums->count; i++) {
		struct rule_sum *known = &sums->items[i];

		if (known->text_bytes != rule->text_bytes ||
		    memcmp(known->text, rule->text, rule->text_bytes) != 0)
			continue;
		known->matches |= rule->matches;
		return;
	}
	if (sums->count == RULES_MAX)
		return;
	sums->items = memory_grow(sums->items, sums->count, &sums->capacity,
				  sizeof(*sums->items));
	sums->items[sums->count++] = (struct rule_sum){
		.text = memory_string(rule->text, rule->text_bytes),
		.text_bytes = rule->text_bytes,
		.matches = rule->matches,
	};
}

void rule_sums_add(struct rule_sums *sums, const struct part_copy *part)
{
	struct part_chunk chunk;
	struct recorded_rule rule;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		size_t at = 0;

		while (chunk.kind == WIRE_RULES &&
		       rule_next(&chunk, &at, &rule))
			add_rule(sums, &rule);
	}
}

void rule_sums_fini(struct rule_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		free(sums->items[i].text);
	free(sums->items);
	*sums = (struct rule_sums){ 0 };
}

/* Names are mangled in files, so none contains "::". */
static const char *why_nothing(const char *rule)
{
	return strstr(rule, "function ") && strstr(rule, "::")
		       ? "; it is matched with the names in the file, which "
			 "are mangled (`nm PROGRAM`)"
		       : "";
}

void rule_sums_warn(FILE *out, const struct rule_sums *sums, const char *prefix)
{
	for (size_t i = 0; i < sums->count; i++) {
		char *text;

		if (sums->items[i].matches > 0)
			continue;
		text = memory_string(sums->items[i].text,
				     sums->items[i].text_bytes);
		fprintf(out, "%srule \"%s\" matched nothing%s\n", prefix,
			text_printable(text), why_nothing(text));
		free(text);
	}
}
