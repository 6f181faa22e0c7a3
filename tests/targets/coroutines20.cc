/* SPDX-License-Identifier: MIT */
/*
 * The coroutines of C++20, whose frames lie in the heap. A function that the
 * resuming code calls, or jumps to, runs the body. Contains generators, tasks
 * that await others by symmetric transfer, coroutines that are resumed by one
 * thread and then by another or destroyed half-way, and exceptions that leave
 * through co_await.
 *
 * The compiler generates the functions that run the bodies, and they cannot
 * count themselves. The comparison omits them: a call from a body counts as a
 * call from the code that resumed the body.
 */
#define TRUTH_MAIN
#define TRUTH_HAS_RUNTIME
#include "tests/targets/scope.h"

#include <coroutine>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <utility>

namespace
{

COUNTED int work(int n)
{
	SCOPE(work);
	return n * 3 + 1;
}

COUNTED int deep(int depth)
{
	SCOPE(deep);
	return depth ? deep(depth - 1) + 1 : work(depth);
}

COUNTED int throws(int depth)
{
	SCOPE(throws);
	if (!depth)
		throw std::runtime_error("in a body");
	return throws(depth - 1) + 1;
}

COUNTED void cleanup()
{
	SCOPE(cleanup);
}

struct cleans {
	~cleans()
	{
		cleanup();
	}
};

struct promise_base {
	int value = 0;
	std::exception_ptr exception;
	std::coroutine_handle<> waiter = std::noop_coroutine();

	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	void unhandled_exception()
	{
		exception = std::current_exception();
	}
};

/* A coroutine that its owner destroys, whether it has finished or not. */
template <typename Promise> struct owner {
	using handle = std::coroutine_handle<Promise>;
	handle body;

	explicit owner(handle made) : body(made)
	{
	}
	owner(owner &&other) noexcept : body(std::exchange(other.body, nullptr))
	{
	}
	owner(const owner &) = delete;
	owner &operator=(const owner &) = delete;
	~owner()
	{
		if (body)
			body.destroy();
	}
};

struct generator_promise : promise_base {
	auto get_return_object()
	{
		return owner<generator_promise>(
			owner<generator_promise>::handle::from_promise(*this));
	}
	std::suspend_always final_suspend() noexcept
	{
		return {};
	}
	std::suspend_always yield_value(int n)
	{
		value = n;
		return {};
	}
	void return_void()
	{
	}
};

struct generator : owner<generator_promise> {
	using promise_type = generator_promise;

	generator(owner<generator_promise> &&made) : owner(std::move(made))
	{
	}
	bool next()
	{
		body.resume();
		return !body.done();
	}
};

struct task_promise : promise_base {
	struct to_waiter {
		bool await_ready() noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(
			std::coroutine_handle<task_promise> body) noexcept
		{
			return body.promise().waiter;
		}
		void await_resume() noexcept
		{
		}
	};

	auto get_return_object()
	{
		return owner<task_promise>(
			owner<task_promise>::handle::from_promise(*this));
	}
	to_waiter final_suspend() noexcept
	{
		return {};
	}
	void return_value(int n)
	{
		value = n;
	}
};

struct task : owner<task_promise> {
	using promise_type = task_promise;

	task(owner<task_promise> &&made) : owner(std::move(made))
	{
	}
	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter)
	{
		body.promise().waiter = waiter;
		return body;
	}
	int await_resume()
	{
		if (body.promise().exception)
			std::rethrow_exception(body.promise().exception);
		return body.promise().value;
	}
};

generator numbers(int from, int to)
{
	cleans guard;

	for (int n = from; n < to; n++) {
		work(n);
		co_yield deep(n % 5);
	}
}

generator doubled(int to)
{
	generator inner = numbers(0, to);

	while (inner.next())
		co_yield work(inner.body.promise().value) * 2;
}

/* A coroutine that waits until any code resumes it. */
struct parking {
	std::coroutine_handle<> parked;

	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> body)
	{
		parked = body;
	}
	void await_resume()
	{
	}
};

task leaf(parking &place, int n)
{
	cleans guard;

	work(n);
	co_await place;
	deep(3);
	if (n % 3 == 0)
		throws(n % 4);
	co_return work(n);
}

task middle(parking &place, int n)
{
	int sum = co_await leaf(place, n);

	sum += deep(1);
	co_return sum + co_await leaf(place, n + 1);
}

task outer(parking &place, int rounds)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++) {
		bool caught = false;

		try {
			sum += co_await middle(place, i);
		} catch (const std::runtime_error &) {
			work(i);
			caught = true;
		}
		if (caught)
			sum += co_await leaf(place, 1);
	}
	co_return sum;
}

COUNTED int drain(generator &numbers, int most)
{
	int sum = 0;

	SCOPE(drain);
	while (most-- && numbers.next())
		sum += work(numbers.body.promise().value);
	return sum;
}

struct job {
	parking place;
	task all = outer(place, 60);
};

COUNTED void go_on(job &job, int times)
{
	SCOPE(go_on);
	while (times-- && !job.all.body.done()) {
		job.place.parked.resume();
		work(times);
	}
}

COUNTED void *thread_main(void *argument)
{
	SCOPE(thread_main);
	go_on(*static_cast<job *>(argument), 20);
	return nullptr;
}

COUNTED int in_turns(job &job)
{
	SCOPE(in_turns);
	job.all.body.resume();
	while (!job.all.body.done()) {
		pthread_t thread;

		go_on(job, 7);
		if (pthread_create(&thread, nullptr, thread_main, &job))
			return -1;
		pthread_join(thread, nullptr);
	}
	return job.all.body.promise().value;
}

COUNTED int generate()
{
	SCOPE(generate);
	generator all = doubled(50), some = doubled(50);

	return drain(all, 1000) + drain(some, 10);
}

} // namespace

int main()
{
	ENTER(main);
	{
		job job;
		int sum = generate();

		printf("done %d %d\n", sum, in_turns(job));
	}
	LEAVE();
	truth_write();
	return 0;
}
