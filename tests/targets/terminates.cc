/* SPDX-License-Identifier: MIT */
/*
 * Uncaught exceptions, with the messages of libstdc++.
 *
 *	terminates noexcept	reaches a function that lets none pass
 *	terminates uncaught	leaves main
 *	terminates thread	leaves a thread
 *	terminates handler	leaves main; a terminate handler throws another
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <stdexcept>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

namespace
{

KEPT int throws(int depth)
{
	if (!depth)
		throw std::runtime_error("nobody catches this");
	return throws(depth - 1) + 1;
}

KEPT int lets_none_pass(int depth) noexcept
{
	return throws(depth);
}

KEPT void *thread_main(void *)
{
	throws(3);
	return nullptr;
}

[[noreturn]] KEPT void handler()
{
	try {
		throws(2);
	} catch (const std::exception &error) {
		std::printf("handler: %s\n", error.what());
	}
	std::fflush(stdout);
	std::_Exit(7);
}

} // namespace

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (!std::strcmp(way, "noexcept"))
		return lets_none_pass(5);
	if (!std::strcmp(way, "handler"))
		std::set_terminate(handler);
	if (!std::strcmp(way, "thread") &&
	    !pthread_create(&thread, nullptr, thread_main, nullptr))
		pthread_join(thread, nullptr);
	return throws(5);
}
