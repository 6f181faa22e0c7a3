/* SPDX-License-Identifier: MIT */
/* See summary.h. */
#include "report/view/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/merge/part_tallies.h"
#include "report/model/confidence.h"
#include "report/recording/imported_reader.h"

static void add_budget(struct summary_budget *budget,
		       const struct wire_header *header)
{
	if (header->budget > budget->thousandths)
		budget->thousandths = header->budget;
	budget->cpu_ns += header->budget_cpu_ns;
	budget->cost_ns += header->budget_cost_ns;
	budget->surveys += header->budget_surveys;
	if (header->budget_call_ps > budget->call_ps)
		budget->call_ps = header->budget_call_ps;
}

void summary_add_part(struct summary *summary, const struct part_copy *part)
{
	const struct wire_moment *first = &part->header->first;
	const struct wire_moment *latest = &part->header->latest;
	struct part_tallies tallies;
	struct recorded_import import;
	uint64_t limit = part->header->max_contexts;

	recorded_times_add(&summary->times, part);
	if (import_of(part, &import)) {
		if (!summary->is_imported) {
			summary->is_imported = 1;
			summary->import_format = import.format;
			summary->import_flags = import.flags;
		}
		summary->has_unknown_calls |=
			!(import.flags & WIRE_IMPORT_CALLS);
	}
	if (latest->ns > first->ns && latest->ns - first->ns > summary->ran_ns)
		summary->ran_ns = latest->ns - first->ns;

	if (limit && (!summary->max_contexts || limit < summary->max_contexts))
		summary->max_contexts = limit;
	limit = part->header->max_bytes;
	if (limit && (!summary->max_bytes || limit < summary->max_bytes))
		summary->max_bytes = limit;
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		summary->lost_calls[i] += part->header->losses[i];
	summary->trap_hits += part->header->trap_hits;
	if (part->header->folds_recursion == 1) {
		summary->folds_recursion = 1;
		summary->fold_beyond = part->header->fold_beyond;
	}
	summary->is_in_place |= wire_java_is_in_place(part->header->java);
	summary->hook_ns += part->header->hook_ns;
	summary->watch_ns += part->header->watch_ns;
	summary->recorded_bytes += part->size_bytes;
	if (summary->time == WIRE_TIME_NONE) {
		summary->time = part->header->time;
		summary->rate_hz = part->header->rate_hz;
	}
	summary->fine_threads += part->header->events;
	if (part->header->coarse != WIRE_COARSE_NOT)
		summary->coarse = part->header->coarse;
	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++)
		summary->lost_samples[i] += part->header->sample_losses[i];
	verdicts_add(&summary->stacks_verified,
		     &(struct wire_verdicts){
			     .verified = part->header->verified_stacks,
			     .diverged = part->header->mismatched_stacks });
	summary->asked.count += part->header->asked_stacks;
	summary->asked.ns += part->header->asked_ns;
	summary->frozen_natives += part->header->frozen_natives;
	summary->jumped_functions += part->header->jumped_functions;
	summary->asked.composed += part->header->composed_stacks;
	summary->asked.verified += part->header->verified_composed;
	summary->asked.mismatched += part->header->mismatched_composed;
	for (unsigned int i = 0; i < WIRE_ASKED_BINS; i++)
		summary->asked.when[i] += part->header->asked_when[i];
	add_budget(&summary->budget, part->header);
	part_tallies_init(&tallies, part);
	for (size_t i = 0; i < tallies.count; i++) {
		const struct wire_tally *head = tallies.items[i].head;

		for (unsigned int j = 0; j < WIRE_FOLD_COUNT; j++) {
			summary->folds[j] += head->folded_calls[j];
			summary->folded_calls += head->folded_calls[j];
		}
		verdicts_add(&summary->calls_verified, &head->calls);
		verdicts_add_firsts(&summary->contexts_verified, head,
				    part->header->verify_period);
	}
	part_tallies_fini(&tallies);
}

