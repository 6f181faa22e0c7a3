/* SPDX-License-Identifier: MIT */
/* See rules.h. */
#include "report/recording/rules.h"

#include <ctype.h>
#include <stddef.h>
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

/* ---- Rules with readable C++ names ---- */

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the end of the brackets that begin at `at`, or `end` itself. */
static const char *skip_brackets(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
		if (depth <= 0)
			return *at == '>' || *at == ')' ? at + 1 : at;
	}
	return end;
}

/*
 * Writes the part of a mangled name that stands for one component of a readable
 * name: its length and the identifier, if this is complete. Returns whether it
 * wrote anything.
 */
static int write_component(FILE *out, const char *from, const char *end,
			   int is_first)
{
	const char *word = from, *after;

	if (is_first && *word == '^')
		word++;
	for (after = word; after < end && is_word(*after); after++)
		;
	if (after == word)
		return 0;
	/* Mangled names of operators differ: the class alone is proposed. */
	if (!is_first && after < end && after - word == 8 &&
	    strncmp(word, "operator", 8) == 0)
		return 0;
	if (!is_first)
		fputs(".*", out);
	if (is_first && after - word == 3 && strncmp(word, "std", 3) == 0) {
		fputs("^_Z(N[VKRO]*)?S[tabsiod]", out);
		return 1;
	}
	/* std::string is a template of another name. */
	if (!is_first && after == end && after - word == 6 &&
	    strncmp(word, "string", 6) == 0) {
		fputs("(6string|12basic_string)", out);
		return 1;
	}
	/* An identifier that the expression continues has no known length. */
	if (skip_brackets(after, end) == end || *after == '$')
		fprintf(out, "%td", after - word);
	fwrite(word, 1, (size_t)(after - word), out);
	return 1;
}

/*
 * Returns a regular expression for the mangled names of the functions whose
 * readable names match a rule with "::", which the caller frees; NULL if the
 * rule does not begin with an identifier.
 */
static char *mangled_rule(const char *name)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = memory_stream(&text, &bytes);
	int is_first = 1;

	while (*name) {
		const char *end = name;

		while (*end && strncmp(end, "::", 2) != 0)
			end = *end == '<' || *end == '('
				      ? skip_brackets(end, end + strlen(end))
				      : end + 1;
		if (!write_component(out, name, end, is_first) && is_first)
			break;
		is_first = 0;
		name = *end ? end + 2 : end;
	}
	fclose(out);
	if (is_first) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * Writes why a rule for functions with "::" matches nothing: names in files are
 * mangled and do not contain it.
 */
static void write_why_nothing(FILE *out, const char *rule)
{
	const char *name = strstr(rule, "function ");
	char *wanted;

	if (!name || !strstr(name, "::"))
		return;
	fputs("; it is matched with the names in the file, which are mangled "
	      "(`nm PROGRAM`)",
	      out);
	wanted = mangled_rule(name + strlen("function "));
	if (wanted)
		fprintf(out, ": try '%s'", wanted);
	free(wanted);
}

void rule_sums_warn(FILE *out, const struct rule_sums *sums, const char *prefix)
{
	for (size_t i = 0; i < sums->count; i++) {
		char *text;

		if (sums->items[i].matches > 0)
			continue;
		text = memory_string(sums->items[i].text,
				     sums->items[i].text_bytes);
		fprintf(out, "%srule \"%s\" matched nothing", prefix,
			text_printable(text));
		write_why_nothing(out, text);
		fputc('\n', out);
		free(text);
	}
}
