/* SPDX-License-Identifier: MIT */
/*
 * The loader provides a function for debuggers that does nothing, and calls it
 * whenever its list of modules has changed: r_brk of struct r_debug, <link.h>.
 * The loader calls it for all kinds of loading (dlopen(), dlmopen(), libc's own
 * loading of NSS, gconv and libgcc_s) and holds its lock. The call for a new
 * module comes after the module is mapped and before it is relocated, so none
 * of its constructors and IFUNC resolvers has run.
 *
 *	_dl_debug_state:	return, padding	 ->  jump to a pad
 *	pad: far jump to loader_has_changed(), which returns to the loader
 *
 * If a debugger has set its breakpoint there first, the breakpoint stays, and
 * clew does not notice new modules.
 *
 * In musl, dlopen() alone calls this function: when the new modules are
 * relocated, and before their constructors run. If musl was built for size, the
 * function is one byte without padding. Then clew redirects the calls in
 * dlopen() to the pad instead.
 */
#include "preload/hooking/loader.h"

#include <errno.h>
#include <link.h>

#include "disasm/decode.h"
#include "disasm/function_code.h"
#include "disasm/jumps.h"
#include "disasm/prologue.h"
#include "libc/libc.h"
#include "preload/hooking/hook.h"
#include "preload/hooking/hooking_turn.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/thread.h"
#include "preload/patch/patch.h"
#include "preload/record/stress.h"
#include "preload/record/tallies.h"
#include "preload/sys/copy_bytes.h"

#define PAD_ROOM 64

/* The calls in dlopen(), and the bytes of code that are searched for them. */
#define CALLS_MAX    4
#define DLOPEN_BYTES 4096

static struct {
	const struct r_debug *debug;
	struct patch patch; /* patch of the loader */
	struct patch_site sites[CALLS_MAX];
	void (*also)(void);
} watch;

void loader_also_call(void (*function)(void))
{
	watch.also = function;
}

static void call_muted(void (*function)(void))
{
	int saved_errno = errno;
	uint32_t muted = switch_mute(HOT_MUTED_OWN);

	function();
	switch_unmute(muted);
	errno = saved_errno;
}

/*
 * Hooks new modules. Counting is not muted meanwhile, since a signal handler
 * may interrupt this for milliseconds, and its calls are the program's.
 */

static void update(void)
{
	int saved_errno = errno;

	hook_update(rt.cold);
	if (CLEW_STRESS)
		stress_check();
	errno = saved_errno;
}

/* Returns whether the loader is unloading modules in any namespace. */
static int is_deleting(void)
{
	const struct r_debug_extended *debug = (const void *)watch.debug;
	int others = watch.debug->r_version > 1;

	for (; debug; debug = others ? debug->r_next : NULL)
		if (debug->base.r_state == RT_DELETE)
			return 1;
	return 0;
}

/*
 * Waits until no thread is creating patches for modules that are about to be
 * unmapped.
 */
static void await_others(void)
{
	if (hooking_turn_take(HOOKING_TURN_EVER))
		hooking_turn_give();
}

/*
 * The loader calls this function instead of _dl_debug_state(): before it
 * changes its list of modules, and after. While a module is being unmapped, no
 * other thread may write to code (live.c). Unloaded modules are retired at the
 * second call, when the list is consistent again.
 */
static void loader_has_changed(void)
{
	struct cold *cold = rt.cold;
	uint64_t signals;

	if (runtime_is_filtered())
		return;
	if (watch.also && watch.debug->r_state == RT_CONSISTENT)
		call_muted(watch.also);
	if (rt.header->state != WIRE_RUNNING)
		return;
	atomic_store(&cold->patches.is_unloading, is_deleting());
	/*
	 * Waits for a thread that is writing code since before is_unloading was
	 * set.
	 */
	lock_acquire(&cold->patches.lock, &signals);
	lock_release(&cold->patches.lock, &signals);
	await_others();
	if (watch.debug->r_state == RT_CONSISTENT)
		update();
}

