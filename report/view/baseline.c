/* SPDX-License-Identifier: MIT */
/* See baseline.h. */
#include "report/view/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"

/*
 * Git and editors of Windows end lines with "\r\n", and editors may put the
 * byte order mark of UTF-8 in front.
 */
#define MARK "\xef\xbb\xbf"

enum { FIELDS_MAX = 7, VADDR_BITS = 48, MARK_BYTES = sizeof(MARK) - 1 };

struct loading {
	struct session *session;
	const char *path;
	char *at, *end;
	size_t line;
	char *fields[FIELDS_MAX];
	size_t field_count;
	/* The following members describe the current section. */
	int has_section;
	/* module of functions with names, or CATALOG_NO_MODULE */
	uint32_t module;
	/*
	 * module of functions without names: the module with its build-id, or
	 * the same module
	 */
	uint32_t unnamed_in;
	struct measure sum;
	/*
	 * for the whole recording, the number of samples of equal weight that
	 * would have the same error (field of `time`)
	 */
	uint64_t equal_samples;
	size_t totals_capacity;
	char **why;
};

static int refuse(const struct loading *loading, const char *what)
{
	return fail(loading->why, -EINVAL, "%s:%zu: not a valid baseline: %s",
		    loading->path, loading->line, what);
}

/* ---- Lines and fields ---- */

/* Returns the length of the byte order mark at the beginning, or 0. */
static size_t mark_length(const char *text, size_t bytes)
{
	return bytes >= MARK_BYTES && memcmp(text, MARK, MARK_BYTES) == 0
		       ? MARK_BYTES
		       : 0;
}

/* Splits the next line into fields. Returns 0 at the end of the file. */
static int next_line(struct loading *loading)
{
	char *line = loading->at, *end;

	if (line == loading->end)
		return 0;
	end = memchr(line, '\n', (size_t)(loading->end - line));
	loading->at = end ? end + 1 : loading->end;
	if (end) {
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
	}
	loading->line++;
	loading->field_count = 0;
	for (char *field = line; field;) {
		char *tab = strchr(field, '\t');

		if (loading->field_count < FIELDS_MAX)
			loading->fields[loading->field_count] = field;
		loading->field_count++;
		if (tab)
			*tab = '\0';
		field = tab ? tab + 1 : NULL;
	}
	return 1;
}

/*
 * Reads digits of a base up to 16. Returns whether the text is such a number,
 * and at most INT64_MAX.
 */
static int read_number(const char *text, unsigned int base, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t number = 0;

	if (!*text)
		return 0;
	for (; *text; text++) {
		const char *digit = memchr(digits, *text, base);

		if (!digit || number > (uint64_t)INT64_MAX / base)
			return 0;
		number = number * base + (uint64_t)(digit - digits);
		if (number > INT64_MAX)
			return 0;
	}
	*out = number;
	return 1;
}

/* ---- Sections ---- */

/* Reads pairs of hexadecimal digits. */
static int read_build_id(const char *text, struct wire_module *module)
{
	const size_t digits = strlen(text);
	uint64_t byte;

	if (digits == 0 || digits % 2 || digits / 2 > sizeof(module->build_id))
		return 0;
	for (size_t i = 0; i < digits; i += 2) {
		const char pair[] = { text[i], text[i + 1], '\0' };

		if (!read_number(pair, 16, &byte))
			return 0;
		module->build_id[i / 2] = (uint8_t)byte;
	}
	module->build_id_bytes = (uint8_t)(digits / 2);
	return 1;
}

/* Names come from the baseline alone, so no file of the module is opened. */
static uint32_t add_module(struct catalog *catalog, const char *name,
			   const struct wire_module *wire)
{
	const struct module_record record = {
		.module = wire,
		.path = name,
		.path_bytes = (uint32_t)strlen(name),
	};
	struct catalog_list none;
	const uint32_t module = catalog_add_module(catalog, &record, &none);

	if (module != CATALOG_NO_MODULE) {
		catalog->modules[module].was_tried = 1;
		catalog->modules[module].is_baseline = 1;
	}
	return module;
}

static int read_module(struct loading *loading)
{
	struct catalog *catalog = &loading->session->catalog;
	struct wire_module wire = { 0 };
	const char *name = loading->fields[1];

	if (loading->field_count < 2 || loading->field_count > 3 || !*name)
		return refuse(loading, "a module needs a name");
	loading->has_section = 1;
	loading->module = loading->unnamed_in = CATALOG_NO_MODULE;
	if (strcmp(name, BASELINE_NO_MODULE) == 0)
		return 0;
	loading->module = loading->unnamed_in =
		add_module(catalog, name, &wire);
	if (loading->field_count == 3) {
		if (!read_build_id(loading->fields[2], &wire))
			return refuse(loading, "not a build-id");
		loading->unnamed_in = add_module(catalog, name, &wire);
	}
	if (loading->module == CATALOG_NO_MODULE ||
	    loading->unnamed_in == CATALOG_NO_MODULE)
		return refuse(loading, "too many modules");
	return 0;
}

