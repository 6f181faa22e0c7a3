/* SPDX-License-Identifier: MIT */
/*
 * Each kind of advice is a function that checks a condition and writes at most
 * one sentence. The table at the end gives their order.
 *
 * The cost of clew is the CPU time of its samples. Each function is assumed to
 * cause a share in proportion to its calls; a call that enters by a breakpoint
 * counts as TRAP_CALLS calls. A new context costs more than a call, hence the
 * word "about" in the sentences.
 */
#include "report/view/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/view/coverage.h"
#include "report/view/snapshot_list.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DURATION(number) (text_duration(number).text)

/* The proposed budget, a share of the program's own time. */
#define BUDGET_SHARE 0.10
#define BUDGET_TEXT  "10%"

/* An option that saves a smaller part of the CPU time is not proposed. */
#define SAVING_PART 0.01

enum {
	NAMES_SHOWN = 3,
	TRAP_CALLS = 500,
	/* least number of samples that give a reliable cost */
	COST_SAMPLES = 10,
	RATE_MAX = 100000, /* maximum of --rate */
	/* least number of processes that need a view of their own */
	PROCESSES_MIN = 3,
};

/* ---- Snapshots, and counts besides calls ---- */

static char *advise_snapshots(const struct session *session)
{
	struct snapshot_list list;
	char *command, *sentence = NULL;

	if (!session->path)
		return NULL; /* a baseline has no snapshots */
	snapshot_list_init(&list, session, session->path);
	if (list.count > 0) {
		command = session_report_command(session, "snapshots");
		sentence = memory_printf(
			"the recording has %s snapshot%s; %s lists %s",
			GROUPED(list.count), text_plural(list.count), command,
			list.count == 1 ? "it" : "them");
		free(command);
	}
	snapshot_list_fini(&list);
	return sentence;
}

static char *advise_probes(const struct session *session)
{
	const struct probe_list *probes = &session->probes;

	for (size_t i = 0; i < probes->count; i++) {
		const struct listed_probe *probe = &probes->items[i];
		const struct value_sum *hits =
			value_list_find(&session->values, probe->name);

		if (listed_probe_places(probe) && hits)
			return memory_printf(
				"probe %s (%s) was hit %s time%s; --value=%s "
				"shows in which contexts",
				probe->name, probe->text,
				GROUPED((uint64_t)hits->total),
				text_plural((uint64_t)hits->total),
				probe->name);
	}
	return NULL;
}

static char *advise_values(const struct session *session)
{
	const struct value_list *values = &session->values;
	char *names = memory_string("", 0), *sentence;

	for (size_t i = 0; i < values->count && i < NAMES_SHOWN; i++) {
		char *more = memory_printf("%s%s%s", names, i ? ", " : "",
					   values->items[i].name);

		free(names);
		names = more;
	}
	sentence = memory_printf(
		"%s value%s counted (%s%s); --value=NAME shows one",
		GROUPED(values->count), values->count == 1 ? " was" : "s were",
		names, values->count > NAMES_SHOWN ? ", ..." : "");
	free(names);
	return sentence;
}

static char *advise_marks(const struct session *session)
{
	const struct mark_list *marks = &session->marks;
	char *command = session_report_command(session, "marks"), *sentence;
	uint64_t all = 0;

	for (size_t i = 0; i < marks->count; i++)
		all += marks->sums[i].moments + marks->sums[i].regions;
	sentence = memory_printf("the program marked %s moment%s and regions; "
				 "%s shows them",
				 GROUPED(all), text_plural(all), command);
	free(command);
	return sentence;
}

/*
 * Returns a sentence that names a further view of the recording: of snapshots,
 * probes, values or marks. NULL if the recording has none of these, or if the
 * report shows a value instead of time.
 */
static char *advise_views(struct session *session)
{
	char *sentence;

	if (session->value)
		return NULL;
	sentence = advise_snapshots(session);
	if (!sentence)
		sentence = advise_probes(session);
	if (!sentence && session->values.count > 0)
		sentence = advise_values(session);
	if (!sentence && session->marks.count > 0)
		sentence = advise_marks(session);
	return sentence;
}

