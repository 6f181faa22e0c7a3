/* SPDX-License-Identifier: MIT */
/*
 * Exceptions of C++: plain ones, rethrown ones, ones thrown by destructors or
 * caught by nested and function try blocks; and thunks of virtual functions.
 * Destructors are inlined, because their address cannot be taken.
 */
#ifndef CLEW_TESTS_RANDOM_EXCEPTIONS_H
#define CLEW_TESTS_RANDOM_EXCEPTIONS_H
#ifdef __cplusplus

#include <exception>

#define EXCEPTIONS_INLINE __attribute__((always_inline))

/* Has something to do while an exception passes. */
struct guard {
	uint32_t here;
	EXCEPTIONS_INLINE guard() : here(TRUTH_HERE)
	{
	}
	EXCEPTIONS_INLINE ~guard()
	{
		TRUTH_HERE = here;
		cleanup();
	}
	static PLAYED void cleanup()
	{
		ENTER(cleanup);
		LEAVE();
	}
};

/* CATCH is the first statement of a handler. */
#define TRYING_WITH(BODY, CATCH)                                               \
	do {                                                                   \
		struct surroundings outer = play.now;                          \
		volatile uint32_t here = TRUTH_HERE;                           \
		try {                                                          \
			guard g;                                               \
			play.now.catchers++;                                   \
			BODY;                                                  \
		} catch (int) {                                                \
			TRUTH_HERE = here;                                     \
			CATCH;                                                 \
		}                                                              \
		play.now = outer;                                              \
		TRUTH_HERE = here;                                             \
	} while (0)
#define TRYING(BODY) TRYING_WITH(BODY, (void)0)

TRUTH_INLINE void move_throw(void)
{
	if (play.now.catchers > 0 && draw(3) > 0)
		throw 1;
}

static PLAYED long exceptions_rethrow(function body, long n)
{
	volatile long sum = n;

	ENTER(exceptions_rethrow);
	TRYING(TRYING_WITH(sum += body(n), guard::cleanup(); throw));
	LEAVE();
	return sum % 1000;
}

TRUTH_INLINE long move_rethrow(function body, long n)
{
	return exceptions_rethrow(body, n);
}

/* Throws when its scope ends, and catches while an exception passes. */
struct exceptions_thrower {
	function body;
	uint32_t here;
	EXCEPTIONS_INLINE exceptions_thrower(function body)
	    : body(body), here(TRUTH_HERE)
	{
	}
	EXCEPTIONS_INLINE ~exceptions_thrower() noexcept(false)
	{
		TRUTH_HERE = here;
		if (std::uncaught_exceptions() > 0) {
			handle();
			return;
		}
		guard::cleanup();
		if (!play.is_detaching && draw(2))
			throw 2;
	}
	static PLAYED void handle()
	{
		struct surroundings outer = play.now;

		ENTER(handle);
		be_apart();
		TRYING(throw 3);
		play.now = outer;
		LEAVE();
	}
};

static PLAYED long exceptions_destroy(function body, long n)
{
	volatile long sum = n;

	ENTER(exceptions_destroy);
	TRYING(exceptions_thrower thrower(body); sum += body(n));
	LEAVE();
	return sum % 1000;
}

TRUTH_INLINE long move_destroy(function body, long n)
{
	return exceptions_destroy(body, n);
}

/* ENTER() and LEAVE() are outside, so that the block is the whole function. */
static PLAYED long exceptions_whole(function body, long n, uint32_t *here,
				    struct surroundings *outer)
try {
	ENTER(exceptions_whole);
	*outer = play.now;
	*here = TRUTH_HERE;
	play.now.catchers++;
	n += body(n);
	play.now = *outer;
	LEAVE();
	return n % 1000;
} catch (int) {
	play.now = *outer;
	TRUTH_HERE = *here;
	LEAVE();
	return 3;
}

TRUTH_INLINE long move_whole(function body, long n)
{
	struct surroundings outer;
	uint32_t here;

	return exceptions_whole(body, n, &here, &outer);
}

namespace
{
struct exceptions_first {
	long first;
	EXCEPTIONS_INLINE exceptions_first() : first(1)
	{
	}
	virtual long visit(function body, long n) = 0;
};

struct exceptions_second {
	long second;
	EXCEPTIONS_INLINE exceptions_second() : second(2)
	{
	}
	virtual long look(function body, long n) = 0;
};

struct exceptions_both : exceptions_first, virtual exceptions_second {
	EXCEPTIONS_INLINE exceptions_both()
	{
	}
	PLAYED long visit(function body, long n) override;
	PLAYED long look(function body, long n) override;
};
} // namespace

/* The address in one slot of an object's virtual table. */
TRUTH_INLINE const char *exceptions_slot(const void *object, int slot)
{
	return (*(const char *const *const *)object)[slot];
}

long exceptions_both::visit(function body, long n)
{
	truth_enter(exceptions_slot(this, 0), "visit");
	n += body(first);
	LEAVE();
	return n % 1000;
}

long exceptions_both::look(function body, long n)
{
	truth_enter(exceptions_slot(this, 1), "look");
	n += body(second);
	LEAVE();
	return n % 1000;
}

/* The second call leads through a thunk, which jumps to look(). */
TRUTH_INLINE long move_virtual(function body, long n)
{
	exceptions_both both;
	exceptions_first *volatile first = &both;
	exceptions_second *volatile second = &both;

	return first->visit(body, n) + second->look(body, n);
}

TRUTH_INLINE void exceptions_list(void)
{
	exceptions_both both;

	truth_leave_out(exceptions_slot((exceptions_second *)&both, 0),
			"thunk");
}

#endif
#endif
