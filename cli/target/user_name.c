/* SPDX-License-Identifier: MIT */
/* See user_name.h. */
#include "cli/target/user_name.h"

#include <pwd.h>

#include "base/memory.h"

char *user_name(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? memory_printf("%s", user->pw_name)
		    : memory_printf("user %u", uid);
}
