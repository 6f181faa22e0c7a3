/* SPDX-License-Identifier: MIT */
#ifndef CLEW_DISASM_BRANCH_H
#define CLEW_DISASM_BRANCH_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

/*
 * Whether a REX prefix stands in front of another prefix, where processors pass
 * over it (Intel SDM volume 2, 2.2.1). No compiler writes that.
 */
int branch_has_idle_rex(const uint8_t *code, size_t length);

/*
 * Complete an insn whose kind is JUMP to CALL and whose length is known, from
 * its bytes: direct or indirect, and where to. 0, or -EILSEQ for what is not
 * understood; that is also a 66 prefix, which makes rel16 of rel32 on one
 * vendor's processors and nothing on the other's.
 */
int branch_read(const uint8_t *code, struct insn *insn);

#endif