static int read_time(struct loading *loading)
{
	enum wire_time time = WIRE_TIME_CPU;

	while (time <= SUMMARY_TIME_TRACE && loading->field_count == 3 &&
	       strcmp(loading->fields[1], time_word(time)) != 0)
		time++;
	if (loading->field_count != 3 || time > SUMMARY_TIME_TRACE ||
	    !read_number(loading->fields[2], 10, &loading->equal_samples))
		return refuse(loading, "not a kind of time");
	loading->session->summary.time = time;
	return 0;
}

static int read_missing(struct loading *loading)
{
	uint64_t *missing = &loading->session->summary.lost_calls[0];

	if (loading->field_count != 2 ||
	    !read_number(loading->fields[1], 10, missing))
		return refuse(loading, "not a number of missing calls");
	return 0;
}

/* ---- Functions ---- */

static int read_kind(const char *text, enum function_kind *kind)
{
	for (unsigned int i = 0; i < KIND_COUNT; i++) {
		if (i == KIND_GROUP ||
		    strcmp(text, function_kind_text((enum function_kind)i)) !=
			    0)
			continue;
		*kind = (enum function_kind)i;
		return 1;
	}
	return 0;
}

/* Returns one of the functions that every catalog has; 0: not one of them. */
static uint32_t find_fixed(const struct catalog *catalog, const char *name)
{
	for (uint32_t i = FUNCTION_UNKNOWN; i < FUNCTION_FIRST; i++)
		if (strcmp(catalog->functions[i].name, name) == 0)
			return i;
	return 0;
}

/* Returns a function that has only an address; 0 if it is malformed. */
static uint32_t unnamed_function(struct loading *loading, const char *name)
{
	struct catalog *catalog = &loading->session->catalog;
	uint64_t vaddr;
	uint32_t function;
	char *whole;

	if (!read_number(name + strlen("+0x"), 16, &vaddr) ||
	    vaddr >> VADDR_BITS)
		return 0;
	if (catalog->modules[loading->unnamed_in].build_id.bytes > 0)
		return catalog_function_at(catalog, loading->unnamed_in, vaddr);
	whole = memory_printf("%s%s", catalog->modules[loading->module].name,
			      name);
	function = catalog_named(catalog, KIND_NATIVE, loading->module, whole);
	free(whole);
	return function;
}

static uint32_t function_of_line(struct loading *loading)
{
	struct catalog *catalog = &loading->session->catalog;
	const char *name = loading->fields[1];
	enum function_kind kind = KIND_NATIVE;
	uint32_t fixed;

	if (!*name ||
	    (loading->field_count > 2 && !read_kind(loading->fields[2], &kind)))
		return 0;
	if (loading->module == CATALOG_NO_MODULE) {
		fixed = find_fixed(catalog, name);
		return fixed ? fixed
			     : catalog_named(catalog, kind, CATALOG_NO_MODULE,
					     name);
	}
	if (strncmp(name, "+0x", 3) == 0)
		return unnamed_function(loading, name);
	return catalog_named(catalog, kind, loading->module, name);
}

static int read_times(struct loading *loading, struct measure *self,
		      struct measure *total)
{
	char *const *fields = loading->fields;

	if (loading->field_count < FIELDS_MAX)
		return loading->field_count <= 3;
	return loading->field_count == FIELDS_MAX &&
	       read_number(fields[3], 10, &self->ns) &&
	       read_number(fields[4], 10, &self->samples) &&
	       read_number(fields[5], 10, &total->ns) &&
	       read_number(fields[6], 10, &total->samples);
}

/* Adds to a sum. Returns whether it did not overflow. */
static int add_checked(uint64_t *sum, uint64_t more)
{
	return !__builtin_add_overflow(*sum, more, sum);
}

/* Returns the total of a function, after room is made for it. */
static struct measure *total_of(struct loading *loading, uint32_t function)
{
	struct session *session = loading->session;

	while (session->totals_count <= function) {
		session->totals = memory_grow(
			session->totals, session->totals_count,
			&loading->totals_capacity, sizeof(*session->totals));
		session->totals[session->totals_count++] =
			(struct measure){ 0 };
	}
	return &session->totals[function];
}

