/* SPDX-License-Identifier: MIT */
/* See directives.h. */
#include "cli/recording/directives.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

#define STAMP_NS_LEAST 100
#define STAMP_NS_MOST  UINT64_C(10000000000)

/* Indexed by enum wire_directive. */
static const struct directive {
	const char *word;
	enum wire_setting_kind kind;
	uint64_t least, most;
} known_directives[] = {
#define X(id, word, kind, member, standard, least, most, ...)                  \
	{ word, WIRE_SETTING_##kind, least, most },
	WIRE_DIRECTIVES(X)
#undef X
};

static enum wire_directive id_of(const struct directive *directive)
{
	return (enum wire_directive)(directive - known_directives);
}

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

/* Returns -EINVAL and *why. */
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

/* Writes the line of a directive for the config file. */
static void put(struct directives *directives,
		const struct directive *directive, const char *value)
{
	fprintf(directives->out, *value ? "%s %s\n" : "%s%s\n", directive->word,
		value);
}

static int add_text(struct directives *directives,
		    const struct directive *directive, const char *value,
		    char **why)
{
	(void)why;
	put(directives, directive, value);
	return 0;
}

static int add_regex(struct directives *directives,
		     const struct directive *directive, const char *value,
		     char **why)
{
	struct arena arena = { 0 };
	struct ere regex;
	const char *problem;
	int err = ere_compile(&regex, value, arena_memory, &arena, &problem);

	arena_fini(&arena);
	if (err)
		return fail(why, -EINVAL, "%s %s: %s", directive->word, value,
			    problem);
	return add_text(directives, directive, value, why);
}

/* Converts a number with a suffix to a plain number for the runtime. */
static int add_number(struct directives *directives,
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

/* Returns -EINVAL and *why, which lists the words that the directive takes. */
static int refuse_value(const char *word, const char *value,
			const char *const *known, size_t count, char **why)
{
	char *what = known_words_text(value, known, count);

	fail(why, -EINVAL, "%s %s: %s", word, value, what);
	free(what);
	return -EINVAL;
}

static int add_word(struct directives *directives,
		    const struct directive *directive, const char *value,
		    char **why)
{
	unsigned int count;
	const char *const *words =
		wire_directive_words(id_of(directive), &count);

	if (known_words_find(value, words, count) == count)
		return refuse_value(directive->word, value, words, count, why);
	return add_text(directives, directive, value, why);
}

static int add_clock(struct directives *directives,
		     const struct directive *directive, const char *value,
		     char **why)
{
	static const char *const known[] = { "auto", "tick" };

	if (known_words_find(value, known, 2) == 2)
		return refuse_value(directive->word, value, known, 2, why);
	return add_text(directives, directive, value, why);
}

/*
 * Checks the patterns after "exact:", "standby:" or "inplace:". Regular
 * expressions are between slashes.
 */
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

/*
 * Returns whether the value is this method of counting Java methods, with or
 * without patterns.
 */
static int is_way(const char *value, const char *way)
{
	const size_t length = strlen(way);

	return strncmp(value, way, length) == 0 &&
	       (!value[length] || value[length] == ':');
}

static int add_java(struct directives *directives,
		    const struct directive *directive, const char *value,
		    char **why)
{
	/* Only the last three take patterns. */
	static const char *const known[] = { "natives", "vm",      "off",
					     "exact",   "standby", "inplace" };

	if (is_way(value, "exact") || is_way(value, "standby") ||
	    is_way(value, "inplace")) {
		if (strchr(value, ':') &&
		    check_patterns(directive->word, value, why) != 0)
			return -EINVAL;
	} else if (known_words_find(value, known, 3) == 3) {
		return refuse_value(directive->word, value, known,
				    sizeof(known) / sizeof(*known), why);
	}
	return add_text(directives, directive, value, why);
}

/* Adds a budget. Its format is "5%", "0.5%" or "5", in percent. */
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
	return 0;
}

/*
 * Adds the number of contexts beyond which recursion is folded. An empty value
 * means that it is always folded.
 */
static int add_folding(struct directives *directives,
		       const struct directive *directive, const char *value,
		       char **why)
{
	return *value && strcmp(value, "never") != 0
		       ? add_number(directives, directive, value, why)
		       : add_text(directives, directive, value, why);
}

/*
 * Adds the size of a trace. Its format is "SIZE", or "ring:SIZE" for the size
 * of each thread's part.
 */
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
	return 0;
}

