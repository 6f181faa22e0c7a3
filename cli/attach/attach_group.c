/* SPDX-License-Identifier: MIT */
/* See attach_group.h. */
#include "cli/attach/attach_group.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_blocks.h"
#include "cli/attach/attach_room.h"
#include "cli/attach/attach_steps.h"
#include "cli/attach/memory_file.h"
#include "cli/attach/standing_by.h"
#include "cli/common/command.h"
#include "cli/common/library.h"
#include "cli/common/output.h"
#include "cli/target/file_rights.h"
#include "cli/target/frozen_group.h"
#include "cli/target/inner_recording.h"
#include "cli/target/live_process.h"
#include "cli/target/other_files.h"
#include "cli/target/target_obstacle.h"
#include "cli/target/user_name.h"
#include "wire/recording.h"

#define NOBODY ((uid_t)-1)

/* Attempts to load a library from memory, see memory_file_path(). */
#define LOAD_ATTEMPTS 4

/*
 * How long clew waits for a member that is exiting, and for its forked
 * children.
 */
#define BRING_NS UINT64_C(2000000000)

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
	*group = (struct attach_group){ .path = output,
					.output = { .lock = -1 },
					.config = config,
					.owner = NOBODY };
	hook_selection_init(&group->selection, config);
	early_analysis_init(&group->early,
			    attach_group_directive(config, "cache"),
			    &group->selection);
	attach_locks_remove_left();
	return library_find_loadable(&group->library, why);
}

static void close_member(struct attach_member *member)
{
	attaching_close(&member->attaching);
	close(member->process);
}

void attach_group_fini(struct attach_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		struct attach_member *member = &group->members[i];

		if (!member->is_over)
			close_member(member);
		if (member->has_folder)
			inner_folder_close(&member->folder);
	}
	early_analysis_fini(&group->early);
	hook_selection_fini(&group->selection);
	free(group->members);
	free(group->library);
	if (group->output.directory && !group->count)
		output_undo(&group->output);
	output_fini(&group->output);
}

/* ---- The recording's folder ---- */

/*
 * Makes the user of a process the owner of the recording's folder, because
 * processes write their parts themselves. Does nothing if this user is clew's
 * own, or already the owner. Returns 0; 1 if the recording was already given to
 * another user; or -errno and *why.
 */
static int give(struct attach_group *group, uid_t user, char **why)
{
	int err;

	if (user == geteuid() || user == group->owner)
		return 0;
	if (group->owner != NOBODY)
		return 1;
	err = output_give(group->output.directory, user);
	if (err)
		return fail(why, err,
			    "the owner of %s cannot be changed to user %u: %s",
			    group->path, user, strerror(-err));
	group->owner = user;
	return 0;
}

static int make_output(struct attach_group *group, char **why)
{
	int err = group->output.directory
			  ? 0
			  : output_create(&group->output, group->path,
					  group->config, why);

	if (!err && strlen(group->output.directory) >= WIRE_ATTACH_DIR_BYTES)
		err = fail(why, -ENAMETOOLONG,
			   "%s: this path is too long; choose a shorter one "
			   "with -o",
			   group->output.directory);
	return err;
}

/* ---- Folders of processes that cannot use the recording's folder ---- */

/*
 * Whether a process needs a folder in its own file system: to load the library
 * from it, or to record in it; and the reason.
 */
struct need {
	int is_to_load, is_to_record;
	/* It has loaded the library from elsewhere in an earlier session. */
	int was_to_load;
	/*
	 * Why no folder was found for the library, which is then loaded from
	 * memory; NULL otherwise.
	 */
	char *no_folder;
	char *cause; /* NULL if it needs no folder. */
};

static void set_cause(struct need *need, char *cause)
{
	if (need->cause)
		free(cause);
	else
		need->cause = cause;
}

/*
 * Returns whether the process, which has mounts or a root of its own, cannot
 * use a path as it is, and sets the cause. `flag` is the flag of a mount that
 * prevents the use (statvfs()), and `kind` is its name.
 */
