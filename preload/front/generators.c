/* SPDX-License-Identifier: MIT */
/* See generators.h. */
#include "preload/front/generators.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/shm.h>

#include "preload/front/changed_text.h"
#include "preload/front/syscalls.h"
#include "preload/generated/jitdumps.h"
#include "preload/generated/makers.h"
#include "preload/generated/memory_names.h"
#include "preload/host/next.h"
#include "preload/host/private_libc.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/modules/natives.h"
#include "preload/patch/guard.h"
#include "preload/patch/hooked_files.h"
#include "preload/record/numbers.h"
#include "preload/sys/own_code.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/id.h"

#define PATH_BYTES 1024

static struct patch *find_by_pc(const struct patches *patches, uint64_t pc)
{
	for (struct patch *p = patches->first; p; p = p->next)
		if (next_is_inside(&p->module->code, pc))
			return p;
	return NULL;
}

static struct patch *find_by_function(const struct patches *patches,
				      uint32_t function)
{
	const struct number_range *range = numbers_find(function);

	for (struct patch *p = patches->first; range && p; p = p->next)
		if (p->module->numbers == range)
			return p;
	return NULL;
}

/*
 * Returns a patch of the module whose code contains pc, or NULL. If pc is in a
 * stub, a hooked function has made a tail call to mmap() or a similar function,
 * and its module is meant.
 */
static struct patch *find_patch(const struct patches *patches, uint64_t pc)
{
	uint32_t function;

	if (!runtime_is_stub(pc))
		return find_by_pc(patches, pc);
	if (id_key_function(runtime_stub_key(pc), &function))
		return find_by_function(patches, function);
	return NULL;
}

static void guard_module_of(struct patches *patches, uint64_t pc)
{
	const struct patch *found;
	uint64_t signals;

	lock_acquire(&patches->lock, &signals);
	found = find_patch(patches, pc);
	for (struct patch *p = patches->first; found && p; p = p->next)
		if (p->module == found->module && !p->is_guarded &&
		    !p->resolves_returns)
			guard_patch(p);
	lock_release(&patches->lock, &signals);
}

void generators_note(const void *pc)
{
	if (rt.patches && !runtime_is_filtered())
		guard_module_of(rt.patches, (uintptr_t)pc);
}

/*
 * Returns an address in the text of the module that contains the caller. If the
 * return address is in a stub, the stub leads to the module. The list of
 * patches may be read without its lock (lookup/patches.h).
 */
static uint64_t text_of_caller(uint64_t pc)
{
	const struct patch *found = rt.patches && runtime_is_stub(pc)
					    ? find_patch(rt.patches, pc)
					    : NULL;

	return found ? found->module->code.start : pc;
}

static void note_maker(const void *pc, uint64_t start, uint64_t bytes)
{
	makers_note(text_of_caller((uintptr_t)pc), start, bytes);
}

void generators_foresee(void)
{
	struct patches *patches = rt.patches;
	uint64_t signals;

	if (!patches || runtime_is_filtered())
		return;
	lock_acquire(&patches->lock, &signals);
	for (struct patch *p = patches->first; p; p = p->next)
		if (p->may_generate && !p->is_guarded)
			guard_patch(p);
	lock_release(&patches->lock, &signals);
}

/* ---- Fronts ---- */

/*
 * Returns whether clew itself is the caller. libclew.so and the libraries
 * linked into it use raw system calls (private_libc.h).
 */
static int is_own(const void *caller)
{
	return own_code_is_library((uintptr_t)caller);
}

/* Finds the path that a descriptor has now; "" if it has none or a long one. */
static void find_path(int fd, char path[PATH_BYTES])
{
	char link[32];
	struct text text = text_in(link, sizeof(link));
	long bytes;

	text_string(&text, "fd/");
	text_number(&text, (uint64_t)fd);
	bytes = proc_read_own_link(link, path, PATH_BYTES);
	path[bytes > 0 && bytes < PATH_BYTES ? bytes : 0] = '\0';
}

static void note_file(uint64_t start, size_t bytes, int fd)
{
	char path[PATH_BYTES], name[MEMORY_NAME_BYTES];

	find_path(fd, path);
	jitdumps_note(path);
	memory_name_of_path(path, name);
	if (*name)
		makers_note_name(start, bytes, name);
}

/* Notes an executable mapping. */
static void note_mapping(const void *caller, uint64_t start, size_t bytes,
			 int flags, int fd)
{
	natives_share(start, start + bytes);
	if (!(flags & MAP_ANONYMOUS) && !runtime_is_filtered())
		note_file(start, bytes, fd);
	note_maker(caller, start, bytes);
	changed_text_check();
}

/*
 * Called before memory is mapped at a fixed address: notes that existing memory
 * there is replaced.
 */
