/* SPDX-License-Identifier: MIT */
/*
 * Profiles in the formats of other tools: a table of formats, a file each.
 *
 * Formats that list whole stacks would grow with the square of a recursion's
 * depth, so there a stack of more than EXPORT_STACK_MAX frames loses those in
 * its middle to one frame that says so, and the writer counts how many did.
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
	EXPORT_STACK_OUTER = EXPORT_STACK_MAX / 2, /* kept of a longer one */
	EXPORT_STACK_INNER = EXPORT_STACK_MAX - EXPORT_STACK_OUTER - 1,
};

#define EXPORT_CUT_NAME "(frames left out)"

struct export
{
	struct session *session;
	const struct tree *tree; /* of what was selected, summed up */
	enum metric metric;      /* the one that counts where there is one */
	/* For functions that were not selected 0, or NULL; `tree` has none. */
	uint8_t *keep;
	enum grouping group; /* what is below the root, if not NONE */
	int annotates;       /* kinds of functions, where names have them */
	struct progress *progress;   /* told of it, or NULL */
	const struct traces *traces; /* of calls one by one, or NULL */
	struct trace_window window;  /* of what has a time */
	uint64_t cut_stacks; /* out: that were longer than EXPORT_STACK_MAX */
};

struct export_format {
	const char *name;
	const char *says;
	int is_binary;
	int needs_samples; /* one by one: session.timeline */
	int likes_samples; /* the same, but can do without */
	int no_inlines;    /* has inlined functions anyway, or cannot */
	int no_value;      /* has no place for what agents counted */
	int likes_traces; /* of calls one by one; has room for a window of time */
	int by_line;      /* has room for lines of calls: see struct whose */
	/*
	 * One of the two. 0, or -errno and *why, which does not name the file.
	 * That `out` could not be written is for whoever opened it to find out.
	 * `path` is an empty file.
	 */
	int (*write)(struct export *export, FILE *out, char **why);
	int (*save)(struct export *export, const char *path, char **why);
};

/* Ended by one without a name. */
extern const struct export_format export_formats[];

/* NULL if there is none of that name. */
const struct export_format *export_format_named(const char *name);

/* Whether there is any time in it. */
static inline int export_has_time(const struct export *export)
{
	return tree_below(export->tree, TREE_ROOT).ns > 0;
}

static inline int export_has_samples(const struct export *export)
{
	return tree_below(export->tree, TREE_ROOT).samples > 0;
}

/* Before each node, by how many were before it. */
static inline void export_tell(const struct export *export, size_t done)
{
	if (done % 4096 == 0)
		progress_tell(export->progress, "writing", done,
			      export->tree->count);
}

/* Its metric: "calls", "time", or the name of what agents counted. */
const char *export_measure_name(const struct export *export);

/* What its time is: "cpu" or "wall". */
const char *export_time_name(const struct export *export);

/* When it was recorded. */
struct export_times {
	uint64_t start_ns;    /* CLOCK_REALTIME */
	uint64_t duration_ns; /* of all processes, as far as it is known */
	uint64_t period_ns;   /* between two samples; 0: there are none */
};

struct export_times export_times(const struct export *export);

struct export_build_id {
	char text[2 * sizeof(((struct a2n_build_id *)0)->data) + 1];
};

/* In hexadecimal; "" if the module has none. */
struct export_build_id export_build_id(const struct catalog_module *module);

/*
 * For each node of the session's tree, which samples refer to, the one in
 * `tree` that stands for it: itself, or the nearest above it that is there.
 * free() it.
 */
uint32_t *export_moved(const struct export *export);

/* The command line of the first process, safe to print; free() it. */
char *export_command(const struct export *export);

/*
 * The frames at a site, innermost first, the last one being `function` itself;
 * see catalog_site_frames(). 0 if nothing is known of it or if it is not in
 * that function: callers may have been left out in between.
 */
size_t export_frames(struct catalog *catalog, uint32_t function, uint32_t site,
		     int is_return, struct a2n_frame frames[CATALOG_FRAMES]);

/* The spots of a tree by node: those of node n are [first[n], first[n + 1]). */
struct export_spots {
	uint32_t *spots; /* indices in tree.spots */
	uint32_t *first;
};

void export_spots_init(struct export_spots *spots, const struct tree *tree);
void export_spots_fini(struct export_spots *spots);

int export_folded(struct export *export, FILE *out, char **why);
int export_speedscope(struct export *export, FILE *out, char **why);
int export_pprof(struct export *export, FILE *out, char **why);
int export_callgrind(struct export *export, FILE *out, char **why);
int export_chrome(struct export *export, FILE *out, char **why);
int export_perfetto(struct export *export, FILE *out, char **why);
int export_json(struct export *export, FILE *out, char **why);
int export_csv(struct export *export, FILE *out, char **why);
int export_csv_contexts(struct export *export, FILE *out, char **why);
int export_sqlite(struct export *export, const char *path, char **why);

#endif
