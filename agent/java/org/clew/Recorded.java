// SPDX-License-Identifier: MIT
package org.clew;

/**
 * Natives of libclew.so (preload/session/java_natives.c). They are called by whoever asks, without a
 * method of ours between, whose frame would be in the context.
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
