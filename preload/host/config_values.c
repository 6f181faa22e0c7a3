/* SPDX-License-Identifier: MIT */
#include "preload/host/config_values.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

/*
 * Upper bounds, tables and records together, and with what calls of it took.
 * Below each context there may be a "(folded)", which takes as much.
 */
#define BYTES_PER_CONTEXT     64
#define BYTES_PER_TIMED       256
#define DEFAULT_MAX_BYTES     (UINT64_C(1) << 30)
#define DEFAULT_VERIFY_PERIOD 65536
#define DEFAULT_STAMP_EVERY   64
#define DEFAULT_JAVA_MIN_SIZE 7   /* what gets or sets a field is smaller */
#define DEFAULT_HZ            997 /* in step with nothing */
#define MAX_HZ                100000
#define MAX_BUDGET            1000

/* ---- What each text means ---- */

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

static int set_limit(uint64_t *limit, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number))
		return -EINVAL;
	if (number < *limit)
		*limit = number;
	return 0;
}

static int set_max_contexts(struct config *config, const char *text)
{
	return set_limit(&config->max_contexts, text);
}

static int set_max_bytes(struct config *config, const char *text)
{
	uint64_t bytes = config->max_bytes ? config->max_bytes : UINT64_MAX;
	int err = set_limit(&bytes, text);

	if (!err)
		config->max_bytes = bytes ? bytes : 1;
	return err;
}

/* "N": bytes of the process; "ring:N": of each of its threads. */
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

/* It is known by the times of returns. */
static int set_least(struct config *config, const char *text)
{
	config->stamp_returns = 1;
	config->stamp_every = 1;
	return parse_number(text, &config->least_ns);
}

/* "N" calls, "time N" in nanoseconds, or "all". */
static int set_stamps(struct config *config, const char *text)
{
	static const char time[] = "time ";
	uint64_t number = 1;

	config->stamp_ns = 0;
	config->stamp_every = DEFAULT_STAMP_EVERY;
	if (!strncmp(text, time, sizeof(time) - 1))
		return parse_number(text + sizeof(time) - 1, &config->stamp_ns);
	config->stamp_returns = !strcmp(text, "all");
	if (!config->stamp_returns &&
	    (parse_number(text, &number) || number > UINT16_MAX))
		return -EINVAL;
	config->stamp_every = (uint32_t)number;
	return 0;
}

static int set_trace_depth(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || !number ||
	    number > WIRE_PACKET_DEPTH_MAX)
		return -EINVAL;
	config->trace_depth = (uint32_t)number;
	return 0;
}

static int set_overflow(struct config *config, const char *text)
{
	static const char *const names[WIRE_OVERFLOW_COUNT] = {
		[WIRE_OVERFLOW_DROP] = "drop-oldest",
		[WIRE_OVERFLOW_PROCESS] = "process",
		[WIRE_OVERFLOW_WAIT] = "wait",
	};

	for (int i = 0; i < WIRE_OVERFLOW_COUNT; i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		config->overflow = (enum wire_overflow)i;
		return 0;
	}
	return -EINVAL;
}

static int set_workers(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || !number || number > WIRE_WORKERS_MAX)
		return -EINVAL;
	config->workers = (uint32_t)number;
	return 0;
}

static int set_snapshot_signal(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || !number || number > 31)
		return -EINVAL;
	config->snapshot_signal = (int)number;
	return 0;
}

static int set_verify_period(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || number > INT32_MAX / 2)
		return -EINVAL;
	config->verify_period = (uint32_t)number;
	return 0;
}

static int set_rate(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || !number || number > MAX_HZ)
		return -EINVAL;
	config->rate_hz = (uint32_t)number;
	return 0;
}

static int set_java_min_size(struct config *config, const char *text)
{
	uint64_t number;

	if (parse_number(text, &number) || number > UINT16_MAX)
		return -EINVAL;
	config->java_min_size = (uint32_t)number;
	return 0;
}

static int set_clock(struct config *config, const char *text)
{
	config->has_clock = 1;
	config->wants_ticks = !strcmp(text, "tick");
	return config->wants_ticks || !strcmp(text, "auto") ? 0 : -EINVAL;
}

