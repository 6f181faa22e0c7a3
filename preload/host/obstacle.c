/* SPDX-License-Identifier: MIT */
/* See obstacle.h. */
#include "preload/host/obstacle.h"

#include <errno.h>

static const char *meaning_of(int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		return "the disk is full";
	case EFBIG:
		return "the limit on file size is too low (ulimit -f)";
	case ENOMEM:
		return "there is not enough memory or address space";
	case EMFILE:
	case ENFILE:
		return "the limit on open files is reached (ulimit -n)";
	case EACCES:
	case EPERM:
	case EROFS:
		return "the kernel does not permit it";
	case ENOEXEC:
		return "the kernel lets no memory become executable that was "
		       "written (MemoryDenyWriteExecute, PR_SET_MDWE or "
		       "SELinux)";
	case ENOENT:
	case ENOTDIR:
		return "the directory of the recording does not exist";
	default:
		return NULL;
	}
}

void obstacle_explain(struct text *text, int err)
{
	const char *meaning = meaning_of(err);

	if (meaning) {
		text_string(text, ": ");
		text_string(text, meaning);
	} else {
		text_string(text, ": error ");
		text_number(text, (uint64_t)-err);
	}
}
