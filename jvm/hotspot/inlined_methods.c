/* SPDX-License-Identifier: MIT */
/*
 * The frames at all addresses of a piece of code form a tree, because most
 * addresses have common callers. Each frame is written once, when it is first
 * needed.
 */
#include "jvm/hotspot/inlined_methods.h"

#include <jvmticmlr.h>
#include <stdatomic.h>

#include "jvm/hotspot/java_numbers.h"
#include "preload/generated/records.h"
#include "preload/sys/spare.h"

#define FRAMES_MAX  4096
#define METHODS_MAX 1024
#define SLOTS_COUNT (2 * FRAMES_MAX)
#define LEB128_MAX  10
/*
 * Maximum sizes in bytes: of a place without its frames, and of a frame. A
 * place is a range of addresses with the same frames.
 */
#define PLACE_BYTES_MAX (3 * LEB128_MAX)
#define FRAME_BYTES_MAX 9 /* three numbers, each smaller than 2^21 */
#define DEPTH_MAX       256

struct inlined_frame {
	jmethodID method;
	uint32_t caller; /* index of its frame, or 0 */
	int32_t bytecode;
};

/* State for one piece of code; frame 0 is not used. */
struct inlined_work {
	/* end of the last written place, in bytes from the code's start */
	uint64_t end;
	uint32_t frame_count, written_frames, method_count;
	/*
	 * Innermost frame of the place that is not written yet. 0 if there is
	 * no such place.
	 */
	uint32_t place;
	uint64_t place_end; /* in bytes from the code's start */
	uint32_t bytes;     /* length of `text` */
	struct inlined_frame frames[FRAMES_MAX];
	/* a hash table with the indices of frames; 0 in free slots */
	uint16_t slots[SLOTS_COUNT];
	jmethodID methods[METHODS_MAX];
	uint32_t numbers[METHODS_MAX];
	uint8_t text[WIRE_CODE_LINES_BYTES_MAX];
};

/* Memory for one piece of code, which stays allocated for the next one. */
static void *_Atomic spare;

static void begin(struct inlined_work *work)
{
	for (uint32_t i = 0; i < SLOTS_COUNT; i++)
		work->slots[i] = 0;
	work->end = work->place_end = 0;
	work->frame_count = work->written_frames = 1;
	work->method_count = work->place = work->bytes = 0;
}

/* ---- Frames ---- */