/* What trees have of each function. */
struct of_function {
	uint64_t calls;
	uint8_t is_there;  /* whether it has a node */
	uint8_t is_native; /* whether its kind is KIND_JNI */
	uint8_t is_found;  /* whether find_looping() has counted it */
};

/* The caller frees the result. */
static struct of_function *functions_of(struct catalog *catalog,
					const struct tree *tree)
{
	struct of_function *functions =
		memory_zeroed(catalog->function_count, sizeof(*functions));

	for (size_t i = 1; i < tree->count; i++) {
		struct of_function *one = &functions[tree->nodes[i].function];

		one->calls += tree->nodes[i].calls;
		one->is_there = 1;
	}
	for (uint32_t i = 0; i < catalog->function_count; i++)
		functions[i].is_native = functions[i].is_there &&
					 catalog_kind(catalog, i) == KIND_JNI;
	return functions;
}

static int has_looping(const struct catalog *catalog,
		       const struct of_function *functions)
{
	for (size_t i = 0; i < catalog->function_count; i++)
		if (functions[i].calls > 0 &&
		    catalog_loops(&catalog->functions[i]))
			return 1;
	return 0;
}

/* Counts each called function with a loop once. */
static void find_looping(struct summary *summary, const struct catalog *catalog,
			 const struct tree *tree, struct of_function *functions)
{
	if (!has_looping(catalog, functions))
		return;
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (functions[node->function].is_found || node->calls == 0 ||
		    !catalog_loops(&catalog->functions[node->function]))
			continue;
		functions[node->function].is_found = 1;
		if (summary->looping < SUMMARY_LOOPING_MAX)
			summary->looping_some[summary->looping] =
				node->function;
		summary->looping++;
	}
}

/*
 * Adds up the calls of functions that were always counted, and the missed calls
 * of the other functions.
 */
static void find_left_out(struct summary_budget *budget,
			  const struct catalog *catalog,
			  const struct of_function *functions)
{
	for (size_t i = 0; i < catalog->function_count; i++) {
		const struct left_out *left = catalog->functions[i].left_out;

		if (!left) {
			budget->exact_calls += functions[i].calls;
			continue;
		}
		budget->functions++;
		budget->missed_calls += left->missed;
	}
}

static int has_natives(const struct catalog *catalog,
		       const struct of_function *functions)
{
	for (size_t i = 0; i < catalog->function_count; i++)
		if (functions[i].is_native)
			return 1;
	return 0;
}

/* Sums calls from Java into native code and the time until they return. */
static void find_natives(struct summary *summary, const struct catalog *catalog,
			 const struct tree *tree,
			 const struct of_function *functions)
{
	uint8_t *is_inside;

	if (!has_natives(catalog, functions))
		return;
	is_inside = memory_zeroed(tree->count, 1);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const int is_native = functions[node->function].is_native;

		is_inside[i] = is_native || is_inside[node->parent];
		if (!is_native)
			continue;
		summary->natives.calls += node->calls;
		if (!is_inside[node->parent])
			summary->natives.ns += tree_below(tree, i).ns;
	}
	free(is_inside);
}

/*
 * Returns the sum of the squares of the samples' times. Samples of one node are
 * assumed to have equal times.
 */
static double squares_of(const struct tree *tree)
{
	double sum = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);

		sum += sampled_alike((double)self.ns, (double)self.samples)
			       .squares;
	}
	return sum;
}

static void find_errors(struct summary *summary, const struct tree *tree)
{
	summary->squares_ns2 = squares_of(tree);
	summary->unseen_ns = (uint64_t)((double)summary->time_ns *
					summary_own_share(summary, 0, 0).high);
}

void summary_narrow(struct summary *summary, const struct tree *tree)
{
	const struct measure all = tree_below(tree, TREE_ROOT);

	summary->calls = all.calls;
	summary->time_ns = all.ns;
	summary->samples = all.samples;
	summary->contexts = 0;
	for (size_t i = 1; i < tree->count; i++)
		summary->contexts += tree->nodes[i].is_context;
	find_errors(summary, tree);
}

