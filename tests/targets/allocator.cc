// SPDX-License-Identifier: MIT
/*
 * A program with its own allocator, like one that is linked with jemalloc or
 * tcmalloc. The threads are inside of the allocator's functions most of the
 * time. Each function counts calls that begin while the same thread is inside
 * already. Such a call would damage an allocator's cache of a thread.
 *
 *	allocator SHARED
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <new>

#define ARENA_BYTES (UINT64_C(1) << 30)
#define INSIDE_NS   2000000
#define OUTSIDE_NS  300000

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

namespace {

struct Shared {
	volatile uint64_t is_ready;
	uint64_t rounds, entered_again;
};

Shared *shared;

thread_local int is_inside, is_slow;

void wait_ns(long ns)
{
	const timespec time = { 0, ns };

	nanosleep(&time, nullptr);
}

/* Begins each function of the allocator. */
void enter()
{
	if (is_inside && shared)
		__atomic_fetch_add(&shared->entered_again, 1, __ATOMIC_RELAXED);
	is_inside = 1;
	if (is_slow)
		wait_ns(INSIDE_NS);
}

void leave()
{
	is_inside = 0;
	__asm__ volatile("" ::: "memory");
}

/* Memory is never given back. The first word of a block is its size. */
void *take(size_t align, size_t bytes)
{
	static char *arena;
	static uint64_t used;
	uint64_t at;

	if (!arena)
		arena = static_cast<char *>(mmap(
			nullptr, ARENA_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	align = align < 16 ? 16 : align;
	at = __atomic_fetch_add(&used, bytes + 2 * align, __ATOMIC_RELAXED);
	at = (at + 2 * align - 1) & ~static_cast<uint64_t>(align - 1);
	reinterpret_cast<size_t *>(arena + at)[-1] = bytes;
	return arena + at;
}

}

/* Each function has its own frame: none is inlined or jumps to another. */
#define TAKES(parameters, align, bytes)                                        \
	NOINLINE parameters                                                    \
	{                                                                      \
		void *block;                                                   \
                                                                               \
		enter();                                                       \
		block = take(align, bytes);                                    \
		leave();                                                       \
		return block;                                                  \
	}
#define GIVES(parameters)                                                      \
	NOINLINE parameters                                                    \
	{                                                                      \
		enter();                                                       \
		leave();                                                       \
	}

extern "C" {

TAKES(void *malloc(size_t bytes), 16, bytes)
TAKES(void *calloc(size_t count, size_t bytes), 16, count * bytes)
TAKES(void *memalign(size_t align, size_t bytes), align, bytes)
TAKES(void *aligned_alloc(size_t align, size_t bytes), align, bytes)
TAKES(void *mallocx(size_t bytes, int), 16, bytes)
GIVES(void free(void *))
GIVES(void sdallocx(void *, size_t, int))

void *realloc(void *old, size_t bytes)
{
	size_t before;
	void *block;

	enter();
	block = take(16, bytes);
	before = old ? static_cast<size_t *>(old)[-1] : 0;
	if (old)
		memcpy(block, old, before < bytes ? before : bytes);
	leave();
	return block;
}

int posix_memalign(void **block, size_t align, size_t bytes)
{
	enter();
	*block = take(align, bytes);
	leave();
	return 0;
}
}

TAKES(void *operator new(size_t bytes), 16, bytes)
TAKES(void *operator new[](size_t bytes, const std::nothrow_t &) noexcept, 16,
      bytes)
GIVES(void operator delete(void *) noexcept)
GIVES(void operator delete(void *, size_t) noexcept)
GIVES(void operator delete[](void *) noexcept)
GIVES(void operator delete[](void *, size_t) noexcept)

namespace {

void call_c()
{
	free(malloc(10));
}

void call_extension()
{
	sdallocx(mallocx(10, 0), 10, 0);
}

void call_operators()
{
	operator delete(operator new(10));
}

void call_array_operators()
{
	operator delete[](operator new[](10, std::nothrow), 10);
}

void *run(void *call)
{
	for (;;) {
		is_slow = 1;
		reinterpret_cast<void (*)()>(call)();
		is_slow = 0;
		wait_ns(OUTSIDE_NS);
		__atomic_fetch_add(&shared->rounds, 1, __ATOMIC_RELAXED);
	}
	return nullptr;
}

void start(void (*call)())
{
	pthread_t thread;

	pthread_create(&thread, nullptr, run, reinterpret_cast<void *>(call));
}

}

int main(int, char **argv)
{
	const int file = open(argv[1], O_RDWR | O_CREAT, 0600);

	if (file < 0 || ftruncate(file, sizeof(Shared)))
		return 1;
	shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
					    PROT_READ | PROT_WRITE, MAP_SHARED,
					    file, 0));
	start(call_c);
	start(call_extension);
	start(call_operators);
	shared->is_ready = 1;
	run(reinterpret_cast<void *>(call_array_operators));
	return 0;
}
