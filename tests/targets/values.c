/* SPDX-License-Identifier: MIT */
/*
 * values HOW: a program that is its own agent (agent/clew.h): it counts calls
 * of its functions, and a number of "bytes" for each, by context, in two
 * threads and a forked child. HOW is its end: "exit", "_exit" or "abort". With
 * "more", the child makes more calls. The test knows the counts. Without clew
 * the program counts nothing and does the same.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/clew.h"

#define COUNTS __attribute__((noinline, visibility("default")))
#define ROUNDS 1000

enum { VISITS, BYTES, MOST };

static struct clew_values *values;
static struct clew_nodes *nodes;
static int errors;

struct place {
	uint64_t row;
};

static struct place places[64];
static _Atomic int place_count;

static __attribute__((noinline)) struct place *place_of(uint64_t id)
{
	struct place *place = clew_node(nodes, id), *mine;

	if (place && clew_row_is_there(values, place->row))
		return place;
	mine = &places[place_count++];
	mine->row = clew_row_new(values, id);
	if (!place)
		return clew_node_add(nodes, id, mine);
	/* Reached in a forked child, which has one thread. */
	place->row = mine->row;
	return place;
}

static inline __attribute__((always_inline)) void visit(int64_t bytes)
{
	const struct clew_here here = clew_context();
	struct place *place;

	if (!values)
		return;
	place = place_of(here.id);
	clew_value_add(values, place->row, VISITS, 1);
	clew_value_add(values, place->row, BYTES, bytes);
	clew_value_raise(values, place->row, MOST, bytes);
}

COUNTS void inner(int64_t bytes)
{
	visit(bytes);
}

COUNTS void left(void)
{
	visit(1);
	inner(10);
	__asm__ volatile(""); /* no tail call */
}

COUNTS void right(void)
{
	inner(100);
	inner(-40);
	__asm__ volatile("");
}

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		left();
		right();
	}
	return argument;
}

static void check(int is_true)
{
	if (!is_true)
		errors++;
}

static void check_refusals(void)
{
	const struct clew_value bad = { "no spaces", CLEW_NUMBER };
	const struct clew_value long_name = { "abcdefghijklmnopqrstuvwx",
					      CLEW_NUMBER };

	check(!clew_values_new(&bad, 1));
	check(!clew_values_new(&long_name, 1));
	check(!clew_values_new(NULL, 0));
	check(clew_row_new(NULL, 1) == 0);
	check(clew_value_add(values, 0, VISITS, 1) == 0);
	check(clew_value_add(values, ~UINT64_C(0), VISITS, 1) == 0);
	check(!clew_row_is_there(values, 0));
}

int main(int argc, char **argv)
{
	static const struct clew_value kinds[] = {
		{ "visits", CLEW_NUMBER },
		{ "moved", CLEW_BYTES },
		{ "most<", CLEW_BYTES },
	};
	pthread_t threads[2];
	pid_t child;
	int status;

	nodes = clew_nodes_new();
	values = clew_values_new(kinds, 3);
	check_refusals();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		left();
		if (argc > 1 && strcmp(argv[1], "more") == 0)
			left();
		_exit(errors);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	check(status == 0);
	if (errors)
		return errors;
	if (argc > 1 && strcmp(argv[1], "abort") == 0)
		abort();
	if (argc > 1 && strcmp(argv[1], "_exit") == 0)
		_exit(0);
	return 0;
}
