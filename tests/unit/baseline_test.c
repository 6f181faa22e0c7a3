/* SPDX-License-Identifier: MIT */
/* Tests of reading, matching and comparing baselines. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/view/baseline.h"
#include "report/view/diff.h"
#include "report/view/gate.h"

#define HEAD "clew baseline 1\n"

static int parse(struct session *session, const char *text, char **why)
{
	char *copy = memory_string(text, strlen(text));
	int err = baseline_parse(session, "x.clew", copy, strlen(copy), why);

	free(copy);
	return err;
}

static void open_text(struct session *session, const char *text)
{
	char *why = NULL;

	if (parse(session, text, &why) != 0)
		fail_msg("%s", why);
}

static void assert_refused(const char *text, const char *expected)
{
	struct session session;
	char *why = NULL;

	assert_int_not_equal(parse(&session, text, &why), 0);
	assert_string_equal(why, expected);
	free(why);
}

static struct diff_row row_of(struct diff *diff, const char *name)
{
	uint8_t *chosen = selection_named(diff->catalog, name);
	struct diff_row row;

	assert_non_null(chosen);
	row = diff_row_of(diff, chosen);
	free(chosen);
	return row;
}

static void malformed_lines_are_refused_by_number(void **state)
{
#define INVALID ": not a valid baseline: "
	(void)state;
	assert_refused("", "x.clew: not a baseline");
	assert_refused("clew baseline 2\n",
		       "x.clew: a baseline of another version of clew; write "
		       "it again with clew export --format=baseline");
	assert_refused(HEAD "1\tf\n",
		       "x.clew:2" INVALID "a function before its module");
	assert_refused(HEAD "module\ta\n<<<<<<< HEAD\n",
		       "x.clew:3" INVALID "not a function's numbers");
	assert_refused(HEAD "module\ta\n-1\tf\n",
		       "x.clew:3" INVALID "not a function's numbers");
	assert_refused(HEAD "module\ta\n1\tf\tnative\t1\n",
		       "x.clew:3" INVALID "not a function's numbers");
	assert_refused(HEAD "module\ta\n1\tf\tgroup\n",
		       "x.clew:3" INVALID "not a function's name");
	assert_refused(HEAD "module\ta\n1\t+0xg\n",
		       "x.clew:3" INVALID "not a function's name");
	assert_refused(HEAD "module\ta\t123\n",
		       "x.clew:2" INVALID "not a build-id");
	assert_refused(HEAD "module\n",
		       "x.clew:2" INVALID "a module needs a name");
	assert_refused(HEAD "time\tnone\t1\n",
		       "x.clew:2" INVALID "not a kind of time");
	assert_refused(HEAD "missing\n",
		       "x.clew:2" INVALID "not a number of missing calls");
	assert_refused(HEAD "module\ta\n9223372036854775807\tf\n"
			    "9223372036854775807\tf\n9\tf\n",
		       "x.clew:5" INVALID "too large a sum");
}

static void numbers_of_equal_functions_are_added(void **state)
{
	struct session session;
	const struct tree *tree = &session.tree;

	(void)state;
	open_text(&session,
		  HEAD "time\tcpu\t7\nmodule\ta\n3\tf\tnative\t10\t2\t30\t4\n"
		       "module\t-\n0\t(kernel)\tkernel\t5\t1\t5\t1\n"
		       "module\ta\n4\tf\tnative\t1\t0\t2\t0\n");
	assert_int_equal(tree->count, 3);
	assert_int_equal(tree->nodes[1].calls, 7);
	assert_int_equal(tree_self(tree, 1).ns, 11);
	assert_int_equal(tree->nodes[2].function, FUNCTION_KERNEL);
	assert_int_equal(session.totals[tree->nodes[1].function].ns, 32);
	assert_int_equal(session.metric, METRIC_TIME);
	assert_int_equal(session.summary.samples, 3);
	session_close(&session);
}

static void functions_are_matched_by_name(void **state)
{
	static const struct selection all;
	struct session before, after;
	struct diff_table table;
	struct diff diff;

	(void)state;
	open_text(&before, HEAD "module\tlibz.so.1.2\n3\tf\n4\tg\n");
	open_text(&after, HEAD "module\tlibz.so.1.3\n3\tf\n5\tg\n");
	diff_init(&diff, &before, &after);
	diff_table_init(&table, &diff, &all, DIFF_CALLS);
	assert_int_equal(table.count, 2);
	assert_int_equal(row_of(&diff, "g").before.self.calls, 4);
	assert_int_equal(row_of(&diff, "g").after.self.calls, 5);
	diff_table_fini(&table);
	diff_fini(&diff);
	session_close(&before);
	session_close(&after);
}

static size_t rows_of(const char *first, const char *second)
{
	static const struct selection all;
	struct session before, after;
	struct diff_table table;
	struct diff diff;
	size_t count;

	open_text(&before, first);
	open_text(&after, second);
	diff_init(&diff, &before, &after);
	diff_table_init(&table, &diff, &all, DIFF_CALLS);
	count = table.count;
	diff_table_fini(&table);
	diff_fini(&diff);
	session_close(&before);
	session_close(&after);
	return count;
}

static void addresses_match_in_the_same_build_alone(void **state)
{
	(void)state;
	assert_int_equal(rows_of(HEAD "module\ta\tabcd\n3\t+0x12\n",
				 HEAD "module\ta\tabcd\n3\t+0x12\n"),
			 1);
	assert_int_equal(rows_of(HEAD "module\ta\tabcd\n3\t+0x12\n",
				 HEAD "module\ta\tabce\n3\t+0x12\n"),
			 2);
	/* Without a build-id, functions match by address. */
	assert_int_equal(rows_of(HEAD "module\ta\n3\t+0x12\n",
				 HEAD "module\ta\n3\t+0x12\n"),
			 1);
}

