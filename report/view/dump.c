/* SPDX-License-Identifier: MIT */
#include "report/view/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/idmap.h"
#include "base/memory.h"
#include "report/merge/oddities.h"
#include "report/merge/part_tallies.h"
#include "report/model/function_catalog.h"
#include "report/model/java_name.h"
#include "report/model/jni_usage.h"
#include "report/model/waits.h"
#include "report/recording/bindings_reader.h"
#include "report/recording/makers_reader.h"
#include "report/recording/names_reader.h"
#include "report/recording/rules.h"
#include "report/view/summary.h"
#include "wire/id.h"
#include "wire/verdict.h"
#include "wire/violation.h"

struct dump {
	FILE *out;
	const struct part_copy *part;
	struct part_tallies tallies;
	int with_functions;
};

static void dump_string(FILE *out, const char *key, const char *bytes,
			size_t length)
{
	char *text = memory_string(bytes, strnlen(bytes, length));

	fprintf(out, " %s=%s\n", key, text_printable(text));
	free(text);
}

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
		" latest_tsc=%" PRIu64 " latest_ns=%" PRIu64 " name=%s\n",
		header->time, header->rate_hz, header->period_ns,
		header->first.tsc, header->first.ns, header->latest.tsc,
		header->latest.ns,
		header->time < sizeof(names) / sizeof(*names)
			? names[header->time]
			: "unknown");
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
		header->hook_ns, header->max_contexts, header->contexts,
		header->max_bytes);
	dump_string(out, "file", part->name, strlen(part->name));
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (header->losses[i] > 0)
			fprintf(out, "loss cause=%u calls=%" PRIu64 "\n", i,
				header->losses[i]);
	}
	dump_time(out, header);
	if (header->trap_hits > 0)
		fprintf(out, "traps hits=%" PRIu64 "\n", header->trap_hits);
	if (header->java != WIRE_JAVA_NONE)
		fprintf(out,
			"java state=%" PRIu32 " unnamed=%" PRIu32
			" relayless=%" PRIu64 " callerless=%" PRIu64
			" stackless=%" PRIu64 " verified=%" PRIu64
			" mismatched=%" PRIu64 " text=%s\n",
			header->java, header->unnamed_natives,
			header->relayless_natives, header->callerless_natives,
			header->stackless_natives, header->verified_stacks,
			header->mismatched_stacks, java_text(header->java));
	if (header->asked_stacks > 0)
		fprintf(out, "java-stacks asked=%" PRIu64 " ns=%" PRIu64 "\n",
			(uint64_t)header->asked_stacks,
			(uint64_t)header->asked_ns);
	if (header->jni != WIRE_JNI_NONE)
		fprintf(out, "jni state=%" PRIu32 " unnoted=%" PRIu32 "\n",
			header->jni, header->unnoted_jni);
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

static void dump_process(const struct dump *dump,
			 const struct part_chunk *chunk)
{
	const char *at = (const char *)chunk->payload;
	const char *stop = at + chunk->used_bytes;

	while (at < stop) {
		fputs("argument", dump->out);
		dump_string(dump->out, "text", at, (size_t)(stop - at));
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

static void dump_module(const struct dump *dump, const struct part_chunk *chunk)
{
	const struct wire_module *module;
	struct module_record record;

	if (!module_record_of(chunk, &record))
		return;
	module = record.module;
	fprintf(dump->out,
		"module base=%#" PRIx64 " start=%#" PRIx64 " end=%#" PRIx64
		" state=%" PRIu32 " first=%" PRIu32 " functions=%" PRIu32
		" cached=%" PRIu32 " loaded_ns=%" PRIu64 " unloaded_ns=%" PRIu64
		" build_id=",
		module->base, module->vaddr_start, module->vaddr_end,
		module->state, module->first_function, module->function_count,
		module->from_cache, module->loaded_ns, module->unloaded_ns);
	for (uint32_t i = 0;
	     i < module->build_id_bytes && i < sizeof(module->build_id); i++)
		fprintf(dump->out, "%02x", module->build_id[i]);
	dump_string(dump->out, "path", record.path, record.path_bytes);
	if (dump->with_functions)
		dump_functions(dump->out, &record);
}

static void dump_threads(const struct dump *dump,
			 const struct part_chunk *chunk)
{
	const struct wire_thread *threads = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*threads); i++) {
		if (threads[i].tid == 0)
			continue;
		fprintf(dump->out,
			"thread tid=%" PRIu32 " tally=%" PRIu32
			" start_ns=%" PRIu64,
			threads[i].tid, threads[i].tally, threads[i].start_ns);
		dump_string(dump->out, "name", threads[i].name,
			    sizeof(threads[i].name));
	}
}