/* ---- The cost of clew ---- */

struct call_cost {
	uint64_t *calls; /* weighted calls, by function */
	uint64_t *of_modules;
	uint64_t all;
	/* the most expensive function that -F can name, or FUNCTION_NONE */
	uint32_t function;
	/* the most expensive library, or CATALOG_NO_MODULE */
	uint32_t library;
};

/*
 * Returns whether an option can name the function by a regular expression: its
 * name must have no special characters except dots. Returns 0 for functions
 * that were not counted all the time.
 */
static int can_be_named(struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *one = &catalog->functions[function];
	const char *name;

	if (!catalog_is_recorded(one) || one->left_out)
		return 0;
	name = catalog_name(catalog, function);
	return !catalog_is_address(catalog, function) &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.")] == '\0';
}

static void find_costs(struct call_cost *cost, struct session *session)
{
	struct catalog *catalog = &session->catalog;

	*cost = (struct call_cost){
		.calls = memory_zeroed(catalog->function_count,
				       sizeof(*cost->calls)),
		.of_modules = memory_zeroed(catalog->module_count + 1,
					    sizeof(*cost->of_modules)),
		.library = CATALOG_NO_MODULE,
	};
	for (size_t i = 1; i < session->tree.count; i++)
		cost->calls[session->tree.nodes[i].function] +=
			session->tree.nodes[i].calls;
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const uint32_t module = catalog->functions[i].module;

		if (module == CATALOG_NO_MODULE || cost->calls[i] == 0)
			continue;
		if (catalog->functions[i].verdict == VERDICT_IS_TRAP)
			cost->calls[i] *= TRAP_CALLS;
		cost->all += cost->calls[i];
		cost->of_modules[module] += cost->calls[i];
		if (module != CATALOG_PROGRAM &&
		    (cost->library == CATALOG_NO_MODULE ||
		     cost->of_modules[module] >
			     cost->of_modules[cost->library]))
			cost->library = module;
		if (cost->calls[i] > cost->calls[cost->function] &&
		    can_be_named(catalog, i))
			cost->function = i;
	}
}

/*
 * Writes "; recording with -M 'libx.so' would save about 3.2 ms" at the first
 * call, and ", with ..." at further ones. Writes nothing if the saving is less
 * than SAVING_PART of all_ns.
 */
static void write_saving(FILE *out, int *is_next, const char *option,
			 double saved_ns, double all_ns)
{
	if (saved_ns < all_ns * SAVING_PART)
		return;
	fprintf(out, "%s with %s %s %s", *is_next ? "," : "; recording", option,
		*is_next ? "about" : "would save about",
		DURATION((uint64_t)saved_ns));
	*is_next = 1;
}

static void write_savings(FILE *out, struct session *session,
			  const struct call_cost *cost, double program_ns)
{
	struct catalog *catalog = &session->catalog;
	const double clew_ns = (double)session->summary.clew_ns;
	const double call_ns = cost->all ? clew_ns / (double)cost->all : 0;
	const double budget_ns = program_ns * BUDGET_SHARE;
	const double all_ns = program_ns + clew_ns;
	int is_next = 0;

	if (cost->function != FUNCTION_NONE) {
		char *option = memory_printf(
			"-F '^%s$'", catalog_name(catalog, cost->function));

		write_saving(out, &is_next, option,
			     call_ns * (double)cost->calls[cost->function],
			     all_ns);
		free(option);
	}
	if (cost->library != CATALOG_NO_MODULE) {
		char *option = memory_printf(
			"-M '%s'", catalog->modules[cost->library].name);

		write_saving(out, &is_next, option,
			     call_ns * (double)cost->of_modules[cost->library],
			     all_ns);
		free(option);
	}
	if (clew_ns > budget_ns && !session->summary.budget.thousandths)
		write_saving(out, &is_next, "--budget=" BUDGET_TEXT,
			     clew_ns - budget_ns, all_ns);
}

