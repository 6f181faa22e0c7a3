/* SPDX-License-Identifier: MIT */
/* See safe_thread.h. */
#include "cli/attach/safe_thread.h"

#include <errno.h>
#include <libunwind.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/tail_jumps.h"
#include "cli/attach/unwinding.h"
#include "cli/common/library.h"
#include "image/image.h"
#include "image/symbols.h"
#include "machine/elf_numbers.h"

#define FRAMES_MAX 4096

/* A thread in one of these functions may hold a lock that dlopen() takes. */
static const char *const avoided[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"free",
	"memalign",
	"aligned_alloc",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"malloc_trim",
	"malloc_info",
	"mallopt",
	"mallinfo",
	"mallinfo2",
	"malloc_usable_size",
	"malloc_stats",
	"cfree",
	/* jemalloc's further functions */
	"mallocx",
	"rallocx",
	"xallocx",
	"dallocx",
	"sdallocx",
	"mallctl",
	"mallctlbymib",
	"malloc_stats_print",
	"dlopen",
	"dlmopen",
	"dlclose",
	"dlsym",
	"dlvsym",
	"dlerror",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"dl_iterate_phdr",
	"__libc_dlopen_mode",
	"fork",
	"_Fork",
	"vfork",
	"__libc_fork",
	"posix_spawn",
	"posix_spawnp",
	"system",
	"popen",
	"pthread_create",
	"pthread_exit",
	"exit",
	"quick_exit",
	"_exit",
	"abort",
	"__cxa_finalize",
	"__register_atfork",
	"pthread_atfork",
	"__cxa_atexit",
	"__cxa_thread_atexit_impl",
	"__run_exit_handlers",
	"pthread_detach",
	"thrd_create",
	"thrd_detach",
	"pthread_setattr_default_np",
	"pthread_getattr_default_np",
	"setlocale",
	/*
	 * These make all threads call a function, and hold the lock of libc's
	 * list of stacks meanwhile.
	 */
	"setuid",
	"seteuid",
	"setreuid",
	"setresuid",
	"setgid",
	"setegid",
	"setregid",
	"setresgid",
	"setgroups",
	"initgroups",
};

/*
 * These also take the lock of libc's list of stacks, when they free the memory
 * of a thread that has ended, but they do not hold it while they wait.
 */
static const char *const joining[] = {
	"pthread_join",         "pthread_tryjoin_np", "pthread_timedjoin_np",
	"pthread_clockjoin_np", "thrd_join",
};

/*
 * Mangled names of C++ operators begin with these: new, new[], delete and
 * delete[]. Allocators such as jemalloc and tcmalloc define them beside malloc()
 * and do not call it there.
 */
static const char *const operators[] = { "_Znw", "_Zna", "_Zdl", "_Zda" };

#define COUNT(list)    (sizeof(list) / sizeof(*(list)))
#define IN(list, name) is_in(list, COUNT(list), name)

static int is_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return 1;
	return 0;
}

static int is_operator(const char *name)
{
	for (size_t i = 0; i < COUNT(operators); i++)
		if (strncmp(name, operators[i], strlen(operators[i])) == 0)
			return 1;
	return 0;
}

struct avoided_function {
	uint64_t start;
	/* A thread that waits in this function for another thread is safe. */
	int may_wait;
};

struct avoiding {
	struct safe_places *places;
	const struct image *image;
	uint64_t base;
};

static void avoid(struct avoiding *avoiding, uint64_t vaddr, int may_wait)
{
	struct safe_places *places = avoiding->places;

	places->avoided =
		memory_grow(places->avoided, places->avoided_count,
			    &places->capacity, sizeof(*places->avoided));
	places->avoided[places->avoided_count++] =
		(struct avoided_function){ avoiding->base + vaddr, may_wait };
}

static int see_symbol(void *context, const struct symbol *symbol)
{
	struct avoiding *avoiding = context;
	const int may_wait = IN(joining, symbol->name);
	uint64_t left = 0;
	const uint8_t *code;

	if (!symbol->is_defined || (!may_wait && !IN(avoided, symbol->name) &&
				    !is_operator(symbol->name)))
		return 0;
	avoid(avoiding, symbol->vaddr, may_wait);
	code = image_at(avoiding->image, symbol->vaddr, &left);
	if (left > symbol->size)
		left = symbol->size;
	for (uint64_t i = 0; code && i < left; i++) {
		const uint64_t target =
			tail_jump_at(code, left, i, symbol->vaddr);

		if (target)
			avoid(avoiding, target, may_wait);
	}
	return 0;
}

/*
 * Adds those functions of a module that are to be avoided. Any program or
 * library may have its own allocator.
 */
static void see_module(struct safe_places *places, pid_t pid,
		       const struct target_mapping *module)
{
	struct image image;
	struct avoiding avoiding = { .places = places, .image = &image };

	if (target_open_module(pid, module, &image) != 0)
		return;
	avoiding.base = target_base(module, &image);
	symbols_walk(&image, see_symbol, &avoiding);
	image_close(&image);
}

/*
 * Returns the first mapping of the next module from index *i on, except
 * libclew.so, and sets *i behind it; NULL after the last module. *last is the
 * path of the module before.
 */