static int add_stamps(struct directives *directives,
		      const struct directive *directive, const char *value,
		      char **why)
{
	uint64_t ns;

	if (strcmp(value, "packet") == 0)
		return add_text(directives, directive, "0", why);
	if (strcmp(value, "all") == 0)
		return add_text(directives, directive, value, why);
	if (text_parse_size(value, &ns) != 0 && read_time(value, &ns) == 0 &&
	    ns >= STAMP_NS_LEAST && ns <= STAMP_NS_MOST) {
		fprintf(directives->out, "%s time %" PRIu64 "\n",
			directive->word, ns);
		return 0;
	}
	return add_number(directives, directive, value, why);
}

/* Converts a time, such as "10us", to nanoseconds for the runtime. */
static int add_duration(struct directives *directives,
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
	return 0;
}

/*
 * Converts a signal's name, with or without "SIG", to its number for the
 * runtime. Only six signals are accepted.
 */
static int add_signal(struct directives *directives,
		      const struct directive *directive, const char *value,
		      char **why)
{
	static const char *const known[] = { "USR1", "USR2", "HUP",
					     "QUIT", "PWR",  "WINCH" };
	static const int numbers[] = { SIGUSR1, SIGUSR2, SIGHUP,
				       SIGQUIT, SIGPWR,  SIGWINCH };
	const char *name = value + (strncmp(value, "SIG", 3) == 0 ? 3 : 0);
	const size_t found = known_words_find(name, known, 6);

	if (found == 6)
		return refuse_value(directive->word, name, known, 6, why);
	fprintf(directives->out, "%s %d\n", directive->word, numbers[found]);
	return 0;
}

static int add_probe(struct directives *directives,
		     const struct directive *directive, const char *value,
		     char **why)
{
	struct probe_spec spec;

	if (probe_spec_parse(value, &spec) != 0)
		return fail(why, -EINVAL,
			    "%s %s: not a probe location; write FUNCTION, "
			    "FUNCTION+OFFSET, FUNCTION%%return or FILE.c:LINE",
			    directive->word, value);
	if (directives->probes == WIRE_PROBES_MAX)
		return fail(why, -EINVAL, "%s %s: more than %d probes",
			    directive->word, value, WIRE_PROBES_MAX);
	directives->probes++;
	directives->action = (struct probe_action){ 0 };
	return add_text(directives, directive, value, why);
}

/* Checks an action of the preceding probe. */
static int add_action(struct directives *directives,
		      const struct directive *directive, const char *value,
		      char **why)
{
	const size_t bytes = strlen(value) + 1;
	const char mark[] = { PROBE_ACTION_MARK, '\0' };
	struct expression_problem problem;
	char *text;
	int err = -ENOMEM;

	if (!directives->probes)
		return fail(why, -EINVAL,
			    "%s %s: no probe precedes this action",
			    directive->word, value);
	text = arena_alloc(&directives->arena, bytes);
	if (text)
		err = probe_action_add(&directives->action,
				       memcpy(text, value, bytes), arena_memory,
				       &directives->arena, &problem);
	if (err == -ENOMEM)
		return fail(why, err, "%s", strerror(-err));
	if (err)
		return fail(why, -EINVAL, "%s %.*s: %s%s%s%s", directive->word,
			    (int)strcspn(value, mark), value, problem.what,
			    value[problem.at] ? ", at \"" : "",
			    value + problem.at, value[problem.at] ? "\"" : "");
	if (directives->action.slowest && !directives->action.slower)
		return fail(why, -EINVAL,
			    "%s %s: snapshot slowest compares durations; put "
			    "slower NAME TIME before it",
			    directive->word, value);
	return add_text(directives, directive, value, why);
}

/* Indexed by enum wire_setting_kind. */
static int (*const adders[])(struct directives *directives,
			     const struct directive *directive,
			     const char *value, char **why) = {
	[WIRE_SETTING_FLAG] = add_text,
	[WIRE_SETTING_NUMBER] = add_number,
	[WIRE_SETTING_LIMIT] = add_number,
	[WIRE_SETTING_WORD] = add_word,
	[WIRE_SETTING_TEXT] = add_text,
	[WIRE_SETTING_REGEX] = add_regex,
	[WIRE_SETTING_CLOCK] = add_clock,
	[WIRE_SETTING_TRACE] = add_trace,
	[WIRE_SETTING_STAMPS] = add_stamps,
	[WIRE_SETTING_DURATION] = add_duration,
	[WIRE_SETTING_SIGNAL] = add_signal,
	[WIRE_SETTING_JAVA] = add_java,
	[WIRE_SETTING_BUDGET] = add_budget,
	[WIRE_SETTING_FOLDING] = add_folding,
	[WIRE_SETTING_PROBE] = add_probe,
	[WIRE_SETTING_ACTION] = add_action,
};

