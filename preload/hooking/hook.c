/* SPDX-License-Identifier: MIT */
/*
 * A pass over the modules. New modules become candidates, which are analysed
 * and recorded one by one. All candidates are hooked together, because sealing
 * stubs costs a system call for each window, and registering unwind data
 * requires a lock.
 */
#include "preload/hooking/hook.h"

#include <errno.h>
#include <string.h>

#include "image/traits.h"
#include "preload/front/agent_entries.h"
#include "preload/front/agent_tables.h"
#include "preload/front/entries.h"
#include "preload/front/imports.h"
#include "preload/hooking/hook_probes.h"
#include "preload/hooking/hook_room.h"
#include "preload/hooking/hooking_turn.h"
#include "preload/hooking/layers.h"
#include "preload/hooking/module_patches.h"
#include "preload/hooking/prelinking.h"
#include "preload/hooking/reclaim.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/modules/candidate.h"
#include "preload/modules/catalog.h"
#include "preload/modules/file_modules.h"
#include "preload/modules/natives.h"
#include "preload/patch/journal.h"
#include "preload/patch/patch.h"
#include "preload/patch/patch_prepare.h"
#include "preload/patch/prelinked_text.h"
#include "preload/patch/trap.h"
#include "preload/probe/probe_actions.h"
#include "preload/probe/probe_hits.h"
#include "preload/probe/probe_record.h"
#include "preload/stack/trampolines.h"
#include "preload/stubs/frames.h"
#include "preload/sys/slices.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"
#include "wire/warmed.h"

/* State of one pass. */
struct pass {
	struct cold *cold;
	struct arena scratch;
	struct candidate *first, **tail;
	struct hook_probes probes;
	struct prelinking prelinking;
	/* time of the pass; 0 in the first pass of a session */
	uint64_t now_ns;
	/* This thread's CPU time at the latest charge(). */
	uint64_t charged_ns;
	/* The list of modules contains at least one that was unloaded. */
	int has_retired;
	struct hook_room room;
};

/* ---- Unloaded modules ---- */

static void retire_modules(struct pass *pass)
{
	struct cold *cold = pass->cold;

	for (struct module *m = cold->modules.first; m; m = m->next) {
		if (!m->is_gone)
			continue;
		pass->has_retired = 1;
		if (m->is_retired)
			continue;
		m->is_retired = 1;
		catalog_note_unloaded(&cold->recorder.part, m->numbers,
				      pass->now_ns);
		module_patches_retire(cold, m);
		journal_forget(&m->image);
	}
}

/* ---- New modules ---- */

/*
 * Returns whether the module can be identified: it has a build-id, or the hash
 * of its file's content is known.
 */
static int is_known(const struct module *module)
{
	return module->build_id_bytes || content_is_known(&module->content);
}

static int are_alike(const struct module *a, const struct module *b)
{
	return a->base == b->base && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes) &&
	       !memcmp(&a->content, &b->content, sizeof(a->content)) &&
	       !strcmp(a->path, b->path);
}

/*
 * Finds the same module if it was unloaded and is now loaded at the same
 * address again.
 */
static struct module *find_former(const struct cold *cold,
				  const struct module *module)
{
	if (!is_known(module))
		return NULL;
	for (struct module *m = cold->modules.first; m; m = m->next)
		if (m->is_retired && m->patches && are_alike(m, module))
			return m;
	return NULL;
}

/*
 * Reuses the stubs and numbers of the same module if it was loaded before at
 * the same address. Returns whether there was such a module.
 */
static int take_up_again(const struct pass *pass, struct module *module)
{
	struct cold *cold = pass->cold;
	struct module *former =
		pass->has_retired ? find_former(cold, module) : NULL;

	if (!former || module_patches_again(cold, former, module))
		return 0;
	module->state = former->state;
	module->numbers = former->numbers;
	module->is_libc = former->is_libc;
	module->traits = former->traits;
	module->analysed = former->analysed;
	catalog_note_unloaded(&cold->recorder.part, module->numbers, 0);
	modules_forget(&cold->modules, former);
	return 1;
}

/*
 * Adds to *ns, unless ns is NULL, the CPU time that this thread has used since
 * charge() was called last. In slices the time is not charged to any module.
 */
static void charge(struct pass *pass, uint64_t *ns)
{
	uint64_t now_ns;

	if (slices_are_left())
		return;
	now_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (ns)
		*ns += now_ns - pass->charged_ns;
	pass->charged_ns = now_ns;
}