static void note_place(const void *hint, size_t bytes, int flags)
{
	if (!(flags & MAP_FIXED))
		return;
	makers_note_end((uintptr_t)hint, bytes);
	changed_text_note((uintptr_t)hint, bytes);
}

/*
 * If `fd` is one of clew's files, opens the module's own file to map instead.
 * Returns a descriptor to close; -ENODATA if `fd` itself must be mapped; or
 * another -errno if neither is possible, because jumps would lead elsewhere.
 */
static int open_in_place(int fd, int protection, int flags)
{
	const int own =
		flags & MAP_ANONYMOUS ? -ENODATA : hooked_files_open_own(fd);

	return own < 0 && !(protection & PROT_EXEC) ? -ENODATA : own;
}

static void *map_file(const void *caller, void *hint, size_t bytes,
		      int protection, int flags, int fd, off_t offset)
{
	void *result;

	note_place(hint, bytes, flags);
	if (!(protection & PROT_EXEC))
		return NEXT(mmap)(hint, bytes, protection, flags, fd, offset);
	generators_note(caller);
	result = NEXT(mmap)(hint, bytes, protection, flags, fd, offset);
	if (result != MAP_FAILED)
		note_mapping(caller, (uintptr_t)result, bytes, flags, fd);
	return result;
}

static void *map(const void *caller, void *hint, size_t bytes, int protection,
		 int flags, int fd, off_t offset)
{
	void *result;
	int own;

	if (is_own(caller) || !next.mmap)
		return private_mmap(hint, bytes, protection, flags, fd, offset);
	own = open_in_place(fd, protection, flags);
	if (own == -ENODATA)
		return map_file(caller, hint, bytes, protection, flags, fd,
				offset);
	if (own < 0) {
		errno = -own;
		return MAP_FAILED;
	}
	result = map_file(caller, hint, bytes, protection, flags, own, offset);
	sys_close(own);
	return result;
}

EXPORT void *mmap(void *hint, size_t bytes, int protection, int flags, int fd,
		  off_t offset)
{
	return map(__builtin_return_address(0), hint, bytes, protection, flags,
		   fd, offset);
}

EXPORT void *mmap64(void *hint, size_t bytes, int protection, int flags, int fd,
		    off_t offset)
{
	return map(__builtin_return_address(0), hint, bytes, protection, flags,
		   fd, offset);
}

/*
 * Called before the protection of existing memory changes, because it may be
 * executed directly afterwards.
 */
static void note_protection(const void *caller, const void *start, size_t bytes,
			    int protection)
{
	if (protection & PROT_WRITE)
		changed_text_note((uintptr_t)start, bytes);
	if (!(protection & PROT_EXEC))
		return;
	generators_note(caller);
	natives_share((uintptr_t)start, (uintptr_t)start + bytes);
	note_maker(caller, (uintptr_t)start, bytes);
	if (!(protection & PROT_WRITE))
		changed_text_check(); /* the program has finished writing */
}

EXPORT int mprotect(void *start, size_t bytes, int protection)
{
	note_protection(__builtin_return_address(0), start, bytes, protection);
	return NEXT(mprotect)(start, bytes, protection);
}

EXPORT int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
	/* New in glibc 2.27. */
	if (!NEXT(pkey_mprotect)) {
		errno = ENOSYS;
		return -1;
	}
	note_protection(__builtin_return_address(0), start, bytes, protection);
	return NEXT(pkey_mprotect)(start, bytes, protection, key);
}

EXPORT int munmap(void *start, size_t bytes)
{
	if (is_own(__builtin_return_address(0)) || !next.munmap)
		return private_munmap(start, bytes);
	makers_note_end((uintptr_t)start, bytes);
	return NEXT(munmap)(start, bytes);
}

/*
 * Called before memory that may be code is moved. Returns the address that
 * identifies its maker (makers.h), or 0.
 */
static uint64_t begin_move(uint64_t old, uint64_t old_bytes, uint64_t bytes,
			   int flags, uint64_t place)
{
	const uint64_t maker = makers_find(old);

	changed_text_note(old, old_bytes);
	if (flags & MREMAP_FIXED) {
		makers_note_end(place, bytes);
		changed_text_note(place, bytes);
	}
	if (maker)
		makers_note_end(old, old_bytes);
	return maker;
}

/* Called after memory was moved to `now`, or not moved (-1). */
static void finish_move(uint64_t maker, uint64_t old, uint64_t old_bytes,
			uint64_t now, uint64_t bytes)
{
	const int has_failed = now == (uintptr_t)MAP_FAILED;

	if (maker && has_failed)
		makers_note(maker, old, old_bytes);
	else if (maker)
		makers_note(maker, now, bytes);
	if (!has_failed && natives_are_shared(old))
		natives_share(now, now + bytes);
}

EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	void *place, *result;
	va_list arguments;
	uint64_t maker;

	va_start(arguments, flags);
	place = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
	va_end(arguments);
	maker = begin_move((uintptr_t)old, old_bytes, bytes, flags,
			   (uintptr_t)place);
	result = NEXT(mremap)(old, old_bytes, bytes, flags, place);
	finish_move(maker, (uintptr_t)old, old_bytes, (uintptr_t)result, bytes);
	return result;
}

static void note_segment(const void *caller, int id, uint64_t start)
{
	struct shmid_ds about = { .shm_segsz = 1 };

	sys_call_anyway(SYS_shmctl, id, IPC_STAT, (long)&about, 0, 0, 0);
	if (start != UINT64_MAX)
		note_mapping(caller, start, about.shm_segsz, MAP_ANONYMOUS, -1);
}

EXPORT void *shmat(int id, const void *place, int flags)
{
	void *result;

	if (!(flags & SHM_EXEC))
		return NEXT(shmat)(id, place, flags);
	generators_note(__builtin_return_address(0));
	result = NEXT(shmat)(id, place, flags);
	note_segment(__builtin_return_address(0), id, (uintptr_t)result);
	return result;
}

/*
 * The executable memory of a segment that shmdt() detaches. The size of the
 * memory that was made executable there is taken as the segment's size. If
 * shmdt() fails, the memory still exists, and its maker is noted again.
 */
struct detached {
	uint64_t start, bytes, maker;
};

static struct detached begin_detach(uint64_t start)
{
	const struct detached detached = { start, makers_find_bytes(start),
					   makers_find(start) };

	if (detached.bytes)
		makers_note_end(start, detached.bytes);
	return detached;
}

static void finish_detach(const struct detached *detached, long result)
{
	if (result && detached->bytes && detached->maker)
		makers_note(detached->maker, detached->start, detached->bytes);
}

EXPORT int shmdt(const void *start)
{
	const struct detached detached = begin_detach((uintptr_t)start);
	const int result = NEXT(shmdt)(start);

	finish_detach(&detached, result);
	return result;
}

/* Handles syscall(SYS_mmap, ...) and similar calls. */

static long ask_to_map(const void *caller, SYSCALL_ARGUMENTS)
{
	long result;

	note_place((void *)a, (size_t)b, (int)d);
	if (!(c & PROT_EXEC))
		return syscall_plainly(number, a, b, c, d, e, f);
	generators_note(caller);
	result = syscall_plainly(number, a, b, c, d, e, f);
	if (result != -1)
		note_mapping(caller, (uint64_t)result, (size_t)b, (int)d,
			     (int)e);
	return result;
}

long syscall_mmap(SYSCALL_ARGUMENTS)
{
	const void *caller = __builtin_return_address(0);
	const int own = open_in_place((int)e, (int)c, (int)d);
	long result;

	if (own == -ENODATA)
		return ask_to_map(caller, number, a, b, c, d, e, f);
	if (own < 0)
		return syscall_result(own);
	result = ask_to_map(caller, number, a, b, c, d, own, f);
	sys_close(own);
	return result;
}

long syscall_mprotect(SYSCALL_ARGUMENTS)
{
	note_protection(__builtin_return_address(0), (void *)a, (size_t)b,
			(int)c);
	return syscall_plainly(number, a, b, c, d, e, f);
}

long syscall_munmap(SYSCALL_ARGUMENTS)
{
	makers_note_end((uint64_t)a, (size_t)b);
	return syscall_plainly(number, a, b, c, d, e, f);
}

long syscall_mremap(SYSCALL_ARGUMENTS)
{
	const uint64_t maker = begin_move((uint64_t)a, (uint64_t)b, (uint64_t)c,
					  (int)d, (uint64_t)e);
	const long result = syscall_plainly(number, a, b, c, d, e, f);

	finish_move(maker, (uint64_t)a, (uint64_t)b, (uint64_t)result,
		    (uint64_t)c);
	return result;
}

long syscall_shmat(SYSCALL_ARGUMENTS)
{
	long result;

	if (!(c & SHM_EXEC))
		return syscall_plainly(number, a, b, c, d, e, f);
	generators_note(__builtin_return_address(0));
	result = syscall_plainly(number, a, b, c, d, e, f);
	note_segment(__builtin_return_address(0), (int)a, (uint64_t)result);
	return result;
}

long syscall_shmdt(SYSCALL_ARGUMENTS)
{
	const struct detached detached = begin_detach((uint64_t)a);
	const long result = syscall_plainly(number, a, b, c, d, e, f);

	finish_detach(&detached, result);
	return result;
}
