/* SPDX-License-Identifier: MIT */
/*
 * For static data of 4 KiB and more, which is zero at first and touched in few places: the
 * linker puts it behind all small data. Otherwise each small variable between two tables
 * would take a page of its own in each process.
 */
#ifndef CLEW_HOT_LARGE_TABLE_H
#define CLEW_HOT_LARGE_TABLE_H

#define LARGE_TABLE __attribute__((section(".bss.large")))

#endif
