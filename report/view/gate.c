/* SPDX-License-Identifier: MIT */
/* See gate.h. */
#include "report/view/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/view/finder.h"

#define MISS 0.05 /* probability of an error by chance */

struct judging {
	const struct diff *diff;
	struct session *before, *after;
	const struct selection *selection;
	struct diff_table table; /* all selected functions */
};

/*
 * One pair of values, and the probability that chance explains their
 * difference.
 */
struct judged {
	int is_beyond; /* whether the values themselves are beyond the limit */
	/*
	 * Probability that chance alone puts the estimates as far beyond the
	 * limit as they are, or as far within the limit.
	 */
	double beyond, within;
};

static int is_upward(const struct condition *condition)
{
	return condition->operator== CONDITION_ABOVE || condition->operator==
		CONDITION_NOT_BELOW;
}

static int compare_limit(const struct condition *condition, long double before,
			 long double after)
{
	/* The order of operations makes 0.1 % of 1,000 exactly 1. */
	const double limit = condition->is_percent
				     ? (double)before * condition->limit / 100
				     : condition->limit;
	const long double change = after - before;

	switch (condition->operator) {
	case CONDITION_ABOVE:
		return change > limit;
	case CONDITION_NOT_BELOW:
		return change >= limit;
	case CONDITION_BELOW:
		return change < limit;
	case CONDITION_NOT_ABOVE:
		return change <= limit;
	case CONDITION_OTHER:
		break;
	}
	return change != limit;
}

static const struct measure *measure_in(const struct flat_row *row,
					enum diff_key key)
{
	return key == DIFF_TOTAL ? &row->total : &row->self;
}

static void judge_samples(const struct judging *judging,
			  const struct condition *condition,
			  const struct diff_row *row, struct judged *judged)
{
	const struct sampled before =
		diff_sampled(measure_in(&row->before, condition->key),
			     judging->diff->whole_before);
	const struct sampled after =
		diff_sampled(measure_in(&row->after, condition->key),
			     judging->diff->whole_after);
	const double limit = condition->limit, ratio = 1 + limit / 100;
	const double above =
		condition->is_percent
			? confidence_above_ratio(before, after, ratio)
			: confidence_above(before, after, limit);
	const double below =
		condition->is_percent
			? confidence_below_ratio(before, after, ratio)
			: confidence_below(before, after, limit);

	judged->beyond = is_upward(condition) ? above : below;
	judged->within = is_upward(condition) ? below : above;
}

static struct judged judge(const struct judging *judging,
			   const struct condition *condition,
			   const struct diff_row *row)
{
	const uint64_t before = diff_value(&row->before, condition->key);
	const uint64_t after = diff_value(&row->after, condition->key);
	struct judged judged = {
		.is_beyond = compare_limit(condition, (long double)before,
					   (long double)after),
	};

	judged.beyond = judged.is_beyond ? 0 : 1;
	judged.within = judged.is_beyond ? 1 : 0;
	if (condition->key != DIFF_CALLS &&
	    (measure_in(&row->before, condition->key)->samples > 0 ||
	     measure_in(&row->after, condition->key)->samples > 0))
		judge_samples(judging, condition, row, &judged);
	return judged;
}

/* ---- One value ---- */

static void judge_row(const struct judging *judging, const struct diff_row *row,
		      struct gate_result *result)
{
	const struct condition *condition = result->condition;
	const struct judged judged = judge(judging, condition, row);

	result->before = diff_value(&row->before, condition->key);
	result->after = diff_value(&row->after, condition->key);
	if (judged.is_beyond && judged.beyond <= MISS)
		result->state = GATE_FAILED;
	else if (!judged.is_beyond && judged.within <= MISS)
		result->state = GATE_PASSED;
	else
		result->state = GATE_UNDECIDED;
}

/*
 * Adds up the own values of all selected functions, which is also the total of
 * the program.
 */
static void judge_all(const struct judging *judging, struct gate_result *result)
{
	struct diff_row sum = { 0 };

	for (size_t i = 0; i < judging->table.count; i++) {
		const struct diff_row *row = &judging->table.rows[i];

		measure_add(&sum.before.self, &row->before.self);
		measure_add(&sum.after.self, &row->after.self);
	}
	sum.before.total = sum.before.self;
	sum.after.total = sum.after.self;
	judge_row(judging, &sum, result);
}

