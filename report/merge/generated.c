/* SPDX-License-Identifier: MIT */
/* See generated.h. */
#include "report/merge/generated.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/recording/announced.h"

enum {
	/*
	 * maximum number of processes that are searched: the process and its
	 * ancestors
	 */
	ANCESTORS_MAX = 64,
	/*
	 * In a jitdump's header: the byte with the flags, and the flag for TSC
	 * stamps.
	 */
	JITDUMP_FLAGS = 32,
	JITDUMP_BY_TSC = 1,
};

static int open_inherited(const struct generated *generated,
			  enum announced kind)
{
	const struct part_copy *part = generated->part;
	int fd = -1;

	for (int i = 0; i < ANCESTORS_MAX && part && fd < 0; i++) {
		fd = announced_open(generated->recording, part, kind);
		part = recording_parent(generated->recording, part);
	}
	return fd;
}

static void note(const struct generated *generated, enum announced kind,
		 int err, const struct a2n_read *read)
{
	const char *what = kind == ANNOUNCED_MAP ? "perf map" : "jitdump";
	char *problem = NULL;

	if (err)
		problem = memory_printf("%s: its %s cannot be read: %s",
					generated->part->name, what,
					strerror(-err));
	else if (read->malformed)
		problem = memory_printf("%s: %" PRIu64
					" record%s of its %s %s malformed",
					generated->part->name, read->malformed,
					text_plural(read->malformed), what,
					read->malformed == 1 ? "is" : "are");
	if (problem)
		recording_note(generated->recording, problem);
}

/* Adds a problem to the recording if registered code has no names. */
static void report_unread(const struct generated *generated)
{
	const struct announced_code *announced = &generated->announced;

	if (announced->unread == 0)
		return;
	recording_note(
		generated->recording,
		announced->why_unread == WIRE_UNREAD_ALL
			? memory_printf(
				  "%s: generated code has no names: clew "
				  "cannot wrap __jit_debug_register_code()",
				  generated->part->name)
			: memory_printf("%s: %" PRIu64
					" registered object%s of generated "
					"code %s no names: clew found no "
					"readable function symbols in %s",
					generated->part->name,
					announced->unread,
					text_plural(announced->unread),
					announced->unread > 1 ? "have" : "has",
					announced->unread > 1 ? "them" : "it"));
}

/*
 * Returns whether a jitdump's time stamps are those of the time stamp counter.
 * The file may have any byte order, so the flag is in the first or last byte of
 * the flags.
 */
static int is_by_tsc(int fd)
{
	unsigned char header[JITDUMP_FLAGS + 8];

	if (pread(fd, header, sizeof(header), 0) != sizeof(header))
		return 0;
	return header[header[0] == 'D' ? JITDUMP_FLAGS : JITDUMP_FLAGS + 7] &
	       JITDUMP_BY_TSC;
}

static void read_one(struct generated *generated, enum announced kind)
{
	struct a2n_read read = { 0 };
	int fd = open_inherited(generated, kind), err = 0;
	char *path;

	if (fd < 0)
		return;
	path = memory_printf("/proc/self/fd/%d", fd);
	if (!generated->space)
		err = a2n_space_create(NULL, &generated->space);
	if (!err && kind == ANNOUNCED_MAP)
		err = a2n_space_read_perf_map(generated->space, path, 0, &read);
	else if (!err)
		err = a2n_space_read_jitdump(generated->space, path, &read);
	if (kind == ANNOUNCED_JITDUMP)
		generated->is_by_tsc = is_by_tsc(fd);
	note(generated, kind, err, &read);
	close(fd);
	free(path);
}

/*
 * Reads all data about generated code. The perf map is read before the jitdump:
 * if two entries are valid at the same time, the one that was read last has
 * precedence.
 */
static void read_announced(struct generated *generated)
{
	int err;

	generated->is_read = 1;
	announced_code_init(&generated->announced, generated->catalog,
			    generated->part, generated->clock);
	report_unread(generated);
	made_code_init(&generated->made, generated->recording, generated->part,
		       generated->catalog, generated->numbering,
		       generated->clock);
	read_one(generated, ANNOUNCED_MAP);
	read_one(generated, ANNOUNCED_JITDUMP);
	err = generated->space ? a2n_space_commit(generated->space) : 0;
	if (err)
		note(generated, ANNOUNCED_MAP, err, NULL);
}