static void dump_rules(const struct dump *dump, const struct part_chunk *chunk)
{
	struct recorded_rule rule;
	size_t cursor = 0;

	while (rule_next(chunk, &cursor, &rule)) {
		fprintf(dump->out, "rule matches=%" PRIu64, rule.matches);
		dump_string(dump->out, "text", rule.text, rule.text_bytes);
	}
}

static void dump_wait(FILE *out, uint32_t wait)
{
	char *name = wait_text(wait);

	fprintf(out, " wait=%s", name);
	free(name);
}

static void dump_samples(const struct dump *dump,
			 const struct part_chunk *chunk)
{
	const struct wire_sample *samples = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*samples); i++) {
		const struct wire_sample *sample = &samples[i];

		if (sample->tsc == 0)
			continue;
		fprintf(dump->out,
			"sample tally=%" PRIu32 " tsc=%" PRIu64
			" id=%#018" PRIx64 " pc=%#" PRIx64
			" blocked=%d kernel=%d clew=%d weight_ns=%" PRIu64
			" looks=%" PRIu32,
			chunk->owner, sample->tsc, sample->id,
			sample->where & WIRE_SAMPLE_PC,
			(sample->where & WIRE_SAMPLE_BLOCKED) != 0,
			(sample->where & WIRE_SAMPLE_KERNEL) != 0,
			(sample->where & WIRE_SAMPLE_CLEW) != 0,
			wire_sample_ns(sample), wire_sample_looks(sample));
		if (sample->where & WIRE_SAMPLE_BLOCKED)
			dump_wait(dump->out, wire_sample_wait(sample));
		fputc('\n', dump->out);
	}
}

/* Without the empty bins: "bin 5=17" for 17 calls of 32 to 63 ticks. */
static void dump_histograms(const struct dump *dump,
			    const struct part_chunk *chunk)
{
	const struct wire_histogram *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		fprintf(dump->out,
			"histogram tally=%" PRIu32 " function=%" PRIu32,
			chunk->owner, items[i].function);
		if (items[i].caller)
			fprintf(dump->out, " caller=%" PRIu32, items[i].caller);
		for (unsigned int bin = 0; bin < WIRE_BINS; bin++)
			if (items[i].bins[bin])
				fprintf(dump->out, " %u=%" PRIu64, bin,
					items[i].bins[bin]);
		fputc('\n', dump->out);
	}
}

static void dump_ranges(const struct dump *dump, const struct part_chunk *chunk)
{
	static const char *const names[] = {
		[WIRE_RANGE_MODULE] = "module",
		[WIRE_RANGE_JAVA] = "java",
		[WIRE_RANGE_GENERATED] = "generated",
		[WIRE_RANGE_PROBE] = "probe",
		[WIRE_RANGE_JAVA_STACK] = "java_stack",
		[WIRE_RANGE_JNI] = "jni",
		[WIRE_RANGE_JNI_NAME] = "jni_name",
		[WIRE_RANGE_JAVA_NATIVE] = "java_native",
	};
	const struct wire_range *ranges = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*ranges); i++)
		fprintf(dump->out,
			"range first=%" PRIu32 " count=%" PRIu32
			" kind=%" PRIu32 " name=%s\n",
			ranges[i].first, ranges[i].count, ranges[i].kind,
			ranges[i].kind < WIRE_RANGE_KIND_COUNT
				? names[ranges[i].kind]
				: "unknown");
}

