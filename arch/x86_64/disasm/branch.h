/* SPDX-License-Identifier: MIT */
#ifndef CLEW_DISASM_BRANCH_H
#define CLEW_DISASM_BRANCH_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

/*
 * Returns whether a REX prefix precedes another prefix, where processors ignore
 * it (Intel SDM volume 2, 2.2.1). No compiler writes such code.
 */
int branch_has_idle_rex(const uint8_t *code, size_t length);

/*
 * Completes an insn of kind JUMP to CALL and known length from its bytes:
 * direct or indirect, and the target. Returns 0, or -EILSEQ for unknown forms.
 * A form with a 66 prefix is unknown: the prefix turns rel32 into rel16 on one
 * vendor's processors and has no effect on the other's.
 */
int branch_read(const uint8_t *code, struct insn *insn);

#endif