static const struct target_mapping *next_module(
	const struct safe_places *places, size_t *i, const char **last)
{
	for (; *i < places->maps->count; ++*i) {
		const struct target_mapping *mapping = &places->maps->items[*i];

		if (*mapping->path != '/' || mapping->offset ||
		    strcmp(mapping->path, *last) == 0)
			continue;
		*last = mapping->path;
		if (places->own && strcmp(*last, places->own->path) == 0)
			continue;
		++*i;
		return mapping;
	}
	return NULL;
}

static uint64_t key_of(const struct target_mapping *module)
{
	const uint64_t place[] = { module->start, module->end, module->inode };
	const uint64_t hash = hash_add(HASH_START, place, sizeof(place));

	return hash_key(hash_add(hash, module->path, strlen(module->path)));
}

/*
 * Returns whether all modules whose functions are in the list are still mapped.
 */
static int are_there(const struct safe_places *places)
{
	const struct target_mapping *module;
	const char *last = "";
	size_t i = 0, count = 0;

	while ((module = next_module(places, &i, &last)))
		count += idmap_find(&places->modules, key_of(module)) != NULL;
	return count == places->modules.used;
}

static void see_new_modules(struct safe_places *places)
{
	const struct target_mapping *module;
	const char *last = "";
	size_t i = 0;

	while ((module = next_module(places, &i, &last))) {
		uint64_t *is_seen = idmap_at(&places->modules, key_of(module));

		if (!*is_seen)
			see_module(places, places->pid, module);
		*is_seen = 1;
	}
}

void safe_places_find(struct safe_places *places, pid_t pid, int memory,
		      const struct target_maps *maps)
{
	if (places->maps == maps)
		return;
	safe_thread_end(places);
	places->maps = maps;
	places->loader = target_module(maps, MACHINE_LOADER);
	places->libc = target_module(maps, TARGET_LIBC);
	places->libpthread = target_module(maps, "libpthread.so.0");
	places->own = target_module(maps, LIBRARY_NAME);
	places->pid = pid;
	places->memory = memory;
	if (!are_there(places)) {
		idmap_fini(&places->modules);
		places->modules = (struct idmap){ 0 };
		places->avoided_count = 0;
	}
	see_new_modules(places);
}

void safe_places_expire(struct safe_places *places)
{
	safe_thread_end(places);
	places->maps = NULL;
}

void safe_places_fini(struct safe_places *places)
{
	safe_thread_end(places);
	idmap_fini(&places->modules);
	free(places->avoided);
	*places = (struct safe_places){ 0 };
}

static int is_of(const struct target_mapping *module,
		 const struct target_mapping *mapping)
{
	return module && strcmp(module->path, mapping->path) == 0;
}

/*
 * Returns whether there are `bytes` bytes of stack below sp, or the kernel can
 * extend the stack by them: within the stack's limit, and with the kernel's gap
 * to the next mapping below.
 */
static int can_grow(const struct safe_places *places,
		    const struct target_mapping *stack, uint64_t sp,
		    size_t bytes)
{
	const uint64_t gap = UINT64_C(1) << 21;
	uint64_t below = 0;

	if (sp - stack->start >= bytes)
		return 1;
	for (size_t i = 0; i < places->maps->count; i++)
		if (places->maps->items[i].end <= stack->start &&
		    places->maps->items[i].end > below)
			below = places->maps->items[i].end;
	return stack->end - sp + bytes <= target_stack_limit(places->pid) &&
	       sp >= below + gap + bytes;
}

/*
 * Returns whether a signal of a fault is pending for the thread, for example of
 * a breakpoint; 1 also if this is unknown. The program's handler would
 * otherwise run during the remote call and not at the instruction that has
 * caused the fault.
 */
static int has_fault(const struct tracee *thread)
{
	const uint64_t faults =
		UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGTRAP - 1) |
		UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGILL - 1) |
		UINT64_C(1) << (SIGFPE - 1);

	return ((uint64_t)target_status(thread->tid, "SigPnd", 16) & faults) !=
	       0;
}

int safe_thread_has_room(const struct safe_places *places,
			 const struct tracee *thread, size_t bytes)
{
	const struct user_regs_struct *registers = &thread->registers;
	const uint64_t sp = stopped_sp(registers);
	const uint64_t block = stopped_block(registers);
	const struct target_mapping *stack = target_find(places->maps, sp);
	const struct target_mapping *code =
		target_find(places->maps, stopped_pc(registers));

	if (!stack || !stack->is_writable || !code ||
	    (*code->path != '/' && strcmp(code->path, "[vdso]") != 0) ||
	    is_of(places->own, code) || has_fault(thread))
		return 0;
	if (strcmp(stack->path, "[stack]") == 0)
		return can_grow(places, stack, sp, bytes);
	/*
	 * The first thread's control block is never on its stack, but may be in
	 * the mapping next to another stack.
	 */
	if (thread->tid == places->pid)
		return 0;
	return block > sp && block < stack->end && sp - stack->start >= bytes;
}

/* ---- Checking the frames of a thread ---- */