static int cannot_use(pid_t pid, const char *path, unsigned long flag,
		      const char *kind, struct need *need)
{
	if (!other_files_have(pid, path)) {
		set_cause(need,
			  memory_printf("it has another mount namespace or "
					"root directory than clew (a container "
					"or chroot)"));
		return 1;
	}
	if (!other_files_are_mounted(pid, path, flag))
		return 0;
	set_cause(need, memory_printf("it sees %s on a %s mount", path, kind));
	return 1;
}

static void need_for_others(const struct attach_group *group, pid_t pid,
			    struct need *need)
{
	if (!other_files_are_there(pid))
		return;
	need->is_to_load =
		cannot_use(pid, group->library, ST_NOEXEC, "noexec", need) ||
		(group->agent &&
		 cannot_use(pid, group->agent, ST_NOEXEC, "noexec", need));
	need->is_to_record = cannot_use(pid, group->output.directory, ST_RDONLY,
					"read-only", need);
}

/*
 * Sets the cause, unless one is set already: the user cannot access the folder
 * of `path`.
 */
static void need_for_folder(struct need *need, const struct file_rights *rights,
			    const char *path)
{
	char *user = user_name(rights->user), *folder;

	folder = memory_string(path, (size_t)(strrchr(path, '/') - path));
	set_cause(need, memory_printf("user %s cannot access %s (record "
				      "elsewhere with -o PATH)",
				      user, *folder ? folder : "/"));
	free(folder);
	free(user);
}

static void need_for_user(struct need *need, const struct file_rights *rights,
			  uid_t owner)
{
	char *user = user_name(rights->user), *other = user_name(owner);

	set_cause(need,
		  memory_printf(
			  "it belongs to user %s, but the recording belongs to "
			  "user %s, whose processes are also recorded",
			  user, other));
	free(other);
	free(user);
}

/* Returns whether the process can enter the folder that contains `path`. */
static int can_enter(const struct file_rights *rights, const char *path)
{
	char *above = memory_string(path, (size_t)(strrchr(path, '/') - path));
	const int can = file_rights_permit(rights, *above ? above : "/", X_OK);

	free(above);
	return can;
}

/*
 * Gives the recording to the process's user, if this user can reach it and no
 * other has it. If the process cannot write to the recording, sets
 * need->is_to_record and the cause. Returns 0, or -errno and *why.
 */
static int share_recording(struct attach_group *group,
			   const struct file_rights *rights, struct need *need,
			   char **why)
{
	const char *path = group->output.directory;
	int err = 0;

	need->is_to_record = !can_enter(rights, path);
	if (!need->is_to_record)
		err = give(group, rights->user, why);
	if (err < 0)
		return err;
	if (!need->is_to_record && !err)
		need->is_to_record =
			!file_rights_permit(rights, path, W_OK | X_OK);
	if (need->is_to_record)
		need_for_folder(need, rights, path);
	if (err)
		need_for_user(need, rights, group->owner);
	need->is_to_record |= err;
	return 0;
}

static void need_for_library(struct need *need,
			     const struct file_rights *rights,
			     const char *library)
{
	if (need->is_to_load || file_rights_permit(rights, library, R_OK))
		return;
	need->is_to_load = 1;
	need_for_folder(need, rights, library);
}

/* Returns whether the libraries are already loaded. */
static int has_libraries(const struct attach_group *group,
			 const struct attach_member *member)
{
	return member->attaching.detach &&
	       (!group->agent || target_module(&member->attaching.maps,
					       text_basename(group->agent)));
}

/* Fills *need, whose cause the caller frees. Returns 0, or -errno and *why. */
static int find_need(struct attach_group *group,
		     const struct attach_member *member, struct need *need,
		     char **why)
{
	struct file_rights rights;
	int err = file_rights_read(&rights, member->pid);

	*need = (struct need){ 0 };
	if (err)
		return fail(why, err, "it has exited");
	need_for_others(group, member->pid, need);
	if (!need->is_to_record)
		err = share_recording(group, &rights, need, why);
	need_for_library(need, &rights, group->library);
	if (group->agent)
		need_for_library(need, &rights, group->agent);
	if (member->attaching.detach) /* The library is already loaded. */
		need->was_to_load = need->is_to_load;
	if (has_libraries(group, member))
		need->is_to_load = 0;
	file_rights_fini(&rights);
	return err;
}