static void a_renamed_program_is_the_same(void **state)
{
	(void)state;
	assert_int_equal(rows_of(HEAD "module\told\n1\tmain\n2\tf\n",
				 HEAD "module\tnew\n1\tmain\n2\tf\n"),
			 2);
	assert_int_equal(rows_of(HEAD "module\told\n1\tmain\n2\t(in old)\n",
				 HEAD "module\tnew\n1\tmain\n2\t(in new)\n"),
			 2);
}

/* ---- Conditions ---- */

static enum gate_state judge(const char *first, const char *second,
			     const char *text, struct gate_result *result)
{
	static const struct selection all;
	struct session before, after;
	struct condition condition;
	struct diff diff;
	struct gate gate;
	enum gate_state verdict;
	char *why = NULL;

	open_text(&before, first);
	open_text(&after, second);
	assert_int_equal(condition_parse(&condition, text, &why), 0);
	diff_init(&diff, &before, &after);
	if (gate_init(&gate, &diff, &before, &after, &all, &condition, 1,
		      &why) != 0)
		fail_msg("%s", why);
	*result = gate.results[0];
	verdict = result->state;
	gate_fini(&gate);
	diff_fini(&diff);
	condition_fini(&condition);
	session_close(&before);
	session_close(&after);
	return verdict;
}

static void calls_are_compared_exactly(void **state)
{
	const char *before = HEAD "module\ta\n1000\tf\n7\tg\n";
	const char *after = HEAD "module\ta\n1001\tf\n6\tg\n1\th\n";
	static const struct {
		const char *text;
		enum gate_state state;
	} cases[] = {
		{ "calls(f)>0%", GATE_FAILED },
		{ "calls(f)>0.1%", GATE_PASSED },
		{ "calls(f)>=0.1%", GATE_FAILED },
		{ "calls(f)>1", GATE_PASSED },
		{ "calls(f)>=1", GATE_FAILED },
		{ "calls(f)<0", GATE_PASSED },
		{ "calls(g)<0", GATE_FAILED },
		{ "calls(g)<-50%", GATE_PASSED },
		{ "calls(h)>1000000%", GATE_FAILED },
		{ "calls>0", GATE_FAILED },
		{ "calls>1", GATE_PASSED },
		{ "calls(*)>1", GATE_PASSED },
		{ "calls(*)!=0", GATE_FAILED },
	};
	struct gate_result result;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (judge(before, after, cases[i].text, &result) !=
		    cases[i].state)
			fail_msg("%s", cases[i].text);
	}
	assert_int_equal(judge(before, after, "calls(*)!=0", &result),
			 GATE_FAILED);
	assert_int_equal(result.others, 2);
	assert_int_equal(judge(before, before, "calls(*)!=0", &result),
			 GATE_PASSED);
}

