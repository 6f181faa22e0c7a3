/* SPDX-License-Identifier: MIT */
/* Hooks and unhooks the functions of live_code_x86_64.S. */
#ifndef CLEW_TESTS_LIVE_SITES_H
#define CLEW_TESTS_LIVE_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "preload/patch/live.h"
#include "wire/recording.h"

uint64_t live_sum(uint64_t n);
long live_read(int fd, char *byte, size_t bytes);
int live_spin(void);
int live_host(void);
extern const uint8_t live_spin_rest[], live_host_rest[];
extern const uint8_t live_read_stub_asleep[];
void live_sum_stub(void);
void live_read_stub(void);
void live_spin_stub(void);
void live_host_stub(void);
extern _Atomic uint64_t live_sum_stubbed, live_read_stubbed;
extern _Atomic uint64_t live_spin_stubbed, live_host_stubbed;

enum { SUM, READ, SPIN, HOST, SITES };

#define JUMP_BYTES 5
#define LONG_NS    UINT64_C(60000000000)
#define SHORT_NS   UINT64_C(20000000) /* limit of waits that never succeed */
#define SPIN_AT    1
#define READ_AT    4 /* pc of the sleeping thread */
#define BETWEEN_AT JUMP_BYTES

/* The counters of trap.h. */
extern struct wire_header live_header;

/* Runs before each test. */
int live_aim_all(void **state);

uint64_t live_pc_of(int site);

/*
 * A way to change all sites, which are two patches of one module, the second
 * one from SPIN on. Has the parameters of live_commit().
 */
typedef int (*live_way)(const struct live_range *ranges, uint32_t count,
			uint64_t deadline_ns, int *tid);
int live_change(live_way how, uint64_t patience_ns, int *tid);

/* Changes the second patch alone, or both patches, and expects success. */
void live_change_second(live_way how);
void live_hook(void);
void live_unhook(void);

/* Checks every byte of every site. */
void live_assert_stands(int is_hooked);

#endif
