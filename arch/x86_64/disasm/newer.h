/* SPDX-License-Identifier: MIT */
#ifndef CLEW_DISASM_NEWER_H
#define CLEW_DISASM_NEWER_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

/*
 * Decodes instructions that the library does not know: AVX-512 and its mask
 * registers, some AVX2, protection keys, shadow stacks. Returns 0, or -EILSEQ
 * for anything else.
 */
int newer_decode(const uint8_t *code, size_t bytes, struct insn *out);

#endif
