/* SPDX-License-Identifier: MIT */
/* See dump.h. */
#include "report/dump/dump.h"

#include <inttypes.h>
#include <string.h>

#include "report/dump/dump_counts.h"
#include "report/dump/dump_imported.h"
#include "report/dump/dump_marks.h"
#include "report/dump/dump_probes.h"
#include "report/dump/dump_runtimes.h"
#include "report/dump/dump_string.h"
#include "report/dump/dump_values.h"
#include "report/merge/inconsistencies.h"
#include "report/model/function_catalog.h"
#include "report/recording/rules.h"
#include "report/view/summary.h"
#include "wire/verdict.h"
#include "wire/violation.h"

static void dump_time(FILE *out, const struct wire_header *header)
{
	static const char *const names[] = {
		[WIRE_TIME_NONE] = "none",
		[WIRE_TIME_CPU] = "cpu",
		[WIRE_TIME_WALL] = "wall",
		[WIRE_TIME_EXACT] = "exact",
	};

	fprintf(out,
		"time kind=%" PRIu32 " rate_hz=%" PRIu32 " period_ns=%" PRIu64
		" first_tsc=%" PRIu64 " first_ns=%" PRIu64
		" latest_tsc=%" PRIu64 " latest_ns=%" PRIu64 " name=%s",
		header->time, header->rate_hz, header->period_ns,
		header->first.tsc, header->first.ns, header->latest.tsc,
		header->latest.ns,
		header->time < sizeof(names) / sizeof(*names)
			? names[header->time]
			: "unknown");
	if (header->first_real_ns)
		fprintf(out, " first_real_ns=%" PRIu64, header->first_real_ns);
	fputc('\n', out);
	if (header->time == WIRE_TIME_EXACT)
		fprintf(out,
			"time-cost self_ticks=%" PRIu32 " caller_ticks=%" PRIu32
			" untimed_calls=%" PRIu64 "\n",
			header->cost_self_ticks, header->cost_caller_ticks,
			(uint64_t)header->untimed_calls);
	if (header->time == WIRE_TIME_CPU)
		fprintf(out,
			"clock events=%" PRIu32 " coarse=%" PRIu32 " why=%s\n",
			header->events, header->coarse,
			coarse_text(header->coarse));
	if (header->time == WIRE_TIME_WALL)
		fprintf(out, "watch cpu_ns=%" PRIu64 "\n", header->watch_ns);
	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++) {
		if (header->sample_losses[i] > 0)
			fprintf(out, "sample-loss cause=%u count=%" PRIu64 "\n",
				i, header->sample_losses[i]);
	}
}

static void dump_header(FILE *out, const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	fprintf(out,
		"part version=%" PRIu32 " end=%" PRIu64 " state=%" PRIu32
		" origin=%" PRIu32 " pid=%" PRIu32 " seq=%" PRIu32
		" ppid=%" PRIu32 " parent=%" PRIu32 ".%" PRIu32,
		header->version, header->end, header->state, header->origin,
		header->pid, header->seq, header->ppid, header->parent_pid,
		header->parent_seq);
	fprintf(out,
		" verify_period=%" PRIu32 " start_ns=%" PRIu64
		" end_ns=%" PRIu64 " hook_ns=%" PRIu64 " max_contexts=%" PRIu64
		" contexts=%" PRIu64 " max_bytes=%" PRIu64,
		header->verify_period, header->start_ns, header->end_ns,
		header->hook_ns, header->max_contexts, part_contexts(part),
		header->max_bytes);
	dump_string(out, "file", part->name, strlen(part->name));
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (header->losses[i] > 0)
			fprintf(out, "loss cause=%u calls=%" PRIu64 "\n", i,
				header->losses[i]);
	}
	dump_time(out, header);
	if (header->start_cpu_ns > 0)
		fprintf(out, "start cpu_ns=%" PRIu64 "\n",
			header->start_cpu_ns);
	if (header->folds_recursion > 0)
		fprintf(out,
			"recursion folded=%" PRIu32 " beyond=%" PRIu64 "\n",
			header->folds_recursion, header->fold_beyond);
	if (header->jumped_functions > 0)
		fprintf(out, "jumped functions=%" PRIu64 "\n",
			(uint64_t)header->jumped_functions);
	if (header->trap_hits > 0)
		fprintf(out, "traps hits=%" PRIu64 "\n", header->trap_hits);
	if (header->java != WIRE_JAVA_NONE)
		fprintf(out,
			"java state=%" PRIu32 " unnamed=%" PRIu32
			" relayless=%" PRIu64 " callerless=%" PRIu64
			" stackless=%" PRIu64 " frozen=%" PRIu64
			" verified=%" PRIu64 " mismatched=%" PRIu64
			" text=%s\n",
			header->java, header->unnamed_natives,
			header->relayless_natives, header->callerless_natives,
			header->stackless_natives, header->frozen_natives,
			header->verified_stacks, header->mismatched_stacks,
			java_text(header->java));
	if (header->asked_stacks > 0)
		fprintf(out,
			"java-stacks asked=%" PRIu64 " ns=%" PRIu64
			" composed=%" PRIu64 " verified=%" PRIu64
			" mismatched=%" PRIu64 "\n",
			(uint64_t)header->asked_stacks,
			(uint64_t)header->asked_ns,
			(uint64_t)header->composed_stacks,
			(uint64_t)header->verified_composed,
			(uint64_t)header->mismatched_composed);
	if (header->jni != WIRE_JNI_NONE)
		fprintf(out, "jni state=%" PRIu32 " unnoted=%" PRIu32 "\n",
			header->jni, header->unnoted_jni);
	if (header->budget > 0)
		fprintf(out,
			"budget thousandths=%" PRIu32 " state=%" PRIu32
			" call_ps=%" PRIu32 " cpu_ns=%" PRIu64
			" cost_ns=%" PRIu64 " seen_ns=%" PRIu64
			" surveys=%" PRIu64 "\n",
			header->budget, header->budget_state,
			header->budget_call_ps, header->budget_cpu_ns,
			header->budget_cost_ns, header->budget_seen_ns,
			header->budget_surveys);
	if (header->violations > 0)
		fprintf(out,
			"violations count=%" PRIu32 " first=%" PRIu32
			" text=%s\n",
			header->violations, header->first_violation,
			violation_text(header->first_violation));
	if (header->state == WIRE_DISABLED) {
		fputs("disabled", out);
		dump_string(out, "why", header->why, sizeof(header->why));
	}
}

