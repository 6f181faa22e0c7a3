/* SPDX-License-Identifier: MIT */
/*
 * The layout of HotSpot's frames on x86-64, in words from the frame pointer
 * (frame_x86.hpp and stubGenerator_x86_64.cpp in its sources; the same in 11,
 * 17, 21 and 25, and in 8 but for one). The frame pointer points to the
 * caller's frame pointer, and the return address is above it.
 */
#ifndef CLEW_JVM_HOTSPOT_HOTSPOT_FRAMES_H
#define CLEW_JVM_HOTSPOT_HOTSPOT_FRAMES_H

/* offsets in the frame of an interpreted method */
#define FRAME_SENDER_SP (-1) /* stack pointer of the caller */
#define FRAME_METHOD    (-3)
/* address of the current bytecode; 0 in a native method */
#define FRAME_BYTECODE       (-8)
#define FRAME_BYTECODE_JDK_8 (-7)

/* Offset in the frame of the stub through which the JVM calls Java. */
#define FRAME_WRAPPER (-6) /* points to a JavaCallWrapper */

#endif
