/* SPDX-License-Identifier: MIT */
/*
 * Actions of probes (probe_actions.h). This code runs between any two
 * instructions of the program: with general registers only, without libc, and
 * without locks except the part's (part_alloc()). A system call reads the
 * program's memory, and fails where nothing is mapped. In a program whose
 * system calls are filtered, values from memory are therefore not available.
 */
#include "preload/probe/probe_actions.h"
#include "preload/lookup/leaf_ids.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/clew.h"
#include "image/probe_spec.h"
#include "preload/answers/agent_recorded.h"
#include "preload/answers/snapshots.h"
#include "preload/hot/sink.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/modules/modules.h"
#include "preload/probe/handlers.h"
#include "preload/probe/probe_calls.h"
#include "preload/probe/probe_hits.h"
#include "preload/probe/probe_records.h"
#include "preload/probe/probe_stopwatches.h"
#include "preload/probe/slowest_snapshots.h"
#include "preload/record/slots.h"
#include "preload/stack/trampolines.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/range.h"
#include "preload/sys/sys.h"
#include "preload/time/samples.h"
#include "preload/tracing/call_values.h"
#include "wire/id.h"
#include "wire/user_probe.h"

#define FIRST_EVENTS 128
#define MOST_EVENTS  4096
/* maximum number of events of one process */
#define EVENTS_MAX (UINT32_C(1) << 20)
/*
 * In each chunk of events, the clocks are recorded (samples_note_moment())
 * after events 1, 2, 4, 8 and so on, and after each multiple of this number.
 */
#define EVENTS_A_MOMENT 1024

_Static_assert(WIRE_PROBES_MAX <= 32, "a bit for each in `awaiting`");
_Static_assert(EXPRESSION_FIELDS_MAX == WIRE_PROBE_FIELDS_MAX,
	       "a bit for each");

/* The hits and values of one process. */
struct probe_life {
	/* Header of the process's part; a forked child has another. */
	const struct wire_header *header;
	struct chunk chunk;
	struct wire_probe_hits *hits; /* array of WIRE_PROBES_MAX */
	/* number of slots in the chunks of all lanes (slot_source.given) */
	_Atomic uint32_t given;
	struct slot_lane lanes[WIRE_PROBES_MAX];
	struct slowest_snapshots slowest[WIRE_PROBES_MAX];
};

static struct {
	/* the actions of each probe; NULL if the probe only counts */
	const struct probe_action *of[WIRE_PROBES_MAX];
	uint32_t event_bytes[WIRE_PROBES_MAX];
	/*
	 * The module of each probe, to which addresses in its expressions
	 * refer, and its base.
	 */
	const struct module *modules[WIRE_PROBES_MAX];
	_Atomic uint64_t bases[WIRE_PROBES_MAX];
	/*
	 * A bit for each probe whose hits may wait until a call has returned:
	 * await_return().
	 */
	_Atomic uint32_t awaiting;
	struct probe_life *_Atomic life;
} actions;

/*
 * What probe_hit() has to do for a probe, read before it saves registers.
 * ACTS_NOT: it only counts the hit. When any probe has a handler, all others
 * are at least ACTS_SIMPLY, because hits inside a handler are only counted as
 * such.
 */
enum { ACTS_NOT, ACTS_SIMPLY, ACTS };
uint8_t probe_has_action[WIRE_PROBES_MAX];

/* ---- Data of a process ---- */

static struct probe_life *life_new(void)
{
	const uint64_t bytes = WIRE_PROBES_MAX * sizeof(struct wire_probe_hits);
	struct probe_life *made = sys_map_private(sizeof(*made));

	if (sys_failed(made))
		return NULL;
	if (part_alloc(&rt.recorder->part, WIRE_PROBE_HITS, 0, bytes,
		       &made->chunk) != 0) {
		sys_munmap(made, sizeof(*made));
		return NULL;
	}
	made->header = rt.header;
	made->hits = chunk_payload(&made->chunk);
	atomic_store_explicit(&made->chunk.head->used, bytes,
			      memory_order_release);
	return made;
}

