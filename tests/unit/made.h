/* SPDX-License-Identifier: MIT */
/* Generates a recording and reads it. */
#ifndef CLEW_TESTS_MADE_H
#define CLEW_TESTS_MADE_H

#include "report/view/session.h"
#include "tests/unit/fixture.h"
#include "tests/unit/node_measures.h"

struct made_world {
	char *directory;
	struct session session;
};

/* Set-up and tear-down of tests whose state is a struct made_world. */
int made_set_up(void **state);
int made_tear_down(void **state);

/* Begins a process with the functions 1 to 8 and tally 0. */
void made_begin(struct fixture *fixture, uint32_t pid);

/* Adds the process to the recording. */
void made_end(struct made_world *world, struct fixture *fixture);

void made_read(struct made_world *world, const struct whose *whose);

/* Returns the node at the end of a chain of function numbers, which 0 ends. */
const struct tree_node *made_node(const struct session *session,
				  const uint32_t *functions);

#define NODE(session, ...)                                                     \
	made_node(session, (const uint32_t[]){ __VA_ARGS__, 0 })

#define SELF(session, ...)                                                     \
	node_self(&(session)->tree, NODE(session, __VA_ARGS__))
#define BELOW(session, ...)                                                    \
	node_below(&(session)->tree, NODE(session, __VA_ARGS__))

/* Returns the child with this function of the catalog. */
const struct tree_node *made_child(const struct session *session,
				   uint32_t parent, uint32_t function);

/*
 * Checks that reading a copy of this part in that state reports one problem
 * with these words, or no problem if they are NULL.
 */
void made_assert_problem(struct made_world *world,
			 const struct fixture *fixture, enum wire_state state,
			 const char *words);

/* An id that is its own caller: x == id_push(x, id_key(f)), found by search. */
#define CIRCLE          UINT64_C(0xd097f1762b67b1a6)
#define CIRCLE_FUNCTION 0xf54c8960

#endif
