/* SPDX-License-Identifier: MIT */
/* See frozen_group.h. */
#include "cli/target/frozen_group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"

#define CGROUPS "/sys/fs/cgroup"

/*
 * Returns whether a file of a control group exists and contains the text
 * `words`.
 */
static int says(const char *hierarchy, const char *group, const char *file,
		const char *words)
{
	char *path = memory_printf(CGROUPS "%s%s/%s", hierarchy, group, file);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[256];
	const ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	free(path);
	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return strstr(text, words) != NULL;
}

/*
 * Returns whether a group is frozen. The kernel reports this in the group's own
 * file also if only an outer group was frozen.
 */
static int is_frozen(const char *controllers, const char *group)
{
	if (!*controllers)
		return says("", group, "cgroup.events", "frozen 1") ||
		       says("/unified", group, "cgroup.events", "frozen 1");
	return strstr(controllers, "freezer") &&
	       (says("/freezer", group, "freezer.state", "FROZEN") ||
		says("/freezer", group, "freezer.state", "FREEZING"));
}

/*
 * Returns the path of a frozen control group that contains the process, or
 * NULL. The caller frees it. Lines of /proc/PID/cgroup have the form
 * ID:CONTROLLERS:GROUP; for version 2 there are no controllers.
 */
static char *find_frozen(pid_t pid)
{
	char *path = memory_printf("/proc/%d/cgroup", pid), *line = NULL;
	char *found = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;

	free(path);
	while (file && !found && getline(&line, &room, file) >= 0) {
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(++controllers, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (is_frozen(controllers, group))
			found = memory_printf("%s", text_printable(group));
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

int frozen_group_has(pid_t pid)
{
	char *group = find_frozen(pid);
	const int is = group != NULL;

	free(group);
	return is;
}

char *frozen_group_obstacle(pid_t pid)
{
	char *group = find_frozen(pid), *why;

	if (!group)
		return NULL;
	why = memory_printf("its cgroup %s is frozen; thaw it first (docker "
			    "unpause, systemctl thaw)",
			    group);
	free(group);
	return why;
}