static void dump_process(FILE *out, const struct part_chunk *chunk)
{
	const char *at = (const char *)chunk->payload;
	const char *stop = at + chunk->used_bytes;

	while (at < stop) {
		fputs("argument", out);
		dump_string(out, "text", at, (size_t)(stop - at));
		at += strnlen(at, (size_t)(stop - at)) + 1;
	}
}

static void dump_functions(FILE *out, const struct module_record *record)
{
	for (uint32_t i = 0; i < record->function_count; i++) {
		const struct wire_function *function = &record->functions[i];

		fprintf(out,
			"function number=%" PRIu32 " vaddr=%#" PRIx64
			" size=%" PRIu32 " patch_offset=%d displaced=%d"
			" island=%d verdict=%d text=%s\n",
			record->module->first_function + i, function->vaddr,
			function->size_bytes, function->patch_offset,
			wire_displaced_bytes(function), function->island,
			function->verdict, verdict_text(function->verdict));
	}
}

static void dump_module(FILE *out, const struct part_chunk *chunk,
			int with_functions)
{
	const struct wire_module *module;
	struct module_record record;

	if (!module_record_of(chunk, &record))
		return;
	module = record.module;
	fprintf(out,
		"module base=%#" PRIx64 " start=%#" PRIx64 " end=%#" PRIx64
		" state=%" PRIu32 " first=%" PRIu32 " functions=%" PRIu32
		" cached=%" PRIu32 " loaded_ns=%" PRIu64 " unloaded_ns=%" PRIu64
		" build_id=",
		module->base, module->vaddr_start, module->vaddr_end,
		module->state, module->first_function, module->function_count,
		module->from_cache, module->loaded_ns, module->unloaded_ns);
	for (uint32_t i = 0;
	     i < module->build_id_bytes && i < sizeof(module->build_id); i++)
		fprintf(out, "%02x", module->build_id[i]);
	dump_string(out, "path", record.path, record.path_bytes);
	if (with_functions)
		dump_functions(out, &record);
}

static void dump_threads(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_thread *threads = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*threads); i++) {
		if (threads[i].tid == 0)
			continue;
		fprintf(out,
			"thread tid=%" PRIu32 " tally=%" PRIu32
			" start_ns=%" PRIu64,
			threads[i].tid, threads[i].tally, threads[i].start_ns);
		dump_string(out, "name", threads[i].name,
			    sizeof(threads[i].name));
	}
}

static void dump_rules(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_rule rule;
	size_t cursor = 0;

	while (rule_next(chunk, &cursor, &rule)) {
		fprintf(out, "rule matches=%" PRIu64, rule.matches);
		dump_string(out, "text", rule.text, rule.text_bytes);
	}
}

static void dump_left_out(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_left_out *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++)
		fprintf(out,
			"left_out number=%" PRIu32 " times=%" PRIu32
			" first_ns=%" PRIu64 " since_ns=%" PRIu64
			" out_ns=%" PRIu64 " missed=%" PRIu64 " per_s=%" PRIu64
			"\n",
			items[i].function, items[i].times, items[i].first_ns,
			(uint64_t)items[i].since_ns, items[i].out_ns,
			items[i].missed, items[i].per_s);
}

static void dump_hooking(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_hooking *items = (const void *)chunk->payload;

	for (size_t i = 0; i < part_chunk_used(chunk) / sizeof(*items); i++)
		fprintf(out,
			"hooking base=%#" PRIx64 " loaded_ns=%" PRIu64
			" analysis_ns=%" PRIu64 " patch_ns=%" PRIu64 "\n",
			items[i].base, items[i].loaded_ns, items[i].analysis_ns,
			items[i].patch_ns);
}

