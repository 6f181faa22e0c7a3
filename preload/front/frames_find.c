/* SPDX-License-Identifier: MIT */
/*
 * clew's wrappers of the functions by which unwinders get unwind information
 * from the loader. Unwinders that are linked into a module call them as well.
 *
 * Any thread may call them at any time, so they take no locks and call no libc
 * function except the original one.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"
#include "preload/stack/heal.h"
#include "preload/stubs/stub_image.h"
#include "preload/stubs/window.h"
#include "preload/sys/own_code.h"

static const struct stub_image *image_of(uint64_t block)
{
	return (const struct stub_image *)(uintptr_t)block;
}

/*
 * Returns whether the unwinder that looks up `pc` may land without clew
 * noticing it. libgcc_s reports its landings by calling _Unwind_SetIP(), and so
 * does a copy of libgcc in a module where clew has found that function. Other
 * unwinders report none, nor does libc when it ends a thread. libc jumps out of
 * unwinding after the lookup of a frame of libc, or of the frame of a stub or
 * trampoline, which has the same CFA as the frame of libc behind it.
 */
static int may_land_unseen(const void *caller, uintptr_t pc)
{
	return (!next_is_inside(&next.unwinder, (uintptr_t)caller) &&
		!heal_is_watched((uintptr_t)caller)) ||
	       next_is_inside(&next.libc, pc) || runtime_is_stub(pc) ||
	       trampoline_is_pc(pc);
}

static struct dl_find_object object_of(uint64_t block)
{
	return (struct dl_find_object){
		.dlfo_map_start = (void *)block,
		.dlfo_map_end = (void *)(block + WINDOW_BLOCK_BYTES),
	};
}

EXPORT int _dl_find_object(void *pc, struct dl_find_object *result)
{
	uint64_t block = (uintptr_t)pc & ~(WINDOW_BLOCK_BYTES - 1);

	if (may_land_unseen(__builtin_return_address(0), (uintptr_t)pc))
		heal_expect_landing();

	if (trampoline_is_pc((uintptr_t)pc)) {
		*result = object_of(rt.trampolines);
		result->dlfo_eh_frame =
			(void *)image_of(rt.trampolines)->libgcc_unwinding;
		return 0;
	}
	if (!runtime_is_stub((uintptr_t)pc))
		return NEXT(_dl_find_object) ? NEXT(_dl_find_object)(pc, result)
					     : -1;
	*result = object_of(block);
	result->dlfo_eh_frame =
		(void *)(frames_rules_is_waiting((uintptr_t)pc)
				 ? image_of(block)->throwing_unwinding
				 : image_of(block)->libgcc_unwinding);
	return 0;
}

typedef int (*phdr_callback)(struct dl_phdr_info *info, size_t bytes,
			     void *context);

/* The state of one call of dl_iterate_phdr(). */
struct visit {
	phdr_callback callback;
	void *context;
	/*
	 * The module that was visited last. Its counts of loaded and unloaded
	 * modules are the same in all calls of the callback.
	 */
	struct dl_phdr_info last;
	struct dl_phdr_info own; /* of libclew.so, once it was visited */
	size_t bytes;
	int is_for_libunwind;
};

/*
 * Returns whether the module is a library named libunwind. Both libraries with
 * this name need the ordinary unwind information of stubs, with an even CFA.
 */
static int is_libunwind(const struct dl_phdr_info *info)
{
	static const char name[] = "/libunwind";
	const char *found = info->dlpi_name;

	return found && (found = strrchr(found, '/')) &&
	       !strncmp(found, name, sizeof(name) - 1);
}

static int has_code(const struct dl_phdr_info *info, uintptr_t pc)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    pc - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
			return 1;
	}
	return 0;
}

static int see_module(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct visit *visit = context;

	visit->last = *info;
	visit->bytes = bytes;
	if (info->dlpi_addr == own_code_start()) {
		visit->own = *info;
		return 0;
	}
	if (is_libunwind(info) && has_code(info, (uintptr_t)visit->callback))
		visit->is_for_libunwind = 1;
	return visit->callback(info, bytes, visit->context);
}

static int see_block(struct visit *visit, uint64_t block)
{
	const struct stub_image *image = image_of(block);
	struct dl_phdr_info info = visit->last;

	info.dlpi_addr = 0;
	info.dlpi_name = image->name;
	info.dlpi_phdr = visit->is_for_libunwind ? image->segments
						 : image->libgcc_segments;
	info.dlpi_phnum = STUB_SEGMENTS;
	info.dlpi_tls_modid = 0;
	info.dlpi_tls_data = NULL;
	return visit->callback(&info, visit->bytes, visit->context);
}

static int see_blocks(struct visit *visit)
{
	const struct windows *windows = rt.windows;
	uint32_t count =
		__atomic_load_n(&windows->block_count, __ATOMIC_ACQUIRE);
	int result = 0;

	for (uint32_t i = 0; i < count && !result; i++)
		result = see_block(visit, windows->blocks[i].start);
	if (!result && rt.trampolines)
		result = see_block(visit, rt.trampolines);
	return result;
}

/*
 * Blocks of stubs follow the modules of the loader, and so does libclew.so,
 * although it was loaded first: runtimes of sanitizers end the program unless
 * they come first.
 */
EXPORT int dl_iterate_phdr(phdr_callback callback, void *context)
{
	struct visit visit = { .callback = callback, .context = context };
	int result = NEXT(dl_iterate_phdr)(see_module, &visit);

	if (may_land_unseen(__builtin_return_address(0), 0))
		heal_expect_landing();

	if (!result && visit.own.dlpi_phdr)
		result = callback(&visit.own, visit.bytes, context);
	if (result || !rt.windows || visit.bytes != sizeof(visit.last))
		return result;
	return see_blocks(&visit);
}
