/* SPDX-License-Identifier: MIT */
/*
 * LARGE_TABLE marks static data of 4 KiB and more that is zero at first and
 * touched in few places. The linker places it behind all small data. Otherwise
 * each small variable between two tables would occupy a page of its own in each
 * process.
 */
#ifndef CLEW_HOT_LARGE_TABLE_H
#define CLEW_HOT_LARGE_TABLE_H

#define LARGE_TABLE __attribute__((section(".bss.large")))

#endif
