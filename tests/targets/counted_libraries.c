/* SPDX-License-Identifier: MIT */
/*
 * When preloaded, counts the calls that Java's libraries make of functions in C
 * libraries, and writes their numbers to standard output: "CALLS FUNCTION".
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			     uint64_t);

struct counted {
	const char *library, *name;
	_Atomic(function) real;
	_Atomic long calls;
};

/* Java has loaded the library locally, so it is looked up by its handle. */
static function real_of(struct counted *one)
{
	function real = atomic_load(&one->real);

	atomic_fetch_add(&one->calls, 1);
	if (!real) {
		void *library = dlopen(one->library, RTLD_LAZY | RTLD_NOLOAD);

		real = (function)dlsym(library, one->name);
		atomic_store(&one->real, real);
	}
	return real;
}

/* Counts a function with up to six general arguments. */
#define COUNTED(its_library, function)                                         \
	static struct counted counted_##function = { .library = (its_library), \
						     .name = #function };      \
	uint64_t function(uint64_t a, uint64_t b, uint64_t c, uint64_t d,      \
			  uint64_t e, uint64_t f);                             \
	uint64_t function(uint64_t a, uint64_t b, uint64_t c, uint64_t d,      \
			  uint64_t e, uint64_t f)                              \
	{                                                                      \
		return real_of(&counted_##function)(a, b, c, d, e, f);         \
	}

COUNTED("libsqlite3.so.0", sqlite3_bind_int)
COUNTED("libsqlite3.so.0", sqlite3_bind_parameter_count)
COUNTED("libzstd.so.1", ZSTD_compress2)
COUNTED("libzstd.so.1", ZSTD_decompressDCtx)
COUNTED("liblz4.so.1", LZ4_compress_default)
COUNTED("liblz4.so.1", LZ4_decompress_fast)
COUNTED("libssl.so.3", SSL_write)
COUNTED("libssl.so.3", SSL_read)

static void tell(const struct counted *one)
{
	if (one->calls)
		dprintf(1, "%ld %s\n", one->calls, one->name);
}

__attribute__((destructor)) static void tell_all(void)
{
	tell(&counted_sqlite3_bind_int);
	tell(&counted_sqlite3_bind_parameter_count);
	tell(&counted_ZSTD_compress2);
	tell(&counted_ZSTD_decompressDCtx);
	tell(&counted_LZ4_compress_default);
	tell(&counted_LZ4_decompress_fast);
	tell(&counted_SSL_write);
	tell(&counted_SSL_read);
}
