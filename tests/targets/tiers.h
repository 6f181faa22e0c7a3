/* SPDX-License-Identifier: MIT */
#ifndef CLEW_TESTS_TIERS_H
#define CLEW_TESTS_TIERS_H

/* tiers_x86_64.S describes each function. */
long loops_to_its_entry(long n);
long loops_to_its_endbr(long n);
long tail_loops_through_another(long n);
long entered_at_its_third_byte(long n);
long enters_another(long n);
long counts_down_by_loop(long n);
long tests_by_jrcxz(long n);
long calls_by_the_stack(long n);
long shares_bytes(long n);
long behind_shared_bytes(long n);
long is_a_guest(long n);
long is_a_host(long n);
long entered_at_its_second_byte(long n);

#endif
