/* SPDX-License-Identifier: MIT */
/* JSON of the data that every report has: totals, losses, error bounds. */
#include "report/write/json.h"

#include "report/recording/imported_reader.h"
#include "report/view/gaps.h"

/* Writes what an imported recording's numbers are. */
static void write_import(struct json_stream *stream,
			 const struct summary *summary)
{
	const uint32_t flags = summary->import_flags;

	if (!summary->is_imported)
		return;
	json_member(stream, "imported",
		    json_pack("{sssbsbsb}", "from",
			      import_format_text(summary->import_format),
			      "calls", (flags & WIRE_IMPORT_CALLS) != 0,
			      "samples", (flags & WIRE_IMPORT_SAMPLES) != 0,
			      "estimated_contexts",
			      (flags & WIRE_IMPORT_ESTIMATED) != 0));
}

static json_t *intrinsics_of(struct catalog *catalog)
{
	json_t *names = json_array();

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++)
		if (catalog->functions[i].is_intrinsic)
			json_array_append_new(
				names,
				json_text(catalog_name(catalog, (uint32_t)i)));
	return names;
}

static json_t *totals_of(struct session *session)
{
	const struct summary *summary = &session->summary;
	json_t *totals = json_pack(
		"{sosososososososo}", "calls", json_number(summary->calls),
		"contexts", json_number(summary->contexts), "processes",
		json_number(summary->processes), "threads",
		json_number(summary->threads), "folded",
		json_number(summary->folded_calls), "stray",
		json_number(summary->strays), "time_ns",
		json_number(session->value ? 0 : summary->time_ns), "samples",
		json_number(summary->samples));

	if (summary->time == SUMMARY_TIME_TRACE)
		json_object_set_new(totals, "trace_time",
				    json_string(summary_is_guess(summary)
							? "shared"
							: "measured"));
	if (summary->folds_recursion) {
		json_object_set_new(totals, "folds_recursion", json_true());
		json_object_set_new(totals, "fold_beyond",
				    json_number(summary->fold_beyond));
	}
	if (session->from_ns > 0 || session->to_ns > 0) {
		json_object_set_new(totals, "from_ns",
				    json_number(session->from_ns));
		json_object_set_new(totals, "to_ns",
				    json_number(session->to_ns));
	}
	if (summary->natives.calls > 0)
		json_object_set_new(
			totals, "natives",
			json_pack("{sososo}", "calls",
				  json_number(summary->natives.calls), "ns",
				  json_number(summary->natives.ns),
				  "intrinsics",
				  intrinsics_of(&session->catalog)));
	if (summary_is_sampled(summary)) {
		json_object_set_new(totals, "samples_per_s",
				    json_number(summary_rate_hz(summary)));
		json_object_set_new(totals, "fine_clock_threads",
				    json_number(summary->fine_threads));
		if (summary->coarse != WIRE_COARSE_NOT)
			json_object_set_new(
				totals, "coarse_clock",
				json_text(coarse_text(summary->coarse)));
		json_object_set_new(totals, "unseen_ns_95",
				    json_number(summary->unseen_ns));
	}
	return totals;
}

static json_t *value_of(const struct value_sum *value)
{
	return json_pack("{sosssIso}", "name", json_text(value->name), "unit",
			 unit_text(value->unit), "total",
			 (json_int_t)value->total, "contexts",
			 json_number(value->rows));
}

/*
 * Writes the values that agents counted, and the one that replaces time, if
 * any.
 */
static void write_values(struct json_stream *stream,
			 const struct session *session)
{
	json_t *values = json_array();

	for (size_t i = 0; i < session->values.count; i++)
		json_array_append_new(values,
				      value_of(&session->values.items[i]));
	json_member(stream, "values", values);
	if (session->value)
		json_member(stream, "value", value_of(session->value));
}

static json_t *place_of(const struct listed_place *place)
{
	json_t *object = json_pack(
		"{sososs}", "module", json_text(place->module), "vaddr",
		json_number(place->vaddr), "way", probe_tier_text(place->tier));

	if (place->reason)
		json_object_set_new(
			object, "reason",
			json_string(probe_reason_text(place->reason)));
	return object;
}

static json_t *crashes_of(const struct listed_probe *probe)
{
	json_t *crashes = json_array();

	for (size_t i = 0; i < probe->crash_count; i++) {
		const struct listed_crash *crash = &probe->crashes[i];

		json_array_append_new(
			crashes, json_pack("{sososososi}", "module",
					   json_text(crash->file), "vaddr",
					   json_number(crash->vaddr), "address",
					   json_number(crash->address), "tid",
					   json_number(crash->tid), "signal",
					   (int)crash->signal));
	}
	return crashes;
}

