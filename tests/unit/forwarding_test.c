/* SPDX-License-Identifier: MIT */
/*
 * Tests that stubs load each value at the address and width of its store.
 *
 * A load that follows a store to the same memory gets its value from the store
 * buffer, in a few cycles, if that store wrote all bytes of the load; on some
 * processors (Zen 5) only if both begin at the same address. Otherwise the load
 * waits until the store has reached the cache, which adds 6 ns to every call.
 *
 * The test covers every template, with the output of relocate(), and the
 * thunks. A guarded stub differs only in when a branch is taken, and the model
 * follows both sides of each branch.
 */
#include <string.h>
#include <sys/mman.h>

#include "disasm/relocate.h"
#include "preload/stubs/stub_template.h"
#include "preload/stubs/stub_write.h"
#include "tests/unit/model_x86_64.h"
#include "tests/unit/unit.h"

#define ROOM 8192

/* Maps memory near the functions to which displaced instructions refer. */
static uint8_t *room_near_function(void)
{
	uint8_t *room =
		mmap((void *)(MODEL_FUNCTION + 0x100000), ROOM,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_not_equal(room, MAP_FAILED);
	return room;
}

struct displaced {
	const char *text;
	uint8_t bytes;
	const char *code;
};

static const struct displaced most[] = {
	{ "pushes", 5, "\x41\x57\x41\x56\x55" },
	{ "sub; call", 9, "\x48\x83\xec\x08\xe8\x10\x00\x00\x00" },
	{ "push; call *", 7, "\x53\xff\x15\x10\x00\x00\x00" },
	{ "call *(stack)", 5, "\x50\xff\x54\x44\x08" },
	{ "call *reg", 5, "\x48\x89\xfb\xff\xd0" },
	{ .text = NULL },
};

static const struct displaced of_leaves[] = {
	{ "mov; shl", 7, "\x48\x89\xf8\x48\xc1\xe0\x04" },
	{ "cmpb; je", 5, "\x80\x3f\x00\x74\x10" },
	{ .text = NULL },
};

static void of_template(struct decoder *decoder,
			const struct stub_template *template,
			const struct displaced *displaced)
{
	uint8_t *at = room_near_function();

	for (size_t i = 0; displaced[i].text; i++) {
		uint8_t *copy = at + template->displaced_at;

		memcpy(at, template->start, template->bytes);
		for (const struct hole *hole = template->holes;
		     hole < template->holes_end; hole++) {
			uint32_t word;

			if (hole->kind != HOLE_TLS)
				continue;
			memcpy(&word, at + hole->at, sizeof(word));
			word += (uint32_t)stub_tls_offset();
			memcpy(at + hole->at, &word, sizeof(word));
		}
		assert_true(relocate(decoder,
				     (const uint8_t *)displaced[i].code,
				     displaced[i].bytes, MODEL_FUNCTION, copy,
				     RELOCATE_MAX_BYTES, (uintptr_t)copy) > 0);
		if (model_count_stalls(at, template->bytes, template->entry_at,
				       1))
			fail_msg("%s: %s", displaced[i].text, model_said);
	}
	munmap(at, ROOM);
}

static _Alignas(16) char decoder_room[1 << 20];
static size_t decoder_used;

static void *decoder_memory(void *context, size_t bytes)
{
	void *room = decoder_room + decoder_used;

	(void)context;
	decoder_used += (bytes + 15) & ~(size_t)15;
	assert_true(decoder_used <= sizeof(decoder_room));
	return room;
}

static int open_decoder(void **state)
{
	static struct decoder decoder;

	*state = &decoder;
	return decoder_open(&decoder, decoder_memory, NULL);
}

static void plain_stubs_load_the_words_they_stored(void **state)
{
	of_template(*state, &hot_stub_plain, most);
}

static void leaves_stubs_load_the_words_they_stored(void **state)
{
	of_template(*state, &hot_stub_leaf, of_leaves);
	of_template(*state, &hot_stub_traced_leaf, of_leaves);
}

static void timed_stubs_load_the_words_they_stored(void **state)
{
	of_template(*state, &hot_stub_timed, most);
}

static void traced_stubs_load_the_words_they_stored(void **state)
{
	of_template(*state, &hot_stub_traced, most);
	of_template(*state, &hot_stub_stamped, most);
	of_template(*state, &hot_stub_sited, most);
	of_template(*state, &hot_stub_stamped_sited, most);
}

static uint32_t stalls_of(const char *bytes, size_t count)
{
	uint8_t *room = room_near_function();
	uint32_t stalls;

	memcpy(room, bytes, count);
	stalls = model_count_stalls(room, count, 0, 0);
	munmap(room, ROOM);
	return stalls;
}

#define STALLS(bytes) stalls_of(bytes, sizeof(bytes) - 1)

/* The model finds these examples of stalls. */
static void the_model_knows_a_stall(void **state)
{
	(void)state;
	/* cmpb $0x6f, 3(%rsp); ret */
	assert_int_equal(STALLS("\x80\x7c\x24\x03\x6f\xc3"), 1);
	/* movl $0x1000, (%rsp); movl $0x5000, 4(%rsp); ret */
	assert_int_equal(STALLS("\xc7\x04\x24\0\x10\0\0"
				"\xc7\x44\x24\x04\0\x50\0\0\xc3"),
			 1);
	/* movq (%rsp), %rcx; ret */
	assert_int_equal(STALLS("\x48\x8b\x0c\x24\xc3"), 0);
	/* cmpb $0x6f, (%rsp); ret: the same address */
	assert_int_equal(STALLS("\x80\x3c\x24\x6f\xc3"), 0);
	/* je +4; cmpb $0x6f, 3(%rsp): a stall on one of the two paths */
	assert_int_equal(STALLS("\x74\x05\x80\x7c\x24\x03\x6f\xc3"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_knows_a_stall),
		cmocka_unit_test(plain_stubs_load_the_words_they_stored),
		cmocka_unit_test(leaves_stubs_load_the_words_they_stored),
		cmocka_unit_test(timed_stubs_load_the_words_they_stored),
		cmocka_unit_test(traced_stubs_load_the_words_they_stored),
	};

	return cmocka_run_group_tests(tests, open_decoder, NULL);
}