static char *advise_cost(struct session *session)
{
	const struct summary *summary = &session->summary;
	const double clew_ns = (double)summary->clew_ns;
	const double program_ns =
		(double)summary->time_ns - (summary->shows_clew ? clew_ns : 0);
	const double share = clew_ns / (program_ns + clew_ns);
	struct call_cost cost;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (session->value || summary->time != WIRE_TIME_CPU ||
	    summary->calls == 0 || summary->clew_samples < COST_SAMPLES ||
	    !(share > ADVICE_COST_SHARE)) /* NaN if both times are 0 */
		return NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		memory_exhausted();
	fprintf(out, "clew itself took %.0f %% of the CPU time, %s",
		100 * share, DURATION(summary->clew_ns));
	find_costs(&cost, session);
	write_savings(out, session, &cost, program_ns);
	fclose(out);
	free(cost.calls);
	free(cost.of_modules);
	return text;
}

/* ---- Samples ---- */

/*
 * Returns advice on the number of samples. A higher rate helps only if the
 * kernel takes as many samples as requested.
 */
static char *advise_samples(struct session *session)
{
	const struct summary *summary = &session->summary;
	char *how, *sentence;
	uint32_t rate;
	int is_as_asked;

	if (session->value || !summary_is_sampled(summary) ||
	    summary->calls == 0 || summary_taken(summary) >= ADVICE_FEW_SAMPLES)
		return NULL;
	if (summary->samples == 0)
		return memory_printf(
			"there is no time, because no sample was taken; run "
			"the program for longer, or record with --time=exact");
	is_as_asked = summary_rate_hz(summary) >=
		      summary->rate_hz - summary->rate_hz / 8;
	rate = summary->rate_hz > RATE_MAX / 10 ? RATE_MAX
						: summary->rate_hz * 10;
	how = is_as_asked && rate > summary->rate_hz
		      ? memory_printf(", or record with --rate=%" PRIu32, rate)
		      : memory_string("", 0);
	sentence = memory_printf("times are rough, because they come from %s "
				 "sample%s; run the program for longer%s",
				 GROUPED(summary_taken(summary)),
				 text_plural(summary_taken(summary)), how);
	free(how);
	return sentence;
}

/* ---- Names ---- */

static const struct {
	const char *stem; /* start of the module's name, before a version */
	const char *how;
} generators[] = {
	{ "node", "node --perf-basic-prof names it" },
	{ "libnode", "node --perf-basic-prof names it" },
	{ "opcache", "php -d opcache.jit_debug=0x10 names it" },
	{ "libjvm", "clew names it unless it records with --java=off" },
	{ "beam", "erl +JPperf true names it" },
	{ "mono", "mono --jitmap names it" },
	{ "libmonosgen", "mono --jitmap names it" },
	{ "luajit", "luajit cannot name it; luajit -joff does without it" },
	{ "libluajit", "LuaJIT cannot name it; jit.off() does without it" },
};

const char *advice_for_generator(const char *module)
{
	for (size_t i = 0; i < sizeof(generators) / sizeof(*generators); i++) {
		const size_t length = strlen(generators[i].stem);

		if (strncmp(module, generators[i].stem, length) == 0 &&
		    strchr(".-0123456789", module[length]))
			return generators[i].how;
	}
	return NULL;
}

#define GENERATED_OF "(generated code of "

/*
 * Returns the name of the module that generated a function without a name,
 * which the caller frees; NULL for any other function.
 */
static char *generator_of(struct catalog *catalog, uint32_t function)
{
	const char *name;

	if (catalog_kind(catalog, function) != KIND_GENERATED)
		return NULL;
	name = catalog_name(catalog, function);
	if (strncmp(name, GENERATED_OF, strlen(GENERATED_OF)) != 0)
		return NULL;
	name += strlen(GENERATED_OF);
	return memory_string(name, strcspn(name, ",)"));
}

/*
 * Returns, by the metric, calls or own time of each function; the caller frees
 * it.
 */
