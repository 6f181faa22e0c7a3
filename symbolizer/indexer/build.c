/* SPDX-License-Identifier: MIT */
/* See build.h. */
#include "symbolizer/indexer/build.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/lines.h"
#include "symbolizer/dwarf/sources.h"
#include "symbolizer/dwarf/split.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/indexer/symtab.h"
#include "symbolizer/indexer/write.h"

struct build {
	const struct build_request *request;
	struct sources sources;
	struct elf module;
	struct elf debug; /* the separate file, if has_debug_file */
	int has_debug_file;
	const char *debug_path;
	struct gather gather;
	char *reason; /* why data is missing, on the heap; or NULL */
};

static void set_reason(struct build *build, char *reason)
{
	if (build->reason)
		free(reason);
	else
		build->reason = reason;
}

static const char *problem_text(int error)
{
	switch (error) {
	case -ENOTSUP:
		return "compressed by an unsupported method";
	case -EBADMSG:
		return "damaged";
	case -EFBIG:
		return "too large";
	default:
		return strerror(-error);
	}
}

static int has_dwarf(struct elf *elf)
{
	return elf_section(elf, ".debug_info") ||
	       elf_section(elf, ".debug_line");
}

static void read_units(struct build *build, struct dwarf_file *file)
{
	const char *const paths[] = {
		build->request->path,
		build->has_debug_file ? build->debug_path : NULL,
		NULL,
	};
	struct split *split = split_create(file, &build->sources, paths);
	struct scopes *scopes = scopes_create();
	const struct split_report *report = split_report(split);

	for (size_t i = 0; i < file->unit_count; i++) {
		struct dwarf_unit *unit = &file->units[i];

		if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
			continue;
		dwarf_read_root(unit);
		if (unit->tag != DW_TAG_partial_unit)
			dwarf_read_lines(unit);
		dwarf_read_scopes(scopes, unit);
		if (split_is_skeleton(unit))
			split_read_scopes(split, scopes, unit);
	}
	scopes_destroy(scopes);
	if (report->missing > 0)
		set_reason(
			build,
			heap_printf(
				"some inlined calls are missing: %llu of %llu "
				".dwo files were not found; the first is %s",
				(unsigned long long)report->missing,
				(unsigned long long)report->wanted,
				report->first_missing));
}

static void judge(struct build *build, const struct dwarf_file *file)
{
	if (file->error)
		set_reason(
			build,
			heap_printf(
				"no debug information: a section of %s is %s",
				build->debug_path, problem_text(file->error)));
	else if (file->damaged > 0)
		set_reason(build,
			   heap_printf("debug information is incomplete: %u "
				       "units of %s are damaged",
				       file->damaged, build->debug_path));
}

/*
 * Reads the debug information of a file. If its alternate file (dwz) is
 * missing, only names are missing; lines and chains of inlined calls do not
 * depend on it.
 */
static void read_dwarf(struct build *build, struct elf *elf)
{
	struct dwarf_file *file = heap_zeroed(1, sizeof(*file));
	struct dwarf_file *alternate = heap_zeroed(1, sizeof(*alternate));
	struct elf alternate_elf;
	const char *wanted = "";
	int found =
		sources_find_alternate(&build->sources, elf, build->debug_path,
				       &alternate_elf, &wanted);

	dwarf_file_init(file, elf, &build->gather, NULL);
	if (found == 0) {
		dwarf_file_init(alternate, &alternate_elf, &build->gather,
				NULL);
		file->alternate = alternate;
	}
	if (!file->error)
		read_units(build, file);
	judge(build, file);
	if (file->without_alternate > 0)
		set_reason(build,
			   heap_printf("some names are unknown: the alternate "
				       "debug file %s is missing",
				       wanted));
}

static void note_debug(struct build *build, struct source *source, size_t rows)
{
	if (build->gather.row_count > rows || build->gather.piece_count > 0)
		source->role |= SOURCE_DEBUG;
}

static const char *download_text(int error)
{
	switch (error) {
	case -ENOENT:
		return "the server does not have it";
	case -ELIBACC:
		return "libdebuginfod is not installed";
	case -ETIMEDOUT:
	case -ETIME:
		return "the download timed out";
	case -ENOEXEC:
	case -ESTALE:
		return "the downloaded file belongs to another build";
	default:
		return strerror(-error);
	}
}

static void note_no_debug(struct build *build)
{
	int error = build->sources.download_error;

	set_reason(build,
		   heap_printf(
			   "no debug information: the file contains none, and "
			   "no separate debug file of this build was found%s%s",
			   error ? "; debuginfod: " : "",
			   error ? download_text(error) : ""));
}

static void read_debug_file(struct build *build)
{
	struct source *source;

	if (has_dwarf(&build->module))
		return;
	if (sources_find_debug(&build->sources, &build->module,
			       build->request->path, &build->debug,
			       &source) != 0) {
		note_no_debug(build);
		return;
	}
	build->has_debug_file = 1;
	build->debug_path = heap_printf("%s", source->path);
	if (symtab_add(&build->gather, &build->debug) > 0)
		source->role |= SOURCE_SYMBOLS;
}

static void read_all(struct build *build)
{
	struct source *source =
		sources_add(&build->sources, build->request->path);
	struct elf *elf = &build->module;

	source->role = SOURCE_MODULE;
	if (build->request->without_symbols) {
		set_reason(build,
			   heap_printf("%s", build->request->without_debug));
		return;
	}
	if (symtab_add(&build->gather, elf) > 0)
		source->role |= SOURCE_SYMBOLS;
	build->debug_path = build->request->path;
	if (!has_dwarf(elf))
		read_debug_file(build);
	if (build->request->without_debug) {
		set_reason(build,
			   heap_printf("%s", build->request->without_debug));
		return;
	}
	if (build->has_debug_file)
		elf = &build->debug;
	if (!has_dwarf(elf)) {
		set_reason(build, heap_printf("no debug information in %s",
					      build->debug_path));
		return;
	}
	read_dwarf(build, elf);
	note_debug(build, sources_add(&build->sources, build->debug_path), 0);
	if (build->gather.is_cut)
		set_reason(build, heap_printf("code beyond 4 GiB is skipped"));
}

int build_index(const struct build_request *request, int fd)
{
	struct build build = {
		.request = request,
		.sources = { .root = request->root,
			     .debug_roots = request->debug_roots,
			     .download_seconds = request->download_seconds },
	};
	const struct a2n_build_id *wanted = request->build_id;
	int err = elf_open(&build.module, request->path);

	if (err)
		return err;
	if (wanted->bytes > 0 &&
	    (wanted->bytes != build.module.build_id.bytes ||
	     memcmp(wanted->data, build.module.build_id.data, wanted->bytes) !=
		     0))
		return -ESTALE;
	gather_init(&build.gather, &build.module);
	read_all(&build);
	return write_index(fd, &build.gather, &build.module, &build.sources,
			   build.reason);
}
