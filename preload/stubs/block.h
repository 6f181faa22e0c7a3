/* SPDX-License-Identifier: MIT */
/*
 * A block: the unit in which memory for stubs is mapped. Each block is an ELF
 * image for unwinders (stub_image.h), and its window has a byte in the window
 * map (hot/runtime.h).
 */
#ifndef CLEW_STUBS_BLOCK_H
#define CLEW_STUBS_BLOCK_H

#include <stdint.h>

#include "preload/hot/layout.h"

#define WINDOW_BLOCK_BYTES (UINT64_C(1) << WINDOW_SHIFT)

#endif
