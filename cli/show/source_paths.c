/* SPDX-License-Identifier: MIT */
/* See source_paths.h. */
#include "cli/show/source_paths.h"

#include <errno.h>

#include "cli/common/command.h"

void parse_source_path(struct argp_state *state, const char *text,
		       struct source_files *sources)
{
	const int err = source_files_replace(sources, text);

	if (err == -ENOSPC)
		argp_error(state, "--source-path is given more than %d times",
			   SOURCE_PATHS_MAX);
	else if (err)
		complain_of_usage(state,
				  "--source-path=%s: must have the form "
				  "OLD=NEW",
				  text);
}
