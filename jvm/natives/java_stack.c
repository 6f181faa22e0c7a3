/* SPDX-License-Identifier: MIT */
/* See java_stack.h. */
#include "jvm/natives/java_stack.h"

#include <stddef.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/hotspot/hotspot_frames.h"
#include "jvm/hotspot/java_recall.h"
#include "jvm/natives/bridge.h"
#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/stack/trampolines.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

#define HEAPS_MAX 8
#define HASH_BITS ADDRESS_BITS

/*
 * A cache of frame sizes. Each entry is pc >> 16 in its upper half and the
 * number of words of the frame in its lower half, at the index (pc ^ pc >> 16)
 * modulo the table's size. Index and entry together contain all 47 bits of a
 * pc. An entry of 0 is free.
 */
#define SIZES_LOG2  16
#define SIZES_COUNT (1 << SIZES_LOG2)

/*
 * Stored instead of a size, for the code that enters a continuation. Frames
 * further out belong to the carrier.
 */
#define WORDS_ENTRY   UINT32_MAX
#define WORDS_UNKNOWN (UINT32_MAX - 1)
/*
 * Stored instead of a size, for the code to which a virtual thread's outermost
 * frame on the stack returns if its callers are in the heap.
 */
#define WORDS_BARRIER 0

struct java_code java_code, java_interpreter;
int64_t java_bytecode_words = FRAME_BYTECODE;

static _Atomic uint64_t *sizes; /* allocated by java_stack_learn() */
static _Atomic uint64_t generation;

/*
 * The layout of HotSpot's data. Written once, before any walk. Offsets are in
 * bytes.
 */
static struct {
	uint64_t heaps[HEAPS_MAX]; /* addresses of the JVM's CodeHeaps */
	uint32_t heap_count;
	/* Offsets of the two VirtualSpaces in a CodeHeap. */
	uint64_t memory, segments;
	uint64_t low, high; /* offsets of the bounds in a VirtualSpace */
	uint64_t segment_log2;
	uint64_t block_bytes, block_is_used;
	uint64_t name, frame_words; /* offsets of fields in a CodeBlob */
	uint64_t stub, original_pc; /* offsets of fields in an nmethod */
	uint64_t anchor;            /* offset of a field in a JavaCallWrapper */
	uint64_t last_sp, last_pc, last_fp;
	uint64_t call_stub_return;
	/*
	 * The JVM's variable with a return address in the code that enters
	 * continuations; NULL if this JVM has none.
	 */
	const uint64_t *continuation_return;
} layout;

static uint64_t word_at(uint64_t at)
{
	return *(const uint64_t *)at;
}

static int32_t int_at(uint64_t at)
{
	return *(const int32_t *)at;
}

/* ---- Code at a pc ---- */

/*
 * Returns the blob in a heap of code that contains a pc, or 0. The caller makes
 * sure that the blob is not freed meanwhile (java_stack_blob()).
 */
static uint64_t blob_in(uint64_t heap, uint64_t pc)
{
	const uint64_t low = word_at(heap + layout.memory + layout.low);
	const uint64_t high = word_at(heap + layout.memory + layout.high);
	const int32_t log2 = int_at(heap + layout.segment_log2);
	const uint8_t *map =
		(const uint8_t *)word_at(heap + layout.segments + layout.low);
	uint64_t segment, block;

	if (pc < low || pc >= high)
		return 0;
	segment = (pc - low) >> log2;
	if (map[segment] == 0xff)
		return 0;
	while (map[segment])
		segment -= map[segment];
	block = low + (segment << log2);
	return *(const uint8_t *)(block + layout.block_is_used)
		       ? block + layout.block_bytes
		       : 0;
}

uint64_t java_stack_blob(uint64_t pc)
{
	for (uint32_t i = 0; i < layout.heap_count; i++) {
		const uint64_t blob = blob_in(layout.heaps[i], pc);

		if (blob)
			return blob;
	}
	return 0;
}

/*
 * Returns whether the blob belongs to a Java method: its name is "nmethod" or
 * "native nmethod".
 */
