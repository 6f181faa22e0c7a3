/* SPDX-License-Identifier: MIT */
/* Tests of nodes that several threads add and find by id. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/clew.h"

#define IDS     100000
#define THREADS 4

static uint64_t id_of(uint64_t i)
{
	return (i + 1) * UINT64_C(0xd1342543de82ef95);
}

static void an_id_has_the_node_that_it_was_given_first(void **state)
{
	struct clew_nodes *nodes = clew_nodes_new();
	int first, second;

	for (uint64_t id = 0; id < 3; id++) { /* 0 is an ordinary id */
		assert_null(clew_node(nodes, id));
		assert_ptr_equal(clew_node_add(nodes, id, &first), &first);
		assert_ptr_equal(clew_node_add(nodes, id, &second), &first);
		assert_ptr_equal(clew_node(nodes, id), &first);
	}
	clew_nodes_free(nodes);
	clew_nodes_free(NULL);
}

/* Ids whose hashes (agent/nodes.c) differ in a single bit, for each bit. */
static void ids_that_are_alike_are_told_apart(void **state)
{
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct clew_nodes *nodes = clew_nodes_new();
	int of[65];

	assert_int_equal(inverse * UINT64_C(0x9e3779b97f4a7c15), 1);
	for (unsigned int bit = 0; bit < 64; bit++)
		assert_ptr_equal(clew_node_add(nodes,
					       (UINT64_C(1) << bit) * inverse,
					       &of[bit]),
				 &of[bit]);
	assert_null(clew_node(nodes, 0));
	assert_null(clew_node(nodes, 3 * inverse));
	assert_ptr_equal(clew_node_add(nodes, 0, &of[64]), &of[64]);
	for (unsigned int bit = 0; bit < 64; bit++)
		assert_ptr_equal(
			clew_node(nodes, (UINT64_C(1) << bit) * inverse),
			&of[bit]);
	clew_nodes_free(nodes);
}

struct job {
	struct clew_nodes *nodes;
	pthread_barrier_t *barrier;
	void **found;
	uint64_t start;
};

/* Each thread offers nodes of its own, and notes which ones were added. */
static void *add_all(void *context)
{
	const struct job *job = context;

	pthread_barrier_wait(job->barrier);
	for (uint64_t i = 0; i < IDS; i++) {
		uint64_t which = (i + job->start) % IDS;
		void *node = (char *)job->found + which;

		job->found[which] =
			clew_node_add(job->nodes, id_of(which), node);
		if (clew_node(job->nodes, id_of(which)) != job->found[which])
			return "another is found";
	}
	return NULL;
}

static void threads_agree_on_the_first_node(void **state)
{
	static void *found[THREADS][IDS];
	pthread_barrier_t barrier;
	pthread_t threads[THREADS];
	struct job jobs[THREADS];
	struct clew_nodes *nodes = clew_nodes_new();

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		/* two threads use the same order, two others start elsewhere */
		jobs[i] = (struct job){ nodes, &barrier, found[i],
					(uint64_t)(i / 2) * (IDS / 2) };
		assert_false(
			pthread_create(&threads[i], NULL, add_all, &jobs[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	for (uint64_t i = 0; i < IDS; i++) {
		assert_ptr_equal(clew_node(nodes, id_of(i)), found[0][i]);
		for (int j = 1; j < THREADS; j++)
			assert_ptr_equal(found[0][i], found[j][i]);
	}
	assert_null(clew_node(nodes, id_of(IDS)));
	pthread_barrier_destroy(&barrier);
	clew_nodes_free(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_has_the_node_that_it_was_given_first),
		cmocka_unit_test(ids_that_are_alike_are_told_apart),
		cmocka_unit_test(threads_agree_on_the_first_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
