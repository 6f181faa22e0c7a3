/* SPDX-License-Identifier: MIT */
/* See config_values.h. */
#include "preload/host/config_values.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "wire/directive_table.h"

/*
 * Upper bounds for a context: its entries in tables, its record, and measured
 * times. Each context may have a "(folded)" below it, which takes as much.
 */
#define BYTES_PER_CONTEXT 64
#define BYTES_PER_TIMED   256
#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)

/* ---- Values ---- */

static int parse_number(const char *text, uint64_t *out)
{
	uint64_t number = 0;

	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '9' ||
		    __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			return -EINVAL;
	}
	*out = number;
	return *text ? 0 : -EINVAL;
}

/* Parses a number. Returns -EINVAL also if it is not within the bounds. */
static int parse_within(const char *text, uint64_t least, uint64_t most,
			uint64_t *out)
{
	return parse_number(text, out) || *out < least || *out > most ? -EINVAL
								      : 0;
}

/* Returns the index of a word among those of a directive; -1: none. */
static int parse_word(const char *text, enum wire_directive directive)
{
	unsigned int count;
	const char *const *words = wire_directive_words(directive, &count);

	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(words[i], text))
			return (int)i;
	return -1;
}

/* Parses "N": bytes of the process; "ring:N": bytes of each of its threads. */
static int set_trace(struct config *config, const char *text)
{
	static const char ring[] = "ring:";
	uint64_t bytes;

	if (!strncmp(text, ring, sizeof(ring) - 1)) {
		if (parse_number(text + sizeof(ring) - 1, &bytes) || !bytes)
			return -EINVAL;
		config->thread_bytes = bytes;
		config->trace_bytes = UINT64_MAX;
		return 0;
	}
	if (parse_number(text, &bytes) || !bytes)
		return -EINVAL;
	config->thread_bytes = 0;
	config->trace_bytes = bytes;
	return 0;
}

/* A minimum duration requires the times of returns. */
static int set_least(struct config *config, const char *text)
{
	config->stamp_returns = 1;
	config->stamp_every = 1;
	return parse_number(text, &config->least_ns);
}

/* Parses "N" calls, "time N" in nanoseconds, or "all". */
static int set_stamps(struct config *config, const char *text, uint64_t most)
{
	static const char time[] = "time ";
	uint64_t number = 1;

	config->stamp_ns = 0;
	config->stamp_every = DIRECTIVE_STAMPS_STANDARD;
	if (!strncmp(text, time, sizeof(time) - 1))
		return parse_number(text + sizeof(time) - 1, &config->stamp_ns);
	config->stamp_returns = !strcmp(text, "all");
	if (!config->stamp_returns &&
	    (parse_number(text, &number) || number > most))
		return -EINVAL;
	config->stamp_every = (uint32_t)number;
	return 0;
}

static int set_clock(struct config *config, const char *text)
{
	config->has_clock = 1;
	config->wants_ticks = !strcmp(text, "tick");
	return config->wants_ticks || !strcmp(text, "auto") ? 0 : -EINVAL;
}

/* Parses "5%", "0.5%": one digit after the point; the sign is optional. */
static int set_budget(struct config *config, const char *text, uint32_t most)
{
	uint32_t thousandths = 0;

	for (; *text >= '0' && *text <= '9' && thousandths < most; text++)
		thousandths = 10 * thousandths + (uint32_t)(*text - '0');
	thousandths *= 10;
	if (*text == '.' && text[1] >= '0' && text[1] <= '9') {
		thousandths += (uint32_t)(text[1] - '0');
		text += 2;
	}
	text += *text == '%';
	if (*text || !thousandths || thousandths > most)
		return -EINVAL;
	config->budget = thousandths;
	return 0;
}

/* ---- Settings by name ---- */