static uint32_t hash_of(const struct inlined_frame *frame)
{
	const uint64_t word = (uintptr_t)frame->method ^
			      (uint64_t)frame->caller << 40 ^
			      (uint64_t)(uint32_t)frame->bytecode << 20;

	return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/*
 * Returns the frame's index in work->frames, and adds the frame if it is new.
 * Returns 0 if there are too many frames.
 */
static uint32_t frame_at(struct inlined_work *work,
			 const struct inlined_frame *frame)
{
	uint32_t i = hash_of(frame);

	for (;; i++) {
		const uint32_t at = work->slots[i % SLOTS_COUNT];

		if (at == 0)
			break;
		if (work->frames[at].method == frame->method &&
		    work->frames[at].caller == frame->caller &&
		    work->frames[at].bytecode == frame->bytecode)
			return at;
	}
	if (work->frame_count == FRAMES_MAX)
		return 0;
	work->frames[work->frame_count] = *frame;
	work->slots[i % SLOTS_COUNT] = (uint16_t)work->frame_count;
	return work->frame_count++;
}

/*
 * Adds the frames at a pc, and returns the index of the innermost; 0 if there
 * are none or too many.
 */
static uint32_t enter_frames(struct inlined_work *work, const PCStackInfo *at)
{
	uint32_t frame = 0;

	if (at->numstackframes < 1 || at->numstackframes > DEPTH_MAX)
		return 0;
	for (jint i = at->numstackframes; i-- > 0;) {
		frame = frame_at(work, &(struct inlined_frame){
					       .method = at->methods[i],
					       .caller = frame,
					       .bytecode = at->bcis[i],
				       });
		if (frame == 0)
			return 0;
	}
	return frame;
}

/* ---- Text ---- */

static void put(struct inlined_work *work, uint64_t number)
{
	while (number > 0x7f) {
		work->text[work->bytes++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	work->text[work->bytes++] = (uint8_t)number;
}

static uint32_t method_index(struct inlined_work *work, jmethodID method)
{
	uint32_t i = 0;

	while (i < work->method_count && work->methods[i] != method)
		i++;
	if (i == work->method_count)
		work->methods[work->method_count++] = method;
	return i;
}

static void put_frame(struct inlined_work *work, uint32_t at)
{
	const struct inlined_frame *frame = &work->frames[at];
	const int is_known =
		frame->bytecode >= 0 && frame->bytecode < WIRE_BYTECODE_NONE;

	put(work, method_index(work, frame->method));
	put(work, is_known ? (uint64_t)frame->bytecode + 1 : 0);
	put(work, frame->caller ? at - frame->caller : 0);
}

/*
 * Returns whether there is room for the next place, with all frames and methods
 * that are not written yet.
 */
static int has_room(const struct inlined_work *work)
{
	const uint32_t more = work->frame_count - work->written_frames;
	const uint64_t bytes =
		work->bytes + PLACE_BYTES_MAX +
		(uint64_t)more * FRAME_BYTES_MAX +
		sizeof(uint32_t) * ((uint64_t)work->method_count + more);

	return work->method_count + more <= METHODS_MAX &&
	       bytes <= WIRE_CODE_LINES_BYTES_MAX;
}

/* Writes the pending place, now that its end is known. */
static void put_place(struct inlined_work *work)
{
	const uint32_t newest = work->written_frames;

	if (work->place == 0)
		return;
	put(work, work->place_end - work->end);
	work->end = work->place_end;
	if (work->place >= newest) {
		put(work, work->place + 1 - newest);
		while (work->written_frames <= work->place)
			put_frame(work, work->written_frames++);
	} else {
		put(work, 0);
		put(work, newest - 1 - work->place);
	}
	work->place = 0;
}

/*
 * Stores that the code from the end of the last place to offset `end` belongs
 * to `frame` and its callers. Returns 0 if the frame is 0 or there is no room.
 */
static int add_place(struct inlined_work *work, uint64_t end, uint32_t frame)
{
	if (frame == 0)
		return 0;
	if (frame != work->place) {
		put_place(work);
		if (!has_room(work))
			return 0;
	}
	work->place = frame;
	work->place_end = end;
	return 1;
}

/*
 * Adds the places of the JVM's record, which are in the order of addresses, up
 * to the first invalid one.
 */
static void add_places(struct inlined_work *work,
		       const struct compiled_code *code,
		       const jvmtiCompiledMethodLoadInlineRecord *record)
{
	uint64_t before = 0;

	for (jint i = 0; i < record->numpcs; i++) {
		const PCStackInfo *at = &record->pcinfo[i];
		const uint64_t end = (uintptr_t)at->pc - code->start;

		if ((uintptr_t)at->pc < code->start || end > code->bytes ||
		    end < before ||
		    !add_place(work, end, enter_frames(work, at)))
			break;
		before = end;
	}
	put_place(work);
}

static void record_places(jvmtiEnv *jvmti, JNIEnv *jni,
			  struct inlined_work *work,
			  const struct compiled_code *code)
{
	const struct wire_code_lines head = {
		.start = code->start,
		.tsc = code->tsc,
		.bytes = work->bytes +
			 work->method_count * (uint32_t)sizeof(uint32_t),
		.methods = work->method_count,
	};

	if (work->bytes == 0)
		return;
	for (uint32_t i = 0; i < work->method_count; i++)
		work->numbers[i] =
			work->methods[i] ? java_numbers_method(jvmti, jni,
							       work->methods[i])
					 : 0;
	records_lines(&head, work->numbers, work->text);
}

void inlined_methods_record(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct compiled_code *code, const void *info)
{
	const jvmtiCompiledMethodLoadRecordHeader *record = info;
	struct inlined_work *work;

	while (record && record->kind != JVMTI_CMLR_INLINE_INFO)
		record = record->next;
	if (!record || !jni)
		return;
	work = spare_take(&spare, sizeof(*work));
	if (!work)
		return;
	begin(work);
	add_places(work, code,
		   (const jvmtiCompiledMethodLoadInlineRecord *)record);
	record_places(jvmti, jni, work, code);
	spare_give_back(&spare, work, sizeof(*work));
}
