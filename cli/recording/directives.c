/* SPDX-License-Identifier: MIT */
#include "cli/recording/directives.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/common/cache_folder.h"
#include "cli/common/known_words.h"
#include "cli/common/time_text.h"
#include "image/arena.h"
#include "image/probe_spec.h"
#include "match/ere.h"
#include "wire/packet.h"

#define STAMP_NS_LEAST 100
#define STAMP_NS_MOST  UINT64_C(10000000000)

enum value_kind {
	VALUE_NONE,
	VALUE_TEXT,
	VALUE_REGEX,
	VALUE_SIZE,
	VALUE_TIME,
	VALUE_CLOCK,
	VALUE_BUDGET,
	VALUE_TRACE,
	VALUE_STAMPS,
	VALUE_LEAST,
	VALUE_DEPTH,
	VALUE_OVERFLOW,
	VALUE_WORKERS,
	VALUE_SIGNAL,
	VALUE_JAVA,
	VALUE_PROBE,
	VALUE_ACTION
};

/* Zero is no limit that anyone can mean; a period of 0 verifies nothing. */
static const struct directive {
	const char *word;
	enum value_kind kind;
	uint64_t least, most;
} known_directives[] = {
	{ "libc", VALUE_NONE, 0, 0 },
	{ "jni-env", VALUE_NONE, 0, 0 },
	{ "jit-callers", VALUE_NONE, 0, 0 },
	{ "no-children", VALUE_NONE, 0, 0 },
	{ "no-prelinking", VALUE_NONE, 0, 0 },
	{ "fold-recursion", VALUE_NONE, 0, 0 },
	{ "no-tail-nesting", VALUE_NONE, 0, 0 },
	{ "java", VALUE_JAVA, 0, 0 },
	{ "java-min-size", VALUE_SIZE, 0, UINT16_MAX },
	{ "module", VALUE_TEXT, 0, 0 },
	{ "not-module", VALUE_TEXT, 0, 0 },
	{ "function", VALUE_REGEX, 0, 0 },
	{ "not-function", VALUE_REGEX, 0, 0 },
	{ "max-contexts", VALUE_SIZE, 1, UINT32_MAX },
	{ "max-memory", VALUE_SIZE, 1, INT64_MAX },
	{ "verify-period", VALUE_SIZE, 0, INT32_MAX / 2 },
	{ "cache", VALUE_TEXT, 0, 0 },
	{ "time", VALUE_TIME, 0, 0 },
	{ "rate", VALUE_SIZE, 1, 100000 },
	{ "clock", VALUE_CLOCK, 0, 0 },
	{ "budget", VALUE_BUDGET, 1, 1000 },
	{ "trace", VALUE_TRACE, 65536, INT64_MAX },
	{ "stamps", VALUE_STAMPS, 1, UINT16_MAX },
	{ "min-duration", VALUE_LEAST, 1, 1000000000000 },
	{ "sites", VALUE_NONE, 0, 0 },
	{ "on-overflow", VALUE_OVERFLOW, 0, 0 },
	{ "workers", VALUE_WORKERS, 1, WIRE_WORKERS_MAX },
	{ "snapshot-on", VALUE_SIGNAL, 0, 0 },
	{ "trace-depth", VALUE_DEPTH, 1, WIRE_PACKET_DEPTH_MAX },
	{ "probe", VALUE_PROBE, 0, 0 },
	{ "action", VALUE_ACTION, 0, 0 },
};

void directives_init(struct directives *directives)
{
	*directives = (struct directives){ 0 };
	directives->out = open_memstream(&directives->text, &directives->bytes);
	if (directives->out)
		return;
	perror("clew");
	exit(EXIT_FAILURE);
}

void directives_fini(struct directives *directives)
{
	fclose(directives->out);
	free(directives->text);
	arena_fini(&directives->arena);
}

