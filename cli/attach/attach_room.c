/* SPDX-License-Identifier: MIT */
/* See attach_room.h. */
#include "cli/attach/attach_room.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cgroup/memory_room.h"
#include "cli/target/room_files.h"
#include "cli/target/target.h"
#include "wire/hook_memory.h"

/* One part in this number of vm.max_map_count is kept free for the program. */
#define MAPPINGS_PART 32

struct room_question {
	pid_t pid;
	uint64_t functions;
	uint64_t threads;
	int is_timed;
	/*
	 * The process is the first of the session and writes the files that
	 * others share.
	 */
	int is_first;
	struct hook_memory need;
};

/* Formats a number of bytes in units of 2^20 bytes, and rounds down. */
static struct grouped in_mb(uint64_t bytes)
{
	return text_grouped(bytes >> 20);
}

static struct grouped needed_mb(uint64_t bytes)
{
	return text_grouped((bytes + (1 << 20) - 1) >> 20);
}

/* ---- Advice ---- */

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static uint64_t fitting_functions(const struct room_question *asked,
				  uint64_t bytes)
{
	const uint64_t each = HOOK_MEMORY_FUNCTION_BYTES +
			      (asked->is_timed ? HOOK_MEMORY_TIMED_BYTES : 0) +
			      (asked->is_first ? HOOK_MEMORY_FILES_BYTES : 0);
	const struct hook_memory none =
		hook_memory(0, asked->threads, asked->is_timed);

	return less(bytes, none.bytes) / each;
}

/* Rounds a number down to two significant digits, because it is an estimate. */
static uint64_t rounded(uint64_t number)
{
	uint64_t unit = 1;

	while (number / unit >= 100)
		unit *= 10;
	return number / unit * unit;
}

/*
 * Returns advice for the user, which the caller frees: to hook at most
 * `fitting` functions (0: not possible), or to do what `otherwise` says.
 */
static char *advice(const struct room_question *asked, uint64_t fitting,
		    const char *otherwise)
{
	if (!fitting)
		return memory_printf("%s", otherwise);
	return memory_printf("hook fewer of its %s functions (-m MODULE, -f "
			     "REGEX: about %s would fit%s), or %s",
			     text_grouped(asked->functions).text,
			     text_grouped(rounded(fitting)).text,
			     asked->is_timed ? "; more without --time=exact"
					     : "",
			     otherwise);
}

/* ---- Memory ---- */

static int refuse_memory(const struct room_question *asked,
			 struct memory_room *room, char **why)
{
	char *place = room->file ? memory_printf("its cgroup %s",
						 text_printable(room->group))
				 : memory_printf("the system");
	char *what = advice(asked, fitting_functions(asked, room->to_take),
			    "raise that limit");

	fail(why, -ENOMEM,
	     "attaching needs about %s MB of memory, but %s has %s MB left of "
	     "%s MB%s%s%s, and clew reserves %s MB for the program; %s",
	     needed_mb(asked->need.bytes).text, place, in_mb(room->left).text,
	     in_mb(room->limit).text, room->file ? " (" : "",
	     room->file ? room->file : "", room->file ? ")" : "",
	     in_mb(memory_room_reserve(room->limit)).text, what);
	free(place);
	free(what);
	return -ENOMEM;
}

static int check_memory(const struct room_question *asked, char **why)
{
	struct memory_room_search search = { .files = &room_files, .root = "" };
	char *process = memory_printf("%d", asked->pid);

	memory_room_find(&search, process);
	free(process);
	return asked->need.bytes <= search.found.to_take
		       ? 0
		       : refuse_memory(asked, &search.found, why);
}

/* ---- Address space ---- */

/*
 * Returns the soft limit `name` from /proc/PID/limits, or UINT64_MAX if there
 * is no limit or it cannot be read.
 */
static uint64_t limit_of(pid_t pid, const char *name)
{
	char *path = memory_printf("/proc/%d/limits", pid);
	FILE *file = fopen(path, "re");
	uint64_t limit = UINT64_MAX;
	char line[256], *end;

	free(path);
	while (file && fgets(line, sizeof(line), file)) {
		const char *number = line + strlen(name);

		if (strncmp(line, name, strlen(name)) != 0)
			continue;
		number += strspn(number, " ");
		if (*number >= '0' && *number <= '9')
			limit = strtoull(number, &end, 10);
	}
	if (file)
		fclose(file);
	return limit;
}

static int check_addresses(const struct room_question *asked, const char *name,
			   const char *used_name, const char *option,
			   char **why)
{
	const uint64_t limit = limit_of(asked->pid, name);
	const int64_t used_kb = target_status(asked->pid, used_name, 10);
	uint64_t left, reserve;

	if (limit == UINT64_MAX || used_kb < 0)
		return 0;
	left = less(limit, (uint64_t)used_kb << 10);
	reserve = memory_room_reserve(limit);
	if (asked->need.address_bytes + reserve <= left)
		return 0;
	return fail(why, -ENOMEM,
		    "attaching needs about %s MB of address space, but it has "
		    "%s MB left of %s MB (ulimit %s), and clew reserves %s MB "
		    "for the program; raise that limit (prlimit --pid %d)",
		    needed_mb(asked->need.address_bytes).text, in_mb(left).text,
		    in_mb(limit).text, option, in_mb(reserve).text, asked->pid);
}

/* ---- Mappings ---- */

static uint64_t most_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	uint64_t most = UINT64_MAX;

	if (!file)
		return most;
	if (fscanf(file, "%" SCNu64, &most) != 1)
		most = UINT64_MAX;
	fclose(file);
	return most;
}

static int check_mappings(const struct room_question *asked, uint64_t mappings,
			  char **why)
{
	const uint64_t most = most_mappings();
	const uint64_t left = less(most, mappings);
	const uint64_t reserve = most / MAPPINGS_PART;
	const uint64_t each = asked->is_timed ? HOOK_MEMORY_TIMED_EACH
					      : HOOK_MEMORY_MAPPING_EACH;
	char *what;

	if (asked->need.mappings + reserve <= left)
		return 0;
	what = advice(asked,
		      less(less(left, reserve), HOOK_MEMORY_MAPPINGS) * each,
		      "raise that limit (sysctl vm.max_map_count)");
	fail(why, -ENOMEM,
	     "attaching needs about %s mappings, but it has %s left of %s "
	     "(vm.max_map_count), and clew reserves %s for the program; %s",
	     text_grouped(asked->need.mappings).text, text_grouped(left).text,
	     text_grouped(most).text, text_grouped(reserve).text, what);
	free(what);
	return -ENOMEM;
}

int attach_room_check(pid_t pid, uint64_t functions, uint64_t mappings,
		      int is_timed, int is_first, char **why)
{
	const int64_t threads = target_status(pid, "Threads", 10);
	struct room_question asked = { .pid = pid,
				       .functions = functions,
				       .threads = threads > 0
							  ? (uint64_t)threads
							  : 0,
				       .is_timed = is_timed,
				       .is_first = is_first };
	int err;

	asked.need = hook_memory(functions, asked.threads, is_timed);
	if (is_first)
		asked.need.bytes += functions * HOOK_MEMORY_FILES_BYTES;
	err = check_memory(&asked, why);
	if (!err)
		err = check_addresses(&asked, "Max address space ", "VmSize",
				      "-v", why);
	if (!err)
		err = check_addresses(&asked, "Max data size ", "VmData", "-d",
				      why);
	return err ? err : check_mappings(&asked, mappings, why);
}