/* Returns the data of this process, or NULL if there is no memory. */
static struct probe_life *life(void)
{
	struct probe_life *there =
		atomic_load_explicit(&actions.life, memory_order_acquire);
	struct probe_life *made;

	if (there && agent_is_of_this_process(there->header))
		return there;
	made = life_new();
	if (made &&
	    !atomic_compare_exchange_strong(&actions.life, &there, made)) {
		part_free(&rt.recorder->part, &made->chunk);
		sys_munmap(made, sizeof(*made));
		made = there;
	}
	return made;
}

static void increment(_Atomic uint64_t *number)
{
	atomic_fetch_add_explicit(number, 1, memory_order_relaxed);
}

/* ---- Values ---- */

/*
 * Reads memory of the program by a system call. Uses the pid in the part's
 * header while the main thread exists, because gettid() would cost as much
 * again.
 */
static long read_program(void *to, uint64_t from, size_t bytes)
{
	if (runtime_is_filtered())
		return -EPERM;
	if (!sys_read_memory_of((int)rt.header->pid, from, to, bytes))
		return 0;
	return sys_read_memory(from, to, bytes);
}

/*
 * Reads a string, which the end of mapped memory may cut; the rest of the slot
 * becomes 0. Returns -EFAULT if not even its first byte can be read.
 */
static long read_string(uint64_t from, uint64_t *length, uint32_t most)
{
	char *text = (char *)(length + 1);
	uint32_t got = 0;

	while (got < most) {
		uint64_t here = PAGE_BYTES - (from + got) % PAGE_BYTES;
		uint64_t i = 0;

		if (here > most - got)
			here = most - got;
		if (read_program(text + got, from + got, here) != 0) {
			if (!got)
				return -EFAULT;
			break;
		}
		while (i < here && text[got + i])
			i++;
		got += (uint32_t)i;
		if (i < here)
			break;
	}
	for (uint64_t i = got; i < most && text[i]; i++)
		text[i] = '\0';
	*length = got;
	return 0;
}

static void keep_field(const struct expression_field *field,
		       const struct expression_view *view, uint64_t *slot,
		       int *failed)
{
	uint64_t value = 0;

	*failed = expression_evaluate(&field->expression, view, &value) !=
		  EXPRESSION_IS_FINE;
	if (*failed)
		return;
	if (field->format == WIRE_FIELD_STRING)
		*failed = read_string(value, slot, field->string_bytes) != 0;
	else
		*slot = value;
}

static void keep_values(const struct probe_action *action,
			const struct expression_view *view,
			struct wire_probe_event *event)
{
	unsigned char *slot = (unsigned char *)(event + 1);
	unsigned int index = 0;
	int failed;

	for (const struct probe_field *f = action->fields; f; f = f->next) {
		keep_field(&f->field, view, (uint64_t *)slot, &failed);
		if (failed)
			event->failed |= (uint16_t)(1U << index);
		slot += probe_field_bytes(&f->field);
		index++;
	}
}

/* ---- Events ---- */

static void write_head(void *context, struct wire_slots *slots)
{
	const uint32_t *probe = context;
	struct wire_probe_events *head = (struct wire_probe_events *)slots;

	head->event_bytes = actions.event_bytes[*probe];
	head->probe = *probe;
}

/*
 * Returns what slots_take() needs for this probe. The result refers to *probe,
 * which must outlive it.
 */
static struct slot_source source_of(struct probe_life *mine, uint32_t *probe)
{
	return (struct slot_source){
		.form = {
			.kind = WIRE_PROBE_EVENTS,
			.head_bytes = sizeof(struct wire_probe_events),
			.slot_bytes = actions.event_bytes[*probe],
			.first = FIRST_EVENTS,
			.most = MOST_EVENTS,
			.limit = EVENTS_MAX,
		},
		.lane = &mine->lanes[*probe],
		.given = &mine->given,
		.write = write_head,
		.context = probe,
	};
}

static struct wire_probe_event *take_event(struct probe_life *mine,
					   uint32_t probe, uint32_t *before)
{
	const struct slot_source source = source_of(mine, &probe);
	struct wire_probe_event *event;
	int err;

	event = slots_take(&rt.recorder->part, &source, before, &err);
	if (!event)
		increment(err == -ENOBUFS ? &mine->hits[probe].lost_too_many
					  : &mine->hits[probe].lost_no_space);
	return event;
}