/*
 * Returns whether the thread waits in futex(2): for the end of another thread,
 * or for a lock.
 */
static int is_waiting(const struct tracee *thread)
{
	return stopped_call(&thread->registers) == SYS_futex;
}

static int is_place_to_avoid(const struct safe_places *places,
			     const struct tracee *thread, uint64_t pc,
			     uint64_t start)
{
	const struct target_mapping *code = target_find(places->maps, pc);

	if (!code || is_of(places->loader, code))
		return 1;
	for (size_t i = 0; i < places->avoided_count; i++)
		if (places->avoided[i].start == start)
			return !places->avoided[i].may_wait ||
			       !is_waiting(thread);
	return 0;
}

static int is_of_program(const struct safe_places *places, uint64_t pc)
{
	const struct target_mapping *code = target_find(places->maps, pc);

	return code && *code->path == '/' && !is_of(places->libc, code) &&
	       !is_of(places->libpthread, code) && !is_of(places->loader, code);
}

/*
 * Checks the frames by libunwind's cursor. Returns 1 if the thread must be
 * avoided: a frame belongs to a function to avoid, to the loader or to code
 * that is not mapped; all frames are in libc, because such a thread is starting
 * or exiting and may hold locks; or the stack has no valid end, so that some
 * frames are unknown.
 */
static int walk(const struct safe_places *places, const struct tracee *thread,
		unw_cursor_t *cursor)
{
	int left = FRAMES_MAX, more = 1, has_program = 0;
	unw_word_t last_sp = 0;

	while (more > 0 && left-- > 0) {
		unw_proc_info_t function = { 0 };
		unw_word_t pc = 0, sp = 0;

		unw_get_reg(cursor, UNW_REG_IP, &pc);
		unw_get_reg(cursor, UNW_REG_SP, &sp);
		if (!pc)
			return !has_program;
		if (sp < last_sp)
			return 1;
		last_sp = sp;
		has_program |= is_of_program(places, pc);
		if (unw_get_proc_info(cursor, &function) != 0)
			function.start_ip = 0;
		if (is_place_to_avoid(places, thread, pc, function.start_ip))
			return 1;
		more = unw_step(cursor);
	}
	return more != 0 || !has_program;
}

/*
 * Like walk(), with frames of unwinding_frames(): frames[i].word is the pc in
 * the caller of frame i.
 */
static int check_frames(const struct safe_places *places,
			const struct tracee *thread,
			const struct wire_frame *frames, size_t count)
{
	uint64_t pc = stopped_pc(&thread->registers);
	int has_program = 0;

	for (size_t i = 0; i < count; i++) {
		if (frames[i].pc)
			pc = frames[i].pc;
		if (is_place_to_avoid(places, thread, pc, frames[i].function))
			return 1;
		has_program |= is_of_program(places, pc);
		pc = frames[i].word;
	}
	return is_place_to_avoid(places, thread, pc, 0) ||
	       !(has_program | is_of_program(places, pc));
}

/*
 * Returns 0 if the thread must be avoided for a reason that walk() lists, 1 if
 * not, or -errno if its frames cannot be determined exactly.
 */
static int is_sure_to_be_outside(const struct safe_places *places,
				 struct unwinding *unwinding,
				 const struct tracee *thread)
{
	struct wire_frame *frames = memory_zeroed(FRAMES_MAX, sizeof(*frames));
	long count = unwinding_frames(unwinding, thread, frames, FRAMES_MAX);

	if (count >= 0)
		count = !check_frames(places, thread, frames, (size_t)count);
	free(frames);
	return (int)count;
}

/* ---- In the worker ---- */

/*
 * Returns whether the thread need not be avoided (see walk()). If exact
 * unwinding fails, for example in code without call frame information, uses
 * libunwind's guesses.
 */
static int is_outside(const struct safe_places *places,
		      struct unwinding *unwinding, const struct tracee *thread)
{
	unw_cursor_t cursor;
	const int is = is_sure_to_be_outside(places, unwinding, thread);

	return is >= 0 ? is
		       : unwinding_begin(unwinding, thread, &cursor) == 0 &&
				 !walk(places, thread, &cursor);
}

static void see_whether_outside(const void *context, const void *thread,
				void *answer)
{
	const struct safe_places *places = context;
	struct unwinding *unwinding =
		unwinding_create(places->memory, places->maps);
	int *is = answer;

	*is = unwinding && is_outside(places, unwinding, thread);
	if (unwinding)
		unwinding_destroy(unwinding);
}

/* ---- In the caller ---- */

int safe_thread_prepare(struct safe_places *places, char **why)
{
	return stack_reader_begin(&places->reader, places->memory,
				  see_whether_outside, places,
				  sizeof(struct tracee), sizeof(int), 0, why);
}

int safe_thread_is_outside(struct safe_places *places,
			   const struct tracee *thread, char **why)
{
	const void *answer;
	int err = stack_reader_ask(&places->reader, thread, sizeof(*thread),
				   &answer, why);

	return err ? err : *(const int *)answer != 0;
}

void safe_thread_end(struct safe_places *places)
{
	stack_reader_end(&places->reader);
}
