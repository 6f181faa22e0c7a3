/* SPDX-License-Identifier: MIT */
/*
 * Export to formats of other tools: a table of formats, with one file for each.
 *
 * Formats that list whole stacks would grow with the square of a recursion's
 * depth. In a stack of more than EXPORT_STACK_MAX frames, these formats replace
 * the middle frames by one frame that says so. The writer counts such stacks.
 */
#ifndef CLEW_EXPORT_EXPORT_H
#define CLEW_EXPORT_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "base/progress.h"
#include "report/trace/merged_lines.h"
#include "report/view/session.h"

enum {
	EXPORT_STACK_MAX = 512,
	/* number of outer frames that are kept of a longer stack */
	EXPORT_STACK_OUTER = EXPORT_STACK_MAX / 2,
	EXPORT_STACK_INNER = EXPORT_STACK_MAX - EXPORT_STACK_OUTER - 1,
	EXPORT_LABELS_MAX = 64,
};

#define EXPORT_CUT_NAME "(frames left out)"

struct export
{
	struct session *session;
	const struct tree *tree; /* the selected contexts, summed up */
	/* the measure that is used by formats with only one measure */
	enum metric metric;
	/*
	 * 0 for functions that were not selected; NULL: all selected. `tree`
	 * does not contain functions that were not selected.
	 */
	uint8_t *keep;
	enum grouping group; /* kind of the nodes below the root */
	int annotates; /* whether names are marked with kinds of functions */
	struct progress *progress; /* may be NULL */
	/* the single calls of a trace; may be NULL */
	const struct traces *traces;
	struct trace_window window; /* limits data that has a time */
	/*
	 * The following members are for formats of profile stores. They
	 * identify the program.
	 */
	/* name of the service, or NULL for the name of the program */
	const char *service;
	const struct export_label *labels;
	size_t label_count; /* at most EXPORT_LABELS_MAX */
	/* whether to omit the program's arguments, which may contain secrets */
	int hides_command;
	/*
	 * The time when the data was recorded. If start_ns is 0, the time is
	 * taken from the recording.
	 */
	uint64_t start_ns, duration_ns;
	uint64_t cut_stacks; /* result: number of stacks that were shortened */
};

/* Both are UTF-8 without control characters. */
struct export_label {
	const char *name, *value;
};

struct export_format {
	const char *name;
	const char *says;
	int is_binary;
	/* the format needs single samples (session.timeline) */
	int needs_samples;
	int likes_samples; /* the format can use single samples */
	/*
	 * Excludes --inlines, because the format always has inlined functions,
	 * or cannot have them.
	 */
	int no_inlines;
	int no_value; /* the format cannot contain values of agents */
	int no_group; /* the format excludes --group */
	/*
	 * The format can write single calls: those of export->traces in
	 * export->window.
	 */
	int likes_traces;
	/*
	 * Contains the tree beside single calls: the time window limits both,
	 * and a transformed tree is written without single calls.
	 */
	int has_tree;
	int by_line; /* the format can contain lines of calls (struct whose) */
	/*
	 * Exactly one of `write` and `save` is set. Both return 0, or -errno
	 * and *why without the file's name. The caller checks `out` for write
	 * errors. `path` is an empty file.
	 */
	int (*write)(struct export *export, FILE *out, char **why);
	int (*save)(struct export *export, const char *path, char **why);
};

/* All formats. An entry without a name ends the array. */
extern const struct export_format export_formats[];

/* Returns the format with that name, or NULL if there is none. */
const struct export_format *export_format_named(const char *name);

/* Return whether the tree has time, or samples. */
static inline int export_has_time(const struct export *export)
{
	return tree_below(export->tree, TREE_ROOT).ns > 0;
}

static inline int export_has_samples(const struct export *export)
{
	return tree_below(export->tree, TREE_ROOT).samples > 0;
}

/*
 * Reports progress; call it before each node with the number of previous nodes.
 */
static inline void export_tell(const struct export *export, size_t done)
{
	if (done % 4096 == 0)
		progress_update(export->progress, "writing", done,
				export->tree->count);
}

/* Returns the name of the metric: "calls", "time", or the agents' value. */
const char *export_measure_name(const struct export *export);

/*
 * Returns the kind of time: "cpu" for sampled CPU time, otherwise "wall", also
 * for times of exact calls and of traces.
 */
const char *export_time_name(const struct export *export);

/* When the data was recorded. */
struct export_times {
	uint64_t start_ns; /* CLOCK_REALTIME */
	/* from the start of the first process to the last known end of one */
	uint64_t duration_ns;
	/*
	 * time between two samples, of the first part that has it; 0 if none
	 * has
	 */
	uint64_t period_ns;
};

struct export_times export_times(const struct export *export);

struct export_build_id {
	char text[2 * sizeof(((struct a2n_build_id *)0)->data) + 1];
};

/* Returns hexadecimal text; "" if the module has no build-id. */
struct export_build_id export_build_id(const struct catalog_module *module);

/*
 * Returns, for each node of the session's tree, to which samples refer, the
 * node of `tree` that represents it: itself or its nearest exported ancestor.
 * The caller frees the array.
 */
uint32_t *export_moved(const struct export *export);

/*
 * Returns the command line of the first process, safe to print; the caller
 * frees it.
 */
char *export_command(const struct export *export);

/*
 * Returns the name under which a store lists the program: the user's, or the
 * name of the program without its folder, or "unknown". The caller frees it.
 */
char *export_service(const struct export *export);

/*
 * Fills the frames at a site, innermost first; the last one is `function`
 * itself. See catalog_site_frames(). Returns 0 if the site is unknown, or lies
 * in another function because callers were omitted.
 */
size_t export_frames(struct catalog *catalog, uint32_t function, uint32_t site,
		     int is_return, struct a2n_frame frames[CATALOG_FRAMES]);

/* The spots of a tree by node: node n has [first[n], first[n + 1]). */
struct export_spots {
	uint32_t *spots; /* indices in tree.spots */
	uint32_t *first;
};

void export_spots_init(struct export_spots *spots, const struct tree *tree);
void export_spots_fini(struct export_spots *spots);

int export_folded(struct export *export, FILE *out, char **why);
int export_speedscope(struct export *export, FILE *out, char **why);
int export_pprof(struct export *export, FILE *out, char **why);
int export_otlp(struct export *export, FILE *out, char **why);
int export_callgrind(struct export *export, FILE *out, char **why);
int export_chrome(struct export *export, FILE *out, char **why);
int export_firefox(struct export *export, FILE *out, char **why);
int export_perfetto(struct export *export, FILE *out, char **why);
int export_json(struct export *export, FILE *out, char **why);
int export_csv(struct export *export, FILE *out, char **why);
int export_csv_contexts(struct export *export, FILE *out, char **why);
int export_baseline(struct export *export, FILE *out, char **why);
int export_sqlite(struct export *export, const char *path, char **why);

#endif