static int gather_candidates(struct pass *pass)
{
	struct cold *cold = pass->cold;

	pass->tail = &pass->first;
	charge(pass, NULL);
	for (struct module *m = cold->modules.first; m; m = m->next) {
		struct candidate *candidate;
		int err;

		if (!m->is_new || m->is_gone || take_up_again(pass, m))
			continue;
		candidate = arena_alloc(&pass->scratch, sizeof(*candidate));
		if (!candidate)
			return -ENOMEM;
		candidate->module = m;
		candidate_analyse(candidate, &cold->config, &pass->scratch,
				  pass->now_ns != 0 || rt.is_late);
		if (candidate->analysis.traits & TRAIT_SPLIT_STACK)
			ticks_give_up();
		if (!m->build_id_bytes && take_up_again(pass, m))
			continue;
		slices_rest();
		err = candidate_record(candidate, &cold->config, &pass->scratch,
				       &cold->kept, pass->now_ns);
		if (err)
			return err;
		charge(pass, &candidate->cost.analysis_ns);
		*pass->tail = candidate;
		pass->tail = &candidate->next;
		slices_rest();
	}
	return 0;
}

/* ---- Hooking ---- */

/* Called in the first pass of a session only. Returns 0 or -errno. */
static int begin(struct cold *cold)
{
	cold->windows.part_path = cold->recorder.part.file.path;
	cold->windows.heap_start =
		(uint64_t)sys_call(SYS_brk, 0, 0, 0, 0, 0, 0);
	cold->has_begun = 1;
	if (cold->config.probes) {
		int err = probe_hits_begin();

		if (!err)
			err = probe_actions_begin(&cold->recorder.part,
						  &cold->config);
		if (!err)
			err = probe_record_asked(&cold->recorder.part,
						 &cold->config, UINT32_MAX);
		if (err)
			return err;
	}
	return catalog_add_rules(&cold->recorder.part, cold->config.rules);
}

static int has_front(uint64_t pc)
{
	return entries_have(pc) || agent_entries_have(pc);
}

static int open_workshop(struct pass *pass, struct patch_workshop *workshop)
{
	struct cold *cold = pass->cold;

	*workshop = (struct patch_workshop){
		.windows = &cold->windows,
		.pads = &cold->pads,
		.constants = { .tls_offset = stub_tls_offset() },
		.has_front = rt.is_late ? has_front : NULL,
	};
	return decoder_open(&workshop->decoder, arena_memory, &pass->scratch);
}

static void refuse_all(struct candidate *candidate, enum verdict verdict)
{
	for (uint32_t i = 0; i < candidate->entry.module->function_count; i++) {
		struct wire_function *function = &candidate->entry.functions[i];

		if (verdict_class(function->verdict) == VERDICT_HOOKED)
			function->verdict = (uint8_t)verdict;
	}
}

/*
 * Returns which callers a module's stubs count. A stub that replaces the return
 * address of a call from generated code may break the runtime that generated
 * it. V8 is an exception: it resolves replaced return addresses through clew
 * (runtimes.h). Stubs of a module that makes memory executable by direct system
 * calls count no calls from code that this module may have generated, because
 * generators.h does not notice when it begins to generate code.
 */
static uint8_t counted_calls_of(const struct cold *cold, uint32_t traits)
{
	if (traits & TRAIT_V8)
		return STUB_IS_OPEN;
	if (traits & TRAIT_MAPPER)
		return STUB_IS_WARY;
	return cold->config.jit_callers ? STUB_IS_ASKING : STUB_IS_OPEN;
}

/*
 * Passes the new modules to the layers that know a language runtime (layers.h),
 * and, in an attached process, to entries.h, which puts clew's wrappers in
 * front of libc's functions, to agent_entries.h and to agent_tables.h.
 */
static void ask_layers(struct pass *pass)
{
	for (struct candidate *c = pass->first; c; c = c->next) {
		const uint32_t count = c->entry.module->function_count;

		slices_rest();
		if (c->module->is_gone)
			continue;
		if (rt.is_late) {
			agent_tables_meet(c->module);
			entries_meet_module(c->module, &pass->cold->windows,
					    c->entry.functions, count);
			agent_entries_meet_module(c->module,
						  &pass->cold->windows);
		}
		layers_meet_module(c->module, &pass->cold->windows,
				   c->entry.functions, count);
	}
	windows_turn_page(&pass->cold->windows); /* see release.h */
}

static void serve_candidate(const struct pass *pass,
			    struct patch_workshop *workshop,
			    const struct candidate *c)
{
	workshop->constants.counted =
		counted_calls_of(pass->cold, c->analysis.traits);
}

