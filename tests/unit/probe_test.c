/* SPDX-License-Identifier: MIT */
/* Tests that code with a probe behaves as without it. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "disasm/jumps.h"
#include "preload/hot/layout.h"
#include "preload/stubs/probe.h"
#include "tests/unit/disasm_fixture.h"
#include "wire/verdict.h"

#define NUMBER   7
#define ARGUMENT UINT64_C(0x1122334455667788)

/*
 * Code with a site whose 5 bytes are displaced. Returns the sum of its six
 * arguments, r10, r11 and the carry flag, all of which are live across the
 * site. The lowest usable word of the red zone is also live; it is stored in
 * code_sp.
 */
extern const uint8_t code_start[], code_site[], code_sp[], code_end[];
__asm__(".text\n"
	"code_start:\n"
	"	movq	%rsp, code_sp(%rip)\n"
	"	movl	$0x10, %r10d\n"
	"	movl	$0x20, %r11d\n"
	"	movq	%rbp, -128(%rsp)\n"
	"	stc\n"
	"code_site:\n"
	"	movl	$0, %eax\n"
	"	adcq	%rdi, %rax\n"
	"	addq	%rsi, %rax\n"
	"	addq	%rdx, %rax\n"
	"	addq	%rcx, %rax\n"
	"	addq	%r8, %rax\n"
	"	addq	%r9, %rax\n"
	"	addq	%r10, %rax\n"
	"	addq	%r11, %rax\n"
	"	subq	%rbp, -128(%rsp)\n"
	"	addq	-128(%rsp), %rax\n"
	"	ret\n"
	"code_sp:\n"
	"	.quad	0\n"
	"code_end:\n");

typedef uint64_t (*six)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			uint64_t);

static struct {
	uint64_t first, sp, argument;
	unsigned int calls;
} heard;

static void hear(uint64_t first, uint64_t sp, uint64_t argument)
{
	heard.first = first;
	heard.sp = sp;
	heard.argument = argument;
	heard.calls++;
	__asm__ volatile("movq $-1, %%rax; movq %%rax, %%rcx;"
			 "movq %%rax, %%rdx; movq %%rax, %%rsi;"
			 "movq %%rax, %%rdi; movq %%rax, %%r8;"
			 "movq %%rax, %%r9; movq %%rax, %%r10;"
			 "movq %%rax, %%r11; clc" ::
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8",
				   "r9", "r10", "r11", "cc", "memory");
}

static const struct probe_kind hearing = {
	.first = PROBE_FIRST_IS_KEPT,
	.handler = (probe_handler)hear,
};

/*
 * Copies the code, with a probe after it. The site does not jump to the probe
 * yet.
 */
static uint8_t *make_code(const struct decoder *decoder)
{
	const struct stub_constants constants = { stub_tls_offset(), 0 };
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *site = code + (code_site - code_start);

	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, code_start, (size_t)(code_end - code_start));
	assert_int_equal(probe_write(&constants, decoder, &hearing,
				     &(struct stub_function){
					     .number = NUMBER,
					     .pc = (uintptr_t)site,
					     .displaced_bytes = 5,
				     },
				     ARGUMENT, code + STUB_BYTES),
			 0);
	return code;
}

static void a_probe_tells_its_handler_and_changes_nothing(void **state)
{
	uint8_t *code = make_code(*state);
	uint8_t *site = code + (code_site - code_start);
	const six run = (six)(uintptr_t)code;
	uint64_t sp;

	memset(&heard, 0, sizeof(heard));
	assert_int_equal(run(1, 2, 3, 4, 5, 6), 1 + 21 + 0x30);
	assert_int_equal(heard.calls, 0);
	assert_int_equal(jump_encode(site, (uintptr_t)site,
				     (uintptr_t)code + STUB_BYTES),
			 0);
	assert_int_equal(run(1, 2, 3, 4, 5, 6), 1 + 21 + 0x30);
	assert_int_equal(heard.calls, 1);
	assert_int_equal(heard.first, 1);
	memcpy(&sp, code + (code_sp - code_start), sizeof(sp));
	assert_int_equal(heard.sp, sp);
	assert_int_equal(heard.argument, ARGUMENT);
	munmap(code, 4096);
}

static void a_leap_that_is_none_gets_no_probe(void **state)
{
	const struct stub_constants constants = { stub_tls_offset(), 0 };
	const struct stub_function function = { .pc = (uintptr_t)code_site,
						.displaced_bytes = 5 };
	static uint8_t at[STUB_BYTES];

	assert_int_equal(probe_write(&constants, *state,
				     probe_kind_of(VERDICT_IS_LEAP), &function,
				     ARGUMENT, at),
			 -EILSEQ);
}

static void what_is_written_over_but_not_hooked_has_a_probe(void **state)
{
	for (unsigned int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		const struct probe_kind *kind = probe_kind_of(verdict);

		assert_int_equal(kind != NULL, verdict_is_written(verdict) &&
						       verdict_class(verdict) !=
							       VERDICT_HOOKED);
		if (kind)
			assert_int_equal(kind->verdict, verdict);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_tells_its_handler_and_changes_nothing),
		cmocka_unit_test(a_leap_that_is_none_gets_no_probe),
		cmocka_unit_test(
			what_is_written_over_but_not_hooked_has_a_probe),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