/*
 * Writes the configuration into the folder and, if there is a cache, names the
 * folder as the cache in it. Also creates the list of processes that were not
 * recorded (WIRE_UNRECORDED_NAME).
 */
static int write_config(const struct attach_group *group,
			const struct inner_folder *folder, char **why)
{
	char *config = memory_printf("%s%s%s%s", group->config,
				     group->early.cache ? "cache " : "",
				     group->early.cache ? folder->path : "",
				     group->early.cache ? "\n" : "");
	int err = inner_folder_write(folder, config, WIRE_CONFIG_NAME, why);

	free(config);
	return err ? err
		   : inner_folder_write(folder, "# see config\n",
					WIRE_UNRECORDED_NAME, why);
}

/*
 * Creates a folder for the recording alone, or none if the process needs none,
 * after no folder was found from which it can load the library: it will load
 * the library from memory. Returns 0, or -errno and *why.
 */
static int make_without_library(struct attach_member *member, struct need *need,
				char **why)
{
	need->is_to_load = 0;
	need->no_folder = *why;
	*why = NULL;
	return need->is_to_record
		       ? inner_folder_make(&member->folder, member->pid, 0,
					   need->cause, why)
		       : 0;
}

/*
 * Creates the folder in the process's file system, with the files that it needs
 * according to *need. Returns 0, or -errno and *why.
 */
static int make_folder(struct attach_group *group, struct attach_member *member,
		       struct need *need, char **why)
{
	struct inner_folder *folder = &member->folder;
	const int is_to_record = need->is_to_record;
	int err = inner_folder_make(folder, member->pid, need->is_to_load,
				    need->cause, why);

	if (err && need->is_to_load)
		err = make_without_library(member, need, why);
	if (err)
		return err;
	member->has_folder = need->is_to_load || is_to_record;
	if (need->is_to_load)
		err = inner_folder_copy(folder, group->library, LIBRARY_NAME,
					why);
	if (!err && need->is_to_load && group->agent)
		err = inner_folder_copy(folder, group->agent,
					text_basename(group->agent), why);
	if (!err && is_to_record)
		err = write_config(group, folder, why);
	if (!err && is_to_record)
		err = early_analysis_copy(&group->early, member->pid,
					  &member->attaching.maps, folder, why);
	if (!err && is_to_record)
		err = inner_recording_announce(folder, member->pid,
					       group->output.directory, why);
	return err;
}

/* ---- Attaching to members and detaching from them ---- */

/*
 * Copies the recording of an earlier session from the folder in the process's
 * file system to the folder of that session. On failure, a line in that
 * session's folder still names the process's folder (inner_recording.h).
 */
static void bring_former(const struct attaching *attaching,
			 const struct wire_attachment *attachment)
{
	char *why = NULL;

	if (inner_recording_bring_of(attaching->pid, attachment, &why) != 0)
		free(why);
}

/*
 * Returns whether this controller already records the process, because it is
 * the forked child of a member.
 */
static int is_recorded_here(const struct attach_group *group,
			    const struct attaching *attaching)
{
	struct wire_attachment attachment;
	char *why = NULL;
	const int err = attaching_read(attaching, &attachment, &why);

	free(why);
	return !err && attachment.state == WIRE_ATTACH_ENTERED &&
	       group->output.directory &&
	       attachment.controller == (uint32_t)getpid() &&
	       strcmp(*attachment.home ? attachment.home : attachment.dir,
		      group->output.directory) == 0;
}

/*
 * If an earlier controller was killed while it was attached to the process,
 * detaches from the process. Returns 0, or -errno and *why.
 */
static int detach_former(struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err || attachment.state == WIRE_ATTACH_NONE)
		return err;
	err = attaching_detach(attaching, why);
	if (!err)
		bring_former(attaching, &attachment);
	return err;
}

/*
 * Joins two error messages in *why: the former *why, and `also`, the message of
 * the second attempt. Frees both. Returns err.
 */
static int also_because(char **why, int err, char *also)
{
	char *first = *why;

	fail(why, err, "%s; and %s", first, also);
	free(first);
	free(also);
	return err;
}

/*
 * Copies a library to where the process loads it from: to its file in memory if
 * `number` is not negative, otherwise to its folder. Returns 0, or -errno and
 * *why.
 */
