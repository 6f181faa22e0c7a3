/* SPDX-License-Identifier: MIT */
/* What an a2n_space is made of. */
#ifndef CLEW_SYMBOLIZER_SPACE_SPACE_H
#define CLEW_SYMBOLIZER_SPACE_SPACE_H

#include <stdatomic.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/timeline.h"

struct space_line {
	uint64_t offset; /* in the code */
	const char *file;
	uint32_t line, discriminator;
};

/* A mapping of a file, or a piece of generated code. */
struct space_object {
	char *name; /* of code, or the path of a file */
	uint64_t bytes;
	uint64_t file_offset; /* of a mapping */
	struct a2n_build_id build_id;
	int is_code;
	/* The first look-up that needs it sets it; others may, to the same. */
	_Atomic(const struct a2n_module *) module;
	_Atomic int error;        /* why there is no module, -errno */
	struct space_line *lines; /* in order of offset once committed */
	size_t line_count, line_capacity;
};

enum space_event_kind { SPACE_PUT, SPACE_CLEAR, SPACE_REMOVE, SPACE_MOVE };

struct space_event {
	uint64_t time;
	uint64_t start;
	uint64_t bytes; /* of SPACE_CLEAR */
	uint32_t object;
	uint32_t kind; /* enum space_event_kind */
};

struct a2n_space {
	struct a2n *a2n;
	struct space_object **objects;
	size_t object_count, object_capacity;
	struct space_event
		*events; /* those before `done` are in the timeline */
	size_t event_count, event_capacity;
	size_t done;
	uint64_t done_time; /* the latest of them */
	uint64_t *starts;   /* where each object is; UINT64_MAX: nowhere */
	size_t start_count;
	struct timeline timeline;
	char **files; /* of lines, each once */
	size_t file_count, file_capacity;
};

#endif
