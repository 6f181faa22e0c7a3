// SPDX-License-Identifier: MIT
package org.clew;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;

/**
 * What a program in Java may ask of clew while it runs under it, as programs in C do by
 * {@code clew.h}: in which calling context a thread is, as one number; and what it may tell
 * of moments and regions, which are in the recording with their time, thread and context.
 *
 * <pre>{@code
 *   private static final Clew CLEW = Clew.get();
 *   ...
 *   try (Clew.Region region = CLEW.region("request", number)) {
 *     ...
 *   }
 * }</pre>
 *
 * <p>Where clew is not there all methods say so, by 0, and do nothing: kept in a {@code
 * static final} field, as above, they cost nothing once they are compiled.
 *
 * <p>Clew is there in machines that {@code clew record} or {@code clew-preload} has started,
 * unless {@code --java=off} was said; not in those that {@code clew attach} has come to.
 * Nothing has to be loaded, nor a path set: the machine finds what is native here in
 * libclew.so, which is one of its agents. Any thread may call these.
 */
public abstract class Clew {
  /** The thread's calls are counted. */
  public static final int IS_COUNTED = 1;
  /** The context is recorded, and so its depth is known. */
  public static final int IS_RECORDED = 2;
  /** The id is of the Java methods that are running as well, not of natives alone. */
  public static final int HAS_JAVA = 4;

  private static final Clew FOUND = find();

  Clew() {}

  /** The clew that this machine runs under, or one that answers that there is none. */
  public static Clew get() {
    return FOUND;
  }

  /** Whether this machine is recorded. */
  public abstract boolean isHere();

  /**
   * The id of the calling thread's context, of all methods and functions from its outermost
   * to the caller of this one: the same in all threads, whenever the same ones have called
   * each other; 0 if calls are not counted. It is that of {@code clew_context()} and of the
   * recording.
   */
  public abstract long context();

  /** What is known of the calling thread's context: IS_COUNTED and the others. */
  public abstract int flags();

  /**
   * How deep a context is, 0 if it is not recorded. Java methods between two natives count
   * as one, unless they are counted exactly (--java=exact).
   */
  public abstract int depth(long id);

  /** The context that one was called in, 0 if it has none or is not recorded. */
  public abstract long parent(long id);

  /** A moment. */
  public abstract void mark(String name, long number);

  /** A region begins, which {@link #end} of the same name and number ends. */
  public abstract void begin(String name, long number);

  /** It ends; another thread may have begun it. */
  public abstract void end(String name, long number);

  /** How many calls, drawn at random, have had their id compared with the whole stack. */
  public abstract long verified();

  /** The share of calls whose context is wrong, at most, with 95 % confidence. */
  public abstract double wrongAtMost();

  abstract int snapshot(byte[] path);

  abstract int setHooked(boolean isHooked);

  /** A region that ends where a try statement does. */
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

  /** The same as {@link #begin}; its end is where the region is closed. */
  public final Region region(String name, long number) {
    begin(name, number);
    return new Region(this, name, number);
  }

  /**
   * Makes a recording of what this machine has done so far, in a folder that is not there
   * yet. The machine's own goes on.
   *
   * @throws IOException with the number of the error, as clew_snapshot() gives it
   */
  public final void snapshot(Path path) throws IOException {
    final String names = System.getProperty("sun.jnu.encoding", "UTF-8");
    final int error = snapshot((path + "\0").getBytes(Charset.forName(names)));

    if (error != 0) throw new IOException(path + ": error " + -error);
  }

  /**
   * Takes all hooks out of native code, and {@link #resume} puts them back. Natives' calls are
   * not counted from then on, save those of native methods whose code has no hook; Java
   * methods that count exactly go on. Nothing happens where clew is not there.
   *
   * @throws IOException with the number of the error, as clew_unhook() gives it; nothing has
   *     changed then. EBUSY (16): a thread did not leave the code in question; try again.
   */
  public final void pause() throws IOException {
    change(false);
  }

  /** Puts the hooks back that {@link #pause} has taken out. */
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
