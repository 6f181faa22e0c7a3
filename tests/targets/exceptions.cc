/* SPDX-License-Identifier: MIT */
/* C++ exceptions thrown through, caught in and rethrown by counted frames. */
#define TRUTH_MAIN
#include "tests/targets/scope.h"

#include <cstring>
#include <stdexcept>

namespace
{

COUNTED void after()
{
	SCOPE(after);
}

COUNTED int throws(int depth)
{
	SCOPE(throws);
	if (!depth)
		throw std::runtime_error("bottom");
	return throws(depth - 1) + 1;
}

COUNTED int sometimes(int n)
{
	SCOPE(sometimes);
	if (n % 7 == 3)
		throw n;
	return n;
}

COUNTED int catches(int depth)
{
	SCOPE(catches);
	try {
		return throws(depth);
	} catch (const std::exception &error) {
		after();
		return (int)std::strlen(error.what());
	}
}

COUNTED int rethrows(int depth)
{
	SCOPE(rethrows);
	try {
		int sum = depth ? rethrows(depth - 1) : throws(2);
		return sum;
	} catch (...) {
		after();
		throw;
	}
}

COUNTED void while_unwinding(int depth)
{
	SCOPE(while_unwinding);
	try {
		throws(depth);
	} catch (...) {
		after();
	}
}

/* An exception that is thrown and caught while another one propagates. */
struct unwinding {
	int depth;

	__attribute__((always_inline)) ~unwinding()
	{
		while_unwinding(depth);
	}
};

COUNTED void nested(int depth)
{
	SCOPE(nested);
	unwinding cleanup = { 3 * depth };

	if (depth)
		nested(depth - 1);
	throws(1);
}

COUNTED void while_unwinding_twice(int depth)
{
	SCOPE(while_unwinding_twice);
	try {
		nested(depth);
	} catch (...) {
		after();
	}
}

/* Three at once; the inner ones are far from the handler of the outer one. */
struct unwinding_twice {
	int depth;

	__attribute__((always_inline)) ~unwinding_twice()
	{
		while_unwinding_twice(depth);
	}
};

COUNTED int nested_twice(int depth)
{
	SCOPE(nested_twice);
	unwinding_twice cleanup = { depth % 5 };

	if (depth)
		return nested_twice(depth - 1) + 1;
	return throws(20);
}

COUNTED int run()
{
	SCOPE(run);
	int sum = 0;

	for (int i = 0; i < 200; i++) {
		sum += catches(i % 20);
		try {
			sum += rethrows(i % 9);
		} catch (const std::runtime_error &) {
			after();
		}
		try {
			sum += sometimes(i);
		} catch (int n) {
			sum -= n;
			after();
		}
	}
	for (int depth = 0; depth < 40; depth += 3) {
		try {
			nested(depth);
		} catch (...) {
			after();
		}
		try {
			sum += nested_twice(depth);
		} catch (...) {
			after();
		}
	}
	return sum;
}

} // namespace

int main()
{
	printf("sum %d\n", run());
	truth_write();
	return 0;
}
