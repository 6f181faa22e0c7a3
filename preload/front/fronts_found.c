/* SPDX-License-Identifier: MIT */
/* See fronts_found.h. */
#include "preload/front/fronts_found.h"

#include <stddef.h>

#include "preload/host/fronts.h"
#include "preload/host/lookup.h"
#include "preload/sys/own_code.h"
#include "preload/sys/text.h"

static void *find_front(const char *name)
{
	return lookup_in(own_code_start(), name);
}

#define X(name, import_traits)                                                 \
	static void *find_##name(void)                                         \
	{                                                                      \
		return find_front(#name);                                      \
	}
FRONTS(X)
#undef X

static const struct {
	const char *name;
	void *(*find)(void);
} finders[] = {
#define X(name, import_traits) { #name, find_##name },
	FRONTS(X)
#undef X
};

void *(*fronts_finder(const char *name))(void)
{
	for (size_t i = 0; i < sizeof(finders) / sizeof(*finders); i++)
		if (same_text(name, finders[i].name))
			return lookup_any(name) == finders[i].find()
				       ? finders[i].find
				       : NULL;
	return NULL;
}

int fronts_are_of(const char *library)
{
	static const char *const names[] = { "libc.so.", "libpthread.so.",
					     "librt.so.", "libgcc_s.so." };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = names[i], *at = library;

		while (*name && *name == *at)
			name++, at++;
		if (!*name)
			return 1;
	}
	return 0;
}