static uint64_t own_tid(void)
{
	const struct tally *tally = *(struct tally *volatile *)&hot.tally;

	return tally ? tally->tid : (uint64_t)sys_gettid();
}

/*
 * In a trace: if the probe is at a function's entry, stores the values with the
 * call (tracing/call_values.h) and returns them. Otherwise returns NULL.
 */
static const struct wire_probe_event *keep_of_call(
	uint32_t probe, const struct expression_view *view)
{
	struct wire_probe_event *event =
		call_values_begin(view->registers[MACHINE_SP], probe);

	if (!event)
		return NULL;
	keep_values(actions.of[probe], view, event);
	return call_values_end(event) ? event : NULL;
}

static void keep(struct probe_life *mine, uint32_t probe,
		 const struct expression_view *view)
{
	const struct tally *tally = *(struct tally *volatile *)&hot.tally;
	const struct wire_probe_event *of_call = keep_of_call(probe, view);
	uint32_t before;
	struct wire_probe_event *event = take_event(mine, probe, &before);

	if (!event)
		return;
	event->tsc = stamp_counter();
	event->id = tally && !hot.muted ? hot.id : ID_ROOT;
	event->tid = (uint32_t)own_tid();
	if (of_call) {
		event->failed = of_call->failed;
		copy_bytes(event + 1, of_call + 1,
			   actions.event_bytes[probe] - sizeof(*event));
	} else {
		keep_values(actions.of[probe], view, event);
	}
	atomic_store_explicit(&event->is_there, 1, memory_order_release);
	if ((before & (before + 1)) == 0 ||
	    before % EVENTS_A_MOMENT == EVENTS_A_MOMENT - 1)
		samples_note_moment(rt.header);
}

/* ---- Modules ---- */

/*
 * Stores the module of a probe. If a probe is in two loaded modules, its base
 * is 0, because an address of one module means nothing in the other.
 */
void probe_actions_place(uint32_t probe, const struct module *module)
{
	const struct module *former = actions.modules[probe];

	actions.modules[probe] = module;
	atomic_store_explicit(&actions.bases[probe],
			      former && former != module &&
					      module_is_loaded(former)
				      ? 0
				      : module->base,
			      memory_order_relaxed);
}

void probe_actions_forget(void)
{
	for (uint32_t i = 0; i < WIRE_PROBES_MAX; i++) {
		probe_has_action[i] = ACTS_NOT;
		actions.of[i] = NULL;
		actions.modules[i] = NULL;
	}
	atomic_store(&actions.awaiting, 0);
}

/* ---- Hits ---- */

static void start_times(const struct probe_action *action, uint64_t sp)
{
	if (action->starts)
		sink_moment();
	for (const struct probe_stopwatch *s = action->starts; s; s = s->next)
		stopwatch_start(s->name, sp, stamp_counter());
}

/*
 * Returns whether a call that began at time `start` (0: unknown) took at least
 * as long as the action requires. Stores the duration in *ticks.
 */
static int is_slow(const struct probe_action *action, uint64_t start,
		   struct wire_probe_hits *hits, uint64_t *ticks)
{
	const uint64_t now = stamp_counter();

	sink_moment();
	*ticks = now - start;
	if (start && start < now &&
	    stopwatch_is_over(*ticks, action->slower->ns))
		return 1;
	increment(start ? &hits->refused : &hits->unknown);
	return 0;
}

/*
 * Returns whether the action must be carried out: the call, which began at
 * `start`, was slow enough, the condition holds, and the limit of hits is not
 * reached. Stores the duration in *ticks if the action requires one.
 */
static int is_wanted(const struct probe_action *action,
		     const struct expression_view *view, uint64_t start,
		     struct wire_probe_hits *hits, uint64_t *ticks)
{
	uint64_t value = 1;

