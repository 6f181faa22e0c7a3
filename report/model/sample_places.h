/* SPDX-License-Identifier: MIT */
/*
 * How it was found in which function samples were: among the functions of the
 * sample's context and those next to it, or else by other means.
 */
#ifndef CLEW_MODEL_SAMPLE_PLACES_H
#define CLEW_MODEL_SAMPLE_PLACES_H

#include <stdint.h>

/* In the order in which they are tried; the function with the pc is ... */
enum sample_place {
	PLACE_LEAF,    /* the innermost of the context */
	PLACE_CALLER,  /* its caller */
	PLACE_CALLEE,  /* one that it has called */
	PLACE_SIBLING, /* one that its caller has called */
	PLACE_OUTER,   /* another of the context */
	PLACE_MODULE,  /* none of these, but in a module */
	/* Of dynamic code, none of these, but ... */
	PLACE_TIMED,  /* known to have been there at that time */
	PLACE_NEWEST, /* the newest that was there, whenever */
	PLACE_MAKER,  /* known by who made the memory executable */
	PLACE_UNKNOWN,
	PLACE_COUNT
};

/* Samples with a pc that is the program's. */
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