/* "5%", "0.5%": one digit behind the point, and a sign that may be missing. */
static int set_budget(struct config *config, const char *text)
{
	uint32_t thousandths = 0;

	for (; *text >= '0' && *text <= '9' && thousandths < MAX_BUDGET; text++)
		thousandths = 10 * thousandths + (uint32_t)(*text - '0');
	thousandths *= 10;
	if (*text == '.' && text[1] >= '0' && text[1] <= '9') {
		thousandths += (uint32_t)(text[1] - '0');
		text += 2;
	}
	text += *text == '%';
	if (*text || !thousandths || thousandths > MAX_BUDGET)
		return -EINVAL;
	config->budget = thousandths;
	return 0;
}

static int set_time(struct config *config, const char *text)
{
	static const char *const words[] = {
		[WIRE_TIME_NONE] = "none",
		[WIRE_TIME_CPU] = "cpu",
		[WIRE_TIME_WALL] = "wall",
		[WIRE_TIME_EXACT] = "exact",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i], text)) {
			config->time = (enum wire_time)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_flag(int *flag, const char *text)
{
	*flag = 1;
	return *text ? -EINVAL : 0;
}

/* ---- By their words ---- */

static int *flag_of(struct config *config, const char *word)
{
	const struct {
		const char *word;
		int *flag;
	} flags[] = {
		{ "libc", &config->hook_libc },
		{ "jni-env", &config->hook_jni },
		{ "jit-callers", &config->jit_callers },
		{ "fold-recursion", &config->folds_recursion },
		{ "no-tail-nesting", &config->no_tail_nesting },
		{ "no-children", &config->no_children },
		{ "no-prelinking", &config->no_prelinking },
		{ "sites", &config->keeps_sites },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(flags[i].word, word))
			return flags[i].flag;
	return NULL;
}

int config_set(struct config *config, const char *word, const char *text)
{
	static const struct {
		const char *word;
		int (*set)(struct config *config, const char *text);
	} values[] = {
		{ "java-min-size", set_java_min_size },
		{ "max-contexts", set_max_contexts },
		{ "max-memory", set_max_bytes },
		{ "verify-period", set_verify_period },
		{ "time", set_time },
		{ "trace", set_trace },
		{ "stamps", set_stamps },
		{ "min-duration", set_least },
		{ "trace-depth", set_trace_depth },
		{ "snapshot-on", set_snapshot_signal },
		{ "on-overflow", set_overflow },
		{ "workers", set_workers },
		{ "rate", set_rate },
		{ "clock", set_clock },
		{ "budget", set_budget },
	};
	int *flag = flag_of(config, word);

	if (flag)
		return set_flag(flag, text);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!strcmp(values[i].word, word))
			return *text ? values[i].set(config, text) : -EINVAL;
	return -ENOENT;
}

/* ---- All of them ---- */

void config_begin(struct config *config)
{
	config->max_contexts = UINT64_MAX;
	config->max_contexts_cause = WIRE_FOLD_CONTEXTS;
	config->verify_period = DEFAULT_VERIFY_PERIOD;
	config->java_min_size = DEFAULT_JAVA_MIN_SIZE;
	config->time = WIRE_TIME_CPU;
	config->stamp_every = DEFAULT_STAMP_EVERY;
}

/*
 * The lesser of what was asked for in contexts and in bytes; where neither was,
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
	/* In a trace a context is what stubs have entered, and times are its own. */
	if (config->trace_bytes) {
		config->time = WIRE_TIME_NONE;
		config->java = CONFIG_JAVA_OFF;
		config->hook_jni = config->jit_callers = 0;
	}
	/* Who has calls within each other wants to know which is which. */
	if (config->trace_bytes || config->time == WIRE_TIME_EXACT ||
	    config->java == CONFIG_JAVA_EXACT ||
	    config->java == CONFIG_JAVA_STANDBY)
		config->folds_recursion = 0;
	limit_contexts(config);
	if (!config->rate_hz)
		config->rate_hz = DEFAULT_HZ;
	/* A finer clock alone may cost as much as a budget is. */
	if (config->budget && !config->has_clock)
		config->wants_ticks = 1;
}
