/* SPDX-License-Identifier: MIT */
#include "cli/attach_group.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/library.h"
#include "cli/live_process.h"
#include "cli/other_files.h"
#include "cli/output.h"
#include "image/analysis.h"
#include "image/dynamic.h"
#include "wire/recording.h"

#define NOBODY ((uid_t)-1)

char *attach_group_directive(const char *config, const char *word)
{
	const size_t length = strlen(word);
	char *found = NULL;

	for (; *config;
	     config += strcspn(config, "\n"), config += *config == '\n') {
		if (strncmp(config, word, length) != 0 ||
		    (config[length] != ' ' && config[length] != '\n'))
			continue;
		free(found);
		config += length + (config[length] == ' ');
		found = memory_string(config, strcspn(config, "\n"));
	}
	return found;
}

int attach_group_init(struct attach_group *group, const char *output,
		      const char *config, char **why)
{
	*group = (struct attach_group){ .output = output,
					.config = config,
					.owner = NOBODY };
	group->cache = attach_group_directive(config, "cache");
	return library_find(&group->library, why);
}

void attach_group_fini(struct attach_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		attaching_close(&group->members[i].attaching);
		close(group->members[i].process);
	}
	for (size_t i = 0; i < group->analysed_count; i++)
		free(group->analysed[i]);
	free(group->analysed);
	free(group->members);
	free(group->cache);
	free(group->library);
	free(group->directory);
}

/* ---- What is analysed ahead ---- */

/* Not clew's own, nor the C library, of which nothing is hooked. */
static int is_to_be_analysed(const struct target_mapping *mapping,
			     const char *path)
{
	const char *name = text_basename(mapping->path);
	const char *end = strrchr(name, '.');
	struct image image;
	int is_libc;

	if (*mapping->path != '/' || !mapping->is_executable ||
	    mapping->is_deleted || strcmp(name, LIBRARY_NAME) == 0 ||
	    (end && strcmp(end, WIRE_STUBS_SUFFIX) == 0) ||
	    image_open(&image, path) != 0)
		return 0;
	is_libc = dynamic_is_libc(&image);
	image_close(&image);
	return !is_libc;
}

/* Whether that file has not been seen before. */
static int is_new(struct attach_group *group, const char *path)
{
	for (size_t i = group->analysed_count; i-- > 0;)
		if (strcmp(group->analysed[i], path) == 0)
			return 0;
	group->analysed = memory_grow(group->analysed, group->analysed_count,
				      &group->analysed_capacity,
				      sizeof(*group->analysed));
	group->analysed[group->analysed_count++] = memory_printf("%s", path);
	return 1;
}

/* So that the processes have it from the cache, and need not wait for it. */
static void analyse(struct attach_group *group, pid_t pid,
		    const struct target_maps *maps)
{
	const int are_others = other_files_are_there(pid);

	for (size_t i = 0; group->cache && i < maps->count; i++) {
		const struct target_mapping *mapping = &maps->items[i];
		struct arena arena = { 0 };
		struct analysis analysis;
		char *path;

		if (!mapping->is_executable || !is_new(group, mapping->path))
			continue;
		path = are_others ? other_files_path(pid, mapping->path)
				  : memory_printf("%s", mapping->path);
		if (is_to_be_analysed(mapping, path))
			analysis_of_file(path, group->cache, &arena, &analysis);
		arena_fini(&arena);
		free(path);
	}
}

/* ---- Where it is recorded ---- */

/* Processes write it themselves: it belongs to their user, if that is not ours. */
static int give(struct attach_group *group, uid_t user, char **why)
{
	int err;

	if (user == geteuid() || user == group->owner)
		return 0;
	if (group->owner != NOBODY)
		return fail(why, -EPERM,
			    "it belongs to user %u, and the recording to user "
			    "%u, whose processes are recorded, too",
			    user, group->owner);
	err = output_give(group->directory, user);
	if (err)
		return fail(why, err, "%s cannot be given to user %u: %s",
			    group->output, user, strerror(-err));
	group->owner = user;
	return 0;
}

static int make_output(struct attach_group *group, pid_t pid, char **why)
{
	const int64_t user = target_status(pid, "Uid", 10);
	int err = group->directory ? 0
				   : output_create(group->output, group->config,
						   &group->directory, why);

	if (err)
		return err;
	if (strlen(group->directory) >= WIRE_ATTACH_DIR_BYTES)
		return fail(why, -ENAMETOOLONG, "%s: too long",
			    group->directory);
	return user < 0 ? fail(why, -ESRCH, "it has ended")
			: give(group, (uid_t)user, why);
}

