/* SPDX-License-Identifier: MIT */
/* See library.h. */
#include "cli/common/library.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

#define LIBRARY_VARIABLE "CLEW_LIBRARY"

/* Returns the folder of this program, or NULL. The caller frees it. */
static char *own_folder(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	return memory_string(path, strlen(path));
}

/* Returns the library next to this program, or NULL. The caller frees it. */
static char *find_beside(void)
{
	static const char *const places[] = {
		"../preload/libclew.so", /* In the build tree. */
		LIBRARY_NAME,
		CLEW_LIBRARY_FOLDER "/libclew.so",
	};
	char *folder = own_folder();
	char *found = NULL;

	for (size_t i = 0;
	     folder && !found && i < sizeof(places) / sizeof(*places); i++) {
		char *place = memory_printf("%s/%s", folder, places[i]);

		found = realpath(place, NULL);
		free(place);
	}
	free(folder);
	return found;
}

int library_find(char **path, char **why)
{
	const char *wanted = getenv(LIBRARY_VARIABLE);
	char *found = wanted ? realpath(wanted, NULL) : find_beside();

	if (!found && wanted)
		return fail(why, -errno, "%s: %s", wanted, strerror(errno));
	if (!found)
		return fail(why, -ENOENT,
			    "libclew.so was not found beside clew; "
			    "set " LIBRARY_VARIABLE);
	if (found[strcspn(found, " :")] != '\0') {
		fail(why, -EINVAL,
		     "%s: the path of libclew.so must not contain a blank or a "
		     "colon, because LD_PRELOAD separates paths by them; "
		     "install clew elsewhere",
		     found);
		free(found);
		return -EINVAL;
	}
	*path = found;
	return 0;
}

char *library_in_blocks(const char *path)
{
	const int folder_bytes = (int)(strrchr(path, '/') - path);

	return memory_printf("%.*s/in-blocks/" LIBRARY_NAME, folder_bytes,
			     path);
}