static int replace_copy(struct attach_member *member, int number,
			const char *library, char **why)
{
	if (number >= 0)
		return memory_file_write(&member->attaching, number, library,
					 why);
	unlinkat(member->folder.fd, LIBRARY_NAME, 0);
	return inner_folder_copy(&member->folder, library, LIBRARY_NAME, why);
}

/*
 * Second attempt, after the loader has refused the library, probably because no
 * static thread-local storage is left: loads the build that has its thread
 * variables in control blocks. Returns 0, or -errno and *why.
 */
static int load_in_blocks(struct attach_group *group,
			  struct attach_member *member, const char *path,
			  int number, char **why)
{
	char *other = NULL, *also = NULL;
	int err = attach_check_blocks(&member->attaching, &also);

	if (!err)
		err = library_find_in_blocks(group->library, &other, &also);
	if (!err && path != group->library)
		err = replace_copy(member, number, other, &also);
	if (!err)
		err = attaching_load(&member->attaching,
				     path == group->library ? other : path,
				     &also);
	free(other);
	if (err)
		return also_because(why, err, also);
	free(*why);
	*why = NULL;
	return 0;
}

/*
 * Returns the path by which the process loads a library: that of its copy in
 * the member's folder, or else its own. The caller frees it.
 */
static char *loaded_path(const struct attach_member *member, int is_copy,
			 const char *library)
{
	return is_copy ? memory_printf("%s/%s", member->folder.path,
				       text_basename(library))
		       : memory_printf("%s", library);
}

/*
 * Removes the copy of a library that was loaded, or not (err). Returns err; or
 * -errno and *why if err is 0.
 */
static int remove_copy(const struct attach_member *member, const char *library,
		       int err, char **why)
{
	const char *name = text_basename(library);

	if (unlinkat(member->folder.fd, name, 0) == 0 || err)
		return err;
	return fail(why, -errno, "%s/%s: %s", member->folder.path, name,
		    strerror(errno));
}

/*
 * Loads the library: with is_to_load, from the copy in the member's folder,
 * which it removes afterwards; otherwise from clew's installation. Returns 0,
 * or -errno and *why.
 */
static int load_library(struct attach_group *group,
			struct attach_member *member, int is_to_load,
			char **why)
{
	char *path = loaded_path(member, is_to_load, group->library);
	int err = attaching_load(&member->attaching, path, why);

	if (err == -ELIBACC)
		err = load_in_blocks(group, member,
				     is_to_load ? path : group->library, -1,
				     why);
	free(path);
	return is_to_load ? remove_copy(member, group->library, err, why) : err;
}

/* Does the same for the agent library. */
static int load_agent(struct attach_group *group, struct attach_member *member,
		      int is_to_load, char **why)
{
	char *path = loaded_path(member, is_to_load, group->agent);
	int err = attaching_load_agent(&member->attaching, path, group->agent,
				       why);

	free(path);
	return is_to_load ? remove_copy(member, group->agent, err, why) : err;
}

static int load(struct attach_group *group, struct attach_member *member,
		int is_to_load, char **why)
{
	int err = load_library(group, member, is_to_load, why);

	if (!group->agent)
		return err;
	if (!err)
		return load_agent(group, member, is_to_load, why);
	return is_to_load ? remove_copy(member, group->agent, err, why) : err;
}

/*
 * Loads one of the two libraries from a file in the process's memory. Returns
 * 0, or -errno and *why.
 */
static int load_from_memory(struct attach_group *group,
			    struct attach_member *member, const char *library,
			    char **why)
{
	struct attaching *attaching = &member->attaching;
	const int is_agent = library != group->library;
	const int number =
		memory_file_make(attaching, text_basename(library), why);
	char *path = NULL, *also = NULL;
	int err = number < 0
			  ? number
			  : memory_file_write(attaching, number, library, why);

	if (!err)
		err = -ELIBACC;
	for (int i = 0; i < LOAD_ATTEMPTS && err == -ELIBACC; i++) {
		free(*why);
		*why = NULL;
		free(path);
		path = memory_file_path(number, i);
		err = is_agent ? attaching_load_agent(attaching, path, library,
						      why)
			       : attaching_load(attaching, path, why);
	}
	if (err == -ELIBACC && !is_agent)
		err = load_in_blocks(group, member, path, number, why);
	free(path);
	if (number >= 0 && memory_file_close(attaching, number, &also) != 0) {
		if (err)
			return also_because(why, err, also);
		*why = also;
		return -EBUSY;
	}
	return err;
}

