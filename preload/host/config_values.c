/* SPDX-License-Identifier: MIT */
/* See config_values.h. */
#include "preload/host/config_values.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "wire/directive_table.h"

/*
 * Upper bounds of the memory for a context: its entries in tables, its record,
 * and its measured times. If the bytes are limited, limit_contexts() counts
 * this twice, because each context may have a "(folded)" below it.
 */
#define BYTES_PER_CONTEXT 64
#define BYTES_PER_TIMED   256
#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)

/* A directive, and the member of struct config that has its value. */
struct setting {
	const char *word;
	enum wire_setting_kind kind;
	size_t offset, bytes; /* position and size of the member */
	uint64_t standard, least, most;
};

/* Indexed by enum wire_directive. */
static const struct setting settings[DIRECTIVE_COUNT] = {
#define X(id, word, kind, member, standard, least, most, ...)                  \
	{ word,                                                                \
	  WIRE_SETTING_##kind,                                                 \
	  offsetof(struct config, member),                                     \
	  sizeof(((struct config *)0)->member), /* NOLINT: a pointer, too */   \
	  standard,                                                            \
	  least,                                                               \
	  most },
	WIRE_DIRECTIVES(X)
#undef X
};

static uint64_t value_of(const struct config *config,
			 const struct setting *setting)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)config + setting->offset, setting->bytes);
	return value;
}

/* Integers are little-endian: the first bytes are the lowest. */
static void store(struct config *config, const struct setting *setting,
		  uint64_t value)
{
	memcpy((char *)config + setting->offset, &value, setting->bytes);
}

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

static int set_flag(struct config *config, const struct setting *setting,
		    const char *text)
{
	store(config, setting, 1);
	return *text ? -EINVAL : 0;
}

static int parse_within(const struct setting *setting, const char *text,
			uint64_t *out)
{
	return parse_number(text, out) || *out < setting->least ||
			       *out > setting->most
		       ? -EINVAL
		       : 0;
}

static int set_number(struct config *config, const struct setting *setting,
		      const char *text)
{
	uint64_t number;

	if (parse_within(setting, text, &number))
		return -EINVAL;
	store(config, setting, number);
	return 0;
}

/*
 * Stores a limit if it is less than the present one. In the configuration 0
 * means that there is no limit.
 */
static int set_limit(struct config *config, const struct setting *setting,
		     const char *text)
{
	const uint64_t before = value_of(config, setting);
	uint64_t number;

	if (parse_within(setting, text, &number))
		return -EINVAL;
	if (!before || number < before)
		store(config, setting, number);
	return 0;
}

static int set_word(struct config *config, const struct setting *setting,
		    const char *text)
{
	unsigned int count;
	const char *const *words = wire_directive_words(
		(enum wire_directive)(setting - settings), &count);

	for (unsigned int i = 0; i < count; i++) {
		if (strcmp(words[i], text) != 0)
			continue;
		store(config, setting, i);
		return 0;
	}
	return -EINVAL;
}

/* Parses "N": bytes of the process; "ring:N": bytes of each of its threads. */
static int set_trace(struct config *config, const struct setting *setting,
		     const char *text)
{
	static const char ring[] = "ring:";
	uint64_t bytes;

	(void)setting;
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

/*
 * Parses a minimum duration of calls, for which the times of returns must be
 * recorded as well.
 */
static int set_duration(struct config *config, const struct setting *setting,
			const char *text)
{
	(void)setting;
	config->stamp_returns = 1;
	config->stamp_every = 1;
	return parse_number(text, &config->least_ns);
}

/* Parses "N" calls, "time N" in nanoseconds, or "all". */
static int set_stamps(struct config *config, const struct setting *setting,
		      const char *text)
{
	static const char time[] = "time ";
	uint64_t number = 1;

	config->stamp_ns = 0;
	config->stamp_every = DIRECTIVE_STAMPS_STANDARD;
	if (!strncmp(text, time, sizeof(time) - 1))
		return parse_number(text + sizeof(time) - 1, &config->stamp_ns);
	config->stamp_returns = !strcmp(text, "all");
	if (!config->stamp_returns &&
	    (parse_number(text, &number) || number > setting->most))
		return -EINVAL;
	config->stamp_every = (uint32_t)number;
	return 0;
}

static int set_clock(struct config *config, const struct setting *setting,
		     const char *text)
{
	(void)setting;
	config->has_clock = 1;
	config->wants_ticks = !strcmp(text, "tick");
	return config->wants_ticks || !strcmp(text, "auto") ? 0 : -EINVAL;
}

/*
 * Parses "5%", "0.5%": at most one digit after the point; the percent sign is
 * optional.
 */
static int set_budget(struct config *config, const struct setting *setting,
		      const char *text)
{
	uint64_t thousandths = 0;

	for (; *text >= '0' && *text <= '9' && thousandths < setting->most;
	     text++)
		thousandths = 10 * thousandths + (uint64_t)(*text - '0');
	thousandths *= 10;
	if (*text == '.' && text[1] >= '0' && text[1] <= '9') {
		thousandths += (uint64_t)(text[1] - '0');
		text += 2;
	}
	text += *text == '%';
	if (*text || !thousandths || thousandths > setting->most)
		return -EINVAL;
	config->budget = (uint32_t)thousandths;
	return 0;
}

/* Parses "N" contexts, "never", or "" for always. */
static int set_folding(struct config *config, const struct setting *setting,
		       const char *text)
{
	uint64_t number = strcmp(text, "never") ? 0 : UINT64_MAX;

	if (*text && !number && parse_within(setting, text, &number))
		return -EINVAL;
	store(config, setting, number);
	return 0;
}

/* ---- All settings ---- */

/* Returns the setting of a directive, or NULL. */
static const struct setting *find(const char *word)
{
	for (int i = 0; i < DIRECTIVE_COUNT; i++)
		if (!strcmp(settings[i].word, word))
			return &settings[i];
	return NULL;
}

/* Handles the kinds of settings that config.c does not handle itself. */
int config_set(struct config *config, const char *word, const char *text)
{
	static int (*const setters[WIRE_SETTING_KIND_COUNT])(
		struct config *, const struct setting *, const char *) = {
		[WIRE_SETTING_FLAG] = set_flag,
		[WIRE_SETTING_NUMBER] = set_number,
		[WIRE_SETTING_LIMIT] = set_limit,
		[WIRE_SETTING_WORD] = set_word,
		[WIRE_SETTING_SIGNAL] = set_number,
		[WIRE_SETTING_CLOCK] = set_clock,
		[WIRE_SETTING_TRACE] = set_trace,
		[WIRE_SETTING_STAMPS] = set_stamps,
		[WIRE_SETTING_DURATION] = set_duration,
		[WIRE_SETTING_BUDGET] = set_budget,
		[WIRE_SETTING_FOLDING] = set_folding,
	};
	const struct setting *setting = find(word);

	return setting && setters[setting->kind]
		       ? setters[setting->kind](config, setting, text)
		       : -ENOENT;
}

void config_begin(struct config *config)
{
	for (int i = 0; i < DIRECTIVE_COUNT; i++)
		if (settings[i].standard)
			store(config, &settings[i], settings[i].standard);
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
		config->fold_beyond = UINT64_MAX;
	limit_contexts(config);
	/* A finer clock alone may cost as much as the budget allows. */
	if (config->budget && !config->has_clock)
		config->wants_ticks = 1;
}