/* Returns the index of a word in the table of directives; -1: none. */
static int find(const char *word)
{
	static const char *const words[] = {
#define X(id, word, ...) word,
		WIRE_DIRECTIVES(X)
#undef X
	};

	for (int i = 0; i < DIRECTIVE_COUNT; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

/* The code of config_set() for each kind of directive: each ends with a return. */
#define MEMBER(member, value)                                                  \
	(config->member = (__typeof__(config->member))(value))

#define SET_FLAG(id, member, least, most)                                      \
	MEMBER(member, 1);                                                     \
	return *text ? -EINVAL : 0;
#define SET_NUMBER(id, member, least, most)                                    \
	if (parse_within(text, least, most, &number))                          \
		return -EINVAL;                                                \
	MEMBER(member, number);                                                \
	return 0;
#define SET_LIMIT(id, member, least, most)                                     \
	if (parse_within(text, least, most, &number))                          \
		return -EINVAL;                                                \
	if (!config->member || number < config->member)                        \
		MEMBER(member, number);                                        \
	return 0;
#define SET_WORD(id, member, least, most)                                      \
	index = parse_word(text, DIRECTIVE_##id);                              \
	if (index < 0)                                                         \
		return -EINVAL;                                                \
	MEMBER(member, index);                                                 \
	return 0;
#define SET_SIGNAL                         SET_NUMBER
#define SET_CLOCK(id, member, least, most) return set_clock(config, text);
#define SET_TRACE(id, member, least, most) return set_trace(config, text);
#define SET_STAMPS(id, member, least, most)                                    \
	return set_stamps(config, text, most);
#define SET_DURATION(id, member, least, most) return set_least(config, text);
#define SET_BUDGET(id, member, least, most)                                    \
	return set_budget(config, text, most);
/* config.c has these. */
#define SET_TEXT(id, member, least, most) return -ENOENT;
#define SET_REGEX                         SET_TEXT
#define SET_JAVA                          SET_TEXT
#define SET_PROBE                         SET_TEXT
#define SET_ACTION                        SET_TEXT

int config_set(struct config *config, const char *word, const char *text)
{
	uint64_t number;
	int index;

	switch (find(word)) {
#define X(id, word, kind, member, standard, least, most, ...)                  \
	case DIRECTIVE_##id:                                                   \
		SET_##kind(id, member, least, most)
		WIRE_DIRECTIVES(X)
#undef X
	default:
		return -ENOENT;
	}
}

/* ---- All settings ---- */

#define BEGIN_NUMBER(member, standard) MEMBER(member, standard);
#define BEGIN_LIMIT                    BEGIN_NUMBER
#define BEGIN_WORD                     BEGIN_NUMBER
#define BEGIN_STAMPS                   BEGIN_NUMBER
/* The standard is 0, or nothing. */
#define BEGIN_FLAG(member, standard)
#define BEGIN_TEXT(member, standard)
#define BEGIN_REGEX(member, standard)
#define BEGIN_CLOCK(member, standard)
#define BEGIN_TRACE(member, standard)
#define BEGIN_DURATION(member, standard)
#define BEGIN_SIGNAL(member, standard)
#define BEGIN_JAVA(member, standard)
#define BEGIN_BUDGET(member, standard)
#define BEGIN_PROBE(member, standard)
#define BEGIN_ACTION(member, standard)

void config_begin(struct config *config)
{
#define X(id, word, kind, member, standard, ...) BEGIN_##kind(member, standard)
	WIRE_DIRECTIVES(X)
#undef X
	config->max_contexts_cause = WIRE_FOLD_CONTEXTS;
}

/*
 * Applies the smaller of the limits in contexts and in bytes; without a limit,
 * as many contexts as take a gigabyte.
 */
static void limit_contexts(struct config *config)
{
	const uint64_t each = config->time == WIRE_TIME_EXACT
				      ? BYTES_PER_TIMED
				      : BYTES_PER_CONTEXT;
	const uint64_t fitting = config->max_bytes / (2 * each);

	config->is_bounded =
		config->max_bytes || config->max_contexts != UINT64_MAX;

	if (config->max_bytes && fitting < config->max_contexts) {
		config->max_contexts = fitting;
		config->max_contexts_cause = WIRE_FOLD_BYTES;
	}
	if (config->max_contexts == UINT64_MAX)
		config->max_contexts = DEFAULT_MAX_BYTES / each;
}

void config_end(struct config *config)
{
	/* A trace contains only calls through stubs, with times of its own. */
	if (config->trace_bytes) {
		config->time = WIRE_TIME_NONE;
		config->java = CONFIG_JAVA_OFF;
		config->hook_jni = config->jit_callers = 0;
	}
	/*
	 * A trace, or exact times, must distinguish nested calls of a function.
	 */
	if (config->trace_bytes || config->time == WIRE_TIME_EXACT ||
	    config->java == CONFIG_JAVA_EXACT ||
	    config->java == CONFIG_JAVA_STANDBY)
		config->folds_recursion = 0;
	limit_contexts(config);
	/* A finer clock alone may cost as much as a budget is. */
	if (config->budget && !config->has_clock)
		config->wants_ticks = 1;
}
