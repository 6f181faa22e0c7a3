/* SPDX-License-Identifier: MIT */
/* See file_rights.h. */
#include "cli/target/file_rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- Reading ---- */

/*
 * Parses a line of /proc/PID/status with four ids (real, effective, saved, for
 * files) and stores the last of them. Returns whether the line begins with
 * `name` and has four ids.
 */
static int parse_id(const char *line, const char *name, unsigned int *id)
{
	const size_t length = strlen(name);

	return strncmp(line, name, length) == 0 &&
	       sscanf(line + length, "%*u %*u %*u %u", id) == 1;
}

static void parse_groups(struct file_rights *rights, const char *at)
{
	size_t capacity = 0;
	unsigned int group;
	int length;

	for (; sscanf(at, "%u%n", &group, &length) == 1; at += length) {
		rights->groups =
			memory_grow(rights->groups, rights->group_count,
				    &capacity, sizeof(*rights->groups));
		rights->groups[rights->group_count++] = group;
	}
}

static int shares_user_namespace(pid_t pid)
{
	char *theirs = memory_printf("/proc/%d/ns/user", pid);
	struct stat one, other;
	const int does = stat(theirs, &one) == 0 &&
			 stat("/proc/self/ns/user", &other) == 0 &&
			 one.st_dev == other.st_dev &&
			 one.st_ino == other.st_ino;

	free(theirs);
	return does;
}

int file_rights_read(struct file_rights *rights, pid_t pid)
{
	char *path = memory_printf("/proc/%d/status", pid), *line = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;
	int found = 0;

	*rights = (struct file_rights){ 0 };
	free(path);
	while (file && getline(&line, &room, file) >= 0) {
		found += parse_id(line, "Uid:", &rights->user);
		found += parse_id(line, "Gid:", &rights->group);
		if (strncmp(line, "Groups:", 7) == 0 && !rights->groups)
			parse_groups(rights, line + 7);
		if (strncmp(line, "CapEff:", 7) == 0)
			rights->capabilities = strtoull(line + 7, NULL, 16);
	}
	free(line);
	if (file)
		fclose(file);
	if (!shares_user_namespace(pid))
		rights->capabilities = 0;
	if (found >= 2)
		return 0;
	file_rights_fini(rights);
	return -ESRCH;
}

void file_rights_fini(struct file_rights *rights)
{
	free(rights->groups);
	*rights = (struct file_rights){ 0 };
}

int64_t file_rights_user(pid_t pid)
{
	struct file_rights rights;
	int64_t user;

	if (file_rights_read(&rights, pid) != 0)
		return -1;
	user = rights.user;
	file_rights_fini(&rights);
	return user;
}

/* ---- Trying to access a file ---- */

static int limit_capabilities(uint64_t capabilities)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(capabilities >> 32 * i);
		data[i].effective &= (uint32_t)(capabilities >> 32 * i);
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) == 0 ? 0 : -errno;
}

enum { PERMITTED, REFUSED, UNKNOWN };

/*
 * Tries to access a file with these rights. Called in a child, because it
 * changes the rights of the calling process.
 */
static int try_as(const struct file_rights *rights, const char *path, int mode)
{
	if (setgroups(rights->group_count, rights->groups) != 0 ||
	    setresgid(rights->group, rights->group, rights->group) != 0 ||
	    setresuid(rights->user, rights->user, rights->user) != 0 ||
	    limit_capabilities(rights->capabilities) != 0)
		return UNKNOWN;
	return access(path, mode) == 0 ? PERMITTED : REFUSED;
}

static int overrides(const struct file_rights *rights)
{
	return rights->capabilities >> CAP_DAC_OVERRIDE & 1;
}

int file_rights_permit(const struct file_rights *rights, const char *path,
		       int mode)
{
	int status = 0;
	pid_t child;

	if (geteuid() != 0 || overrides(rights))
		return 1;
	child = fork();
	if (child == 0)
		_exit(try_as(rights, path, mode));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != REFUSED;
}