static void dump_names(const struct dump *dump, const struct part_chunk *chunk)
{
	struct recorded_name name;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &name)) {
		fprintf(dump->out, "name number=%" PRIu32, name.number);
		dump_string(dump->out, "text", name.text, name.text_bytes);
	}
}

static void dump_sources(const struct dump *dump,
			 const struct part_chunk *chunk)
{
	struct recorded_name source;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &source)) {
		const size_t length = strnlen(source.text, source.text_bytes);
		const struct wire_line *lines =
			(const void *)(source.text +
				       ((length + 4) & ~(size_t)3));
		const struct wire_line *end =
			(const void *)(source.text +
				       (source.text_bytes & ~(size_t)3));

		fprintf(dump->out,
			"source number=%" PRIu32 " lines=", source.number);
		for (const struct wire_line *line = lines; line < end; line++)
			fprintf(dump->out, "%s%u:%u", line > lines ? "," : "",
				line->bytecode, line->line);
		dump_string(dump->out, "file", source.text, length);
	}
}

static void dump_call_places(const struct dump *dump,
			     const struct part_chunk *chunk)
{
	struct recorded_name stack;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &stack)) {
		const uint16_t *calls = (const void *)stack.text;

		fprintf(dump->out,
			"calls number=%" PRIu32 " bytecodes=", stack.number);
		for (size_t i = 0; i < stack.text_bytes / sizeof(*calls); i++)
			fprintf(dump->out, "%s%u", i ? "," : "", calls[i]);
		fputc('\n', dump->out);
	}
}

/* What follows is as the recording has it. */
static void dump_code_lines(const struct dump *dump,
			    const struct part_chunk *chunk)
{
	size_t left = chunk->used_bytes;
	const unsigned char *at = chunk->payload;

	while (left >= sizeof(struct wire_code_lines)) {
		const struct wire_code_lines *lines = (const void *)at;
		const size_t bytes = sizeof(*lines) +
				     (((size_t)lines->bytes + 7) & ~(size_t)7);

		if (bytes > left)
			return;
		fprintf(dump->out,
			"code_lines start=%#" PRIx64 " tsc=%" PRIu64
			" methods=%" PRIu32 " bytes=%" PRIu32 "\n",
			lines->start, lines->tsc, lines->methods, lines->bytes);
		at += bytes;
		left -= bytes;
	}
}

static void dump_times(const struct dump *dump, const struct count_span *span)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct wire_times *times = count_span_times(span, i);

		if (!times || !span->items[i].id ||
		    (!times->ended && !times->self && !times->latest))
			continue;
		fprintf(dump->out,
			"times tally=%" PRIu32 " id=%#018" PRIx64
			" ended=%" PRIu64 " total_ticks=%" PRIu64
			" self_ticks=%" PRIu64 " min_ticks=%" PRIu64
			" max_ticks=%" PRIu64 " clamped=%" PRIu64
			" latest_ticks=%" PRIu64 "\n",
			span->tally, (uint64_t)span->items[i].id, times->ended,
			times->total, times->self, times->min, times->max,
			times->clamped, times->latest);
	}
}

static void dump_bindings(const struct dump *dump,
			  const struct part_chunk *chunk)
{
	struct recorded_binding binding;
	size_t cursor = 0;

	while (bindings_next(chunk, &cursor, &binding)) {
		char *name = java_name_of(binding.class_name, binding.name,
					  binding.signature);

		fprintf(dump->out,
			"binding pc=%#" PRIx64 " bound_ns=%" PRIu64
			" number=%" PRIu32 " intrinsic=%d",
			binding.pc, binding.bound_ns, binding.number,
			binding.is_intrinsic);
		dump_string(dump->out, "method", name, strlen(name));
		free(name);
	}
}

static void dump_codes(const struct dump *dump, const struct part_chunk *chunk)
{
	struct recorded_code code;
	size_t cursor = 0;

	while (codes_next(chunk, &cursor, &code)) {
		char *name =
			code.kind == WIRE_CODE_JAVA
				? java_name_of(code.class_name, code.name,
					       code.signature)
				: memory_string(code.name, strlen(code.name));

		fprintf(dump->out,
			"code start=%#" PRIx64 " bytes=%" PRIu64 " tsc=%" PRIu64
			" kind=%d",
			code.start, code.code_bytes, code.tsc, (int)code.kind);
		dump_string(dump->out, "name", name, strlen(name));
		free(name);
	}
}

