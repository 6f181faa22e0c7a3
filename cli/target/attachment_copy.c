/* SPDX-License-Identifier: MIT */
/* See attachment_copy.h. */
#include "cli/target/attachment_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/target/target_memory.h"
#include "machine/address_space.h"

/* Bytes per call of pread(), which transfers less than 2 GiB at once. */
#define READ_BYTES (UINT64_C(1) << 20)

#define PIDS_MAX   INT32_MAX

/* A number that the library reports, and its maximum. */
struct bounded {
	const char *name;
	uint64_t value, max;
};

static int refuse(const struct bounded *number, char **why)
{
	return fail(why, -EBADMSG,
		    "its libclew.so reports %s %" PRIu64
		    ", but the largest valid value is %" PRIu64
		    "; the library is not clew's, or the process overwrote its "
		    "data",
		    number->name, number->value, number->max);
}

static int check(const struct bounded *numbers, size_t count, char **why)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i].value > numbers[i].max)
			return refuse(&numbers[i], why);
	return 0;
}

/*
 * Returns the errno of a result (0 or -errno). A positive result is invalid:
 * then returns a number above all bounds.
 */
static uint64_t error_of(int32_t result)
{
	return result > 0 ? UINT64_MAX : (uint64_t) - (int64_t)result;
}

static int read_once(int memory, uint64_t at, void *out, size_t bytes,
		     char **why)
{
	const int err = target_read(memory, at, out, bytes);

	return err ? fail(why, err, "its memory cannot be read: %s",
			  strerror(-err))
		   : 0;
}

static int refuse_version(char **why)
{
	return fail(why, -EPROTO,
		    "it has loaded the libclew.so of another clew version; use "
		    "that version, or restart the process");
}

/* ---- The attachment ---- */

static int check_attachment(const struct wire_attachment *copy, char **why)
{
	const struct bounded numbers[] = {
		{ "state", copy->state, WIRE_ATTACH_PREPARING },
		{ "controller", copy->controller, PIDS_MAX },
		{ "result", error_of(copy->result), WIRE_ATTACH_ERRNO_MAX },
		{ "caller", copy->caller, PIDS_MAX },
		{ "runtimes", copy->runtimes, WIRE_RUNTIMES_UNLEFT },
		{ "text_count", copy->text_count, WIRE_ATTACH_TEXTS_MAX },
		{ "frame_max", copy->frame_max, WIRE_ATTACH_FRAMES_MAX },
		{ "word_count", copy->word_count, WIRE_ATTACH_WORDS_MAX },
		{ "variable_bytes", copy->variable_bytes,
		  WIRE_ATTACH_VARIABLE_BYTES_MAX },
		/*
		 * clew adds the sizes of arrays to these addresses, which must
		 * not overflow.
		 */
		{ "texts", copy->texts, ADDRESS_END },
		{ "frames", copy->frames, ADDRESS_END },
		{ "words", copy->words, ADDRESS_END },
		{ "windows", copy->windows, ADDRESS_END },
	};

	return check(numbers, sizeof(numbers) / sizeof(*numbers), why);
}

int attachment_copy(int memory, uint64_t at, struct wire_attachment *copy,
		    char **why)
{
	int err = read_once(memory, at, copy, sizeof(*copy), why);

	if (err)
		return err;
	if (!copy->version) {
		*copy = (struct wire_attachment){ 0 };
		return 0;
	}
	if (copy->version != WIRE_ATTACH_VERSION)
		return refuse_version(why);
	copy->why[sizeof(copy->why) - 1] = '\0';
	copy->dir[sizeof(copy->dir) - 1] = '\0';
	copy->home[sizeof(copy->home) - 1] = '\0';
	return check_attachment(copy, why);
}

/* ---- Arrays ---- */

