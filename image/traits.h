/* SPDX-License-Identifier: MIT */
/*
 * What a module's code is, where that decides whether and how it is hooked.
 *
 * Only the module that holds such code has the trait: a C program that links a
 * library written in Go is a C program. Numbers are kept in the analysis
 * cache.
 */
#ifndef CLEW_IMAGE_TRAITS_H
#define CLEW_IMAGE_TRAITS_H

#include <stdint.h>

#include "image/image.h"

enum trait {
	TRAIT_GO = 1,      /* its runtime moves stacks and reads them */
	TRAIT_OCAML = 2,   /* its collector looks up return addresses */
	TRAIT_HASKELL = 4, /* its functions are entered by jumps */
	TRAIT_MAPPER = 8,  /* it may map memory by itself (mappers.h) */
	/* It looks up return addresses of its own, and can be told of ours. */
	TRAIT_V8 = 16,
	/* It was compiled ahead of time for such a host, to which it is no
	 * other than the code that is generated. */
	TRAIT_AOT = 32,
	/* Its code goes from one stack to another, as coroutines do. */
	TRAIT_SWITCHES = 64,
	/* Its stack consists of small segments (gcc -fsplit-stack). */
	TRAIT_SPLIT_STACK = 128,
	TRAITS_KNOWN = 255,
};

/* A set of enum trait, but for those that its code tells (analysis.c). */
uint32_t traits_of(const struct image *image);

#endif
