/* SPDX-License-Identifier: MIT */
/* See agent_library.h. */
#include "cli/attach/agent_library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/symbols.h"
#include "wire/attachment.h"

static int is_table(void *context, const struct symbol *symbol)
{
	return symbol->is_defined && symbol->is_exported &&
	       strcmp(symbol->name, WIRE_AGENT_FRONTS) == 0;
}

static int check(const char *path, char **why)
{
	struct image image;
	int err = image_open(&image, path), is_agent;

	if (err)
		return fail(why, err, "--agent=%s: %s", path,
			    err == -ENOEXEC || err == -EBADMSG
				    ? "it is not a shared object"
				    : strerror(-err));
	is_agent = symbols_walk(&image, is_table, NULL);
	image_close(&image);
	return is_agent ? 0
			: fail(why, -EINVAL,
			       "--agent=%s: it exports no " WIRE_AGENT_FRONTS
			       "; give the path of libclew-alloc.so or "
			       "libclew-locks.so of this version",
			       path);
}

int agent_library_parse(const char *text, char **path, char **directive,
			char **why)
{
	const char *name = text_basename(text);
	const char *option = name + strcspn(name, ":");
	char *file = memory_string(text, (size_t)(option - text));
	char *found = realpath(file, NULL);
	int err = found ? check(found, why)
			: fail(why, -errno, "--agent=%s: %s", file,
			       strerror(errno));

	free(file);
	if (err) {
		free(found);
		return err;
	}
	*path = found;
	*directive = memory_printf("%s%s", text_basename(found), option);
	return 0;
}