/*
 * Converts a sample's time stamp to the time of the jitdump. If the clock's
 * rate is unknown, returns A2N_LATEST, so that the latest code is found.
 */
static uint64_t time_of(const struct generated *generated, uint64_t tsc)
{
	if (generated->is_by_tsc)
		return tsc;
	if (generated->clock->ticks == 0)
		return A2N_LATEST;
	return clock_monotonic_ns(generated->clock, tsc);
}

void generated_init(struct generated *generated, struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock)
{
	*generated = (struct generated){
		.recording = recording,
		.part = part,
		.catalog = catalog,
		.numbering = numbering,
		.clock = clock,
	};
}

void generated_fini(struct generated *generated)
{
	announced_code_fini(&generated->announced);
	made_code_fini(&generated->made);
	if (generated->space)
		a2n_space_destroy(generated->space);
	idmap_fini(&generated->functions);
}

/*
 * Returns the function that a perf map or jitdump names for a pc, or 0. *how
 * becomes PLACE_TIMED if the entry has a time and the sample's time is known,
 * which entries of a perf map never have; otherwise PLACE_NEWEST.
 */
static uint32_t function_in_files(struct generated *generated, uint64_t pc,
				  uint64_t tsc, enum sample_place *how)
{
	const uint64_t time = time_of(generated, tsc);
	struct a2n_place place = { 0 };
	struct a2n_frame frame;
	uint64_t *function;

	if (!generated->space ||
	    a2n_space_lookup(generated->space, pc, time, NULL, 0, &place,
			     &frame, 1) == 0 ||
	    !frame.name || place.code == 0)
		return 0;
	*how = place.from > 0 && time != A2N_LATEST ? PLACE_TIMED
						    : PLACE_NEWEST;
	function = idmap_at(&generated->functions, place.code);
	if (*function == 0)
		*function = catalog_named(generated->catalog, KIND_GENERATED,
					  CATALOG_NO_MODULE, frame.name);
	return (uint32_t)*function;
}

uint64_t generated_module_pc(struct generated *generated, uint64_t pc,
			     uint64_t tsc)
{
	if (!generated->is_read)
		read_announced(generated);
	return made_code_module_pc(&generated->made, pc, tsc);
}

/*
 * If the pc was in memory that was mapped from a module's file, returns the
 * function with the same code in that module; otherwise 0.
 */
static uint32_t mapped_function(struct generated *generated, uint64_t pc,
				uint64_t tsc)
{
	const uint64_t module_pc = generated_module_pc(generated, pc, tsc);
	const struct numbering_module *module;

	if (!module_pc)
		return 0;
	module = numbering_module_at(generated->numbering, module_pc,
				     clock_time_ns(generated->clock, tsc));
	return module ? catalog_function_around(generated->catalog,
						module->module,
						module_pc - module->base)
		      : 0;
}

uint32_t generated_function(struct generated *generated, uint64_t pc,
			    uint64_t tsc, enum sample_place *how)
{
	uint32_t function;

	if (!generated->is_read)
		read_announced(generated);
	*how = PLACE_TIMED;
	function = announced_code_function(&generated->announced, pc, tsc);
	if (!function)
		function = function_in_files(generated, pc, tsc, how);
	if (function)
		return function;
	function = mapped_function(generated, pc, tsc);
	if (function)
		return function;
	*how = PLACE_MAKER;
	function = made_code_function(&generated->made, pc, tsc);
	if (function)
		return function;
	*how = PLACE_UNKNOWN;
	return FUNCTION_GENERATED;
}

uint32_t generated_site(struct generated *generated,
			const struct numbering *numbering, uint64_t pc,
			uint64_t tsc)
{
	return generated->is_read ? announced_code_site(&generated->announced,
							generated->catalog,
							numbering, pc, tsc)
				  : 0;
}

/*
 * Searches for the byte before the return address, which may be the first byte
 * behind the calling function.
 */
void generated_name_callers(struct generated *generated,
			    struct numbering *numbering)
{
	for (size_t i = 0; i < numbering->caller_count; i++) {
		const struct wire_caller *caller = numbering->callers[i];
		uint32_t function = FUNCTION_GENERATED;
		enum sample_place how;

		if (caller->pc)
			function = generated_function(generated, caller->pc - 1,
						      caller->tsc, &how);
		numbering_name_caller(numbering, caller->head.number, function);
	}
}