static int load_all_from_memory(struct attach_group *group,
				struct attach_member *member, char **why)
{
	struct attaching *attaching = &member->attaching;
	int err =
		attaching->detach /* The library is already loaded. */
			? attaching_load(attaching, group->library, why)
			: load_from_memory(group, member, group->library, why);

	return err || !group->agent
		       ? err
		       : load_from_memory(group, member, group->agent, why);
}

/*
 * Closes descriptors that killed commands have left in a process that has
 * loaded the library. Returns 0, or -errno and *why.
 */
static int close_left(const struct attach_group *group,
		      struct attach_member *member, char **why)
{
	struct attaching *attaching = &member->attaching;
	int err = memory_file_close_left(attaching,
					 text_basename(group->library), why);

	return err || !group->agent
		       ? err
		       : memory_file_close_left(
				 attaching, text_basename(group->agent), why);
}

/*
 * Like load_all_from_memory(). The message of an error also says why the process
 * has no folder for the library.
 */
static int load_without_folder(struct attach_group *group,
			       struct attach_member *member, struct need *need,
			       char **why)
{
	char *also = NULL;
	int err = load_all_from_memory(group, member, &also);

	if (!err)
		return 0;
	*why = need->no_folder;
	need->no_folder = NULL;
	return also_because(why, err, also);
}

/*
 * Creates the folder that the process needs according to *need, loads the
 * library, and begins to count. Returns 0, or -errno and *why.
 */
static int enter_as_needed(struct attach_group *group,
			   struct attach_member *member, struct need *need,
			   char **why)
{
	const char *home = group->output.directory;
	int err = 0;

	if (need->is_to_load || need->is_to_record)
		err = make_folder(group, member, need, why);
	if (!err && need->was_to_load)
		err = close_left(group, member, why);
	if (!err && need->no_folder)
		err = load_without_folder(group, member, need, why);
	else if (!err)
		err = load(group, member, need->is_to_load, why);
	if (!err && need->is_to_load && !need->is_to_record) {
		member->has_folder = 0;
		inner_folder_remove(&member->folder);
	}
	if (err)
		return err;
	return attaching_enter(&member->attaching,
			       need->is_to_record ? member->folder.path : home,
			       need->is_to_record ? home : "", why);
}

static int enter(struct attach_group *group, struct attach_member *member,
		 uint64_t functions, char **why)
{
	struct need need;
	int err = detach_former(&member->attaching, why);

	if (err)
		return err;
	err = attach_room_check(
		member->pid, functions, member->attaching.maps.count,
		group->selection.is_timed, !group->output.directory, why);
	if (!err)
		err = make_output(group, why);
	if (err)
		return err;
	err = find_need(group, member, &need, why);
	if (!err)
		err = enter_as_needed(group, member, &need, why);
	free(need.no_folder);
	free(need.cause);
	return err;
}

/*
 * After a failure, copies the library's messages from the member's folder and
 * removes the folder, unless a process still uses it.
 */
static void give_up_folder(const struct attach_group *group,
			   struct attach_member *member)
{
	char *why = NULL;

	int err;

	if (!member->has_folder)
		return;
	member->has_folder = 0;
	err = inner_recording_bring(&member->folder, group->output.directory,
				    &why);
	/*
	 * clew could not detach from the process, which still uses the folder.
	 */
	if (err == -EBUSY)
		inner_folder_close(&member->folder);
	else if (err)
		inner_folder_remove(&member->folder);
	free(why);
}

static void take_pauses(struct attach_group *group, struct attaching *attaching)
{
	if (attaching->all_ns > group->all_ns)
		group->all_ns = attaching->all_ns;
	if (attaching->one_ns > group->one_ns)
		group->one_ns = attaching->one_ns;
	attaching->all_ns = attaching->one_ns = 0;
}

/*
 * Returns the process's anonymous resident memory in kB, or a negative number
 * if it cannot be read.
 */