	if (action->slower && !is_slow(action, start, hits, ticks))
		return 0;
	if (action->condition &&
	    expression_evaluate(action->condition, view, &value) !=
		    EXPRESSION_IS_FINE) {
		increment(&hits->unknown);
		return 0;
	}
	if (!value) {
		increment(&hits->refused);
		return 0;
	}
	if (action->limit &&
	    atomic_fetch_add(&hits->wanted, 1) >= action->limit) {
		increment(&hits->over);
		return 0;
	}
	return 1;
}

/*
 * Switches the thread's trace on or off. Has no effect unless a trace is
 * recorded, because counting cannot be switched.
 */
static void switch_trace(enum probe_trace to)
{
	if (to && rt.config->trace_bytes)
		switch_want(to == PROBE_TRACE_ON ? HOT_IS_WANTED
						 : HOT_IS_UNWANTED);
}

static void store_regions(const struct probe_action *action,
			  const struct expression_view *view,
			  struct wire_probe_hits *hits)
{
	for (const struct probe_region *r = action->regions; r; r = r->next) {
		uint64_t number = 0;

		if (r->number.count &&
		    expression_evaluate(&r->number, view, &number) !=
			    EXPRESSION_IS_FINE)
			increment(&hits->unknown);
		else if (r->is_end)
			clew_end(r->name, number);
		else
			clew_begin(r->name, number);
	}
}

/* Calls the handler, or counts the hit as one whose handler is not loaded. */
static void call(struct clew_registers *registers, uint64_t sp, uint32_t probe)
{
	struct probe_life *mine;

	if (probe_calls_run(registers, sp, probe))
		return;
	mine = life();
	if (mine)
		increment(&mine->hits[probe].uncalled);
}

/*
 * Writes a snapshot of a call that took `ticks`, and counts snapshots that are
 * not retained.
 */
static void take_snapshot(const struct probe_action *action,
			  struct probe_life *mine, uint64_t probe,
			  uint64_t ticks)
{
	if (!action->slowest || !action->slower) {
		snapshot_take_of_call(ticks);
		return;
	}
	if (slowest_snapshots_take(&mine->slowest[probe], action->slowest,
				   ticks))
		increment(&mine->hits[probe].over);
}

/* Executes the parts of an action that read no register. */
static void act_simply(const struct probe_action *action,
		       struct probe_life *mine, uint64_t probe, uint64_t ticks)
{
	probe_count_here(probe);
	if (action->takes_snapshot)
		take_snapshot(action, mine, probe, ticks);
	switch_trace(action->trace);
}

static struct expression_view view_of(const uint64_t *registers, uint64_t probe)
{
	return (struct expression_view){
		.registers = registers,
		.base = atomic_load_explicit(&actions.bases[probe],
					     memory_order_relaxed),
		.tid = own_tid,
		.read = read_program,
	};
}

/* ---- Waiting for the return of a call ---- */

/*
 * Returns whether the action can be carried out when a trampoline reports a
 * return: it needs only a duration or a result, and no other register.
 */
static int can_wait(const struct probe_action *action)
{
	return (action->awaits || action->slower || action->condition) &&
	       !action->fields && !action->regions && !action->starts &&
	       !action->call &&
	       (!action->condition ||
		expression_needs_only(action->condition, MACHINE_RESULT));
}

/*
 * Returns the name of the stopwatch for a probe that waits for the return
 * through the trampoline at a slot. It differs from all other names, which are
 * hashes of texts. If an exception leaves the call, the stopwatch stays; a
 * later call at the slot has another trampoline and does not find it.
 */
static uint64_t awaited_name(uint32_t probe, const uint64_t *slot)
{
	return ~(uint64_t)probe ^ *slot << 16;
}

/*
 * Begins to wait for the return of the call that is being entered. Counts calls
 * whose return no trampoline can report: those of a function that is not
 * hooked or calls no other one, and all calls if memory is short.
 */
static void await_end(const struct probe_action *action,
		      struct wire_probe_hits *hits, uint64_t sp, uint32_t probe)
{
	uint64_t *slot = (uint64_t *)sp;

	if (!can_wait(action) || !trampolines_await(slot)) {
		increment(&hits->unknown);
		return;
	}
	sink_moment();
	stopwatch_start(awaited_name(probe, slot), sp, stamp_counter());
}

