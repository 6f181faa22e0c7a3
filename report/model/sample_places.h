/* SPDX-License-Identifier: MIT */
/*
 * How the function of each sample was found: among the functions of the
 * sample's context and their neighbours, or by other means.
 */
#ifndef CLEW_MODEL_SAMPLE_PLACES_H
#define CLEW_MODEL_SAMPLE_PLACES_H

#include <stdint.h>

/*
 * Where the function that contains a sample's pc was found, in the order of the
 * search.
 */
enum sample_place {
	PLACE_LEAF,    /* the innermost function of the context */
	PLACE_CALLER,  /* the caller of the context's innermost function */
	PLACE_CALLEE,  /* a function that the innermost one has called */
	PLACE_SIBLING, /* a function that its caller has called */
	PLACE_OUTER,   /* another function of the context */
	PLACE_MODULE,  /* another function of a module */
	/* The following values are for generated code that is none of these. */
	PLACE_TIMED,  /* code that existed there at the time of the sample */
	PLACE_NEWEST, /* the latest code that existed there at any time */
	/* a function named after the module that made the memory executable */
	PLACE_MAKER,
	PLACE_UNKNOWN,
	PLACE_COUNT
};

/*
 * Numbers of polls that found the pc in code of the program: in code of
 * modules, and in generated code.
 */
struct sample_places {
	uint64_t native[PLACE_COUNT];
	uint64_t dynamic[PLACE_COUNT];
};

static inline uint64_t sample_places_sum(const uint64_t *places)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < PLACE_COUNT; i++)
		sum += places[i];
	return sum;
}

#endif
