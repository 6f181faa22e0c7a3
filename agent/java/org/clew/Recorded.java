// SPDX-License-Identifier: MIT
package org.clew;

/**
 * Native methods of libclew.so (preload/session/java_natives.c). Users call them
 * directly, because the frame of a method in between would be part of the
 * context.
 */
final class Recorded extends Clew {
  @Override public native boolean isHere();
  @Override public native long context();
  @Override public native int flags();
  @Override public native int depth(long id);
  @Override public native long parent(long id);
  @Override public native void mark(String name, long number);
  @Override public native void begin(String name, long number);
  @Override public native void end(String name, long number);
  @Override public native long verified();
  @Override public native double wrongAtMost();
  @Override native int snapshot(byte[] path);
  @Override native int setHooked(boolean isHooked);
}
