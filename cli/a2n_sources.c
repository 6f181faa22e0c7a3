/* SPDX-License-Identifier: MIT */
#include "cli/a2n_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/command.h"

static void count_read(const struct a2n_sources *sources, const char *path,
		       int err, const struct a2n_read *read)
{
	if (err) {
		complain(sources->command, "%s: %s", path,
			 err == -EBADMSG ? "not a jitdump file"
					 : strerror(-err));
		return;
	}
	if (read->malformed > 0 || sources->is_verbose)
		complain(sources->command,
			 "%s: %llu records, %llu malformed and skipped", path,
			 (unsigned long long)read->records,
			 (unsigned long long)read->malformed);
	if (read->lines > 0)
		complain(sources->command,
			 "%s: %llu line entries outside of their code, skipped",
			 path, (unsigned long long)read->lines);
}

/* The map that the process itself may be writing. */
static void read_own_perf_map(const struct a2n_sources *sources,
			      struct a2n_space *space)
{
	char *path = memory_printf("/proc/%d/root/tmp/perf-%d.map",
				   sources->pid, sources->pid);
	struct a2n_read read;

	if (access(path, R_OK) == 0)
		count_read(sources, path,
			   a2n_space_read_perf_map(space, path, 0, &read),
			   &read);
	free(path);
}

static int read_all(const struct a2n_sources *sources, struct a2n_space *space)
{
	struct a2n_read read = { 0 };
	int err = 0;

	if (sources->pid) {
		err = a2n_space_map_process(space, sources->pid, 0);
		if (err)
			complain(sources->command, "process %d: %s",
				 sources->pid, strerror(-err));
		else
			read_own_perf_map(sources, space);
	}
	if (!err && sources->perf_map) {
		err = a2n_space_read_perf_map(space, sources->perf_map, 0,
					      &read);
		count_read(sources, sources->perf_map, err, &read);
	}
	if (!err && sources->jitdump) {
		err = a2n_space_read_jitdump(space, sources->jitdump, &read);
		count_read(sources, sources->jitdump, err, &read);
	}
	return err;
}

int a2n_sources_read(const struct a2n_sources *sources, struct a2n *a2n,
		     struct a2n_space **out)
{
	struct a2n_space *space;
	int err = a2n_space_create(a2n, &space);

	if (err)
		return err;
	err = read_all(sources, space);
	if (!err)
		err = a2n_space_commit(space);
	if (err)
		a2n_space_destroy(space);
	else
		*out = space;
	return err;
}