static void dump_inherited(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_inherited *items = (const void *)chunk->payload;

	for (size_t i = 0; i < part_chunk_used(chunk) / sizeof(*items); i++)
		fprintf(out,
			"inherited from=%" PRIu32 ".%" PRIu32
			" start_ns=%" PRIu64 " kind=%" PRIu32 " offset=%" PRIu64
			" used=%" PRIu64 " first=%" PRIu32
			" unloaded_ns=%" PRIu64 "\n",
			items[i].pid, items[i].seq, items[i].start_ns,
			(uint32_t)items[i].kind, items[i].offset, items[i].used,
			items[i].first_function, items[i].unloaded_ns);
}

static void dump_chunk(FILE *out, const struct part_chunk *chunk,
		       int with_functions)
{
	static const char *const names[] = {
		[WIRE_FREE] = "free",
		[WIRE_PROCESS] = "process",
		[WIRE_MODULE] = "module",
		[WIRE_THREADS] = "threads",
		[WIRE_TALLY] = "tally",
		[WIRE_CONTEXTS] = "contexts",
		[WIRE_TABLE] = "table",
		[WIRE_RULES] = "rules",
		[WIRE_SAMPLES] = "samples",
		[WIRE_HISTOGRAMS] = "histograms",
		[WIRE_RANGES] = "ranges",
		[WIRE_NAMES] = "names",
		[WIRE_BINDINGS] = "bindings",
		[WIRE_CODES] = "codes",
		[WIRE_JITDUMP] = "jitdump",
		[WIRE_SOURCES] = "sources",
		[WIRE_STACKS] = "stacks",
		[WIRE_METHODS] = "methods",
		[WIRE_CALLERS] = "callers",
		[WIRE_JNI_NOTES] = "jni_notes",
		[WIRE_MAKERS] = "makers",
		[WIRE_CODE_LINES] = "code_lines",
		[WIRE_LEFT_OUT] = "left_out",
		[WIRE_VALUES] = "values",
		[WIRE_PROBES] = "probes",
		[WIRE_PROBE_PLACES] = "probe_places",
		[WIRE_MARKS] = "marks",
		[WIRE_MARK_NAMES] = "mark_names",
		[WIRE_PROBE_ACTIONS] = "probe_actions",
		[WIRE_PROBE_FIELDS] = "probe_fields",
		[WIRE_PROBE_EVENTS] = "probe_events",
		[WIRE_PROBE_HITS] = "probe_hits",
		[WIRE_PACKET] = "packet",
		[WIRE_PACKET_BLOCKS] = "packet_blocks",
		[WIRE_HOOKING] = "hooking",
		[WIRE_HANDLER_CRASH] = "handler_crash",
		[WIRE_INHERITED] = "inherited",
		[WIRE_MAPPED_CODE] = "mapped_code",
		[WIRE_IMPORT] = "import",
		[WIRE_IMPORTED_NAMES] = "imported_names",
	};
	const char *name = chunk->kind < sizeof(names) / sizeof(*names)
				   ? names[chunk->kind]
				   : NULL;

	fprintf(out,
		"chunk offset=%" PRIu64 " kind=%" PRIu32 " owner=%" PRIu32
		" bytes=%" PRIu64 " used=%" PRIu64 " name=%s\n",
		chunk->offset, chunk->kind, chunk->owner, chunk->bytes,
		chunk->used_bytes, name ? name : "unknown");
	if (chunk->kind == WIRE_PROCESS)
		dump_process(out, chunk);
	if (chunk->kind == WIRE_INHERITED)
		dump_inherited(out, chunk);
	if (chunk->kind == WIRE_MODULE)
		dump_module(out, chunk, with_functions);
	if (chunk->kind == WIRE_THREADS)
		dump_threads(out, chunk);
	if (chunk->kind == WIRE_RULES)
		dump_rules(out, chunk);
	if (chunk->kind == WIRE_LEFT_OUT)
		dump_left_out(out, chunk);
	if (chunk->kind == WIRE_HOOKING)
		dump_hooking(out, chunk);
	if (chunk->kind == WIRE_SAMPLES)
		dump_samples(out, chunk);
	if (chunk->kind == WIRE_HISTOGRAMS)
		dump_histograms(out, chunk);
	dump_runtimes(out, chunk);
	dump_values(out, chunk);
	dump_imported(out, chunk);
	dump_probes(out, chunk);
	dump_marks(out, chunk);
}

void dump_part(FILE *out, const struct part_copy *part, int with_functions)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	dump_header(out, part);
	while (part_next_chunk(part, &cursor, &chunk))
		dump_chunk(out, &chunk, with_functions);
	dump_tallies(out, part);
	if (part->damage)
		fprintf(out, "damage text=%s\n", part->damage);
}