/*
 * Returns whether the module may get breakpoints. libc may not, because it
 * sometimes blocks all signals by its own system calls.
 */
static int may_trap(const struct candidate *c, int has_traps)
{
	return has_traps && !c->module->is_libc;
}

/*
 * Maps prelinked stubs of the candidates. This must run before modules are
 * overwritten and before other stubs are allocated.
 */
static void find_prelinked(struct pass *pass, struct patch_workshop *workshop,
			   int has_traps)
{
	charge(pass, NULL);
	for (struct candidate *c = pass->first; c; c = c->next) {
		if (c->module->is_gone || c->module->state != MODULE_IS_HOOKED)
			continue;
		serve_candidate(pass, workshop, c);
		workshop->has_traps = may_trap(c, has_traps);
		prelinking_find(&pass->prelinking, pass->cold, c, workshop,
				&pass->scratch);
		charge(pass, &c->cost.patch_ns);
	}
}

/*
 * Stores in the module's patches whether their stubs must check their callers
 * (guard.h) once the module generates code.
 */
static void note_generation(const struct candidate *c)
{
	const int resolves_returns = (c->analysis.traits & TRAIT_V8) != 0;
	const int may_generate = !resolves_returns && imports_maps(c->module);

	for (struct patch *p = c->patch; p; p = p->next_of_module) {
		p->resolves_returns = resolves_returns;
		p->may_generate = may_generate;
	}
}

static uint64_t count_to_hook(const struct candidate *c)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < c->entry.module->function_count; i++)
		count += verdict_class(c->entry.functions[i].verdict) ==
			 VERDICT_HOOKED;
	return count;
}

/* Returns 0, or -errno: then no function of the module is hooked. */
static int prepare_patch(struct pass *pass, struct patch_workshop *workshop,
			 struct candidate *c)
{
	const struct catalog_entry *entry = &c->entry;
	const uint64_t count = count_to_hook(c);
	int err;

	if (!prelinking_patch(&pass->prelinking, pass->cold, c, workshop,
			      &pass->scratch))
		return 0;
	if (!hook_room_take(&pass->room, count, !pass->now_ns))
		return -ENOMEM;
	c->patch = arena_alloc(&pass->cold->kept, sizeof(*c->patch));
	if (!c->patch)
		return -ENOMEM;
	err = patch_prepare(c->patch, workshop, c->module,
			    entry->module->first_function, entry->functions,
			    entry->module->function_count);
	if (!err)
		c->has_kept_text =
			!prelinking_keep(&pass->prelinking, pass->cold, c,
					 workshop, &pass->scratch);
	if (!err)
		prelinking_share_sites(pass->cold, c->patch);
	return err;
}

/*
 * Prepares the stubs and probes of a candidate's module; refuses them all if
 * err is not 0.
 */
static void prepare_candidate(struct pass *pass,
			      struct patch_workshop *workshop,
			      struct candidate *c, int has_traps, int err)
{
	struct probed_candidate *probed;

	if (c->module->is_gone)
		return;
	probed = hook_probes_find(&pass->probes, c, has_traps);
	if (c->module->state != MODULE_IS_HOOKED)
		return;
	serve_candidate(pass, workshop, c);
	workshop->has_traps = may_trap(c, has_traps);
	workshop->prelinked = &c->prelinked;
	if (err || prepare_patch(pass, workshop, c)) {
		c->patch = NULL;
		refuse_all(c, c->module->is_gone ? VERDICT_IS_CHANGED
						 : VERDICT_IS_NO_MEMORY);
		return;
	}
	if (pass->cold->config.warmed_files)
		return; /* the stubs are only stored in the cache */
	note_generation(c);
	hook_probes_prepare(&pass->probes, workshop, probed);
}

/* Prepares all stubs. Sealing them and writing the jumps come later. */
static void prepare_patches(struct pass *pass, struct patch_workshop *workshop,
			    int has_traps, int err)
{
	charge(pass, NULL);
	for (struct candidate *c = pass->first; c; c = c->next) {
		slices_rest();
		prepare_candidate(pass, workshop, c, has_traps, err);
		charge(pass, &c->cost.patch_ns);
	}
}

/*
 * Reserves memory for stubs near the last module, because the loader maps new
 * libraries there. Does nothing if the address space is limited, so that no
 * shadow is reserved either.
 */