/* -EINVAL and *why. */
static int refuse_directive(const char *word, char **why)
{
	struct nearest nearest = nearest_to(word);

	for (size_t i = 0;
	     i < sizeof(known_directives) / sizeof(*known_directives); i++)
		nearest_offer(&nearest, known_directives[i].word,
			      strlen(known_directives[i].word));
	if (nearest.best)
		return fail(why, -EINVAL,
			    "%s: unknown directive; did you mean %s?", word,
			    nearest.best);
	return fail(why, -EINVAL, "%s: unknown directive", word);
}

static const struct directive *find_directive(const char *word)
{
	for (size_t i = 0;
	     i < sizeof(known_directives) / sizeof(*known_directives); i++) {
		if (strcmp(known_directives[i].word, word) == 0)
			return &known_directives[i];
	}
	return NULL;
}

static int add_regex(struct directives *directives, const char *word,
		     const char *value, char **why)
{
	struct arena arena = { 0 };
	struct ere regex;
	const char *problem;
	int err = ere_compile(&regex, value, arena_memory, &arena, &problem);

	arena_fini(&arena);
	if (err)
		return fail(why, -EINVAL, "%s %s: %s", word, value, problem);
	fprintf(directives->out, "%s %s\n", word, value);
	return 0;
}

/* Suffixes are for people: the runtime is told plain numbers. */
static int add_size(struct directives *directives,
		    const struct directive *directive, const char *value,
		    char **why)
{
	uint64_t number;

	if (text_parse_size(value, &number) != 0 || number < directive->least ||
	    number > directive->most)
		return fail(why, -EINVAL,
			    "%s %s: not a number from %" PRIu64 " to %" PRIu64,
			    directive->word, value, directive->least,
			    directive->most);
	fprintf(directives->out, "%s %" PRIu64 "\n", directive->word, number);
	return 0;
}

/* -EINVAL and *why: the directive takes one of these words, and not this one. */
static int refuse_value(const char *word, const char *value,
			const char *const *known, size_t count, char **why)
{
	char *what = known_words_text(value, known, count);

	fail(why, -EINVAL, "%s %s: %s", word, value, what);
	free(what);
	return -EINVAL;
}

static int add_time(struct directives *directives, const char *word,
		    const char *value, char **why)
{
	static const char *const known[] = { "cpu", "wall", "exact", "none" };

	if (known_words_find(value, known, 4) == 4)
		return refuse_value(word, value, known, 4, why);
	fprintf(directives->out, "%s %s\n", word, value);
	directives->is_exact = strcmp(value, "exact") == 0;
	directives->has_time = strcmp(value, "none") != 0;
	return 0;
}

static int add_clock(struct directives *directives, const char *word,
		     const char *value, char **why)
{
	static const char *const known[] = { "auto", "tick" };

	if (known_words_find(value, known, 2) == 2)
		return refuse_value(word, value, known, 2, why);
	fprintf(directives->out, "%s %s\n", word, value);
	return 0;
}

/* Patterns behind "exact:", "standby:" or "inplace:", of which the regular expressions are in slashes. */
static int check_patterns(const char *word, const char *value, char **why)
{
	const char *at = strchr(value, ':') + 1;

	while (*at) {
		const char *end;
		struct arena arena = { 0 };
		struct ere regex;
		const char *problem;
		char *text;
		int err;

		at += *at == '!';
		if (*at != '/') {
			at += strcspn(at, ",");
			at += *at == ',';
			continue;
		}
		end = strchr(at + 1, '/');
		if (!end || (end[1] && end[1] != ','))
			return fail(why, -EINVAL,
				    "%s %s: a / is missing at the end of a "
				    "regular expression",
				    word, value);
		text = memory_string(at + 1, (size_t)(end - at - 1));
		err = ere_compile(&regex, text, arena_memory, &arena, &problem);
		arena_fini(&arena);
		if (err)
			fail(why, -EINVAL, "%s %.*s: /%s/: %s", word,
			     (int)strcspn(value, ":"), value, text, problem);
		free(text);
		if (err)
			return err;
		at = end + 1 + (end[1] == ',');
	}
	return 0;
}