static int is_method(uint64_t blob)
{
	const char *name = (const char *)word_at(blob + layout.name);

	return name && name[0] == 'n' && (name[1] == 'm' || name[1] == 'a');
}

static int is_native_method(uint64_t blob)
{
	return is_method(blob) &&
	       ((const char *)word_at(blob + layout.name))[1] == 'a';
}

/* ---- The walk ---- */

struct position {
	uint64_t pc, sp, fp;
	const uint64_t *fp_at; /* address from which fp was read */
	uint64_t hash;
	struct recalled_walk *kept; /* record of this walk, or NULL */
	uint64_t end;               /* end of the stack */
	/*
	 * Frames at or above this address are already in the thread's context.
	 */
	uint64_t top;
};

enum java_step { STEP_ON, STEP_END, STEP_CUT, STEP_FROZEN, STEP_LOST };

/*
 * Returns a word of the stack, and adds it to the words on which the recorded
 * walk depends. If there are too many words, the walk is not recorded.
 */
static uint64_t read_word(struct position *at, uint64_t address)
{
	const uint64_t *word = (const uint64_t *)address;
	struct recalled_walk *kept = at->kept;

	if (kept && kept->count < RECALLED_WORDS)
		kept->words[kept->count++] =
			(struct recalled_word){ word, *word };
	else
		at->kept = NULL;
	return *word;
}

/*
 * Adds the saved frame pointer to the words on which the recorded walk depends.
 * Frames that do not use the frame pointer do not need this.
 */
static void need_frame_pointer(struct position *at)
{
	read_word(at, (uintptr_t)at->fp_at);
}

static void mix(struct position *at, uint64_t word)
{
	at->hash = id_push(at->hash, word);
}

static int is_on_stack(const struct position *at, uint64_t address,
		       uint64_t above)
{
	return address > above && address < at->end - 64 && !(address & 7);
}

/*
 * Moves to the caller, whose frame pointer is stored at address fp_at. Returns
 * STEP_LOST if sp does not lie further out on the stack.
 */
static enum java_step go_on(struct position *at, uint64_t sp, uint64_t pc,
			    uint64_t fp_at)
{
	if (!is_on_stack(at, sp, at->sp))
		return STEP_LOST;
	at->sp = sp;
	at->pc = pc;
	at->fp_at = (const uint64_t *)fp_at;
	at->fp = *at->fp_at;
	return STEP_ON;
}

static enum java_step leave_interpreted(struct position *at)
{
	const uint64_t fp = at->fp;
	uint64_t bytecode;

	if (!is_on_stack(at, fp, at->sp))
		return STEP_LOST;
	need_frame_pointer(at);
	bytecode = read_word(at, fp + 8 * (uint64_t)java_bytecode_words);
	/* A native method has no bytecode; its Method is hashed instead. */
	mix(at, bytecode ? bytecode : read_word(at, fp + 8 * FRAME_METHOD));
	return go_on(at, read_word(at, fp + 8 * FRAME_SENDER_SP),
		     read_word(at, fp + 8), fp);
}

/*
 * Moves from the frame of HotSpot's call stub, by which native code or the JVM
 * has called Java, to the next outer Java frame.
 */
static enum java_step leave_call_stub(struct position *at)
{
	uint64_t anchor, sp, pc, below;

	if (!is_on_stack(at, at->fp, at->sp - 1))
		return STEP_LOST;
	need_frame_pointer(at);
	anchor = read_word(at, at->fp + 8 * FRAME_WRAPPER) + layout.anchor;
	if (!is_on_stack(at, anchor, at->sp))
		return STEP_LOST;
	sp = read_word(at, anchor + layout.last_sp);
	if (!sp)
		return STEP_END;
	if (!is_on_stack(at, sp, at->sp))
		return STEP_LOST;
	below = read_word(at, sp - 8);
	if (sp > at->top || trampoline_at(below) || runtime_is_stub(below))
		return STEP_CUT;
	pc = read_word(at, anchor + layout.last_pc);
	return go_on(at, sp, pc ? pc : below, anchor + layout.last_fp);
}

/*
 * Returns whether the blob is the code that enters continuations. Any pc of
 * this blob counts: interpreted frames return to another one than compiled
 * frames.
 */
