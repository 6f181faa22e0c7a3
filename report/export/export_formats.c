/* SPDX-License-Identifier: MIT */
/* The table of export formats. */
#include "report/export/export.h"

#include <string.h>

const struct export_format export_formats[] = {
	{ .name = "folded",
	  .says = "one stack and its number per line, for flame graphs",
	  .write = export_folded },
	{ .name = "speedscope",
	  .says = "a profile for speedscope.app",
	  .likes_samples = 1,
	  .write = export_speedscope },
	{ .name = "pprof",
	  .says = "a profile for go tool pprof and compatible tools",
	  .is_binary = 1,
	  .no_inlines = 1,
	  .by_line = 1,
	  .write = export_pprof },
	{ .name = "otlp",
	  .says = "OTLP profiles, as clew push sends them to a collector",
	  .is_binary = 1,
	  .no_inlines = 1,
	  .by_line = 1,
	  .write = export_otlp },
	{ .name = "callgrind",
	  .says = "a profile for KCachegrind and callgrind_annotate",
	  .by_line = 1,
	  .write = export_callgrind },
	{ .name = "perfetto",
	  .says = "each call of a trace, and samples, for ui.perfetto.dev",
	  .is_binary = 1,
	  .needs_samples = 1,
	  .no_value = 1,
	  .likes_traces = 1,
	  .no_inlines = 1,
	  .write = export_perfetto },
	{ .name = "chrome",
	  .says = "the same as JSON, for chrome://tracing",
	  .needs_samples = 1,
	  .likes_traces = 1,
	  .no_inlines = 1,
	  .write = export_chrome },
	{ .name = "firefox",
	  .says = "calls of a trace, samples and counts, for "
		  "profiler.firefox.com",
	  .likes_samples = 1,
	  .likes_traces = 1,
	  .has_tree = 1,
	  .no_inlines = 1,
	  .by_line = 1,
	  .write = export_firefox },
	{ .name = "sqlite",
	  .says = "an SQLite database",
	  .is_binary = 1,
	  .likes_samples = 1,
	  .save = export_sqlite },
	{ .name = "json",
	  .says = "the calling contexts, as clew tree --json",
	  .write = export_json },
	{ .name = "csv", .says = "a table of functions", .write = export_csv },
	{ .name = "csv-contexts",
	  .says = "a table of contexts",
	  .write = export_csv_contexts },
	{ .name = "baseline",
	  .says = "a small file to commit, for clew diff",
	  .no_inlines = 1,
	  .no_value = 1,
	  .no_group = 1,
	  .write = export_baseline },
	{ 0 },
};

const struct export_format *export_format_named(const char *name)
{
	const struct export_format *format = export_formats;

	while (format->name && strcmp(format->name, name) != 0)
		format++;
	return format->name ? format : NULL;
}