/* A way to count each call of Java methods, and patterns behind it, or not. */
static int is_way(const char *value, const char *way)
{
	const size_t length = strlen(way);

	return strncmp(value, way, length) == 0 &&
	       (!value[length] || value[length] == ':');
}

static int add_java(struct directives *directives, const char *word,
		    const char *value, char **why)
{
	/* The first three take no patterns. */
	static const char *const known[] = { "natives", "vm",      "off",
					     "exact",   "standby", "inplace" };

	directives->is_exact_java = is_way(value, "exact") ||
				    is_way(value, "standby") ||
				    is_way(value, "inplace");
	if (directives->is_exact_java) {
		int err = strchr(value, ':') ? check_patterns(word, value, why)
					     : 0;

		if (!err)
			fprintf(directives->out, "%s %s\n", word, value);
		return err;
	}
	if (known_words_find(value, known, 3) == 3)
		return refuse_value(word, value, known,
				    sizeof(known) / sizeof(*known), why);
	fprintf(directives->out, "%s %s\n", word, value);
	return 0;
}

/* "5%", or "0.5%". */
static int add_budget(struct directives *directives,
		      const struct directive *directive, const char *value,
		      char **why)
{
	char *end;
	const double percent = strtod(value, &end);
	const double thousandths = 10 * percent + 0.5;
	unsigned int number;

	if (end == value || (*end && strcmp(end, "%") != 0) ||
	    !(thousandths >= (double)directive->least &&
	      thousandths < (double)directive->most + 1))
		return fail(why, -EINVAL,
			    "%s %s: not a share from 0.1%% to 100%%; write "
			    "5%%, for "
			    "example",
			    directive->word, value);
	number = (unsigned int)thousandths;
	fprintf(directives->out, "%s %u.%u%%\n", directive->word, number / 10,
		number % 10);
	directives->has_budget = 1;
	return 0;
}

/* "SIZE", or "ring:SIZE" for each thread. */
static int add_trace(struct directives *directives,
		     const struct directive *directive, const char *value,
		     char **why)
{
	static const char ring[] = "ring:";
	const size_t skipped = strncmp(value, ring, sizeof(ring) - 1) == 0
				       ? sizeof(ring) - 1
				       : 0;
	uint64_t number;

	if (text_parse_size(value + skipped, &number) != 0 ||
	    number < directive->least || number > directive->most)
		return fail(
			why, -EINVAL,
			"%s %s: not SIZE or ring:SIZE with at least 64K; write "
			"1G, for example",
			directive->word, value);
	fprintf(directives->out, "%s %.*s%" PRIu64 "\n", directive->word,
		(int)skipped, value, number);
	directives->has_trace = 1;
	return 0;
}

static int add_stamps(struct directives *directives,
		      const struct directive *directive, const char *value,
		      char **why)
{
	uint64_t ns;

	if (strcmp(value, "packet") == 0) {
		directives->has_stamps = 1;
		fprintf(directives->out, "%s 0\n", directive->word);
		return 0;
	}
	directives->has_stamps = strcmp(value, "all") != 0;
	if (!directives->has_stamps) {
		fprintf(directives->out, "%s all\n", directive->word);
		return 0;
	}
	if (text_parse_size(value, &ns) != 0 && read_time(value, &ns) == 0 &&
	    ns >= STAMP_NS_LEAST && ns <= STAMP_NS_MOST) {
		fprintf(directives->out, "%s time %" PRIu64 "\n",
			directive->word, ns);
		return 0;
	}
	return add_size(directives, directive, value, why);
}

/* "10us", in nanoseconds for the runtime. */
static int add_least(struct directives *directives,
		     const struct directive *directive, const char *value,
		     char **why)
{
	uint64_t ns;

	if (read_time(value, &ns) != 0 || ns < directive->least ||
	    ns > directive->most)
		return fail(why, -EINVAL,
			    "%s %s: not a time; write 10us, for example",
			    directive->word, value);
	fprintf(directives->out, "%s %" PRIu64 "\n", directive->word, ns);
	directives->has_least = 1;
	return 0;
}