void summary_finish(struct summary *summary, const struct recording *recording,
		    struct catalog *catalog, const struct tree *tree,
		    const struct merged *merged)
{
	struct coverage *modules = coverage_of_modules(catalog);
	struct of_function *functions;

	summary->calls = tree->below[TREE_ROOT];
	summary->contexts = merged->contexts;
	summary->time_ns = tree_below(tree, TREE_ROOT).ns;
	summary->samples = merged->samples;
	summary->places = merged->places;
	summary->clew_ns = merged->clew_ns;
	summary->unsampled_ns = merged->unsampled_ns;
	summary->unsampled_threads = merged->unsampled_threads;
	summary->clew_samples = merged->clew_samples;
	summary->trace_ns = merged->trace_ns;
	summary->divided_ns = merged->divided_ns;
	if (summary->time == WIRE_TIME_NONE && merged->trace_ns > 0)
		summary->time = SUMMARY_TIME_TRACE;
	summary->processes = merged->processes;
	summary->threads = merged->threads;
	summary->follow_ups = merged->follow_ups;
	summary->strays = merged->strays;
	summary->waits = recording->waits;
	summary->hooked_modules =
		coverage_total(catalog, modules, &summary->coverage);
	free(modules);
	find_errors(summary, tree);
	functions = functions_of(catalog, tree);
	find_looping(summary, catalog, tree, functions);
	find_left_out(&summary->budget, catalog, functions);
	find_natives(summary, catalog, tree, functions);
	free(functions);
	verdicts_conclude(&summary->calls_verified);
	verdicts_conclude(&summary->contexts_verified);
	verdicts_conclude(&summary->stacks_verified);
}

static struct sampled whole_of(const struct summary *summary)
{
	return (struct sampled){ (double)summary->time_ns,
				 summary->squares_ns2 };
}

struct share_interval summary_own_share(const struct summary *summary,
					uint64_t ns, uint64_t samples)
{
	return confidence_part(sampled_alike((double)ns, (double)samples),
			       whole_of(summary));
}

struct share_interval summary_total_share(const struct summary *summary,
					  uint64_t ns, uint64_t samples)
{
	const struct sampled all = whole_of(summary);
	struct sampled part = sampled_alike((double)ns, (double)samples);

	if (part.squares < all.squares * part.ns / all.ns)
		part.squares = all.squares * part.ns / all.ns;
	return confidence_part(part, all);
}

uint64_t summary_rate_hz(const struct summary *summary)
{
	double all_ns = (double)(summary->time_ns +
				 (summary->shows_clew ? 0 : summary->clew_ns));
	double all =
		(double)(summary->samples +
			 (summary->shows_clew ? 0 : summary->clew_samples));

	return all_ns > 0 ? (uint64_t)(all * 1e9 / all_ns + 0.5) : 0;
}

uint64_t summary_asked_half_ms(const struct summary *summary)
{
	uint64_t seen = 0;

	for (unsigned int i = 0; i < WIRE_ASKED_BINS; i++) {
		seen += summary->asked.when[i];
		if (2 * seen >= summary->asked.count)
			return UINT64_C(2) << i;
	}
	return 0;
}

const char *time_text(enum wire_time time)
{
	if (time == SUMMARY_TIME_TRACE)
		return "wall time between the stamps of the trace";
	switch (time) {
	case WIRE_TIME_CPU:
		return "CPU time, estimated";
	case WIRE_TIME_WALL:
		return "wall time, estimated";
	case WIRE_TIME_EXACT:
		return "wall time, measured";
	case WIRE_TIME_NONE:
		break;
	}
	return "no time";
}

const char *time_word(enum wire_time time)
{
	static const char *const words[] = {
		[WIRE_TIME_NONE] = "none",      [WIRE_TIME_CPU] = "cpu",
		[WIRE_TIME_WALL] = "wall",      [WIRE_TIME_EXACT] = "exact",
		[SUMMARY_TIME_TRACE] = "trace",
	};

	return time < sizeof(words) / sizeof(*words) ? words[time] : "unknown";
}