static uint64_t *own_weights(const struct session *session)
{
	const struct tree *tree = &session->tree;
	uint64_t *weights = memory_zeroed(session->catalog.function_count,
					  sizeof(*weights));

	for (size_t i = 1; i < tree->count; i++)
		weights[tree->nodes[i].function] +=
			tree_self_of(tree, i, session->metric);
	return weights;
}

static char *advise_generated(struct session *session)
{
	struct catalog *catalog = &session->catalog;
	const uint64_t all_ns = session->summary.time_ns;
	uint64_t *times;
	char *sentence = NULL;

	if (session->value || session->metric != METRIC_TIME || all_ns == 0)
		return NULL;
	times = own_weights(session);
	for (uint32_t i = FUNCTION_FIRST;
	     i < catalog->function_count && !sentence; i++) {
		const double share = (double)times[i] / (double)all_ns;
		char *module;
		const char *how;

		if (share < ADVICE_UNNAMED_SHARE)
			continue;
		module = generator_of(catalog, i);
		how = module ? advice_for_generator(module) : NULL;
		if (how)
			sentence = memory_printf("code that %s generates took "
						 "%.0f %% of the time and has "
						 "no names; %s",
						 module, 100 * share, how);
		free(module);
	}
	free(times);
	return sentence;
}

static const struct {
	const char *function; /* executes the program's instructions */
	const char *language;
	const char *how;
} interpreters[] = {
	{ "_PyEval_EvalFrameDefault", "Python", "cProfile shows them" },
	{ "Perl_runops_standard", "Perl", "Devel::NYTProf shows them" },
	{ "vm_exec_core", "Ruby", "stackprof shows them" },
	{ "rb_vm_exec", "Ruby", "stackprof shows them" },
	{ "luaV_execute", "Lua", "debug.sethook() shows them" },
	{ "execute_ex", "PHP", "Xdebug shows them" },
};

/* Returns a sentence if an interpreter's loop is a hot function. */
static char *advise_interpreter(struct session *session)
{
	struct catalog *catalog = &session->catalog;
	const uint64_t whole =
		tree_below_of(&session->tree, TREE_ROOT, session->metric);
	uint64_t *weights;
	char *sentence = NULL;

	if (session->value || !whole)
		return NULL;
	weights = own_weights(session);
	for (uint32_t i = FUNCTION_FIRST;
	     i < catalog->function_count && !sentence; i++) {
		const char *name;

		if ((double)weights[i] / (double)whole < ADVICE_UNNAMED_SHARE)
			continue;
		name = catalog_name(catalog, i);
		for (size_t k = 0;
		     k < sizeof(interpreters) / sizeof(*interpreters); k++)
			if (strcmp(name, interpreters[k].function) == 0)
				sentence = memory_printf(
					"functions written in %s do not "
					"appear, because %s interprets them; "
					"%s",
					interpreters[k].language, name,
					interpreters[k].how);
	}
	free(weights);
	return sentence;
}

/* Returns a sentence if there are many processes that the tree does not show.
 */
static char *advise_processes(struct session *session)
{
	const struct tree *tree = &session->tree;
	char *command, *sentence;

	if (session->value || session->summary.processes < PROCESSES_MIN)
		return NULL;
	for (size_t i = 1; i < tree->count; i++)
		if (catalog_kind(&session->catalog, tree->nodes[i].function) ==
		    KIND_GROUP)
			return NULL;
	command = session_report_command(session, "by=process");
	sentence = memory_printf(
		"%s processes were recorded; %s shows each of them",
		GROUPED(session->summary.processes), command);
	free(command);
	return sentence;
}

struct unnamed {
	uint64_t *functions; /* number of functions, by module */
	uint64_t all;
	uint64_t weight; /* time or calls of all these functions */
	size_t module;   /* the module with most of these functions */
};

/*
 * Checks only names that the report has already looked up; other functions do
 * not appear in it.
 */
static int has_address_only(const struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *one = &catalog->functions[function];

	return one->module != CATALOG_NO_MODULE && !one->is_named &&
	       one->name && catalog_is_address(catalog, function);
}

