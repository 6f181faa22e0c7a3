/* SPDX-License-Identifier: MIT */
/* See probe_variables.h. */
#include "cli/probes/probe_variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/probes/action_rewriting.h"
#include "cli/probes/probe_file.h"
#include "expression/probe_action.h"

/* Maximum number of a probe's sites that are checked; others are ignored. */
#define SITES_MAX 256

/*
 * The lines of one probe that use variables, and their rewritten text so far.
 */
struct line_settling {
	const struct probe_spec *spec;
	const char *path;
	struct arena *arena;
	const char *lines[PROBE_SPEC_MAX_BYTES / 4];
	/* NULL until the first site. */
	const char *settled[PROBE_SPEC_MAX_BYTES / 4];
	size_t count;
	uint64_t sites[SITES_MAX];
	size_t site_count;
	char **why;
};
#define LINES_MAX (PROBE_SPEC_MAX_BYTES / 4)

/*
 * Returns whether the library accepts the line unchanged; otherwise sets
 * *problem.
 */
static int is_plain(const char *line, struct arena *arena,
		    struct expression_problem *problem)
{
	struct probe_action action = { 0 };

	return !strchr(line, PROBE_ACTION_MARK) &&
	       probe_action_add(&action, line, arena_memory, arena, problem) ==
		       0;
}

static void note_site(void *context, const struct probe_site *site)
{
	struct line_settling *settling = context;

	if ((site->tier != PROBE_BY_NONE || site->reason == PROBE_IS_NO_TRAP) &&
	    settling->site_count < SITES_MAX)
		settling->sites[settling->site_count++] = site->vaddr;
}

/*
 * Rewrites a line for a site. All sites must give the same text. Returns 0, or
 * -EINVAL and *why.
 */
static int settle_line(struct line_settling *settling, size_t index,
		       const struct variable_site *site)
{
	const char *line = settling->lines[index];
	const char *before = settling->settled[index];
	const char *text = action_rewrite(line, site, settling->spec->is_return,
					  settling->arena, settling->why);

	if (!text)
		return -EINVAL;
	if (before && strcmp(before, text) != 0)
		return fail(settling->why, -EINVAL,
			    "action %s: its variables have different locations "
			    "at %#llx and at %#llx; add a separate probe for "
			    "each address",
			    line, (unsigned long long)site->vaddr,
			    (unsigned long long)settling->sites[0]);
	settling->settled[index] = text;
	return 0;
}

static int settle_site(struct line_settling *settling,
		       const struct image *image, uint64_t vaddr)
{
	struct variable_site site = { .vaddr = vaddr };
	struct variables_request request = { .path = settling->path,
					     .vaddr = vaddr };
	int err;

	request.names = action_names(settling->lines, settling->count,
				     settling->arena, &request.name_count);
	err = variables_read(&request, &site.variables, settling->why);
	if (err)
		return err;
	frame_place_find(image, vaddr, &site.frame);
	for (size_t i = 0; i < settling->count && !err; i++)
		err = settle_line(settling, i, &site);
	variables_free(&site.variables);
	return err;
}

static int settle_sites(struct line_settling *settling)
{
	struct probe_file file;
	int err = probe_file_open(&file, settling->path, settling->why);

	if (err)
		return err;
	probe_spec_walk(settling->spec, &file.map, note_site, settling);
	for (size_t i = 0; i < settling->site_count && !err; i++)
		err = settle_site(settling, &file.image, settling->sites[i]);
	if (!err && !settling->site_count)
		err = fail(settling->why, -EINVAL,
			   "%s has no location where the probe can be placed",
			   settling->path);
	probe_file_close(&file);
	return err;
}

/*
 * Unless err is -EINVAL, replaces *why by the error in the line and the reason
 * why the line could not be rewritten. Returns -EINVAL.
 */
static int explain(const char *line, const struct expression_problem *problem,
		   int err, char **why)
{
	char *reason = *why;

	if (err == -EINVAL)
		return err; /* The text already says all. */
	fail(why, -EINVAL, "action %s: %s%s%s%s: %s", line, problem->what,
	     line[problem->at] ? ", at \"" : "", line + problem->at,
	     line[problem->at] ? "\"" : "", reason);
	free(reason);
	return -EINVAL;
}

int probe_variables_settle(struct probe_variables *actions,
			   const struct probe_spec *spec, const char *path,
			   struct arena *arena, char **why)
{
	struct line_settling *settling;
	struct expression_problem problem = { 0 }, first = { 0 };
	size_t needing = 0;
	int err;

	settling = arena_alloc(arena, sizeof(*settling));
	if (!settling)
		memory_exhausted();
	settling->spec = spec;
	settling->path = path;
	settling->arena = arena;
	settling->why = why;
	for (size_t i = 0; i < actions->line_count; i++) {
		if (is_plain(actions->lines[i], arena, &problem) ||
		    settling->count == LINES_MAX)
			continue;
		if (!settling->count)
			first = problem;
		settling->lines[settling->count++] = actions->lines[i];
	}
	if (!settling->count)
		return 0;
	actions->is_typed = 1;
	err = path ? settle_sites(settling)
		   : fail(why, -ENOENT,
			  "clew reads variables from the debug information of "
			  "a file; give the path of the probe's module");
	if (err)
		return explain(settling->lines[0], &first, err, why);
	for (size_t i = 0; i < actions->line_count; i++)
		if (needing < settling->count &&
		    actions->lines[i] == settling->lines[needing]) {
			actions->lines[i] = arena_printf(
				arena, "%s%c%s", actions->lines[i],
				PROBE_ACTION_MARK, settling->settled[needing]);
			needing++;
		}
	return 0;
}