/* ---- Each function ---- */

static uint64_t change_of(const struct diff_row *row, enum diff_key key)
{
	const uint64_t before = diff_value(&row->before, key);
	const uint64_t after = diff_value(&row->after, key);

	return before > after ? before - after : after - before;
}

static void note_row(const struct diff_row *row, enum gate_state state,
		     struct gate_result *result, uint64_t *largest)
{
	const enum diff_key key = result->condition->key;
	const uint64_t change = change_of(row, key);

	if (state < result->state)
		return;
	if (state > result->state) {
		*result = (struct gate_result){
			.condition = result->condition,
			.state = state,
		};
		*largest = 0;
	} else {
		result->others++;
	}
	if (result->function && change <= *largest)
		return;
	*largest = change;
	result->function = row->function;
	result->before = diff_value(&row->before, key);
	result->after = diff_value(&row->after, key);
}

static void judge_each(const struct judging *judging,
		       struct gate_result *result)
{
	const size_t count = judging->table.count;
	struct judged *all = memory_zeroed(count + 1, sizeof(*all));
	double *chances = memory_zeroed(count + 1, sizeof(*chances));
	uint64_t largest = 0;
	double limit;

	for (size_t i = 0; i < count; i++) {
		all[i] = judge(judging, result->condition,
			       &judging->table.rows[i]);
		chances[i] = all[i].beyond;
	}
	limit = confidence_limit(chances, count);
	for (size_t i = 0; i < count; i++) {
		if (all[i].is_beyond)
			note_row(&judging->table.rows[i],
				 all[i].beyond <= limit ? GATE_FAILED
							: GATE_UNDECIDED,
				 result, &largest);
	}
	free(all);
	free(chances);
}

/* ---- A named function ---- */

static int is_selected(const struct judging *judging, const uint8_t *chosen)
{
	const struct catalog *catalog = judging->diff->catalog;

	for (uint32_t i = 1; i < catalog->function_count; i++) {
		if (chosen[i] &&
		    selection_has_function(judging->selection,
					   judging->diff->catalog, i))
			return 1;
	}
	return 0;
}

static int refuse_function(const struct judging *judging,
			   const struct condition *condition, char **why)
{
	const char *nearest =
		selection_nearest(judging->diff->catalog, condition->function);
	char *plain = nearest ? selection_plain_name(nearest) : NULL;

	if (plain)
		fail(why, -ENODATA,
		     "--fail-if='%s': neither recording has a function %s; "
		     "did you mean %s?",
		     condition->text, condition->function, plain);
	else
		fail(why, -ENODATA,
		     "--fail-if='%s': neither recording has a function %s",
		     condition->text, condition->function);
	free(plain);
	return -ENODATA;
}

/*
 * Returns the length of the name of the function that --collapse replaced by
 * this one; 0 if it replaced none.
 */
static size_t collapsed_length(struct catalog *catalog, uint32_t function)
{
	const char *name = catalog_name(catalog, function);
	const size_t length = strlen(name), end = strlen(TRANSFORM_CALLEES);

	return length > end && strcmp(name + length - end, TRANSFORM_CALLEES) ==
				       0
		       ? length - end
		       : 0;
}

/* Returns the mask of functions that are not created by --collapse. */
static uint8_t *own_functions(struct catalog *catalog)
{
	uint8_t *own = memory_zeroed(catalog->function_count + 1, 1);

	for (uint32_t i = 1; i < catalog->function_count; i++)
		own[i] = collapsed_length(catalog, i) == 0;
	return own;
}

/*
 * Finds the functions of a name; overloads are judged together. A text that is
 * no such name must match one function (finder.h). Returns 0, -ENOTUNIQ or
 * -ESRCH. The caller frees the mask.
 */
static int find_function(struct catalog *catalog, const char *name,
			 uint8_t **chosen)
{
	uint8_t *own;
	int err;

	*chosen = selection_named(catalog, name);
	if (*chosen)
		return 0;
	own = own_functions(catalog);
	err = finder_mask(catalog, own, name, chosen);
	free(own);
	return err == -ESRCH ? finder_mask(catalog, NULL, name, chosen) : err;
}

