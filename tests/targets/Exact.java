// SPDX-License-Identifier: MIT
package com.acme;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Counts its calls by context (In.java). A word selects what runs. */
public class Exact extends Calls {
	/** Stack size in bytes with which a recursion ends soon. */
	private static final long SHALLOW = 300000;

	/**
	 * Recurses until the stack ends: the innermost call may not have been
	 * counted.
	 */
	static int overflow(int depth) {
		int result = overflow(depth + 1);

		return result + depth;
	}

	static void overflows() {
		In in = In.of("overflows");

		for (int i = 0; i < 20; i++)
			try {
				overflow(i);
			} catch (StackOverflowError e) {
				in.caught();
				leaf();
			}
		in.out();
	}

	static synchronized int locked(int depth) {
		In in = In.of("locked");

		try {
			synchronized (Exact.class) {
				if (depth == 0)
					throw new Thrown("locked");
				return locked(depth - 1);
			}
		} catch (Thrown e) {
			in.caught();
			return leaf();
		} finally {
			in.out();
		}
	}

	static int round(int i) throws Exception {
		In in = In.of("round");
		int sum = fib(12) + catches(i % 30) + new Square().twice() + locked(i % 7) + constructs();

		sum += (Integer) Calls.class.getDeclaredMethod("leaf").invoke(null);
		in.out();
		return sum;
	}

	static void rounds(int count) {
		In in = In.of("rounds");

		try {
			for (int i = 0; i < count; i++)
				round(i);
			overflows();
		} catch (Exception e) {
			throw new Error(e);
		} finally {
			in.out();
		}
	}

	// ---- Virtual threads ----

	static int parks(int depth) {
		In in = In.of("parks");
		int result;

		if (depth == 0) {
			LockSupport.parkNanos(1000);
			Thread.yield();
			result = leaf();
		} else {
			result = parks(depth - 1) + leaf();
		}
		in.out();
		return result;
	}

	/** Leaves its carrier inside a native method, since Java 24. */
	static int waits() {
		In in = In.of("waits");
		Object monitor = new Object();

		synchronized (monitor) {
			try {
				monitor.wait(1);
			} catch (InterruptedException e) {
				throw new Error(e);
			}
		}
		int result = leaf();

		in.out();
		return result;
	}

	/**
	 * Cannot leave its carrier here, because frames of the JVM are below.
	 */
	static class Pinned {
		static final int RESULT = waits();
	}

	static int pins() {
		In in = In.of("pins");
		int result = Pinned.RESULT;

		in.out();
		return result;
	}

	static void wanders(int count) {
		In in = In.of("wanders");

		pins();
		for (int i = 0; i < count; i++) {
			parks(i % 9);
			if (i % 5 == 0)
				waits();
			catches(i % 5);
		}
		in.out();
	}

	static Thread virtual(Runnable body) throws Exception {
		return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
	}

	static void wait(List<Thread> threads) throws Exception {
		for (Thread thread : threads)
			thread.join();
	}

	public static void main(String[] argv) throws Exception {
		List<Thread> threads = new ArrayList<>();
		int count = Integer.parseInt(argv[1]);

		for (int i = 0; i < 16; i++) {
			if (argv[0].equals("virtual")) {
				threads.add(virtual(() -> {
					wanders(count);
					In.end();
				}));
				continue;
			}
			threads.add(new Thread(null, () -> {
				rounds(count);
				In.end();
			}, "t" + i, argv[0].equals("shallow") ? SHALLOW + i % 3 * 50000 : i % 3 * (1 << 20)));
			threads.get(i).start();
		}
		wait(threads);
		In.print();
	}
}