/*
 * Adds a probe's actions and crashes, and the numbers of hits that do not count
 * or were not fully handled.
 */
static void add_actions(json_t *object, const struct listed_probe *probe)
{
	json_t *actions = json_array();

	for (size_t i = 0; i < probe->action_count; i++)
		json_array_append_new(actions, json_text(probe->actions[i]));
	json_object_set_new(object, "actions", actions);
	json_object_set_new(object, "refused", json_number(probe->refused));
	json_object_set_new(object, "unknown", json_number(probe->unknown));
	json_object_set_new(object, "over_limit", json_number(probe->over));
	json_object_set_new(object, "not_kept", json_number(probe->lost));
	json_object_set_new(object, "in_handlers", json_number(probe->inside));
	json_object_set_new(object, "not_called", json_number(probe->uncalled));
	json_object_set_new(object, "crashes", crashes_of(probe));
}

static json_t *probe_of(const struct session *session,
			const struct listed_probe *probe)
{
	const struct value_sum *hits =
		value_list_find(&session->values, probe->name);
	json_t *places = json_array();
	json_t *object =
		json_pack("{sssososbso}", "name", probe->name, "place",
			  json_text(probe->text), "hits",
			  json_number(hits ? (uint64_t)hits->total : 0),
			  "removed", probe->is_removed, "places", places);

	for (size_t i = 0; i < probe->place_count; i++)
		json_array_append_new(places, place_of(&probe->places[i]));
	if (probe->action_count)
		add_actions(object, probe);
	if (!listed_probe_places(probe))
		json_object_set_new(object, "reason",
				    json_string(listed_probe_reason(probe)));
	return object;
}

static void write_probes(struct json_stream *stream,
			 const struct session *session)
{
	json_t *probes = json_array();

	for (size_t i = 0; i < session->probes.count; i++)
		json_array_append_new(
			probes, probe_of(session, &session->probes.items[i]));
	json_member(stream, "probes", probes);
}

/*
 * Returns the durations of regions as pairs: until_ns, and the number of
 * regions that took less than this time but at least half of it. With an
 * until_ns of 1, regions of 0 ns.
 */
static json_t *histogram_of(const struct mark_sum *sum)
{
	json_t *all = json_array();

	for (unsigned int bit = 0; bit < 64; bit++) {
		const uint64_t count = mark_sum_count(sum, bit);

		if (count)
			json_array_append_new(
				all, json_pack("[oo]",
					       json_number(UINT64_C(1) << bit),
					       json_number(count)));
	}
	return all;
}

static json_t *mark_of(const struct mark_sum *sum)
{
	return json_pack(
		"{sososososososososososososo}", "name", json_text(sum->name),
		"moments", json_number(sum->moments), "regions",
		json_number(sum->regions), "total_ns",
		json_number(sum->total_ns), "self_ns",
		json_number(sum->self_ns), "min_ns", json_number(sum->min_ns),
		"median_ns", json_number(sum->median_ns), "max_ns",
		json_number(sum->max_ns), "open", json_number(sum->open),
		"ends", json_number(sum->ends), "p90_ns",
		json_number(sum->p90_ns), "p99_ns", json_number(sum->p99_ns),
		"histogram", histogram_of(sum));
}

/* Writes moments and regions that programs marked. */
static void write_marks(struct json_stream *stream,
			const struct mark_list *marks)
{
	json_t *all = json_array(), *lost = json_object();

	for (size_t i = 0; i < marks->count; i++)
		json_array_append_new(all, mark_of(&marks->sums[i]));
	for (unsigned int i = 0; i < WIRE_MARK_LOSS_COUNT; i++)
		if (marks->lost[i] > 0)
			json_object_set_new(lost, mark_loss_text(i),
					    json_number(marks->lost[i]));
	json_member(stream, "marks", all);
	json_member(stream, "marks_lost", lost);
}

static json_t *presence_of(const struct timings *timings)
{
	return json_pack("{sososo}", "present_ns",
			 json_number(timings->present_ns), "cpu_ns",
			 json_number(timings->cpu_ns), "off_cpu_ns",
			 json_number(timings_off_cpu_ns(timings)));
}