static int is_continuation_entry(uint64_t blob)
{
	return layout.continuation_return &&
	       blob == java_stack_blob(*layout.continuation_return);
}

/*
 * Returns the address where a frame that will be deoptimized stores its
 * original return address; 0 for other frames.
 */
static uint64_t real_pc_at(const struct position *at, uint64_t blob)
{
	return is_method(blob) && at->pc >= blob + (uint32_t)int_at(blob +
								    layout.stub)
		       ? at->sp + (uint32_t)int_at(blob + layout.original_pc)
		       : 0;
}

static uint64_t learn_size(struct position *at)
{
	const uint64_t blob = java_stack_blob(at->pc);
	uint64_t words, real, pc = at->pc;

	if (!blob)
		return WORDS_UNKNOWN;
	words = is_continuation_entry(blob)
			? WORDS_ENTRY
			: (uint32_t)int_at(blob + layout.frame_words);
	real = real_pc_at(at, blob);
	if (real) {
		mix(at, read_word(at, real));
		return words;
	}
	__atomic_store_n(
		(uint64_t *)&sizes[(pc ^ pc >> SIZES_LOG2) % SIZES_COUNT],
		pc >> SIZES_LOG2 << 32 | words, __ATOMIC_RELAXED);
	return words;
}

static enum java_step leave_compiled(struct position *at)
{
	const uint64_t pc = at->pc;
	const uint64_t entry = __atomic_load_n(
		(const uint64_t *)&sizes[(pc ^ pc >> SIZES_LOG2) % SIZES_COUNT],
		__ATOMIC_RELAXED);
	const uint64_t words = entry >> 32 == pc >> SIZES_LOG2 ? (uint32_t)entry
							       : learn_size(at);
	const uint64_t sp = at->sp + 8 * words;

	if (words == WORDS_ENTRY)
		return STEP_END;
	if (words == WORDS_BARRIER)
		return layout.continuation_return ? STEP_FROZEN : STEP_LOST;
	if (words > UINT32_MAX / 16 || !is_on_stack(at, sp, at->sp))
		return STEP_LOST;
	mix(at, pc);
	return go_on(at, sp, read_word(at, sp - 8), sp - 16);
}

static enum java_step leave(struct position *at)
{
	if (java_code_has(&java_interpreter, at->pc))
		return leave_interpreted(at);
	if (at->pc == layout.call_stub_return)
		return leave_call_stub(at);
	if (!java_code_has(&java_code, at->pc))
		return STEP_LOST;
	return leave_compiled(at);
}

/*
 * Returns the start of the walk: the caller of the native method. The frame of
 * the JVM's wrapper of the native method begins with the saved frame pointer.
 */
static struct recalled_start start_of(const struct bridge_frame *frame)
{
	const uint64_t *native = (const uint64_t *)frame->java_frame;

	return (struct recalled_start){
		.pc = native[1],
		.sp = java_code_has(&java_interpreter, frame->return_address)
			      ? native[FRAME_SENDER_SP]
			      : (uintptr_t)(native + 2),
		.fp_at = (uintptr_t)native,
		.outer = frame->outer,
		.generation = generation,
	};
}

static struct position first_of(const struct recalled_start *start,
				struct recalled_walk *kept)
{
	const uint64_t own_end = runtime_own_stack_end();

	if (kept) {
		kept->start.pc = 0;
		kept->count = 0;
	}
	return (struct position){
		.pc = start->pc,
		.sp = start->sp,
		.fp = word_at(start->fp_at),
		.fp_at = (const uint64_t *)start->fp_at,
		.hash = start->generation,
		.kept = kept,
		.end = own_end ? own_end : rt.first_stack_end,
		.top = start->outer ? start->outer : UINT64_MAX,
	};
}

/*
 * Completes the record of a walk. `start` is stored last, because a record with
 * a start is valid.
 */
static void keep(struct position *at, const struct recalled_start *start,
		 uint64_t hash, uint32_t end)
{
	if (!at->kept)
		return;
	at->kept->hash = hash;
	at->kept->end = end;
	at->kept->start = *start;
}

