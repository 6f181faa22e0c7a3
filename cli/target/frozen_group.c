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

/* Whether such a file of a group is there, and has the words in it. */
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

/* Both files also say so of a group below one that is frozen. */
static int is_frozen(const char *controllers, const char *group)
{
	if (!*controllers)
		return says("", group, "cgroup.events", "frozen 1") ||
		       says("/unified", group, "cgroup.events", "frozen 1");
	return strstr(controllers, "freezer") &&
	       (says("/freezer", group, "freezer.state", "FROZEN") ||
		says("/freezer", group, "freezer.state", "FREEZING"));
}

/* Lines are ID:CONTROLLERS:GROUP, without controllers in version 2. For free(). */
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