/* Stores the value for directives_have(). Returns 0, or -ENOMEM and *why. */
static int keep_value(struct directives *directives,
		      enum wire_directive directive, const char *value,
		      char **why)
{
	const size_t bytes = strlen(value) + 1;
	char *copy = arena_alloc(&directives->arena, bytes);

	if (!copy)
		return fail(why, -ENOMEM, "%s", strerror(ENOMEM));
	directives->given[directive] = memcpy(copy, value, bytes);
	return 0;
}

int directives_add(struct directives *directives, const char *word,
		   const char *value, char **why)
{
	const struct directive *directive = find_directive(word);
	const int is_empty = !value || !*value;
	int err;

	if (!directive)
		return refuse_directive(word, why);
	if (directive->kind != WIRE_SETTING_FOLDING &&
	    is_empty != (directive->kind == WIRE_SETTING_FLAG))
		return fail(why, -EINVAL, "%s: %s", word,
			    is_empty ? "the value is missing"
				     : "takes no value");
	if (is_empty)
		value = "";
	if (strchr(value, '\n'))
		return fail(why, -EINVAL, "%s: the value contains a line break",
			    word);
	err = adders[directive->kind](directives, directive, value, why);
	return err ? err : keep_value(directives, id_of(directive), value, why);
}

/* ---- Conflicts ---- */

/*
 * Returns whether a value, up to a colon, is one of the words, which are
 * separated by `|`.
 */
static int is_one_of(const char *value, const char *words)
{
	const size_t length = strcspn(value, ":");

	for (;; words++) {
		const size_t word_length = strcspn(words, "|");

		if (word_length == length && strncmp(words, value, length) == 0)
			return 1;
		words += word_length;
		if (!*words)
			return 0;
	}
}

int directives_have(const struct directives *directives,
		    enum wire_directive directive, const char *values)
{
	const char *value = directives->given[directive];

	if (!value || !values)
		return value != NULL;
	return *values == '!' ? !is_one_of(value, values + 1)
			      : is_one_of(value, values);
}

const char *directives_conflict(const struct directives *directives)
{
#define EXCLUDES(a, a_values, b, b_values, why)                                \
	if (directives_have(directives, DIRECTIVE_##a, a_values) &&            \
	    directives_have(directives, DIRECTIVE_##b, b_values))              \
		return why;
#define NEEDS(a, a_values, b, b_values, why)                                   \
	if (directives_have(directives, DIRECTIVE_##a, a_values) &&            \
	    !directives_have(directives, DIRECTIVE_##b, b_values))             \
		return why;
	WIRE_EXCLUSIONS(EXCLUDES)
	WIRE_NEEDS(NEEDS)
#undef EXCLUDES
#undef NEEDS
	return NULL;
}

/* ---- Files of directives, the cache, and the text ---- */

/*
 * Adds the directive of a line "word value", which may have further blanks.
 * Ignores empty lines and comments.
 */
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

/*
 * Adds `cache` with this folder, which it creates, unless `cache` was given
 * already.
 */
static void add_cache(struct directives *directives, char *folder, mode_t mode)
{
	char *why = NULL;

	if (!folder || directives->given[DIRECTIVE_CACHE])
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

void directives_add_shared_cache(struct directives *directives, uid_t user)
{
	char folder[] = "/var/cache/clew";
	char *path = memory_printf("%s/%u", folder, user);

	add_cache(directives, folder, 0755);

	/* Only root can write to the folder around it. */
	if (directives->given[DIRECTIVE_BUDGET] && mkdir(path, 0700) == 0 &&
	    fchownat(AT_FDCWD, path, user, (gid_t)-1, AT_SYMLINK_NOFOLLOW) != 0)
		rmdir(path);
	free(path);
}

int directives_add_avoided(struct directives *directives, uint64_t avoided,
			   char **why)
{
	char number[24];

	if (!avoided)
		return 0;
	snprintf(number, sizeof(number), "%" PRIu64, avoided);
	return directives_add(directives, "avoid", number, why);
}

const char *directives_text(struct directives *directives)
{
	fflush(directives->out);
	return directives->text;
}