static void find_unnamed(struct unnamed *unnamed, const struct session *session)
{
	const struct catalog *catalog = &session->catalog;
	uint64_t *weights = own_weights(session);

	*unnamed = (struct unnamed){
		.functions = memory_zeroed(catalog->module_count + 1,
					   sizeof(*unnamed->functions)),
	};
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const uint32_t module = catalog->functions[i].module;

		if (!has_address_only(catalog, i))
			continue;
		unnamed->all++;
		unnamed->weight += weights[i];
		if (++unnamed->functions[module] >
		    unnamed->functions[unnamed->module])
			unnamed->module = module;
	}
	free(weights);
}

static char *advise_symbols(struct session *session)
{
	const enum metric metric = session->metric;
	const uint64_t whole = tree_below_of(&session->tree, TREE_ROOT, metric);
	struct unnamed unnamed;
	char *sentence = NULL;
	double share;

	find_unnamed(&unnamed, session);
	share = whole ? (double)unnamed.weight / (double)whole : 0;
	if (share >= ADVICE_UNNAMED_SHARE)
		sentence = memory_printf(
			"%s function%s with %.0f %% of the %s %s no name, most "
			"of "
			"them in %s; its debug symbols (a -dbgsym package, or "
			"DEBUGINFOD_URLS) name them",
			GROUPED(unnamed.all), text_plural(unnamed.all),
			100 * share,
			session->value          ? session->value->name
			: metric == METRIC_TIME ? "time"
						: "calls",
			unnamed.all == 1 ? "has" : "have",
			session->catalog.modules[unnamed.module].name);
	free(unnamed.functions);
	return sentence;
}

/* ---- Functions that are not hooked because of compiler options ---- */

/*
 * a smaller number of functions that look up return addresses is not caused by
 * compiler options
 */
enum { READERS_MIN = 3 };

static uint64_t readers_of(const struct coverage *coverage)
{
	return coverage->by_verdict[VERDICT_IS_READS_RETURN_ADDRESS] +
	       coverage->by_verdict[VERDICT_IS_LENDS_RETURN_ADDRESS] +
	       coverage->by_verdict[VERDICT_IS_CALLS_MCOUNT];
}

/*
 * Returns a sentence if a module has more functions that look up return
 * addresses than hooked ones.
 */
static char *advise_readers(struct session *session)
{
	const struct catalog *catalog = &session->catalog;
	struct coverage *modules = coverage_of_modules(catalog);
	const struct coverage *most = NULL;
	char *sentence = NULL;

	for (size_t i = 0; i < catalog->module_count; i++) {
		const uint64_t readers = readers_of(&modules[i]);

		if (catalog->modules[i].state == MODULE_IS_HOOKED &&
		    readers >= READERS_MIN && readers > modules[i].hooked &&
		    (!most || readers > readers_of(most)))
			most = &modules[i];
	}
	if (most) {
		const uint64_t by_mcount =
			most->by_verdict[VERDICT_IS_CALLS_MCOUNT];
		const char *cause = 2 * by_mcount > readers_of(most)
					    ? "-pg"
					    : "-finstrument-functions or "
					      "-fsanitize=thread";

		sentence = memory_printf(
			"%s functions of %s are not counted, because they "
			"look up return addresses; build it without %s",
			GROUPED(readers_of(most)),
			catalog->modules[most - modules].name, cause);
	}
	free(modules);
	return sentence;
}

/* ---- */

void advice_init(struct advice *advice, struct session *session)
{
	static char *(*const kinds[])(struct session * session) = {
		advise_readers,     advise_views,     advise_cost,
		advise_interpreter, advise_samples,   advise_generated,
		advise_symbols,     advise_processes,
	};

	*advice = (struct advice){ 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (advice->count == ADVICE_MAX)
			return;
		advice->sentences[advice->count] = kinds[i](session);
		advice->count += advice->sentences[advice->count] != NULL;
	}
}

void advice_fini(struct advice *advice)
{
	for (size_t i = 0; i < advice->count; i++)
		free(advice->sentences[i]);
	*advice = (struct advice){ 0 };
}