static uint64_t hash_of(const struct position *at)
{
	return (at->hash ^ at->hash >> HASH_BITS) &
	       ((UINT64_C(1) << HASH_BITS) - 1);
}

/*
 * Walks the stack; returns its hash, or 0. The steps are inlined: a walk over
 * 60 frames takes 160 ns, and would take 250 ns with calls of the steps.
 */
static __attribute__((noinline, flatten)) uint64_t walk(
	const struct bridge_frame *frame, const struct recalled_start *start,
	struct recalled_walk *kept, uint32_t *end)
{
	struct position at = first_of(start, kept);
	enum java_step step = STEP_ON;
	uint64_t hash;

	*end = JAVA_STACK_LOST;
	if (!is_on_stack(&at, at.sp, (uintptr_t)frame))
		return 0;
	for (uint32_t i = 0; i < JAVA_STACK_WALK_MAX && step == STEP_ON; i++)
		step = leave(&at);
	if (step == STEP_FROZEN)
		*end = JAVA_STACK_FROZEN;
	if (step == STEP_FROZEN || step == STEP_LOST)
		return 0;
	*end = step == STEP_CUT ? JAVA_STACK_CUT : JAVA_STACK_WHOLE;
	hash = hash_of(&at);
	keep(&at, start, hash, *end);
	return hash;
}

uint64_t java_stack_hash(const struct bridge_frame *frame, uint32_t *end)
{
	struct recalled_walk *recalled;
	struct recalled_start start;

	*end = JAVA_STACK_LOST;
	if (!layout.heap_count)
		return 0;
	start = start_of(frame);
	recalled = recalled_at(&start);
	if (!recalled || !recalled_is(recalled, &start))
		return walk(frame, &start, recalled, end);
	*end = recalled->end;
	return recalled->hash;
}

static struct java_frame compiled_at(const struct position *at, uint64_t blob)
{
	const uint64_t real = real_pc_at(at, blob);

	return (struct java_frame){
		.code = blob,
		.pc = real ? word_at(real) : at->pc,
		.is_stub = is_native_method(blob),
	};
}

static struct java_frame interpreted_at(const struct position *at)
{
	return (struct java_frame){
		.method = word_at(at->fp + 8 * FRAME_METHOD),
		.bytecode = word_at(at->fp + 8 * (uint64_t)java_bytecode_words),
	};
}

/* Adds the frame at which the walk is, if it belongs to a Java method. */
static void add_frame(struct java_frames *frames, const struct position *at)
{
	uint64_t blob;

	if (java_code_has(&java_interpreter, at->pc)) {
		frames->frames[frames->count++] = interpreted_at(at);
		return;
	}
	blob = java_stack_blob(at->pc);
	if (blob && is_method(blob))
		frames->frames[frames->count++] = compiled_at(at, blob);
}

uint64_t java_stack_frames(const struct bridge_frame *frame,
			   struct java_frames *frames)
{
	const struct recalled_start start = start_of(frame);
	struct position at = first_of(&start, NULL);
	enum java_step step = STEP_ON;

	frames->count = 0;
	for (uint32_t i = 0; i < JAVA_STACK_WALK_MAX && step == STEP_ON; i++) {
		const struct position before = at;

		step = leave(&at);
		if (step == STEP_ON)
			add_frame(frames, &before);
	}
	frames->is_short = step == STEP_ON;
	return step == STEP_LOST || step == STEP_FROZEN ? 0 : hash_of(&at);
}

void java_stack_forget(void)
{
	for (uint32_t i = 0; sizes && i < SIZES_COUNT; i++)
		if (sizes[i])
			sizes[i] = 0;
	generation++;
}

/* ---- HotSpot's descriptions of itself ---- */

/*
 * Learns offsets in HotSpot's data. Returns 0, or -1 if the JVM does not
 * describe one of them.
 */