/* Returns whether --collapse replaced one of the chosen functions by this. */
static int replaces_chosen(struct catalog *catalog, uint32_t function,
			   const uint8_t *chosen, size_t count)
{
	const size_t length = collapsed_length(catalog, function);
	const char *name = catalog_name(catalog, function);

	for (uint32_t i = 1; length && i < count; i++) {
		const char *other = chosen[i] ? catalog_name(catalog, i) : "";

		if (catalog->functions[i].module ==
			    catalog->functions[function].module &&
		    strlen(other) == length && memcmp(other, name, length) == 0)
			return 1;
	}
	return 0;
}

/* Adds the functions by which --collapse replaced the chosen ones. */
static void choose_collapsed(struct catalog *catalog, uint8_t *chosen)
{
	const size_t count = catalog->function_count;

	for (uint32_t i = 1; i < count; i++)
		chosen[i] |=
			(uint8_t)replaces_chosen(catalog, i, chosen, count);
}

/* Returns whether a context of either recording has a chosen function. */
static int has_context(const struct diff *diff, const uint8_t *chosen)
{
	for (size_t i = 1; i < diff->changes.count; i++)
		if (chosen[diff->changes.nodes[i].function])
			return 1;
	return 0;
}

/* Returns whether the session had a chosen function before its transform. */
static int was_called(const struct session *session, const uint8_t *chosen)
{
	for (size_t i = 1; i < session->untransformed_count; i++)
		if (chosen[i] && session->untransformed[i])
			return 1;
	return 0;
}

/*
 * Returns whether the transforms removed or renamed the functions of a name in
 * one of the recordings.
 */
static int was_transformed(const struct judging *judging, const char *name)
{
	struct session *sessions[] = { judging->before, judging->after };
	int was = 0;

	for (size_t i = 0; i < 2; i++) {
		uint8_t *chosen;

		if (find_function(&sessions[i]->catalog, name, &chosen) != 0)
			continue;
		was |= was_called(sessions[i], chosen);
		free(chosen);
	}
	return was;
}

static int refuse_transformed(const struct condition *condition, char **why)
{
	return fail(why, -ENODATA,
		    "--fail-if='%s': --focus, --ignore, --collapse and --fold "
		    "leave no context of %s",
		    condition->text, condition->function);
}

static int refuse_several(const struct judging *judging,
			  const struct condition *condition, char **why)
{
	struct found_functions found;
	char *one = NULL, *other = NULL;

	if (finder_find(judging->diff->catalog, NULL, condition->function,
			&found) == -ENOTUNIQ) {
		one = finder_text(judging->diff->catalog, NULL,
				  found.functions[0]);
		other = finder_text(judging->diff->catalog, NULL,
				    found.functions[1]);
		found_fini(&found);
	}
	fail(why, -ENODATA,
	     "--fail-if='%s': several functions match %s, for example %s and "
	     "%s",
	     condition->text, condition->function, one ? one : "?",
	     other ? other : "?");
	free(one);
	free(other);
	return -ENODATA;
}

/*
 * Judges a function by its name. A function that neither recording called has
 * no row, and has not changed.
 */
static int judge_function(const struct judging *judging,
			  struct gate_result *result, char **why)
{
	const char *name = result->condition->function;
	uint8_t *chosen;
	struct diff_row row;
	int err = find_function(judging->diff->catalog, name, &chosen);

	if (err == -ENOTUNIQ)
		return refuse_several(judging, result->condition, why);
	if (!err && judging->before->untransformed)
		choose_collapsed(judging->diff->catalog, chosen);
	if ((err || !has_context(judging->diff, chosen)) &&
	    was_transformed(judging, name)) {
		free(chosen);
		return refuse_transformed(result->condition, why);
	}
	if (err) {
		if (find_function(&judging->after->catalog, name, &chosen) != 0)
			return refuse_function(judging, result->condition, why);
		row = (struct diff_row){ 0 };
	} else {
		if (!is_selected(judging, chosen)) {
			free(chosen);
			return fail(why, -ENODATA,
				    "--fail-if='%s': --module and --function "
				    "exclude %s",
				    result->condition->text, name);
		}
		row = diff_row_of(judging->diff, chosen);
	}
	free(chosen);
	judge_row(judging, &row, result);
	return 0;
}

/* ---- All conditions ---- */

/* Returns whether the session has times of single functions. */
static int has_time(const struct session *session)
{
	return session->summary.time_ns > 0 &&
	       !summary_is_guess(&session->summary);
}

