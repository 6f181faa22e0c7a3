/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the memory of a process that clew attaches to.
 * The attachment is at the beginning, its arrays and the answers about probes
 * are where it says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attach/remote_texts.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/target_memory.h"
#include "machine/address_space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Range of the memory. All bytes after the input are zero, as if a hostile
 * process had mapped them.
 */
#define START    UINT64_C(0x10000)
#define MAPPED   (UINT64_C(1) << 24)
#define PLAN_MAX 4096

static const uint8_t *memory_bytes;
static size_t memory_size;

/*
 * Number of reads. Every seventh one returns a changed byte, as if the process
 * changed its memory meanwhile.
 */
static unsigned int reads;

int target_read(int memory, uint64_t at, void *out, size_t bytes)
{
	uint8_t *to = out;

	(void)memory;
	if (at < START || at > START + MAPPED || bytes > START + MAPPED - at)
		return -EIO;
	for (size_t i = 0; i < bytes; i++) {
		const uint64_t from = at - START + i;

		to[i] = from < memory_size ? memory_bytes[from] : 0;
	}
	if (++reads % 7 == 0 && bytes)
		to[bytes / 2] ^= 0xff;
	return 0;
}

int target_write(int memory, uint64_t at, const void *bytes, size_t count)
{
	static volatile uint8_t sum;

	(void)memory;
	(void)at;
	for (size_t i = 0; i < count; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
	return 0;
}

static void expect(int is_true)
{
	if (!is_true)
		abort();
}

/* Checks the bounds on which the rest of cli/ relies. */
static void expect_bounds(const struct wire_attachment *copy)
{
	expect(copy->text_count <= WIRE_ATTACH_TEXTS_MAX);
	expect(copy->frame_max <= WIRE_ATTACH_FRAMES_MAX);
	expect(copy->word_count <= WIRE_ATTACH_WORDS_MAX);
	expect(copy->variable_bytes <= WIRE_ATTACH_VARIABLE_BYTES_MAX);
	expect(copy->result <= 0 && copy->result >= -WIRE_ATTACH_ERRNO_MAX);
	expect(copy->controller <= INT32_MAX && copy->caller <= INT32_MAX);
	expect(memchr(copy->why, '\0', sizeof(copy->why)) != NULL);
	expect(memchr(copy->dir, '\0', sizeof(copy->dir)) != NULL);
	expect(memchr(copy->home, '\0', sizeof(copy->home)) != NULL);
}

static void use_arrays(const struct wire_attachment *copy)
{
	struct wire_stack_word *words;
	struct wire_frame frames[4];
	struct remote_texts texts;
	uint8_t *values;
	uint64_t at;

	if (attachment_copy_words(-1, copy, &words) == 0)
		free(words);
	if (attachment_copy_variables(-1, copy, &values) == 0)
		free(values);
	if (copy->frame_max >= 4)
		attachment_copy_frames(-1, copy->frames, frames, 4);
	attachment_copy_stack(-1, copy);
	/* more texts would only take time */
	if (copy->text_count <= PLAN_MAX &&
	    remote_texts_plan(-1, copy, &texts) == 0) {
		remote_texts_write_fronts(-1, &texts, &at);
		remote_texts_write_hooks(-1, &texts, 1);
		remote_texts_restore(-1, &texts);
	}
	if (copy->text_count <= PLAN_MAX)
		remote_texts_free(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_live_probes probes;
	struct wire_attachment copy;
	char *why = NULL;

	memory_bytes = data;
	memory_size = size;
	reads = 0;
	if (attachment_copy(-1, START, &copy, &why) == 0) {
		expect_bounds(&copy);
		use_arrays(&copy);
	} else {
		expect(why && *why);
	}
	free(why);
	why = NULL;
	if (attachment_copy_probes(-1, START + sizeof(copy), &probes, &why) ==
	    0) {
		expect(probes.answer_count <= WIRE_PROBES_MAX);
		for (uint32_t i = 0; i < probes.answer_count; i++)
			expect(probes.answers[i].result <= 0);
	} else {
		expect(!probes.answer_count);
	}
	free(why);
	return 0;
}