static int64_t own_memory_kb(pid_t pid)
{
	return target_status(pid, "RssAnon", 10);
}

static int64_t difference_kb(int64_t kb, int64_t before_kb)
{
	return kb < 0 || before_kb < 0 ? 0 : kb - before_kb;
}

/*
 * Switches counting on in a process that was started with --java=standby.
 * Returns 0, or -errno and *why.
 */
static int switch_on(const struct attach_group *group,
		     struct attach_member *member, char **why)
{
	if (group->has_wishes)
		return fail(why, -EEXIST,
			    "it has been recorded since its start "
			    "(--java=standby); clew attach accepts only --for "
			    "and --quiet for it");
	return standing_by_switch_on(&member->attaching, why);
}

static int has_ended(const struct attach_member *member)
{
	struct pollfd end = { .fd = member->process, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

/*
 * If the process is exiting or has exited, replaces *why by a message that says
 * so, and returns -ESRCH; otherwise returns err. A process that exits loses one
 * property after another, so the former message would mislead. The pid may
 * already belong to another process.
 */
static int because_it_ends(const struct attach_member *member, int err,
			   char **why)
{
	char *end = target_end(member->pid);

	if (!end && has_ended(member))
		end = memory_printf("it has exited");
	if (!end)
		return err;
	free(*why);
	*why = end;
	return -ESRCH;
}

static int attach_once(struct attach_group *group, struct attach_member *member,
		       char **why)
{
	int err;

	*why = target_obstacle(member->pid);
	if (*why)
		return -EINVAL;
	err = attaching_open(&member->attaching, member->pid, why);
	if (err)
		return err;
	if (is_recorded_here(group, &member->attaching)) {
		member->is_forked = 1;
		return 0;
	}
	member->attaching.tracer.heeds_ending = 1;
	if (standing_by_check(&member->attaching)) {
		err = switch_on(group, member, why);
	} else {
		uint64_t functions;

		err = early_analysis_run(&group->early, member->pid,
					 &member->attaching.maps, &functions,
					 why);
		if (!err)
			err = enter(group, member, functions, why);
	}
	member->attaching.tracer.heeds_ending = 0;
	if (err) {
		give_up_folder(group, member);
		attaching_close(&member->attaching);
	}
	return err;
}

/*
 * Makes the new recording final, now that the first process is recorded in it.
 * If this fails, the recording that it replaces remains as PATH.before.
 */
static void keep_output(struct attach_group *group)
{
	char *why;

	if (group->output.directory && output_keep(&group->output, &why) != 0)
		free(why);
}

/*
 * If the process is frozen, replaces *why by a message that says so, and
 * returns -EBUSY; otherwise returns err.
 */
static int because_it_is_frozen(pid_t pid, int err, char **why)
{
	char *frozen = frozen_group_obstacle(pid);

	if (!frozen)
		return err;
	free(*why);
	*why = frozen;
	return -EBUSY;
}

/*
 * Attaches to a process. Tries again after a failure if the process has
 * executed another program meanwhile, for at most ATTACH_PATIENCE_NS. Returns
 * 0, or -errno and *why.
 */
static int attach(struct attach_group *group, struct attach_member *member,
		  char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	const pid_t pid = member->pid;

	for (;;) {
		const uint64_t program = target_program_mark(pid);
		const int err = attach_once(group, member, why);

		if (!err || target_thread_is_going(pid, pid) ||
		    target_program_mark(pid) == program ||
		    tracer_now_ns() >= deadline_ns)
			return err;
		free(*why);
		*why = NULL;
	}
}

int attach_group_add(struct attach_group *group, pid_t pid, char **why)
{
	struct attach_member member = { .pid = pid };
	const int64_t before_kb = own_memory_kb(pid);
	int err;

	member.process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (member.process < 0) {
		err = -errno;
		/* The pid may belong to a thread, for example. */
		*why = target_obstacle(pid);
		return *why ? err : fail(why, err, "%s", strerror(-err));
	}
	err = attach(group, &member, why);
	if (err) {
		err = because_it_ends(&member, err, why);
		err = because_it_is_frozen(pid, err, why);
		close(member.process);
		return err;
	}
	take_pauses(group, &member.attaching);
	member.added_kb = difference_kb(own_memory_kb(pid), before_kb);
	group->added_kb += member.added_kb;
	group->members = memory_grow(group->members, group->count,
				     &group->capacity, sizeof(*group->members));
	group->members[group->count++] = member;
	keep_output(group);
	return 0;
}

int attach_group_let_go(struct attach_group *group,
			struct attach_member *member)
{
	char *why = NULL;
	int err = has_ended(member)
			  ? -ESRCH
			  : attaching_check_program(&member->attaching, &why);

	free(why);
	if (!err)
		return 0;
	close_member(member);
	member->is_over = 1;
	return err;
}

int attach_group_detach(struct attach_group *group,
			struct attach_member *member, char **why)
{
	const int64_t before_kb = own_memory_kb(member->pid);
	int64_t kept_kb = member->added_kb;
	int err;

	if (frozen_group_has(member->pid))
		return fail(why, -EBUSY,
			    "its cgroup is frozen; thaw the cgroup, then run "
			    "clew detach %d",
			    member->pid);
	err = member->attaching.stands_by
		      ? standing_by_switch_off(&member->attaching, why)
		      : attaching_detach(&member->attaching, why);

	take_pauses(group, &member->attaching);
	kept_kb += difference_kb(own_memory_kb(member->pid), before_kb);
	group->kept_kb += !err && kept_kb > 0 ? kept_kb : 0;
	/*
	 * While a process exits, other errors may occur before the exit is
	 * visible.
	 */
	return err && has_ended(member) ? -ESRCH : err;
}

/* ---- Forked children of members ---- */

static int is_member(const struct attach_group *group, pid_t pid)
{
	for (size_t i = 0; i < group->count; i++)
		if (!group->members[i].is_over && group->members[i].pid == pid)
			return 1;
	return 0;
}

static int detach_one(struct attach_group *group, pid_t pid)
{
	struct attaching attaching;
	char *why = NULL;
	int err = attaching_open(&attaching, pid, &why);

	if (!err) {
		err = attaching_detach(&attaching, &why);
		take_pauses(group, &attaching);
		attaching_close(&attaching);
	}
	free(why);
	return !err;
}

size_t attach_group_detach_forked(struct attach_group *group)
{
	size_t count, left = 0;
	struct live_process *all = live_processes(&count);

	for (size_t i = 0; i < count; i++) {
		if (all[i].is_attached && all[i].controller == getpid() &&
		    !is_member(group, all[i].pid))
			left += (size_t)detach_one(group, all[i].pid);
		live_process_fini(&all[i]);
	}
	free(all);
	return left;
}

/* ---- Recordings of members ---- */

/*
 * Copies a member's recording into the group's. clew cannot detach from a
 * member or its children while they exit, so this function waits for their
 * exit, up to BRING_NS. Returns 0, or -errno and *why.
 */
static int bring(struct attach_group *group, struct attach_member *member,
		 char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + BRING_NS;
	int err;

	while ((err = inner_recording_bring(&member->folder,
					    group->output.directory, why)) ==
		       -EBUSY &&
	       tracer_now_ns() < deadline_ns) {
		free(*why);
		attach_pause_ms(2);
		attach_group_detach_forked(group);
	}
	return err;
}

size_t attach_group_bring(struct attach_group *group, const char *command)
{
	size_t failed = 0;

	for (size_t i = 0; i < group->count; i++) {
		struct attach_member *member = &group->members[i];
		char *why = NULL;

		if (!member->has_folder)
			continue;
		member->has_folder = 0;
		if (bring(group, member, &why) == 0)
			continue;
		complain(command, "process %d: %s", member->pid, why);
		inner_folder_close(&member->folder);
		free(why);
		failed++;
	}
	return failed;
}

char **attach_group_folders(const struct attach_group *group, size_t *count)
{
	char **paths = memory_zeroed(group->count + 1, sizeof(*paths));

	*count = 0;
	paths[(*count)++] = memory_printf("%s", group->output.directory);
	for (size_t i = 0; i < group->count; i++)
		if (group->members[i].has_folder)
			paths[(*count)++] =
				inner_folder_path(&group->members[i].folder);
	return paths;
}