static int add_overflow(struct directives *directives, const char *word,
			const char *value, char **why)
{
	static const char *const known[] = { "drop-oldest", "process", "wait" };

	if (known_words_find(value, known, 3) == 3)
		return refuse_value(word, value, known, 3, why);
	fprintf(directives->out, "%s %s\n", word, value);
	directives->has_overflow = 1;
	directives->drops = strcmp(value, "drop-oldest") == 0;
	directives->waits = strcmp(value, "wait") == 0;
	return 0;
}

static int add_workers(struct directives *directives,
		       const struct directive *directive, const char *value,
		       char **why)
{
	uint64_t number = 0;
	int err = add_size(directives, directive, value, why);

	if (err)
		return err;
	text_parse_size(value, &number);
	directives->workers = (unsigned int)number;
	return 0;
}

/* By name, as kill has it; its number for the runtime. */
static int add_signal(struct directives *directives, const char *word,
		      const char *value, char **why)
{
	static const char *const known[] = { "USR1", "USR2", "HUP",
					     "QUIT", "PWR",  "WINCH" };
	static const int numbers[] = { SIGUSR1, SIGUSR2, SIGHUP,
				       SIGQUIT, SIGPWR,  SIGWINCH };
	const char *name = value + (strncmp(value, "SIG", 3) == 0 ? 3 : 0);
	const size_t found = known_words_find(name, known, 6);

	if (found == 6)
		return refuse_value(word, name, known, 6, why);
	fprintf(directives->out, "%s %d\n", word, numbers[found]);
	return 0;
}

static int add_probe(struct directives *directives, const char *word,
		     const char *value, char **why)
{
	struct probe_spec spec;

	if (probe_spec_parse(value, &spec) != 0)
		return fail(why, -EINVAL,
			    "%s %s: not a probe location; write FUNCTION, "
			    "FUNCTION+OFFSET, FUNCTION%%return or FILE.c:LINE",
			    word, value);
	if (directives->probes == WIRE_PROBES_MAX)
		return fail(why, -EINVAL, "%s %s: more than %d probes", word,
			    value, WIRE_PROBES_MAX);
	directives->probes++;
	directives->action = (struct probe_action){ 0 };
	fprintf(directives->out, "%s %s\n", word, value);
	return 0;
}

/* Of the probe before it. */
static int add_action(struct directives *directives, const char *word,
		      const char *value, char **why)
{
	const size_t bytes = strlen(value) + 1;
	const char mark[] = { PROBE_ACTION_MARK, '\0' };
	struct expression_problem problem;
	char *text;
	int err = -ENOMEM;

	if (!directives->probes)
		return fail(why, -EINVAL,
			    "%s %s: no probe precedes this action", word,
			    value);
	text = arena_alloc(&directives->arena, bytes);
	if (text)
		err = probe_action_add(&directives->action,
				       memcpy(text, value, bytes), arena_memory,
				       &directives->arena, &problem);
	if (err == -ENOMEM)
		return fail(why, err, "%s", strerror(-err));
	if (err)
		return fail(why, -EINVAL, "%s %.*s: %s%s%s%s", word,
			    (int)strcspn(value, mark), value, problem.what,
			    value[problem.at] ? ", at \"" : "",
			    value + problem.at, value[problem.at] ? "\"" : "");
	fprintf(directives->out, "%s %s\n", word, value);
	return 0;
}

