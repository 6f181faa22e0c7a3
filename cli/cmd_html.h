/* SPDX-License-Identifier: MIT */
/* Pages as files. */
#ifndef CLEW_CLI_CMD_HTML_H
#define CLEW_CLI_CMD_HTML_H

#include "cli/common/recording_readers.h"
#include "report/html/html.h"

/*
 * "-" is stdout. Nobody but these can read the file. 0, or -errno and *why; what was there
 * before stays then.
 */
int html_save(const char *path, const struct html_view *view,
	      const struct recording_readers *readers, char **why);

#endif