static void dump_jni_notes(const struct dump *dump,
			   const struct part_chunk *chunk)
{
	const struct wire_jni_note *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		if (items[i].id == 0)
			continue;
		fprintf(dump->out,
			"jni-note id=%#018" PRIx64 " what=%" PRIu32
			" name=%" PRIu32 " count=%" PRIu64 " amount=%" PRIu64
			" most=%" PRIu64 " text=%s\n",
			(uint64_t)items[i].id, items[i].what, items[i].name,
			(uint64_t)items[i].count, (uint64_t)items[i].amount,
			(uint64_t)items[i].most, jni_what_text(items[i].what));
	}
}

static void dump_jitdump(const struct dump *dump,
			 const struct part_chunk *chunk)
{
	fputs("jitdump", dump->out);
	dump_string(dump->out, "path", (const char *)chunk->payload,
		    chunk->used_bytes);
}

static void dump_makers(const struct dump *dump, const struct part_chunk *chunk)
{
	struct recorded_maker maker;
	size_t cursor = 0;

	while (makers_next(chunk, &cursor, &maker)) {
		fprintf(dump->out,
			"maker pc=%#" PRIx64 " start=%#" PRIx64 " end=%#" PRIx64
			" tsc=%" PRIu64 " gone_tsc=%" PRIu64,
			maker.pc, maker.start, maker.end, maker.tsc,
			maker.gone_tsc);
		dump_string(dump->out, "name", maker.name, maker.name_bytes);
	}
}

static void dump_chunk(const struct dump *dump, const struct part_chunk *chunk)
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
		[WIRE_CALL_PLACES] = "call_places",
		[WIRE_JNI_NOTES] = "jni_notes",
		[WIRE_MAKERS] = "makers",
		[WIRE_CODE_LINES] = "code_lines",
	};
	const char *name = chunk->kind < sizeof(names) / sizeof(*names)
				   ? names[chunk->kind]
				   : "unknown";

	fprintf(dump->out,
		"chunk offset=%" PRIu64 " kind=%" PRIu32 " owner=%" PRIu32
		" bytes=%" PRIu64 " used=%" PRIu64 " name=%s\n",
		chunk->offset, chunk->kind, chunk->owner, chunk->bytes,
		chunk->used_bytes, name);
	if (chunk->kind == WIRE_PROCESS)
		dump_process(dump, chunk);
	if (chunk->kind == WIRE_MODULE)
		dump_module(dump, chunk);
	if (chunk->kind == WIRE_THREADS)
		dump_threads(dump, chunk);
	if (chunk->kind == WIRE_RULES)
		dump_rules(dump, chunk);
	if (chunk->kind == WIRE_SAMPLES)
		dump_samples(dump, chunk);
	if (chunk->kind == WIRE_BINDINGS)
		dump_bindings(dump, chunk);
	if (chunk->kind == WIRE_CODES)
		dump_codes(dump, chunk);
	if (chunk->kind == WIRE_JITDUMP)
		dump_jitdump(dump, chunk);
	if (chunk->kind == WIRE_MAKERS)
		dump_makers(dump, chunk);
	if (chunk->kind == WIRE_HISTOGRAMS)
		dump_histograms(dump, chunk);
	if (chunk->kind == WIRE_RANGES)
		dump_ranges(dump, chunk);
	if (chunk->kind == WIRE_NAMES)
		dump_names(dump, chunk);
	if (chunk->kind == WIRE_SOURCES)
		dump_sources(dump, chunk);
	if (chunk->kind == WIRE_CALL_PLACES)
		dump_call_places(dump, chunk);
	if (chunk->kind == WIRE_JNI_NOTES)
		dump_jni_notes(dump, chunk);
	if (chunk->kind == WIRE_CODE_LINES)
		dump_code_lines(dump, chunk);
}