static void keep_spare(const struct pass *pass)
{
	const struct module *last = pass->cold->modules.last;
	const struct window_user user = module_user(last);

	if (last->code.end && hot_shadow_low != SHADOW_NOWHERE)
		windows_keep_spare(&pass->cold->windows, &user);
}

static int commit(struct cold *cold, const struct candidate *candidate)
{
	int err = rt.is_late ? entries_lead_to_stubs(candidate->patch) : 0;

	if (!err && rt.is_late)
		err = agent_entries_lead_to_stubs(candidate->patch);
	return err ? err
		   : module_patches_commit(cold, candidate->module,
					   candidate->patch);
}

/*
 * Writes the patches of all candidates. If writing fails, the patch was in the
 * list of patches for a moment, and a SIGTRAP handler may still read it. Its
 * memory is therefore not freed. Returns 0, or -errno if stubs cannot be made
 * executable; then no candidate is hooked.
 */
static int commit_candidates(struct pass *pass)
{
	struct cold *cold = pass->cold;
	int err = windows_seal(&cold->windows), failed = 0;

	if (!err)
		err = pads_seal(&cold->pads);
	charge(pass, NULL);
	for (struct candidate *c = pass->first; c; c = c->next) {
		slices_rest();
		if (!c->patch)
			continue;
		if (err || c->module->is_gone)
			patch_destroy(c->patch);
		else
			failed = commit(cold, c);
		charge(pass, &c->cost.patch_ns);
		if (c->patch->sites && !failed)
			continue;
		refuse_all(c, c->module->is_gone ? VERDICT_IS_CHANGED
			      : err              ? VERDICT_IS_NOT_EXECUTABLE
						 : VERDICT_IS_UNPATCHABLE);
		c->patch = NULL; /* excludes the candidate from further steps */
	}
	frames_announce_to_debugger(&cold->windows);
	return err;
}

static void close_prelinked(struct pass *pass)
{
	for (struct candidate *c = pass->first; c; c = c->next)
		prelinking_close(c);
	prelinking_end(&pass->prelinking);
}

/*
 * Without executable stubs the first pass fails, because nothing would be
 * counted. In a later pass the verdicts of the functions are enough.
 */
static int hook_candidates(struct pass *pass)
{
	struct cold *cold = pass->cold;
	const int has_traps = !rt.is_late && trap_is_possible();
	struct patch_workshop workshop;
	int err = 0, sealed;

	if (!cold->has_begun)
		err = begin(cold);
	else
		catalog_update_rules(&cold->recorder.part, cold->config.rules);
	if (err)
		return err;
	err = open_workshop(pass, &workshop);
	if (!err)
		find_prelinked(pass, &workshop, has_traps);
	ask_layers(pass);
	prepare_patches(pass, &workshop, has_traps, err);
	keep_spare(pass);
	sealed = commit_candidates(pass);
	close_prelinked(pass);
	hook_probes_record(&pass->probes);
	if (!slices_are_left())
		candidates_record_costs(pass->first, pass->now_ns);
	return pass->now_ns ? 0 : sealed;
}

/*
 * Redirects functions that copy memory in modules that jump or switch stacks,
 * hooked or not: copied stacks may contain addresses of stubs.
 */
static void lead_copies(const struct cold *cold)
{
	for (struct module *m = cold->modules.first; m; m = m->next) {
		const int switches = (m->traits & TRAIT_SWITCHES) != 0;
		enum imports_jumps jumps;

		if (!m->is_new || m->is_gone || m->is_libc)
			continue;
		jumps = imports_jumps(m);
		if (jumps == IMPORTS_NO_JUMP && !switches)
			continue;
		trampolines_reserve();
		imports_lead_copies(m, switches || jumps == IMPORTS_SWITCH);
	}
}

/*
 * Returns whether a module belongs to the default link namespace. Modules that
 * dlmopen() loads into another namespace use another libc.
 */
static int is_of_program(const struct module *module)
{
	return lookup_map(module->base) != NULL;
}

/*
 * Redirects imports of new modules to clew's wrappers (fronts.h). A module that
 * dlopen() loads may search other libraries before libclew.so, and would then
 * bypass the wrappers.
 */
static void lead_to_fronts(const struct cold *cold)
{
	for (struct module *m = cold->modules.first; m; m = m->next)
		if (m->is_new && !m->is_gone && is_of_program(m))
			imports_lead_to_fronts(m);
}

