/* SPDX-License-Identifier: MIT */
/* See curl_functions.h. */
#include "cli/push/curl_functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"

#define LIBRARY "libcurl.so.4"

static const struct {
	size_t offset;
	const char *name;
} members[] = {
#define MEMBER(member, name)                                                   \
	{                                                                      \
		offsetof(struct curl_functions, member), name                  \
	}
	MEMBER(begin, "curl_easy_init"),
	MEMBER(end, "curl_easy_cleanup"),
	MEMBER(set, "curl_easy_setopt"),
	MEMBER(perform, "curl_easy_perform"),
	MEMBER(info, "curl_easy_getinfo"),
	MEMBER(error, "curl_easy_strerror"),
	MEMBER(add_line, "curl_slist_append"),
	MEMBER(free_lines, "curl_slist_free_all"),
	MEMBER(url_begin, "curl_url"),
	MEMBER(url_end, "curl_url_cleanup"),
	MEMBER(url_get, "curl_url_get"),
	MEMBER(url_set, "curl_url_set"),
	MEMBER(free_text, "curl_free"),
#undef MEMBER
};

int curl_functions_load(struct curl_functions *functions, char **why)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return fail(why, -ENOSYS,
			    "%s cannot be loaded; install the package libcurl4",
			    LIBRARY);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		void *function = dlsym(library, members[i].name);

		if (!function)
			return fail(why, -ENOSYS,
				    "%s has no %s; install libcurl 7.68 or "
				    "later",
				    LIBRARY, members[i].name);
		memcpy((char *)functions + members[i].offset, &function,
		       sizeof(function));
	}
	return 0;
}