static json_t *gaps_of(const struct catalog *catalog)
{
	json_t *list = json_array();
	struct gaps gaps;

	gaps_init(&gaps, catalog);
	for (size_t i = 0; i < gaps.count; i++) {
		const struct catalog_module *module =
			&catalog->modules[gaps.items[i].module];

		json_array_append_new(
			list,
			json_pack("{sososs}", "module", json_text(module->name),
				  "unknown_code_bytes",
				  json_number(gaps.items[i].bytes), "state",
				  module_state_text(module->state)));
	}
	gaps_fini(&gaps);
	return list;
}

static json_t *partial_of(const struct verdicts *verdicts)
{
	json_t *reasons = json_object();

	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++) {
		if (verdicts->partial_by[i] > 0)
			json_object_set_new(
				reasons, partial_text(i),
				json_number(verdicts->partial_by[i]));
	}
	return reasons;
}

static json_t *verdicts_of(const struct verdicts *verdicts)
{
	return json_pack("{sosososososf}", "verified",
			 json_number(verdicts->verified), "partial",
			 json_number(verdicts->partial), "partial_reasons",
			 partial_of(verdicts), "collisions",
			 json_number(verdicts->collisions), "diverged",
			 json_number(verdicts->diverged), "wrong_at_most",
			 verdicts->wrong_at_most);
}

static json_t *asked_of(const struct asked_stacks *asked)
{
	json_t *when = json_array();

	for (unsigned int i = 0; i < WIRE_ASKED_BINS; i++)
		if (asked->when[i] > 0)
			json_array_append_new(
				when,
				json_pack("[oo]",
					  json_number(i ? UINT64_C(1) << i : 0),
					  json_number(asked->when[i])));
	return json_pack("{sosososososo}", "count", json_number(asked->count),
			 "ns", json_number(asked->ns), "composed",
			 json_number(asked->composed), "verified",
			 json_number(asked->verified), "mismatched",
			 json_number(asked->mismatched), "since_ms", when);
}

static json_t *near_of(const uint64_t *places)
{
	return json_pack("{sososososo}", "leaf",
			 json_number(places[PLACE_LEAF]), "caller",
			 json_number(places[PLACE_CALLER]), "callee",
			 json_number(places[PLACE_CALLEE]), "sibling",
			 json_number(places[PLACE_SIBLING]), "outer",
			 json_number(places[PLACE_OUTER]));
}

static json_t *places_of(const struct sample_places *places)
{
	json_t *native = near_of(places->native);
	json_t *dynamic = near_of(places->dynamic);

	json_object_set_new(native, "other",
			    json_number(places->native[PLACE_MODULE]));
	json_object_set_new(dynamic, "timed",
			    json_number(places->dynamic[PLACE_TIMED]));
	json_object_set_new(dynamic, "newest",
			    json_number(places->dynamic[PLACE_NEWEST]));
	json_object_set_new(dynamic, "maker",
			    json_number(places->dynamic[PLACE_MAKER]));
	json_object_set_new(dynamic, "unknown",
			    json_number(places->dynamic[PLACE_UNKNOWN]));
	return json_pack("{soso}", "native", native, "dynamic", dynamic);
}

static json_t *confidence_of(const struct summary *summary)
{
	json_t *confidence = verdicts_of(&summary->calls_verified);

	json_object_set_new(confidence, "contexts",
			    verdicts_of(&summary->contexts_verified));
	if (summary->jumped_functions)
		json_object_set_new(confidence, "jumped_functions",
				    json_number(summary->jumped_functions));
	if (verdicts_decided(&summary->stacks_verified) > 0)
		json_object_set_new(confidence, "java_stacks",
				    verdicts_of(&summary->stacks_verified));
	if (summary->asked.count > 0)
		json_object_set_new(confidence, "java_stacks_asked",
				    asked_of(&summary->asked));
	if (sample_places_sum(summary->places.dynamic) > 0)
		json_object_set_new(confidence, "samples",
				    places_of(&summary->places));
	return confidence;
}

static json_t *losses_of(const struct summary *summary)
{
	json_t *losses = json_object();

	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (summary->lost_calls[i] > 0)
			json_object_set_new(
				losses, loss_text(i),
				json_number(summary->lost_calls[i]));
	}
	return losses;
}

static json_t *folds_of(const struct summary *summary)
{
	json_t *folds = json_object();

	for (unsigned int i = 0; i < WIRE_FOLD_COUNT; i++) {
		if (summary->folds[i] > 0)
			json_object_set_new(folds, fold_text(summary, i).text,
					    json_number(summary->folds[i]));
	}
	return folds;
}