static int learn_offsets(uint64_t pc)
{
	const struct {
		uint64_t *to;
		const char *type, *field;
	} wanted[] = {
		{ &layout.memory, "CodeHeap", "_memory" },
		{ &layout.segments, "CodeHeap", "_segmap" },
		{ &layout.segment_log2, "CodeHeap", "_log2_segment_size" },
		{ &layout.low, "VirtualSpace", "_low" },
		{ &layout.high, "VirtualSpace", "_high" },
		{ &layout.block_is_used, "HeapBlock::Header", "_used" },
		{ &layout.name, "CodeBlob", "_name" },
		{ &layout.frame_words, "CodeBlob", "_frame_size" },
		{ &layout.stub, "nmethod", "_stub_offset" },
		{ &layout.original_pc, "nmethod", "_orig_pc_offset" },
		{ &layout.anchor, "JavaCallWrapper", "_anchor" },
		{ &layout.last_sp, "JavaFrameAnchor", "_last_Java_sp" },
		{ &layout.last_pc, "JavaFrameAnchor", "_last_Java_pc" },
		{ &layout.last_fp, "JavaFrameAnchor", "_last_Java_fp" },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const int64_t offset =
			hotspot_offset(pc, wanted[i].type, wanted[i].field);

		if (offset < 0)
			return -1;
		*wanted[i].to = (uint64_t)offset;
	}
	return 0;
}

/*
 * Returns the offset of the length in HotSpot's GrowableArray, or -1. The type
 * with this field has another name in JDK 11.
 */
static int64_t length_offset(uint64_t pc)
{
	const int64_t offset = hotspot_offset(pc, "GrowableArrayBase", "_len");

	return offset < 0 ? hotspot_offset(pc, "GenericGrowableArray", "_len")
			  : offset;
}

/*
 * Stores the heaps of the JVM's code. Returns their number; 0 if they are
 * unknown. JDK 8 has one heap.
 */
static uint32_t learn_heaps(uint64_t pc)
{
	const uint64_t only = hotspot_static(pc, "CodeCache", "_heap");
	const uint64_t array = hotspot_static(pc, "CodeCache", "_heaps");
	const int64_t length = length_offset(pc);
	const int64_t data = hotspot_offset(pc, "GrowableArray<int>", "_data");
	int32_t count;

	if (only) {
		layout.heaps[0] = only;
		return 1;
	}
	if (!array || length < 0 || data < 0)
		return 0;
	count = int_at(array + (uint64_t)length);
	if (count < 1 || count > HEAPS_MAX)
		return 0;
	for (int32_t i = 0; i < count; i++)
		layout.heaps[i] = word_at(word_at(array + (uint64_t)data) +
					  8 * (uint64_t)i);
	return (uint32_t)count;
}

void java_stack_code(uint64_t machine_pc, uint64_t *start, uint64_t *end)
{
	const uint64_t only = hotspot_static(machine_pc, "CodeCache", "_heap");
	const int64_t memory =
		hotspot_offset(machine_pc, "CodeHeap", "_memory");
	const int64_t low =
		hotspot_offset(machine_pc, "VirtualSpace", "_low_boundary");
	const int64_t high =
		hotspot_offset(machine_pc, "VirtualSpace", "_high_boundary");
	const uint64_t space = only + (uint64_t)memory;

	*start = hotspot_static(machine_pc, "CodeCache", "_low_bound");
	*end = hotspot_static(machine_pc, "CodeCache", "_high_bound");
	if (only && memory >= 0 && low >= 0 && high >= 0) {
		*start = word_at(space + (uint64_t)low);
		*end = word_at(space + (uint64_t)high);
	}
}

int java_stack_learn(uint64_t machine_pc)
{
	layout.block_bytes = hotspot_size(machine_pc, "HeapBlock");
	layout.call_stub_return = hotspot_static(machine_pc, "StubRoutines",
						 "_call_stub_return_address");
	layout.continuation_return = hotspot_static_at(
		machine_pc, "ContinuationEntry", "_return_pc");
	if (learn_offsets(machine_pc) || !layout.block_bytes ||
	    !layout.call_stub_return)
		return -1;
	sizes = sys_map_private(SIZES_COUNT * sizeof(*sizes));
	if (sys_failed(sizes)) {
		sizes = NULL;
		return -1;
	}
	if (hotspot_version(machine_pc) == 8)
		java_bytecode_words = FRAME_BYTECODE_JDK_8;
	layout.heap_count = learn_heaps(machine_pc);
	return layout.heap_count ? 0 : -1;
}
