/* SPDX-License-Identifier: MIT */
#include "preload/host/config.h"

#include <limits.h>
#include <string.h>

#include "preload/sys/sys.h"
#include "preload/sys/text.h"

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
#define CONFIG_MAX_BYTES      (1 << 20)

/* Where a line stands, for whoever must be told that it is wrong. */
struct reader {
	struct config *config;
	struct arena *arena;
	struct rule **tail;
	const char *line;
};

static char *copy_string(struct arena *arena, const char *string)
{
	size_t bytes = strlen(string) + 1;
	char *copy = arena_alloc(arena, bytes);

	return copy ? memcpy(copy, string, bytes) : NULL;
}

static int add_rule(struct reader *reader, enum rule_kind kind,
		    const char *text)
{
	struct rule *rule = arena_alloc(reader->arena, sizeof(*rule));
	const char *why;

	if (!rule)
		return -ENOMEM;
	rule->kind = kind;
	rule->line = copy_string(reader->arena, reader->line);
	rule->text = copy_string(reader->arena, text);
	if (!rule->line || !rule->text)
		return -ENOMEM;
	if ((kind == RULE_FUNCTION || kind == RULE_NOT_FUNCTION) &&
	    ere_compile(&rule->regex, text, arena_memory, reader->arena, &why))
		return -EINVAL;
	*reader->tail = rule;
	reader->tail = &rule->next;
	return 0;
}

static int has_number(const struct config *config, uint32_t number)
{
	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (p->number == number)
			return 1;
	return 0;
}

int config_add_probe(struct config *config, const char *text,
		     struct arena *arena)
{
	struct asked_probe **end = &config->probes;
	struct asked_probe *probe;
	uint32_t number = 0;

	while (number < WIRE_PROBES_MAX && has_number(config, number))
		number++;
	if (number == WIRE_PROBES_MAX)
		return -EINVAL;
	probe = arena_alloc(arena, sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	*probe = (struct asked_probe){ .number = number,
				       .text = copy_string(arena, text) };
	if (!probe->text)
		return -ENOMEM;
	while (*end)
		end = &(*end)->next;
	*end = probe;
	return 0;
}

const char *config_add_object(struct config *config, const char *path,
			      struct arena *arena)
{
	struct handler_object *object = config->handler_objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	if (object)
		return object->path;
	object = arena_alloc(arena, sizeof(*object));
	if (!object)
		return NULL;
	object->path = copy_string(arena, path);
	if (!object->path)
		return NULL;
	object->next = config->handler_objects;
	config->handler_objects = object;
	return object->path;
}

int config_add_action(struct config *config, const char *text,
		      struct arena *arena)
{
	struct asked_probe *probe = config->probes;
	struct expression_problem problem;
	struct probe_line **end, *line;
	int err;

	if (!probe)
		return -EINVAL;
	while (probe->next)
		probe = probe->next;
	line = arena_alloc(arena, sizeof(*line));
	if (!line)
		return -ENOMEM;
	line->text = copy_string(arena, text);
	if (!line->text)
		return -ENOMEM;
	for (end = &probe->lines; *end; end = &(*end)->next)
		;
	*end = line;
	err = probe_action_add(&probe->action, line->text, arena_memory, arena,
			       &problem);
	if (!err && probe->action.call &&
	    !config_add_object(config, probe->action.call->object, arena))
		err = -ENOMEM;
	return err;
}

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