/*
 * A function that makes a tail call counts as active until the called function
 * returns. If the probe is at such a jump and its action can wait for the
 * return, makes it wait and returns true.
 */
static int await_return(const struct probe_action *action, uint64_t sp,
			uint32_t probe, const uint8_t *at)
{
	uint64_t *slot = (uint64_t *)sp;
	uint64_t start = 1;

	if (!at[PROBE_AT_JUMP_AT] || !can_wait(action) ||
	    !trampolines_await(slot))
		return 0;
	if (action->slower)
		start = stopwatch_stop(action->slower->name, sp);
	if (start)
		stopwatch_start(awaited_name(probe, slot), sp, start);
	return start != 0;
}

static void end_awaited(uint32_t probe, const uint64_t *slot, uint64_t result)
{
	const struct probe_action *action = actions.of[probe];
	const uint64_t start =
		stopwatch_stop(awaited_name(probe, slot), (uintptr_t)slot);
	uint64_t registers[MACHINE_REGISTERS] = { 0 }, ticks = 0;
	const struct expression_view view = view_of(registers, probe);
	struct probe_life *mine;

	mine = start && action && agent_is_recorded() ? life() : NULL;
	if (!mine)
		return;
	registers[MACHINE_RESULT] = result;
	if (is_wanted(action, &view, start, &mine->hits[probe], &ticks))
		act_simply(action, mine, probe, ticks);
}

void probe_actions_call_ends(const uint64_t *slot, uint64_t result)
{
	uint32_t left =
		atomic_load_explicit(&actions.awaiting, memory_order_acquire);

	if (hot.muted == HOT_MUTED_OWN || hot.handler.frame)
		return;
	for (; left; left &= left - 1)
		end_awaited((uint32_t)__builtin_ctz(left), slot, result);
}

/* ---- Acting ---- */

__attribute__((noinline)) static void act(uint64_t *pushed, uint64_t sp,
					  uint64_t probe, const uint8_t *at)
{
	const struct probe_action *action = actions.of[probe];
	uint64_t registers[MACHINE_REGISTERS], start = 0, ticks = 0;
	const struct expression_view view = view_of(registers, probe);
	struct probe_life *mine;

	if (!agent_is_recorded())
		return;
	mine = life();
	if (!mine)
		return;
	for (unsigned int i = 0; i < MACHINE_SP; i++)
		registers[i] = pushed[i];
	registers[MACHINE_SP] = sp;
	if (action->awaits) {
		await_end(action, &mine->hits[probe], sp, (uint32_t)probe);
		return;
	}
	if (await_return(action, sp, (uint32_t)probe, at))
		return;
	if (action->slower)
		start = stopwatch_stop(action->slower->name, sp);
	if (!is_wanted(action, &view, start, &mine->hits[probe], &ticks)) {
		call_values_forget(sp);
		return;
	}
	if (action->fields)
		keep(mine, (uint32_t)probe, &view);
	store_regions(action, &view, &mine->hits[probe]);
	act_simply(action, mine, probe, ticks);
	start_times(action, sp);
	if (action->call)
		call((struct clew_registers *)pushed, sp, (uint32_t)probe);
}

/*
 * Counts a hit inside a handler, or inside a signal handler that interrupted
 * one.
 */
static void count_inside(uint64_t probe)
{
	struct probe_life *mine = agent_is_recorded() ? life() : NULL;

	if (mine)
		increment(&mine->hits[probe].inside);
}

/*
 * Called by probe_hit(), which has saved the general registers on the stack.
 * `pushed` points to them: words 0 to MACHINE_SP - 1 in the order of
 * machine/registers.h. The program continues with the values that are in these
 * words at the end. `sp` is the stack pointer at the probe. `at` is the address
 * of the code that clew has generated for the probe (stubs/probe.h).
 */
void probe_act(uint64_t *pushed, uint64_t sp, uint64_t probe,
	       const uint8_t *at);

