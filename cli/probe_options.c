/* SPDX-License-Identifier: MIT */
#include "cli/probe_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/probe_file.h"
#include "symbolizer/a2n.h"

int probe_options_add(struct probe_options *options, const char *text)
{
	if (options->count == PROBE_OPTIONS_MAX)
		return -E2BIG;
	options->texts[options->count++] = text;
	return 0;
}

void probe_options_parse_place(struct probe_options *options, const char *text,
			       struct argp_state *state)
{
	if (probe_options_add(options, text) != 0)
		argp_error(state, "more than %d probes", PROBE_OPTIONS_MAX);
}

void probe_options_parse_action(struct probe_options *options, const char *text,
				struct argp_state *state)
{
	if (!options->count)
		argp_error(state, "--action=%s: of no probe", text);
	if (options->action_count == PROBE_ACTIONS_MAX)
		argp_error(state, "--action=%s: too many", text);
	options->actions[options->action_count++] =
		(struct probe_options_action){ options->count - 1, text };
}

/* ---- Lines of sources ---- */

/* [MODULE:]FILE:LINE. */
struct line_place {
	char *module; /* a path, or NULL: the program */
	char *file;
	uint32_t line;
};

static void line_place_fini(struct line_place *place)
{
	free(place->module);
	free(place->file);
}

/* Whether it is one: what is behind the last colon are digits. */
static int read_line_place(const char *text, struct line_place *out)
{
	const char *last = strrchr(text, ':'), *first;
	char *end;
	unsigned long line;

	if (!last || last == text || last[1] < '1' || last[1] > '9')
		return 0;
	line = strtoul(last + 1, &end, 10);
	if (*end || line > UINT32_MAX)
		return 0;
	first = memchr(text, ':', (size_t)(last - text));
	*out = (struct line_place){ .line = (uint32_t)line };
	if (first)
		out->module = memory_string(text, (size_t)(first - text));
	else
		first = text - 1;
	out->file = memory_string(first + 1, (size_t)(last - first - 1));
	return 1;
}

struct row_search {
	const struct line_place *place;
	uint64_t vaddr; /* the lowest, or UINT64_MAX */
};

/* Whether a path ends in these folders and this name. */
static int is_file(const char *path, const char *file)
{
	const size_t bytes = strlen(path), tail = strlen(file);

	return bytes >= tail && strcmp(path + bytes - tail, file) == 0 &&
	       (bytes == tail || path[bytes - tail - 1] == '/');
}

static void look_at_row(void *context, const struct a2n_range *range,
			const struct a2n_frame *frames, size_t count)
{
	struct row_search *search = context;

	if (count && frames->line == search->place->line && frames->file &&
	    is_file(frames->file, search->place->file) &&
	    range->start < search->vaddr)
		search->vaddr = range->start;
}

/* 0, or -errno and *why. */
static int find_line(const struct line_place *place, const char *path,
		     uint64_t *vaddr, char **why)
{
	struct row_search search = { .place = place, .vaddr = UINT64_MAX };
	const struct a2n_module *module;
	struct a2n *a2n;
	int err = a2n_create(NULL, &a2n);

	if (err)
		return fail(why, err, "%s", strerror(-err));
	err = a2n_module_open(a2n, path, NULL, &module);
	if (!err)
		a2n_module_rows(module, look_at_row, &search);
	a2n_destroy(a2n);
	if (err)
		return fail(why, -EINVAL, "%s: %s", path, strerror(-err));
	if (search.vaddr == UINT64_MAX)
		return fail(why, -EINVAL,
			    "%s has no code of line %" PRIu32 " of %s", path,
			    place->line, place->file);
	*vaddr = search.vaddr;
	return 0;
}

/* What stands for it, to be freed; NULL and *why. */
static char *resolve_line(const struct line_place *place, const char *program,
			  char **why)
{
	const char *path = place->module ? place->module : program;
	uint64_t vaddr = 0;
	char *text;

	if (find_line(place, path, &vaddr, why) != 0)
		return NULL;
	if (place->module)
		text = memory_printf("%s:%#" PRIx64 " %s:%" PRIu32,
				     text_basename(path), vaddr, place->file,
				     place->line);
	else
		text = memory_printf("%#" PRIx64 " %s:%" PRIu32, vaddr,
				     place->file, place->line);
	return text;
}