static int update(struct cold *cold)
{
	struct pass pass = { .cold = cold };
	int err = modules_update(&cold->modules, &cold->kept);

	pass.probes =
		(struct hook_probes){ .cold = cold, .scratch = &pass.scratch };
	if (cold->has_begun)
		pass.now_ns = sys_clock_ns(CLOCK_REALTIME);
	if (!err) {
		natives_update(&cold->modules);
		retire_modules(&pass);
		reclaim_stubs(cold);
		err = gather_candidates(&pass);
	}
	if (!err && pass.now_ns)
		lead_to_fronts(cold);
	if (!err)
		lead_copies(cold);
	if (!err && pass.first)
		err = hook_candidates(&pass);
	arena_fini(&pass.scratch);
	return err;
}

int hook_update(struct cold *cold)
{
	const int is_turn = hooking_turn_take(HOOKING_TURN_EVER);
	int err = update(cold);

	if (is_turn)
		hooking_turn_give();
	return err;
}

/* ---- Warming the cache ---- */

/*
 * Excludes all modules of this process except the library itself, which creates
 * the stubs.
 */
static struct module *keep_only_self_new(struct cold *cold)
{
	struct module *self = cold->modules.self;

	for (struct module *m = cold->modules.first; m; m = m->next)
		m->is_new = m == self;
	return self;
}

static int add_warmed(struct cold *cold)
{
	const struct warmed_file *first = cold->config.warmed_files;
	int err = file_modules_add(&cold->modules, first->path, 1, &cold->kept);

	/* A library that cannot be mapped gets no stubs. */
	for (const struct warmed_file *f = first->next; f && !err; f = f->next)
		if (file_modules_add(&cold->modules, f->path, 0, &cold->kept) ==
		    -ENOMEM)
			err = -ENOMEM;
	return err;
}

static const struct candidate *candidate_of(const struct pass *pass,
					    const struct module *module)
{
	const struct candidate *c = pass->first;

	while (c && c->module != module)
		c = c->next;
	return c;
}

static int make_prelinked(struct pass *pass, int64_t storage)
{
	const int has_traps = trap_is_possible();
	struct patch_workshop workshop;
	int err = begin(pass->cold);

	if (!err)
		err = open_workshop(pass, &workshop);
	if (err)
		return err;
	workshop.constants.tls_offset -= (int32_t)storage;
	find_prelinked(pass, &workshop, has_traps);
	prepare_patches(pass, &workshop, has_traps, 0);
	return 0;
}

static int warm(struct cold *cold, struct pass *pass, uint32_t *kept)
{
	int err = modules_update(&cold->modules, &cold->kept);
	const struct module *helper = cold->modules.first;
	const struct module *self = keep_only_self_new(cold);
	const struct module *last = cold->modules.last, *program;
	const struct candidate *c;

	if (err || !self)
		return err ? err : -ENOENT;
	err = add_warmed(cold);
	if (err)
		return err;
	program = last->next;
	err = gather_candidates(pass);
	if (!err)
		err = make_prelinked(
			pass, (int64_t)(file_modules_storage(program, self) -
					file_modules_storage(helper, self)));
	c = err ? NULL : candidate_of(pass, program);
	if (c && (!c->analysis.function_count || !c->analysis.is_guarded))
		*kept |= WIRE_WARMED_NOTHING;
	if (c && c->prelinked_err == -EBUSY)
		*kept |= WIRE_WARMED_BUSY;
	if (c && c->prelinked.stubs)
		*kept |= WIRE_WARMED_STUBS;
	if (c && (c->has_kept_text || (c->text && c->text->is_found)))
		*kept |= WIRE_WARMED_TEXT;
	close_prelinked(pass);
	return err;
}

int hook_warm(struct cold *cold, uint32_t *kept)
{
	struct pass pass = { .cold = cold };
	int err;

	*kept = 0;
	pass.probes =
		(struct hook_probes){ .cold = cold, .scratch = &pass.scratch };
	err = warm(cold, &pass, kept);
	arena_fini(&pass.scratch);
	return err;
}

static int retire(struct cold *cold)
{
	struct pass pass = { .cold = cold,
			     .now_ns = sys_clock_ns(CLOCK_REALTIME) };
	int err = modules_update(&cold->modules, &cold->kept);
	struct module *next;

	retire_modules(&pass);
	for (struct module *m = cold->modules.first; m; m = next) {
		next = m->next;
		if (m->is_new)
			modules_forget(&cold->modules, m);
	}
	return err;
}

int hook_retire(struct cold *cold)
{
	const int is_turn = hooking_turn_take(HOOKING_TURN_EVER);
	int err = retire(cold);

	if (is_turn)
		hooking_turn_give();
	return err;
}