void probe_act(uint64_t *pushed, uint64_t sp, uint64_t probe, const uint8_t *at)
{
	const uint64_t id = hot.id;
	const uint64_t leaf = leaf_id_at_probe(at);

	if (hot.muted == HOT_MUTED_OWN)
		return;
	if (leaf != id)
		hot.id = leaf;
	if (hot.handler.frame) {
		count_inside(probe);
	} else if (probe_has_action[probe] == ACTS_SIMPLY) {
		probe_count_here(probe);
		if (actions.of[probe])
			call((struct clew_registers *)pushed, sp,
			     (uint32_t)probe);
	} else {
		act(pushed, sp, probe, at);
	}
	if (leaf != id)
		hot.id = id;
}

/* ---- Requested probes ---- */

static uint32_t event_bytes_of(const struct probe_action *action)
{
	uint32_t bytes = sizeof(struct wire_probe_event);

	for (const struct probe_field *f = action->fields; f; f = f->next)
		bytes += probe_field_bytes(&f->field);
	return bytes;
}

/*
 * Allocates in advance the counters and, if the probe records values, room for
 * its first events, because a system call filter may prevent this later. Events
 * that need more room are then lost.
 */
static int make_room(uint32_t probe)
{
	struct probe_life *mine = life();
	struct slot_source source;

	if (!mine)
		return -ENOMEM;
	if (!actions.of[probe]->fields)
		return 0;
	source = source_of(mine, &probe);
	return slots_begin(&rt.recorder->part, &source);
}

/* Returns whether the probe only counts hits and calls a handler. */
static int is_simple(const struct probe_action *action)
{
	return action->call && !action->condition && !action->limit &&
	       !action->fields && !action->regions && !action->starts &&
	       !action->slower && !action->takes_snapshot && !action->trace;
}

/*
 * Stores the data that a thread reads when it hits the probe. Must be called
 * before the probe's code can be reached.
 */
static void foresee(const struct asked_probe *probe)
{
	uint8_t *acts = &probe_has_action[probe->number];
	const uint32_t bit = UINT32_C(1) << probe->number;

	if (probe->action.call)
		handlers_foresee(probe->number, probe->action.call);
	actions.of[probe->number] = probe->lines ? &probe->action : NULL;
	if (can_wait(&probe->action))
		atomic_fetch_or(&actions.awaiting, bit);
	else
		atomic_fetch_and(&actions.awaiting, ~bit);
	actions.event_bytes[probe->number] = event_bytes_of(&probe->action);
	*acts = !probe->lines || is_simple(&probe->action) ? ACTS_SIMPLY : ACTS;
	if (!probe->lines && !handlers_are_there())
		*acts = ACTS_NOT;
	for (uint32_t i = 0; probe->action.call && i < WIRE_PROBES_MAX; i++)
		if (probe_has_action[i] == ACTS_NOT)
			probe_has_action[i] = ACTS_SIMPLY;
}

/*
 * If the probe is at functions' entries, describes which values of an event
 * belong to the call.
 */
static void describe(const struct asked_probe *probe)
{
	struct call_value values[WIRE_PROBE_FIELDS_MAX];
	uint32_t offset = sizeof(struct wire_probe_event), count = 0;
	struct probe_spec spec;

	if (probe_spec_parse(probe->text, &spec) != 0 || !*spec.function ||
	    spec.offset || spec.is_return)
		return;
	for (const struct probe_field *f = probe->action.fields; f;
	     f = f->next) {
		values[count++] = (struct call_value){
			.offset = (uint16_t)offset,
			.string_bytes = f->field.format == WIRE_FIELD_STRING
						? f->field.string_bytes
						: 0,
		};
		offset += probe_field_bytes(&f->field);
	}
	call_values_describe(probe->number, values, count, offset);
}

int probe_actions_add(struct part *part, const struct asked_probe *probe)
{
	int err;

	foresee(probe);
	if (!probe->lines)
		return 0;
	if (can_wait(&probe->action))
		trampolines_reserve();
	describe(probe);
	err = probe_records_add(part, probe);
	return err ? err : make_room(probe->number);
}

int probe_actions_begin(struct part *part, const struct config *config)
{
	int err = 0;

	for (const struct asked_probe *p = config->probes; p && !err;
	     p = p->next)
		err = probe_actions_add(part, p);
	return err;
}
