/* SPDX-License-Identifier: MIT */
/* See agent_entries.h. */
#include "preload/front/agent_entries.h"

#include <errno.h>
#include <stddef.h>

#include "agent/agent_fronts.h"
#include "preload/front/agent_tables.h"
#include "preload/front/entries.h"
#include "preload/host/lookup.h"
#include "preload/hot/thread.h"
#include "preload/patch/divert.h"
#include "preload/patch/journal.h"
#include "preload/sys/own_code.h"
#include "preload/sys/text.h"
#include "wire/attachment.h"

/* Functions of all agents that were ever used in this process. */
#define ROWS_MAX (2 * AGENT_FRONTS_MAX)

/*
 * A replaced function. Protected by the loader's lock. Stays when the session
 * ends, because threads may still be on their way through `original`; the next
 * session with this agent uses it again.
 */
static struct agent_row {
	const char *name;
	void **next; /* identifies the row */
	void *ours;
	uint64_t pc; /* 0: the process has no such function */
	struct divert divert;
	int has_pad; /* `divert` is complete */
	/* The following members are valid for one session. */
	int is_wanted;
	int may_be_missing; /* as in struct agent_front */
	int is_met;         /* its module was met */
	int has_failed;
	uint64_t site_pc; /* address of the jump */
	void *original;
} rows[ROWS_MAX];

static uint32_t row_count;

/* The agent of this session, or NULL. */
static const struct link_map *agent_map;
static struct agent_fronts *agent;

/* ---- The agent's calls ---- */

static int enter(void)
{
	if (hot.is_in_agent)
		return 0;
	hot.is_in_agent = 1;
	return 1;
}

static void leave(void)
{
	hot.is_in_agent = 0;
}

/* ---- Finding the agent and the functions ---- */

static size_t name_bytes(const char *agent_and_option)
{
	size_t bytes = 0;

	while (agent_and_option[bytes] && agent_and_option[bytes] != ':')
		bytes++;
	return bytes;
}

/* Returns whether the file name at the end of a path is this name. */
static int is_named(const char *path, const char *name, size_t bytes)
{
	const char *file = text_file_name(path);

	for (size_t i = 0; i < bytes; i++)
		if (file[i] != name[i])
			return 0;
	return !file[bytes];
}

static int is_agent(const struct link_map *map, const char *name)
{
	const struct agent_fronts *fronts =
		lookup_in_map(map, WIRE_AGENT_FRONTS);
	const size_t bytes = name_bytes(name);

	if (!fronts)
		return 0;
	return is_named(map->l_name, name, bytes) ||
	       (fronts->version == AGENT_FRONTS_VERSION &&
		is_named(fronts->name, name, bytes));
}

static const struct link_map *find_agent(const char *name)
{
	for (const struct link_map *map = lookup_debug()->r_map; map;
	     map = map->l_next)
		if (map->l_name && is_agent(map, name))
			return map;
	return NULL;
}

/* Returns the definition that the program uses. */
static void *find_function(const char *name)
{
	void *found = NULL;

	for (const struct link_map *map = lookup_debug()->r_map; map && !found;
	     map = map->l_next)
		if (map != agent_map && map->l_addr != own_code_start())
			found = lookup_in_map(map, name);
	return found;
}

static struct agent_row *row_of(void **next)
{
	for (uint32_t i = 0; i < row_count; i++)
		if (rows[i].next == next)
			return &rows[i];
	return row_count < ROWS_MAX ? &rows[row_count++] : NULL;
}

static int want(const struct agent_front *front)
{
	struct agent_row *row = row_of(front->next);
	const uint64_t pc = (uintptr_t)find_function(front->name);

	if (!row)
		return -ENOSPC;
	row->has_pad &= row->pc == pc;
	row->name = front->name;
	row->next = front->next;
	row->ours = lookup_in_map(agent_map, front->name);
	row->pc = pc;
	row->is_wanted = pc && !front->is_only_called;
	row->may_be_missing = front->may_be_missing;
	/* The function itself, unless it is diverted. */
	*front->next = (void *)pc;
	return 0;
}

static int want_all(const char *name)
{
	int err = 0;

	agent_map = find_agent(name);
	agent = agent_map ? lookup_in_map(agent_map, WIRE_AGENT_FRONTS) : NULL;
	if (!agent)
		return -ENOENT;
	if (agent->version != AGENT_FRONTS_VERSION)
		return -ENOTSUP;
	if (agent->count > AGENT_FRONTS_MAX)
		return -ENOSPC;
	for (uint32_t i = 0; i < agent->count && !err; i++)
		err = want(&agent->of[i]);
	return err;
}