const char *sample_loss_text(unsigned int loss)
{
	static const char *const texts[] = {
		[WIRE_SAMPLE_NO_SPACE] =
			"samples are missing: the recording could not grow",
		[WIRE_SAMPLE_NO_TALLY] = "samples are missing: they were of "
					 "threads that count no calls",
		[WIRE_SAMPLE_NO_TIMER] = "threads have no samples: the kernel "
					 "gave them no timer, or code was "
					 "built with -fsplit-stack",
		[WIRE_SAMPLE_NO_PC] =
			("threads have no timer: their samples tell the "
			 "function but no line, and include clew's own time"),
		[WIRE_SAMPLE_BYTES] =
			("samples are missing: they exceed --max-memory or "
			 "the memory limit of the control group"),
	};

	return loss < sizeof(texts) / sizeof(*texts)
		       ? texts[loss]
		       : "samples are missing: unknown reason";
}

const char *coarse_text(unsigned int coarse)
{
	static const char *const texts[] = {
		[WIRE_COARSE_NOT] = "no thread ran for long",
		[WIRE_COARSE_ASKED] = "no finer clock was requested",
		[WIRE_COARSE_ENOUGH] = "the kernel ticks as frequently",
		[WIRE_COARSE_FILTER] = "system calls are filtered",
		[WIRE_COARSE_FORBIDDEN] =
			"the kernel does not permit this user a finer clock",
		[WIRE_COARSE_KERNEL] = "this kernel has no finer clock",
		[WIRE_COARSE_SIGNAL] = "the program uses SIGURG",
		[WIRE_COARSE_ROOM] =
			("a finer clock needs more open files or locked "
			 "memory than the limits permit"),
		[WIRE_COARSE_SILENT] = "the finer clock failed",
		[WIRE_COARSE_RESTLESS] =
			("a finer clock is too expensive where threads often "
			 "wait"),
	};

	return coarse < sizeof(texts) / sizeof(*texts) ? texts[coarse]
						       : "unknown reason";
}

const char *loss_text(unsigned int loss)
{
	static const char *const texts[] = {
		[WIRE_LOSS_NO_SPACE] = "the recording could not grow",
		[WIRE_LOSS_FORK] = "made inside fork() itself",
		[WIRE_LOSS_GENERATED] =
			"made by generated code into its own runtime",
		[WIRE_LOSS_FILTER] =
			"in threads and children behind a system call filter",
		[WIRE_LOSS_SHARED] = "while threads shared a thread pointer",
		[WIRE_LOSS_CHILD] =
			"in children that could not write to the recording",
		[WIRE_LOSS_HANDLER] =
			("made in handlers of probes, or in signal handlers "
			 "on top of them"),
	};

	return loss < sizeof(texts) / sizeof(*texts) ? texts[loss]
						     : "unknown reason";
}

struct fold_text fold_text(const struct summary *summary, unsigned int cause)
{
	static const char *const texts[] = {
		[WIRE_FOLD_SPACE] = "the recording's file could not grow",
		[WIRE_FOLD_MEMORY] =
			"there was no memory or address space to record in",
		[WIRE_FOLD_FILTER] =
			"behind a system call filter there is no more room",
		[WIRE_FOLD_GROUP] =
			("to leave the program memory: the limit of its "
			 "control group, or of the machine, is near"),
	};
	struct fold_text fold = { "unknown reason" };

	if (cause == WIRE_FOLD_CONTEXTS)
		snprintf(fold.text, sizeof(fold.text),
			 "beyond the limit of %s context%s",
			 text_grouped(summary->max_contexts).text,
			 text_plural(summary->max_contexts));
	else if (cause == WIRE_FOLD_BYTES)
		snprintf(fold.text, sizeof(fold.text),
			 "beyond the limit of %s byte%s",
			 text_grouped(summary->max_bytes).text,
			 text_plural(summary->max_bytes));
	else if (cause < sizeof(texts) / sizeof(*texts))
		snprintf(fold.text, sizeof(fold.text), "%s", texts[cause]);
	return fold;
}