/* ---- What it can see ---- */

/* It opens both by their paths. */
static int check_path(pid_t pid, const char *path, const char *advice,
		      char **why)
{
	if (!other_files_are_there(pid) || other_files_have(pid, path))
		return 0;
	return fail(why, -ENOENT,
		    "it has other files than clew (a container, or chroot), "
		    "and not %s: %s",
		    path, advice);
}

static int check_library(const struct attach_group *group, pid_t pid,
			 char **why)
{
	return check_path(pid, group->library, "see NOTES of clew-attach(1)",
			  why);
}

static int check_output(const struct attach_group *group, pid_t pid, char **why)
{
	return check_path(pid, group->directory,
			  "-o wants a folder that both have", why);
}

/* ---- Members ---- */

/*
 * What another member has forked is recorded already: 1. A controller before this one
 * may have been killed, and the process be attached still.
 */
static int leave_former(const struct attach_group *group,
			struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err || attachment.state == WIRE_ATTACH_NONE)
		return err;
	if (attachment.state == WIRE_ATTACH_ENTERED && group->directory &&
	    attachment.controller == (uint32_t)getpid() &&
	    strcmp(attachment.dir, group->directory) == 0)
		return 1;
	return attaching_leave(attaching, why);
}

static int enter(struct attach_group *group, struct attaching *attaching,
		 char **why)
{
	int err = leave_former(group, attaching, why);

	if (err)
		return err < 0 ? err : 0;
	err = make_output(group, attaching->pid, why);
	if (!err)
		err = check_output(group, attaching->pid, why);
	if (!err)
		err = attaching_load(attaching, group->library, why);
	if (!err)
		err = attaching_enter(attaching, group->directory, why);
	return err;
}

static void take_pauses(struct attach_group *group, struct attaching *attaching)
{
	if (attaching->all_ns > group->all_ns)
		group->all_ns = attaching->all_ns;
	if (attaching->one_ns > group->one_ns)
		group->one_ns = attaching->one_ns;
	attaching->all_ns = attaching->one_ns = 0;
}

static int attach(struct attach_group *group, struct attach_member *member,
		  char **why)
{
	int err;

	member->process = (int)syscall(SYS_pidfd_open, member->pid, 0);
	if (member->process < 0)
		return fail(why, -errno, "%s",
			    errno == ESRCH ? "there is no such process"
					   : strerror(errno));
	*why = target_obstacle(member->pid);
	if (*why)
		return -EINVAL;
	err = check_library(group, member->pid, why);
	if (err)
		return err;
	err = attaching_open(&member->attaching, member->pid, why);
	if (err)
		return err;
	analyse(group, member->pid, &member->attaching.maps);
	err = enter(group, &member->attaching, why);
	if (err)
		attaching_close(&member->attaching);
	return err;
}

int attach_group_add(struct attach_group *group, pid_t pid, char **why)
{
	struct attach_member member = { .pid = pid };
	int err = attach(group, &member, why);

	if (err) {
		if (member.process >= 0)
			close(member.process);
		return err;
	}
	take_pauses(group, &member.attaching);
	group->members = memory_grow(group->members, group->count,
				     &group->capacity, sizeof(*group->members));
	group->members[group->count++] = member;
	return 0;
}

static int has_ended(const struct attach_member *member)
{
	struct pollfd end = { .fd = member->process, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

int attach_group_leave(struct attach_group *group, struct attach_member *member,
		       char **why)
{
	int err = attaching_leave(&member->attaching, why);

	take_pauses(group, &member->attaching);
	/* before its end was known, other things are in the way */
	return err && has_ended(member) ? -ESRCH : err;
}

/* ---- What they have forked ---- */

static int is_member(const struct attach_group *group, pid_t pid)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->members[i].pid == pid)
			return 1;
	return 0;
}

static int leave_one(struct attach_group *group, pid_t pid)
{
	struct attaching attaching;
	char *why = NULL;
	int err = attaching_open(&attaching, pid, &why);

	if (!err) {
		err = attaching_leave(&attaching, &why);
		take_pauses(group, &attaching);
		attaching_close(&attaching);
	}
	free(why);
	return !err;
}

size_t attach_group_leave_forked(struct attach_group *group)
{
	size_t count, left = 0;
	struct live_process *all = live_processes(&count);

	for (size_t i = 0; i < count; i++) {
		if (all[i].is_attached && all[i].controller == getpid() &&
		    !is_member(group, all[i].pid))
			left += (size_t)leave_one(group, all[i].pid);
		live_process_fini(&all[i]);
	}
	free(all);
	return left;
}