int directives_add(struct directives *directives, const char *word,
		   const char *value, char **why)
{
	const struct directive *directive = find_directive(word);
	int is_empty = !value || !*value;

	if (!directive)
		return refuse_directive(word, why);
	if (is_empty != (directive->kind == VALUE_NONE))
		return fail(why, -EINVAL, "%s: %s", word,
			    is_empty ? "the value is missing"
				     : "takes no value");
	if (!is_empty && strchr(value, '\n'))
		return fail(why, -EINVAL, "%s: the value contains a line break",
			    word);
	if (directive->kind == VALUE_REGEX)
		return add_regex(directives, word, value, why);
	if (directive->kind == VALUE_SIZE)
		return add_size(directives, directive, value, why);
	if (directive->kind == VALUE_TIME)
		return add_time(directives, word, value, why);
	if (directive->kind == VALUE_CLOCK)
		return add_clock(directives, word, value, why);
	if (directive->kind == VALUE_BUDGET)
		return add_budget(directives, directive, value, why);
	if (directive->kind == VALUE_TRACE)
		return add_trace(directives, directive, value, why);
	if (directive->kind == VALUE_STAMPS)
		return add_stamps(directives, directive, value, why);
	if (directive->kind == VALUE_LEAST)
		return add_least(directives, directive, value, why);
	if (directive->kind == VALUE_DEPTH) {
		directives->has_depth = 1;
		return add_size(directives, directive, value, why);
	}
	if (directive->kind == VALUE_SIGNAL)
		return add_signal(directives, word, value, why);
	if (directive->kind == VALUE_OVERFLOW)
		return add_overflow(directives, word, value, why);
	if (directive->kind == VALUE_WORKERS)
		return add_workers(directives, directive, value, why);
	if (directive->kind == VALUE_PROBE)
		return add_probe(directives, word, value, why);
	if (directive->kind == VALUE_ACTION)
		return add_action(directives, word, value, why);
	if (directive->kind == VALUE_JAVA)
		return add_java(directives, word, value, why);
	directives->has_cache |= strcmp(word, "cache") == 0;
	directives->folds_recursion |= strcmp(word, "fold-recursion") == 0;
	directives->has_sites |= strcmp(word, "sites") == 0;
	directives->has_callers |= strcmp(word, "jni-env") == 0 ||
				   strcmp(word, "jit-callers") == 0;
	fprintf(directives->out, is_empty ? "%s\n" : "%s %s\n", word, value);
	return 0;
}

/* Adds "word value", with blanks before, between and behind. */
static int add_line(struct directives *directives, char *line, char **why)
{
	static const char blanks[] = " \t\r\n";
	char *word = line + strspn(line, blanks);
	char *end = word + strcspn(word, blanks);
	char *value = end + strspn(end, blanks);
	size_t length = strlen(value);

	if (*word == '\0' || *word == '#')
		return 0;
	while (length > 0 && strchr(blanks, value[length - 1]))
		value[--length] = '\0';
	*end = '\0';
	return directives_add(directives, word, value, why);
}

int directives_add_file(struct directives *directives, const char *path,
			char **why)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, *what;
	size_t capacity = 0;
	int err = 0;

	if (!file)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	for (int number = 1; getline(&line, &capacity, file) >= 0; number++) {
		err = add_line(directives, line, &what);
		if (!err)
			continue;
		fail(why, err, "%s:%d: %s", path, number, what);
		free(what);
		break;
	}
	if (!err && ferror(file))
		err = fail(why, -EIO, "%s: cannot be read", path);
	free(line);
	fclose(file);
	return err;
}

/* Unless there is a rule. */
static void add_cache(struct directives *directives, char *folder, mode_t mode)
{
	char *why = NULL;

	if (!folder || directives->has_cache)
		return;
	cache_folder_make(folder, mode);
	if (directives_add(directives, "cache", folder, &why) != 0)
		free(why);
}

void directives_add_cache(struct directives *directives)
{
	char *folder = cache_folder();

	add_cache(directives, folder, 0700);
	free(folder);
}

void directives_add_shared_cache(struct directives *directives)
{
	char folder[] = "/var/cache/clew";

	add_cache(directives, folder, 0755);
}

const char *directives_text(struct directives *directives)
{
	fflush(directives->out);
	return directives->text;
}