static int read_function(struct loading *loading)
{
	struct session *session = loading->session;
	struct measure self = { 0 }, total = { 0 }, *sum = &loading->sum;
	uint32_t function, node;

	if (!loading->has_section)
		return refuse(loading, "a function before its module");
	if (loading->field_count < 2 ||
	    !read_number(loading->fields[0], 10, &self.calls) ||
	    !read_times(loading, &self, &total))
		return refuse(loading, "not a function's numbers");
	function = function_of_line(loading);
	if (function == 0)
		return refuse(loading, "not a function's name");
	if (!add_checked(&sum->calls, self.calls) ||
	    !add_checked(&sum->ns, self.ns) ||
	    !add_checked(&sum->samples, self.samples) ||
	    !add_checked(&total_of(loading, function)->ns, total.ns))
		return refuse(loading, "too large a sum");
	session->totals[function].samples += total.samples;
	node = tree_child(&session->tree, TREE_ROOT, function);
	session->tree.nodes[node].is_context = 1;
	tree_add(&session->tree, node, &self);
	return 0;
}

/* ---- The whole file ---- */

static int read_line(struct loading *loading)
{
	const char *first = loading->fields[0];

	if (strcmp(first, "module") == 0)
		return read_module(loading);
	if (strcmp(first, "time") == 0)
		return read_time(loading);
	if (strcmp(first, "missing") == 0)
		return read_missing(loading);
	return read_function(loading);
}

static int read_heading(struct loading *loading)
{
	if (!next_line(loading) || strncmp(loading->fields[0], BASELINE_HEADING,
					   strlen(BASELINE_HEADING)) != 0)
		return fail(loading->why, -EINVAL, "%s: not a baseline",
			    loading->path);
	if (loading->field_count == 1 &&
	    strcmp(loading->fields[0], BASELINE_HEADING BASELINE_VERSION) == 0)
		return 0;
	return fail(loading->why, -EINVAL,
		    "%s: a baseline of another version of clew; write it again "
		    "with clew export --format=baseline",
		    loading->path);
}

static int read_lines(struct loading *loading)
{
	int err = read_heading(loading);

	while (!err && next_line(loading))
		err = read_line(loading);
	return err;
}

static void begin(struct session *session)
{
	*session = (struct session){ .metric = METRIC_CALLS };
	catalog_init(&session->catalog);
	tree_init(&session->tree);
	session->command = memory_string("", 0);
}

static void finish(struct loading *loading)
{
	struct session *session = loading->session;
	struct summary *summary = &session->summary;
	const double ns = (double)loading->sum.ns;

	tree_sum(&session->tree);
	total_of(loading, FUNCTION_NONE);
	summary->calls = loading->sum.calls;
	summary->time_ns = loading->sum.ns;
	summary->samples = loading->sum.samples;
	summary->squares_ns2 =
		loading->equal_samples
			? ns * ns / (double)loading->equal_samples
			: 0;
	if (summary->time_ns > 0)
		session->metric = METRIC_TIME;
	else
		summary->time = WIRE_TIME_NONE;
}

int baseline_parse(struct session *session, const char *path, char *text,
		   size_t bytes, char **why)
{
	struct loading loading = {
		.session = session,
		.path = path,
		.at = text,
		.end = text + bytes,
		.why = why,
	};
	int err;

	if (memchr(text, '\0', bytes))
		return fail(why, -EINVAL,
			    "%s: not a valid baseline: it contains a NUL byte",
			    path);
	loading.at += mark_length(text, bytes);
	begin(session);
	err = read_lines(&loading);
	if (err)
		session_close(session);
	else
		finish(&loading);
	return err;
}

int baseline_is_at(const char *path)
{
	char head[MARK_BYTES + sizeof(BASELINE_HEADING) - 1];
	const size_t heading = strlen(BASELINE_HEADING);
	size_t mark;
	const int fd = regular_file_open(path, O_RDONLY);
	ssize_t bytes;

	if (fd < 0)
		return 0;
	bytes = read(fd, head, sizeof(head));
	close(fd);
	if (bytes < (ssize_t)heading)
		return 0;
	mark = mark_length(head, (size_t)bytes);
	return (size_t)bytes >= mark + heading &&
	       memcmp(head + mark, BASELINE_HEADING, heading) == 0;
}

int baseline_open(struct session *session, const char *path, char **why)
{
	FILE *in = regular_file_stream(path);
	char *text;
	size_t bytes;
	int err = 0;

	if (!in)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	text = memory_zeroed(BASELINE_BYTES_MAX + 1, 1);
	bytes = fread(text, 1, BASELINE_BYTES_MAX + 1, in);
	if (ferror(in))
		err = fail(why, -EIO, "%s: cannot be read", path);
	else if (bytes > BASELINE_BYTES_MAX)
		err = fail(why, -EFBIG, "%s: a baseline has at most %d MB",
			   path, BASELINE_BYTES_MAX >> 20);
	else
		err = baseline_parse(session, path, text, bytes, why);
	fclose(in);
	free(text);
	return err;
}