/* Returns whether times, or the values that replace them, are estimates. */
static int is_sampled(const struct diff *diff)
{
	return tree_below(&diff->before, TREE_ROOT).samples > 0 ||
	       tree_below(&diff->after, TREE_ROOT).samples > 0;
}

/* Checks that the limit has the unit of what is compared. */
static int check_unit(const struct judging *judging,
		      const struct condition *condition, char **why)
{
	const struct value_sum *value = judging->before->value;
	const int is_unequal = condition->operator== CONDITION_OTHER;

	if (value && value->unit != WIRE_UNIT_NS && condition->has_time_unit)
		return fail(why, -EINVAL,
			    "--fail-if='%s': %s is no time; use a number "
			    "without a unit",
			    condition->text, value->name);
	if (!value && !condition->has_time_unit && !condition->is_percent)
		return fail(why, -EINVAL,
			    "--fail-if='%s': a time needs a unit: ns, us, ms, "
			    "s or %%",
			    condition->text);
	if (is_unequal && (!value || is_sampled(judging->diff)))
		return fail(why, -EINVAL,
			    "--fail-if='%s': times and samples are never "
			    "equal; use > or <",
			    condition->text);
	return 0;
}

static int check_time(const struct judging *judging,
		      const struct condition *condition, char **why)
{
	const struct diff *diff = judging->diff;
	int err = check_unit(judging, condition, why);

	if (err || judging->before->value)
		return err;
	if (!diff_has_like_clocks(diff))
		return fail(why, -ENODATA,
			    "--fail-if='%s': times are not comparable: the "
			    "first recording has %s, the second %s",
			    condition->text, time_text(diff->clock_before),
			    time_text(diff->clock_after));
	if (!has_time(judging->before) || !has_time(judging->after))
		return fail(why, -ENODATA,
			    "--fail-if='%s': the %s recording has no time "
			    "of functions; record with --time=cpu, or compare "
			    "calls",
			    condition->text,
			    has_time(judging->before) ? "second" : "first");
	return 0;
}

static int check_calls(const struct judging *judging,
		       const struct condition *condition, char **why)
{
	const uint64_t before = session_missing_calls(judging->before);
	const uint64_t after = session_missing_calls(judging->after);
	const int first_unknown = judging->before->summary.has_unknown_calls;

	if (first_unknown || judging->after->summary.has_unknown_calls)
		return fail(why, -ENODATA,
			    "--fail-if='%s': calls are unknown in the %s "
			    "recording, because it was imported; use self or "
			    "total",
			    condition->text,
			    first_unknown ? "first" : "second");
	if (before == 0 && after == 0)
		return 0;
	return fail(why, -ENODATA,
		    "--fail-if='%s': calls are missing in the %s recording; "
		    "clew report --details says why",
		    condition->text, before ? "first" : "second");
}

static int judge_condition(const struct judging *judging,
			   struct gate_result *result, char **why)
{
	const struct condition *condition = result->condition;
	int err = condition->key == DIFF_CALLS
			  ? check_calls(judging, condition, why)
			  : check_time(judging, condition, why);

	if (err)
		return err;
	if (condition->function)
		return judge_function(judging, result, why);
	if (condition->is_each)
		judge_each(judging, result);
	else
		judge_all(judging, result);
	return 0;
}

int gate_init(struct gate *gate, const struct diff *diff,
	      struct session *before, struct session *after,
	      const struct selection *selection,
	      const struct condition *conditions, size_t count, char **why)
{
	struct judging judging = {
		.diff = diff,
		.before = before,
		.after = after,
		.selection = selection,
	};
	int err = 0;

	*gate = (struct gate){
		.results = memory_zeroed(count, sizeof(*gate->results)),
		.count = count,
	};
	diff_table_init(&judging.table, diff, selection, DIFF_CALLS);
	for (size_t i = 0; i < count && !err; i++) {
		struct gate_result *result = &gate->results[i];

		result->condition = &conditions[i];
		err = judge_condition(&judging, result, why);
		gate->failed += result->state == GATE_FAILED;
		gate->undecided += result->state == GATE_UNDECIDED;
	}
	diff_table_fini(&judging.table);
	if (err)
		gate_fini(gate);
	return err;
}

void gate_fini(struct gate *gate)
{
	free(gate->results);
}