static void dump_verdicts(FILE *out, uint32_t tally, const char *of,
			  const struct wire_verdicts *verdicts)
{
	fprintf(out,
		"verdicts tally=%" PRIu32 " of=%s verified=%" PRIu64
		" collisions=%" PRIu64 " diverged=%" PRIu64 " partial=",
		tally, of, verdicts->verified, verdicts->collisions,
		verdicts->diverged);
	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", verdicts->partial[i]);
	fputc('\n', out);
}

static void dump_tally(FILE *out, const struct part_tally *tally)
{
	const struct wire_tally *head = tally->head;

	fprintf(out,
		"tally number=%" PRIu32 " table=%" PRIu64 ":%u"
		" retired=%" PRIu64 ":%u contexts=%" PRIu64
		" folded_calls=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 " paused_ticks=%" PRIu64 " present_ns=%" PRIu64
		" cpu_ns=%" PRIu64 "\n",
		tally->number, wire_table_offset(head->table),
		wire_table_log2(head->table), wire_table_offset(head->retired),
		wire_table_log2(head->retired), head->contexts,
		head->folded_calls[WIRE_FOLD_CONTEXTS],
		head->folded_calls[WIRE_FOLD_BYTES],
		head->folded_calls[WIRE_FOLD_SPACE],
		head->folded_calls[WIRE_FOLD_MEMORY],
		head->folded_calls[WIRE_FOLD_FILTER], head->paused_ticks,
		head->present_ns, head->cpu_ns);
	dump_verdicts(out, tally->number, "calls", &head->calls);
	dump_verdicts(out, tally->number, "firsts", &head->firsts);
}

/* A number that tells the same id in two tallies apart. */
static uint64_t key_of(uint32_t tally, uint64_t id)
{
	uint64_t key = id_push(id, tally);

	return key ? key : 1;
}

static void dump_contexts(const struct dump *dump,
			  const struct context_span *span,
			  const struct idmap *calls)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct wire_context *context = &span->items[i];
		const uint64_t *number;

		if (context->id == 0)
			continue;
		number = idmap_find(calls, key_of(span->tally, context->id));
		fprintf(dump->out,
			"context tally=%" PRIu32 " id=%#018" PRIx64
			" parent=%#018" PRIx64 " function=%" PRIu32
			" depth=%" PRIu32 " site=%#" PRIx64
			" tail=%d calls=%" PRIu64 "\n",
			span->tally, wire_context_id(context),
			id_pop(wire_context_id(context),
			       id_key(context->function)),
			context->function, context->depth,
			context->site & WIRE_SITE_PC, wire_is_tail(context),
			number ? *number : 0);
	}
}

static void dump_tallies(const struct dump *dump)
{
	const struct part_tallies *tallies = &dump->tallies;
	struct idmap calls = { 0 };

	for (size_t i = 0; i < tallies->count; i++)
		dump_tally(dump->out, &tallies->items[i]);
	for (size_t i = 0; i < tallies->count_spans; i++) {
		const struct count_span *span = &tallies->counts[i];

		for (size_t j = 0; j < span->count; j++) {
			if (span->items[j].id == 0)
				continue;
			*idmap_at(&calls,
				  key_of(span->tally, span->items[j].id)) +=
				wire_calls(&span->items[j]);
		}
	}
	for (size_t i = 0; i < tallies->context_spans; i++)
		dump_contexts(dump, &tallies->contexts[i], &calls);
	for (size_t i = 0; i < tallies->count_spans; i++)
		dump_times(dump, &tallies->counts[i]);
	idmap_fini(&calls);
}

void dump_part(FILE *out, const struct part_copy *part, int with_functions)
{
	struct dump dump = {
		.out = out,
		.part = part,
		.with_functions = with_functions,
	};
	struct part_chunk chunk;
	uint64_t cursor = 0;

	dump_header(out, part);
	while (part_next_chunk(part, &cursor, &chunk))
		dump_chunk(&dump, &chunk);
	part_tallies_init(&dump.tallies, part);
	dump_tallies(&dump);
	part_tallies_fini(&dump.tallies);
	if (part->damage)
		fprintf(out, "damage text=%s\n", part->damage);
}