static struct module *find_module_of(const struct modules *modules, uint64_t pc)
{
	for (struct module *m = modules->first; m; m = m->next)
		if (!m->is_gone && pc >= m->code.start && pc < m->code.end)
			return m;
	return NULL;
}

static int make_pad(struct cold *cold, uint8_t **pad)
{
	const struct window_user user = module_user(watch.patch.module);
	int err = window_alloc(&cold->windows, &user, PAD_ROOM, pad);

	if (!err)
		jump_encode_far(*pad, (uintptr_t)loader_has_changed);
	return err;
}

static struct patch_text *add_site(uint64_t pc)
{
	struct patch_text *text = &watch.sites[watch.patch.site_count++].text;

	text->pc = pc;
	text->bytes = JUMP_BYTES;
	copy_bytes(text->before, (const void *)pc, text->bytes);
	return text;
}

/*
 * Replaces the code of _dl_debug_state() by a jump. Fails unless the function
 * consists of a return instruction, is aligned, and has enough padding behind
 * it.
 */
static int replace_function(const struct decoder *decoder, const uint8_t *pad)
{
	const uint64_t start = watch.debug->r_brk;
	struct prologue_query query = { .code = (const uint8_t *)start };
	struct prologue prologue;
	uint64_t pc;

	query.size_bytes = function_empty_bytes(query.code);
	query.padding_bytes = FUNCTION_ALIGNMENT - query.size_bytes;
	prologue = prologue_judge(decoder, &query);
	if (prologue.verdict != VERDICT_IS_JUMP_PADDED)
		return -EBUSY;
	pc = start + prologue.patch_offset;
	return jump_encode(add_site(pc)->after, pc, (uintptr_t)pad);
}

/* Redirects the calls of _dl_debug_state() in dlopen(). */
static int replace_calls(const struct decoder *decoder, const uint8_t *pad)
{
	const struct pc_range *code = &watch.patch.module->code;
	const uint64_t start = (uintptr_t)next_dlopen;
	uint64_t pc = start;
	struct insn insn;
	int err = 0;

	while (!err && next_is_inside(code, pc) && pc - start < DLOPEN_BYTES &&
	       watch.patch.site_count < CALLS_MAX &&
	       !decode_scan(decoder, (const uint8_t *)pc, code->end - pc,
			    &insn)) {
		const uint64_t end = pc + insn.length;

		if (insn.kind == INSN_CALL && insn.length == JUMP_BYTES &&
		    end + (uint64_t)(int64_t)insn.branch_bytes ==
			    watch.debug->r_brk)
			err = call_encode(add_site(pc)->after, pc,
					  (uintptr_t)pad);
		pc = end;
	}
	return err || watch.patch.site_count ? err : -EBUSY;
}

static int replace(const uint8_t *pad)
{
	struct arena scratch = { 0 };
	struct decoder decoder;
	int err = decoder_open(&decoder, arena_memory, &scratch);

	if (err)
		return err;
	err = replace_function(&decoder, pad);
	if (err == -EBUSY && libc_is_musl())
		err = replace_calls(&decoder, pad);
	arena_fini(&scratch);
	return err;
}

/*
 * Patches the loader. The patch is in no list of patches, because clew_unhook()
 * must not revert it. Its pad (the jump to this file) is never freed.
 */
int loader_watch(struct cold *cold)
{
	struct module *module;
	uint8_t *pad;
	int err;

	watch.debug = lookup_debug();
	if (!watch.debug || !watch.debug->r_brk)
		return -ENOENT;
	module = find_module_of(&cold->modules, watch.debug->r_brk);
	if (!module)
		return -ENOENT;
	watch.patch = (struct patch){ .module = module, .sites = watch.sites };
	err = make_pad(cold, &pad);
	if (!err)
		err = replace(pad);
	if (!err)
		err = windows_seal(&cold->windows);
	return err ? err : patch_commit(&watch.patch);
}