static json_t *problems_of(const struct recording *recording)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < recording->problem_count; i++)
		json_array_append_new(problems,
				      json_text(recording->problems[i]));
	return problems;
}

static json_t *doubts_of(struct session *session)
{
	const struct summary *summary = &session->summary;
	json_t *functions = json_array();

	for (size_t i = 0; i < summary->looping && i < SUMMARY_LOOPING_MAX; i++)
		json_array_append_new(functions,
				      json_function(&session->catalog,
						    summary->looping_some[i]));
	return json_pack("{soso}", "calls_of_itself",
			 json_number(summary->looping), "functions", functions);
}

static json_t *budget_of(const struct summary_budget *budget)
{
	const uint64_t own_ns = budget->cpu_ns - budget->cost_ns;

	return json_pack("{sfsfsososososo}", "share",
			 (double)budget->thousandths / 1000, "cost_share",
			 own_ns ? (double)budget->cost_ns / (double)own_ns : 0,
			 "call_ps", json_number(budget->call_ps), "left_out",
			 json_number(budget->functions), "exact_calls",
			 json_number(budget->exact_calls), "missed_calls",
			 json_number(budget->missed_calls), "surveys",
			 json_number(budget->surveys));
}

static json_t *waits_of(const struct packet_waits *waits)
{
	return json_pack("{soso}", "count", json_number(waits->count), "ns",
			 json_number(waits->ns));
}

static json_t *hooking_of(const struct hooking_costs *costs)
{
	json_t *modules = json_array();

	for (size_t i = 0; i < costs->count; i++) {
		const struct hooking_cost *cost = &costs->items[i];

		json_array_append_new(
			modules,
			json_pack("{sosososososo}", "path",
				  json_text(cost->path), "loads",
				  json_number(cost->loads), "uncached",
				  json_number(cost->uncached), "analysis_ns",
				  json_number(cost->analysis_ns), "patch_ns",
				  json_number(cost->patch_ns), "start_ns",
				  json_number(cost->before_ns)));
	}
	return modules;
}

static json_t *self_cost_of(const struct session *session)
{
	const struct summary *summary = &session->summary;
	json_t *cost = json_pack(
		"{sosososososo}", "time_ns", json_number(summary->clew_ns),
		"samples", json_number(summary->clew_samples), "shown",
		json_boolean(summary->shows_clew), "hook_ns",
		json_number(summary->hook_ns), "watch_ns",
		json_number(summary->watch_ns), "recorded_bytes",
		json_number(summary->recorded_bytes));

	if (session->hooking.count > 0) {
		json_object_set_new(cost, "start_cpu_ns",
				    json_number(session->hooking.start_ns));
		json_object_set_new(cost, "modules",
				    hooking_of(&session->hooking));
	}
	return cost;
}

void json_summary(struct json_stream *stream, struct session *session)
{
	json_member(stream, "clew", json_string(CLEW_VERSION));
	json_member(stream, "total", totals_of(session));
	write_import(stream, &session->summary);
	json_member(stream, "self_cost", self_cost_of(session));
	if (session->values.count > 0)
		write_values(stream, session);
	if (session->probes.count > 0)
		write_probes(stream, session);
	if (session->marks.count > 0)
		write_marks(stream, &session->marks);
	if (timings_are_there(&session->tree.timings))
		json_member(stream, "presence",
			    presence_of(&session->tree.timings));
	json_member(stream, "coverage",
		    json_coverage(&session->summary.coverage));
	json_member(stream, "not_covered", gaps_of(&session->catalog));
	json_member(stream, "confidence", confidence_of(&session->summary));
	json_member(stream, "in_doubt", doubts_of(session));
	if (session->summary.budget.thousandths > 0)
		json_member(stream, "budget",
			    budget_of(&session->summary.budget));
	json_member(stream, "lost", losses_of(&session->summary));
	json_member(stream, "folded", folds_of(&session->summary));
	json_member(stream, "breakpoint_hits",
		    json_number(session->summary.trap_hits));
	if (session->summary.waits.count > 0)
		json_member(stream, "waits", waits_of(&session->summary.waits));
	json_member(stream, "problems", problems_of(&session->recording));
}

void json_marks(FILE *out, struct session *session)
{
	struct json_stream file = { .out = out };
	struct json_stream object = json_begin(&file, NULL, "{");

	json_summary(&object, session);
	json_end(&object, "}\n");
}