struct agent_beginning {
	const char *name;
	int err;
};

static int begin(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct agent_beginning *beginning = context;

	beginning->err = want_all(beginning->name);
	return 1;
}

int agent_entries_begin(const char *name)
{
	struct agent_beginning beginning = { .name = name };

	for (uint32_t i = 0; i < row_count; i++)
		rows[i].is_wanted = rows[i].is_met = rows[i].has_failed = 0;
	agent = NULL;
	if (!name)
		return 0;
	lookup_locked(begin, &beginning);
	if (beginning.err) {
		agent = NULL;
		return beginning.err;
	}
	agent->enter = enter;
	agent->leave = leave;
	name += name_bytes(name);
	agent_tables_lend(agent_map, 1);
	agent->begin(*name == ':' ? name + 1 : name);
	agent_tables_lend(agent_map, 0);
	return 0;
}

/* ---- Diverting ---- */

static struct agent_row *find_met(uint64_t pc)
{
	for (uint32_t i = 0; i < row_count; i++)
		if (rows[i].is_met && !rows[i].has_failed && rows[i].pc == pc)
			return &rows[i];
	return NULL;
}

/* Writes the jump, whose pad a former session may have left. */
static int stand(struct agent_row *row, struct module *module,
		 struct windows *windows)
{
	int err;

	if (row->has_pad) {
		row->divert.patch.module = module;
		err = patch_fits(&row->divert.patch)
			      ? patch_commit(&row->divert.patch)
			      : -EBUSY;
	} else {
		err = divert_any(&row->divert, module, windows, row->pc,
				 row->ours, agent->may_be_in_program);
		row->has_pad = !err;
	}
	row->site_pc = row->divert.site.text.pc;
	row->original = row->divert.original;
	return err;
}

/*
 * Puts the agent's function in front of the function: behind clew's own front,
 * if there is one. A function may have two names, whose fronts do the same.
 */
static void meet(struct agent_row *row, struct module *module,
		 struct windows *windows)
{
	const struct agent_row *same = find_met(row->pc);
	int err = 0;

	row->is_met = 1;
	if (same) {
		row->site_pc = same->site_pc;
		row->original = same->original;
		return;
	}
	if (entries_have(row->pc))
		err = entries_follow(row->pc, row->ours, &row->site_pc,
				     &row->original);
	else
		err = stand(row, module, windows);
	row->has_failed = !row->ours || err;
}

void agent_entries_meet_module(struct module *module, struct windows *windows)
{
	const struct agent_row *last = NULL;
	int err;

	for (uint32_t i = 0; i < row_count; i++) {
		struct agent_row *row = &rows[i];

		if (!row->is_wanted || row->is_met ||
		    row->pc < module->code.start || row->pc >= module->code.end)
			continue;
		meet(row, module, windows);
		last = row;
	}
	if (!last)
		return;
	err = windows_seal(windows);
	for (uint32_t i = 0; i < row_count; i++) {
		struct agent_row *row = &rows[i];

		row->has_failed |= row->is_met && err;
		if (row->is_met && !row->has_failed)
			*row->next = row->original;
	}
}

int agent_entries_have(uint64_t pc)
{
	return find_met(pc) != NULL;
}

static int lead(uint64_t site_pc, uint64_t stub)
{
	int err = 0;

	for (uint32_t i = 0; i < row_count && !err; i++) {
		struct agent_row *row = &rows[i];

		if (!row->is_met || row->has_failed || row->site_pc != site_pc)
			continue;
		err = journal_store(row->next, (void *)stub);
	}
	return err;
}

int agent_entries_lead_to_stubs(const struct patch *patch)
{
	int err = 0;

	for (uint32_t i = 0; i < patch->site_count && !err; i++) {
		const struct patch_site *site = &patch->sites[i];

		if (site->has_front)
			err = lead(patch->base + site->text.pc,
				   patch->base + site->entry);
	}
	return err;
}

/* ---- Ending ---- */

const char *agent_entries_missing(int is_indispensable)
{
	for (uint32_t i = 0; i < row_count; i++)
		if (rows[i].is_wanted &&
		    rows[i].may_be_missing != is_indispensable &&
		    (rows[i].has_failed || !rows[i].is_met))
			return rows[i].name;
	return NULL;
}

void agent_entries_end(void)
{
	if (agent)
		agent->end();
}