	if (config->max_bytes && fitting < config->max_contexts) {
		config->max_contexts = fitting;
		config->max_contexts_cause = WIRE_FOLD_BYTES;
	}
	if (config->max_contexts == UINT64_MAX)
		config->max_contexts = DEFAULT_MAX_BYTES / each;
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

/* Nothing, or ":PATTERNS", behind a way to count each call. */
static int set_java_methods(struct reader *reader, enum config_java way,
			    const char *text)
{
	struct config *config = reader->config;

	config->java = way;
	config->java_methods = NULL;
	if (!*text)
		return 0;
	if (*text != ':')
		return -EINVAL;
	config->java_methods = copy_string(reader->arena, text + 1);
	return config->java_methods ? 0 : -ENOMEM;
}

static int set_java(struct reader *reader, const char *text)
{
	struct config *config = reader->config;
	static const char *const words[] = {
		[CONFIG_JAVA_NATIVES] = "natives",
		[CONFIG_JAVA_VM] = "vm",
		[CONFIG_JAVA_OFF] = "off",
	};

	if (!strncmp(text, "exact", 5))
		return set_java_methods(reader, CONFIG_JAVA_EXACT, text + 5);
	if (!strncmp(text, "standby", 7))
		return set_java_methods(reader, CONFIG_JAVA_STANDBY, text + 7);
	if (!strncmp(text, "inplace", 7))
		return set_java_methods(reader, CONFIG_JAVA_IN_PLACE, text + 7);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i], text)) {
			config->java = (enum config_java)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_cache(struct reader *reader, const char *text)
{
	reader->config->cache_dir = copy_string(reader->arena, text);
	return reader->config->cache_dir ? 0 : -ENOMEM;
}

static int set_flag(int *flag, const char *text)
{
	*flag = 1;
	return *text ? -EINVAL : 0;
}

static int obey(struct reader *reader, const char *word, const char *text)
{
	struct config *config = reader->config;

	if (!strcmp(word, "libc"))
		return set_flag(&config->hook_libc, text);
	if (!strcmp(word, "jni-env"))
		return set_flag(&config->hook_jni, text);
	if (!strcmp(word, "jit-callers"))
		return set_flag(&config->jit_callers, text);
	if (!strcmp(word, "fold-recursion"))
		return set_flag(&config->folds_recursion, text);
	if (!strcmp(word, "no-children"))
		return set_flag(&config->no_children, text);
	if (!strcmp(word, "no-prelinking"))
		return set_flag(&config->no_prelinking, text);
	if (!strcmp(word, "only-warm"))
		return set_flag(&config->only_warms, text);
	if (!strcmp(word, "sites"))
		return set_flag(&config->keeps_sites, text);
	if (!*text)
		return -EINVAL;
	if (!strcmp(word, "module"))
		return add_rule(reader, RULE_MODULE, text);
	if (!strcmp(word, "not-module"))
		return add_rule(reader, RULE_NOT_MODULE, text);
	if (!strcmp(word, "function"))
		return add_rule(reader, RULE_FUNCTION, text);
	if (!strcmp(word, "not-function"))
		return add_rule(reader, RULE_NOT_FUNCTION, text);
	if (!strcmp(word, "probe"))
		return config_add_probe(reader->config, text, reader->arena);
	if (!strcmp(word, "action"))
		return config_add_action(reader->config, text, reader->arena);
	if (!strcmp(word, "java"))
		return set_java(reader, text);
	if (!strcmp(word, "java-min-size"))
		return set_java_min_size(config, text);
	if (!strcmp(word, "max-contexts"))
		return set_limit(&config->max_contexts, text);
	if (!strcmp(word, "max-memory"))
		return set_max_bytes(config, text);
	if (!strcmp(word, "verify-period"))
		return set_verify_period(config, text);
	if (!strcmp(word, "cache"))
		return set_cache(reader, text);
	if (!strcmp(word, "time"))
		return set_time(config, text);
	if (!strcmp(word, "trace"))
		return set_trace(config, text);
	if (!strcmp(word, "stamps"))
		return set_stamps(config, text);
	if (!strcmp(word, "min-duration"))
		return set_least(config, text);
	if (!strcmp(word, "trace-depth"))
		return set_trace_depth(config, text);
	if (!strcmp(word, "snapshot-on"))
		return set_snapshot_signal(config, text);
	if (!strcmp(word, "on-overflow"))
		return set_overflow(config, text);
	if (!strcmp(word, "workers"))
		return set_workers(config, text);
	if (!strcmp(word, "rate"))
		return set_rate(config, text);
	if (!strcmp(word, "clock"))
		return set_clock(config, text);
	if (!strcmp(word, "budget"))
		return set_budget(config, text);
	return -EINVAL;
}

/* A line is a word, then blanks, then a text that may contain blanks. */
static int parse_line(struct reader *reader, char *line)
{
	char *word = line + strspn(line, " \t");
	char *end = word + strcspn(word, " \t");
	char *text = end + strspn(end, " \t");
	size_t length = strlen(text);

	if (!*word || *word == '#')
		return 0;
	reader->line = copy_string(reader->arena, word);
	if (!reader->line)
		return -ENOMEM;
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	*end = '\0';
	return obey(reader, word, text);
}

/* The whole file, NUL-terminated, or NULL with *err set. */
static char *read_config(const char *dir, struct arena *arena, int *err)
{
	char path[PATH_MAX];
	struct text text = text_in(path, sizeof(path));
	char *bytes = NULL;
	long got = 0, n;
	int fd;

	text_string(&text, dir);
	text_string(&text, "/" WIRE_CONFIG_NAME);
	*err = -ENAMETOOLONG;
	if (text_was_cut(&text))
		return NULL;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	*err = fd;
	if (fd < 0)
		return NULL;
	*err = -ENOMEM;
	bytes = arena_alloc(arena, CONFIG_MAX_BYTES + 1);
	while (bytes && got < CONFIG_MAX_BYTES) {
		n = sys_read(fd, bytes + got, (size_t)(CONFIG_MAX_BYTES - got));
		if (n <= 0)
			break;
		got += n;
	}
	sys_close(fd);
	return bytes;
}

static void tell_unreadable(const char *dir, char *why, size_t bytes)
{
	struct text text = text_in(why, bytes);

	text_string(&text, "cannot read ");
	text_string(&text, dir);
	text_string(&text, "/" WIRE_CONFIG_NAME);
}

static void tell_bad_line(const struct reader *reader, uint64_t number,
			  const char *what, char *why, size_t bytes)
{
	struct text text = text_in(why, bytes);

	text_string(&text, WIRE_CONFIG_NAME " line ");
	text_number(&text, number);
	text_string(&text, ": ");
	text_string(&text, reader->line);
	text_string(&text, ": ");
	text_string(&text, what);
}

int config_read(struct config *config, const char *dir, struct arena *arena,
		char *why, size_t bytes)
{
	struct reader reader = { .config = config, .arena = arena };
	uint64_t number = 0;
	char *file, *line;
	int err;

	*config = (struct config){
		.dir = copy_string(arena, dir),
		.max_contexts = UINT64_MAX,
		.max_contexts_cause = WIRE_FOLD_CONTEXTS,
		.verify_period = DEFAULT_VERIFY_PERIOD,
		.java_min_size = DEFAULT_JAVA_MIN_SIZE,
		.time = WIRE_TIME_CPU,
		.stamp_every = DEFAULT_STAMP_EVERY,
	};
	reader.tail = &config->rules;
	file = read_config(dir, arena, &err);
	if (!file && err != -ENOENT) {
		tell_unreadable(dir, why, bytes);
		return err;
	}
	while ((line = strsep(&file, "\n"))) {
		number++;
		err = parse_line(&reader, line);
		if (err)
			goto bad_line;
	}
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
	return 0;
bad_line:
	tell_bad_line(&reader, number,
		      err == -ENOMEM ? "no memory" : "not understood", why,
		      bytes);
	return err;
}
