/* SPDX-License-Identifier: MIT */
/*
 * What HotSpot's frames look like on this machine, in words from the frame pointer
 * (frame_x86.hpp and stubGenerator_x86_64.cpp in its sources, alike in 17 and 25).
 * A frame pointer points to the caller's, with the return address above it.
 */
#ifndef CLEW_JVM_HOTSPOT_HOTSPOT_FRAMES_H
#define CLEW_JVM_HOTSPOT_HOTSPOT_FRAMES_H

/* Of an interpreted method. */
#define FRAME_SENDER_SP (-1) /* the stack pointer of its caller */
#define FRAME_METHOD    (-3)
#define FRAME_BYTECODE  (-8) /* that it is at; a native method: 0 */

/* Of the stub through which the machine calls Java. */
#define FRAME_WRAPPER (-6) /* JavaCallWrapper * */

#endif