/* Returns a baseline with one function that has `samples` of 1 ms. */
static char *with_samples(unsigned int samples)
{
	return memory_printf(HEAD "time\tcpu\t%u\nmodule\ta\n"
				  "1\tf\tnative\t%u000000\t%u\t%u000000\t%u\n",
			     samples, samples, samples, samples, samples);
}

static enum gate_state judge_samples(unsigned int first, unsigned int second,
				     const char *text)
{
	char *before = with_samples(first), *after = with_samples(second);
	struct gate_result result;
	const enum gate_state state = judge(before, after, text, &result);

	free(before);
	free(after);
	return state;
}

static void sampled_times_fail_beyond_chance_alone(void **state)
{
	(void)state;
	assert_int_equal(judge_samples(100, 110, "total(f)>5%"),
			 GATE_UNDECIDED);
	assert_int_equal(judge_samples(100, 100, "total(f)>5%"),
			 GATE_UNDECIDED);
	assert_int_equal(judge_samples(100, 160, "total(f)>5%"), GATE_FAILED);
	assert_int_equal(judge_samples(10000, 11000, "total(f)>5%"),
			 GATE_FAILED);
	assert_int_equal(judge_samples(10000, 10000, "total(f)>5%"),
			 GATE_PASSED);
	assert_int_equal(judge_samples(10000, 9000, "self>0%"), GATE_PASSED);
	assert_int_equal(judge_samples(100, 110, "total(f)>5ms"),
			 GATE_UNDECIDED);
	assert_int_equal(judge_samples(100, 160, "total(f)>5ms"), GATE_FAILED);
	assert_int_equal(judge_samples(10000, 10000, "total(f)>5ms"),
			 GATE_UNDECIDED);
	assert_int_equal(judge_samples(100, 110, "self(*)>5%"), GATE_UNDECIDED);
	assert_int_equal(judge_samples(100, 160, "self(*)>5%"), GATE_FAILED);
}

static void missing_calls_cannot_be_judged(void **state)
{
	static const struct selection all;
	struct session before, after;
	struct condition condition;
	struct diff diff;
	struct gate gate;
	char *why = NULL;

	(void)state;
	open_text(&before, HEAD "missing\t3\nmodule\ta\n1\tf\n");
	open_text(&after, HEAD "module\ta\n1\tf\n");
	assert_int_equal(condition_parse(&condition, "calls>0", &why), 0);
	diff_init(&diff, &before, &after);
	assert_int_not_equal(gate_init(&gate, &diff, &before, &after, &all,
				       &condition, 1, &why),
			     0);
	assert_non_null(strstr(why, "calls are missing in the first"));
	free(why);
	diff_fini(&diff);
	condition_fini(&condition);
	session_close(&before);
	session_close(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_lines_are_refused_by_number),
		cmocka_unit_test(numbers_of_equal_functions_are_added),
		cmocka_unit_test(functions_are_matched_by_name),
		cmocka_unit_test(addresses_match_in_the_same_build_alone),
		cmocka_unit_test(a_renamed_program_is_the_same),
		cmocka_unit_test(calls_are_compared_exactly),
		cmocka_unit_test(sampled_times_fail_beyond_chance_alone),
		cmocka_unit_test(missing_calls_cannot_be_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
