/* SPDX-License-Identifier: MIT */
/*
 * Landings, and jumps to the innermost one: by the three kinds of longjmp()
 * and by setcontext().
 */
#ifndef CLEW_TESTS_RANDOM_JUMPS_H
#define CLEW_TESTS_RANDOM_JUMPS_H

#ifdef __cplusplus
#define BUILTIN_JUMP(landing) abort()
#else
#define BUILTIN_JUMP(landing) __builtin_longjmp((landing)->builtin, 1)
#endif

/* A macro, because a function that jumps in this way is never inlined. */
#define MOVE_JUMP()                                                            \
	do {                                                                   \
		struct landing *to = play.now.landing;                         \
		if (!to || draw(3) == 0)                                       \
			break;                                                 \
		if (to->kind == LAND_PLAIN)                                    \
			longjmp(to->place, 1);                                 \
		if (to->kind == LAND_MASK)                                     \
			siglongjmp(to->place, 1);                              \
		if (to->kind == LAND_CONTEXT)                                  \
			setcontext(to->context);                               \
		BUILTIN_JUMP(to);                                              \
	} while (0)

/* Zero at first, and nonzero after setcontext(). */
#define LAND_AGAIN()                                                           \
	(landing.context = (ucontext_t *)__builtin_alloca(sizeof(ucontext_t)), \
	 getcontext(landing.context), landing.returned++)

/*
 * SET is the test of a setjmp of some kind; the body may land there. Values
 * that must survive are volatile, or in memory: registers may have changed.
 */
#define LANDING(KIND, SET, BODY)                                               \
	do {                                                                   \
		struct landing landing;                                        \
		volatile uint32_t here = TRUTH_HERE;                           \
		struct surroundings volatile outer;                            \
		memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));   \
		landing.kind = KIND;                                           \
		landing.returned = 0;                                          \
		if (!(SET)) {                                                  \
			play.now.landing = &landing;                           \
			BODY;                                                  \
		}                                                              \
		memcpy(&play.now, (void *)(uintptr_t)&outer, sizeof(outer));   \
		TRUTH_HERE = here;                                             \
	} while (0)

#endif
