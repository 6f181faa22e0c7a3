// SPDX-License-Identifier: MIT
package org.clew;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;

/**
 * The interface for Java programs that run under clew, as {@code clew.h} is for
 * programs in C: it identifies a thread's calling context by one number, and
 * records moments and regions with their time, thread and context.
 *
 * <pre>{@code
 *     private static final Clew CLEW = Clew.get();
 *     ...
 *     try (Clew.Region region = CLEW.region("request", number)) {
 *         ...
 *     }
 * }</pre>
 *
 * <p>Without clew the methods do nothing and return 0 or false, except {@link
 * #wrongAtMost}, which returns 1, and {@link #snapshot}, which fails. In a
 * {@code static final} field, as above, their calls then cost nothing once they
 * are compiled.
 *
 * <p>Clew is present in JVMs that {@code clew record} or {@code clew-preload}
 * has started, unless {@code --java=off} was set; not in those that {@code clew
 * attach} has attached to. Nothing needs to be loaded, and no path needs to be
 * set: the JVM finds the native methods in libclew.so, which is one of its
 * agents. Any thread may call these methods.
 */
public abstract class Clew {
  /** The thread's calls are counted. */
  public static final int IS_COUNTED = 1;
  /** The context is recorded, so its depth is known. */
  public static final int IS_RECORDED = 2;
  /** The id includes the active Java methods, not only native ones. */
  public static final int HAS_JAVA = 4;

  private static final Clew FOUND = find();

  Clew() {}

  /**
   * Returns the clew that this JVM runs under, or an implementation that does
   * nothing.
   */
  public static Clew get() {
    return FOUND;
  }

  /** Returns whether this JVM is recorded. */
  public abstract boolean isHere();

  /**
   * Returns the id of the calling thread's context, of all methods and
   * functions from the outermost to this method's caller. The id is the same in
   * all threads, whenever the same ones have called each other; 0 if calls are
   * not counted. The id equals that of {@code clew_context()} and of the
   * recording.
   */
  public abstract long context();

  /**
   * Returns properties of the calling thread's context: IS_COUNTED and the
   * others.
   */
  public abstract int flags();

  /**
   * Returns the depth of a context, 0 if it is not recorded. Java methods
   * between two native methods count as one, unless they are counted exactly
   * (--java=exact).
   */
  public abstract int depth(long id);

  /**
   * Returns the context of the caller; 0 if there is none, or it is not
   * recorded.
   */
  public abstract long parent(long id);

  /** Records a moment. */
  public abstract void mark(String name, long number);

  /** Begins a region, which {@link #end} with the same name and number ends. */
  public abstract void begin(String name, long number);

  /** Ends a region; another thread may have begun it. */
  public abstract void end(String name, long number);

  /**
   * Returns how many calls, drawn at random, had their id compared with the
   * whole stack.
   */
  public abstract long verified();

  /**
   * Returns an upper bound, with 95 % confidence, of the share of calls with a
   * wrong context.
   */
  public abstract double wrongAtMost();

  abstract int snapshot(byte[] path);

  abstract int setHooked(boolean isHooked);

  /** A region that ends at the end of a try statement. */
  public static final class Region implements AutoCloseable {
    private final Clew clew;
    private final String name;
    private final long number;

    Region(Clew clew, String name, long number) {
      this.clew = clew;
      this.name = name;
      this.number = number;
    }

    @Override
    public void close() {
      clew.end(name, number);
    }
  }

  /** Like {@link #begin}; the region ends when it is closed. */
  public final Region region(String name, long number) {
    begin(name, number);
    return new Region(this, name, number);
  }

  /**
   * Writes a recording of this JVM's activity so far into a new folder. The
   * JVM's own recording continues.
   *
   * @throws IOException with the error number of clew_snapshot()
   */
  public final void snapshot(Path path) throws IOException {
    final String names = System.getProperty("sun.jnu.encoding", "UTF-8");
    final int error = snapshot((path + "\0").getBytes(Charset.forName(names)));

    if (error != 0) throw new IOException(path + ": error " + -error);
  }

  /**
   * Removes all hooks from native code; {@link #resume} restores them. Calls of
   * native methods are no longer counted, except methods whose code has no
   * hook; Java methods that are counted exactly continue to be. Does nothing
   * without clew.
   *
   * @throws IOException with the error number of clew_unhook(); then nothing
   * was changed. EBUSY (16): a thread did not leave the changed code; try
   * again.
   */
  public final void pause() throws IOException {
    change(false);
  }

  /** Restores the hooks that {@link #pause} has removed. */
  public final void resume() throws IOException {
    change(true);
  }

  private void change(boolean isHooked) throws IOException {
    final int error = setHooked(isHooked);

    if (error != 0) throw new IOException("clew: error " + -error);
  }

  private static Clew find() {
    try {
      final Clew recorded = new Recorded();

      return recorded.isHere() ? recorded : new Absent();
    } catch (UnsatisfiedLinkError e) {
      return new Absent();
    }
  }
}