static int read_array(int memory, uint64_t at, void *out, uint64_t bytes)
{
	int err = 0;

	for (uint64_t done = 0, n; done < bytes && !err; done += n) {
		n = bytes - done < READ_BYTES ? bytes - done : READ_BYTES;
		err = target_read(memory, at + done, (uint8_t *)out + done, n);
	}
	return err;
}

/*
 * Copies an array into new memory, *items, which the caller frees. On failure,
 * returns -errno and sets *items to NULL.
 */
static int copy_array(int memory, uint64_t at, uint64_t count, size_t size,
		      void **items)
{
	void *copy = memory_zeroed(count + 1, size);
	const int err = read_array(memory, at, copy, count * size);

	if (err) {
		free(copy);
		copy = NULL;
	}
	*items = copy;
	return err;
}

/*
 * Returns whether a text's size is valid, and its end can be rounded up to a
 * page without an overflow.
 */
static int is_sound(const struct wire_text *text)
{
	return text->bytes && text->bytes <= WIRE_ATTACH_TEXT_BYTES &&
	       text->at <= ADDRESS_END - WIRE_ATTACH_TEXT_BYTES;
}

int attachment_copy_texts(int memory, const struct wire_attachment *attachment,
			  struct wire_text **texts)
{
	void *items;
	int err = copy_array(memory, attachment->texts, attachment->text_count,
			     sizeof(**texts), &items);

	*texts = items;
	for (uint64_t i = 0; !err && i < attachment->text_count; i++)
		if (!is_sound(&(*texts)[i]))
			err = -EBADMSG;
	if (err) {
		free(*texts);
		*texts = NULL;
	}
	return err;
}

int attachment_copy_words(int memory, const struct wire_attachment *attachment,
			  struct wire_stack_word **words)
{
	void *items;
	const int err =
		copy_array(memory, attachment->words, attachment->word_count,
			   sizeof(**words), &items);

	*words = items;
	return err;
}

int attachment_copy_variables(int memory,
			      const struct wire_attachment *attachment,
			      uint8_t **values)
{
	void *items;
	const int err = copy_array(memory, attachment->variables,
				   attachment->variable_bytes, 1, &items);

	*values = items;
	return err;
}

int attachment_copy_frames(int memory, uint64_t at, struct wire_frame *frames,
			   uint64_t count)
{
	return read_array(memory, at, frames, count * sizeof(*frames));
}

uint64_t attachment_copy_stack(int memory,
			       const struct wire_attachment *attachment)
{
	struct wire_stack_query answer;

	if (target_read(memory, attachment->query, &answer, sizeof(answer)) !=
		    0 ||
	    answer.stack_flags & SS_DISABLE)
		return 0;
	return answer.stack;
}

/* ---- Probes ---- */

static int check_probes(const struct wire_live_probes *copy, char **why)
{
	const struct bounded numbers[] = {
		{ "state", copy->state, WIRE_LIVE_DONE },
		{ "thread", copy->thread, PIDS_MAX },
		{ "result", error_of(copy->result), WIRE_ATTACH_ERRNO_MAX },
		{ "answer_count", copy->answer_count, WIRE_PROBES_MAX },
	};
	int err = check(numbers, sizeof(numbers) / sizeof(*numbers), why);

	for (uint32_t i = 0; !err && i < copy->answer_count; i++) {
		const struct bounded result = {
			"result", error_of(copy->answers[i].result),
			WIRE_ATTACH_ERRNO_MAX
		};

		err = check(&result, 1, why);
	}
	return err;
}

int attachment_copy_probes(int memory, uint64_t at,
			   struct wire_live_probes *copy, char **why)
{
	int err = read_once(memory, at, copy, sizeof(*copy), why);

	if (!err && copy->version != WIRE_LIVE_PROBES_VERSION)
		err = refuse_version(why);
	if (!err) {
		copy->why[sizeof(copy->why) - 1] = '\0';
		err = check_probes(copy, why);
	}
	if (err)
		*copy = (struct wire_live_probes){ 0 };
	return err;
}