/* ---- What can be known ---- */

struct forecast {
	unsigned int possible;
	uint8_t reason; /* of the first that is not */
};

/* In the first bytes of a function that is hooked none needs a breakpoint. */
static void look_at_site(void *context, const struct probe_site *site)
{
	struct forecast *forecast = context;

	if (site->tier != PROBE_BY_NONE || site->reason == PROBE_IS_NO_TRAP)
		forecast->possible++;
	else if (!forecast->reason)
		forecast->reason = site->reason;
}

/* Which file a probe is in for certain; or NULL. */
static const char *file_of(const struct probe_spec *spec, const char *program)
{
	if (strchr(spec->module, '/') && access(spec->module, R_OK) == 0)
		return spec->module;
	return probe_spec_means(spec, program, 1) ? program : NULL;
}

/* 0, or -EINVAL and *why. */
static int check(const struct probe_spec *spec, const char *text,
		 const char *program, char **why)
{
	const char *path = file_of(spec, program);
	struct forecast forecast = { 0 };
	struct probe_file file;
	unsigned int count;
	char *problem;

	if (!path)
		return 0;
	if (probe_file_open(&file, path, &problem) != 0) {
		free(problem); /* a script, say: its interpreter is run */
		return 0;
	}
	count = probe_spec_walk(spec, &file.map, look_at_site, &forecast);
	probe_file_close(&file);
	if (count && !forecast.possible)
		return fail(why, -EINVAL, "probe %s: %s", text,
			    probe_reason_text(forecast.reason));
	if (!count && *spec->module)
		return fail(why, -EINVAL, "probe %s: %s has no function %s",
			    text, path, spec->function);
	return 0;
}

static int settle(const char *text, const char *program,
		  struct directives *directives, char **why)
{
	struct line_place place;
	struct probe_spec spec;
	char *resolved = NULL;
	int err = 0;

	if (read_line_place(text, &place)) {
		resolved = resolve_line(&place, program, why);
		line_place_fini(&place);
		if (!resolved)
			return -EINVAL;
	}
	if (probe_spec_parse(resolved ? resolved : text, &spec) != 0)
		err = fail(why, -EINVAL, "probe %s: not a place", text);
	if (!err)
		err = check(&spec, text, program, why);
	if (!err)
		err = directives_add(directives, "probe",
				     resolved ? resolved : text, why);
	free(resolved);
	return err;
}

int probe_options_settle(const struct probe_options *options,
			 const char *program, struct directives *directives,
			 char **why)
{
	int err = 0;

	for (size_t i = 0; i < options->count && !err; i++) {
		err = settle(options->texts[i], program, directives, why);
		for (size_t j = 0; j < options->action_count && !err; j++)
			if (options->actions[j].probe == i)
				err = directives_add(directives, "action",
						     options->actions[j].text,
						     why);
	}
	return err;
}

/* ---- Of a process ---- */

/* The program's file, or what stands for it. For free(). */
static char *program_of(pid_t pid)
{
	char *link = memory_printf("/proc/%d/exe", pid);
	char path[4096];
	const ssize_t bytes = readlink(link, path, sizeof(path) - 1);

	path[bytes < 0 ? 0 : bytes] = '\0';
	if (bytes <= 0 || access(path, R_OK) != 0)
		return link;
	free(link);
	return memory_printf("%s", path);
}

char *probe_options_lines(const struct probe_options *options, pid_t pid,
			  char **why)
{
	char *program = program_of(pid), *lines = NULL;
	struct directives directives;

	directives_init(&directives);
	if (probe_options_settle(options, program, &directives, why) == 0)
		lines = memory_printf("%s", directives_text(&directives));
	directives_fini(&directives);
	free(program);
	return lines;
}
