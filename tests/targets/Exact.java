// SPDX-License-Identifier: MIT
package com.acme;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts its calls by their contexts: lines "CALLS METHOD;METHOD;...", outermost first, of
 * those methods that say so. A word chooses what runs.
 */
public class Exact {
	static final Map<String, Long> ALL = new TreeMap<>();

	/** One thread's contexts. */
	static final class In {
		static final ThreadLocal<In[]> TOP = ThreadLocal.withInitial(() -> new In[] { new In(null, "") });

		final In parent;
		final String path;
		final Map<String, In> callees = new HashMap<>();
		long calls;

		In(In parent, String path) {
			this.parent = parent;
			this.path = path;
		}

		static In of(String name) {
			In[] top = TOP.get();
			In caller = top[0];
			In in = caller.callees.get(name);

			if (in == null) {
				in = new In(caller, caller.path.isEmpty() ? name : caller.path + ";" + name);
				caller.callees.put(name, in);
			}
			in.calls++;
			top[0] = in;
			return in;
		}

		/** Whoever it has called has ended, too. */
		void out() {
			TOP.get()[0] = parent;
		}

		/** It has caught something. */
		void caught() {
			TOP.get()[0] = this;
		}

		void add() {
			if (calls > 0)
				ALL.merge(path, calls, Long::sum);
			for (In callee : callees.values())
				callee.add();
		}

		/** The calling thread is about to end. */
		static void end() {
			In root = TOP.get()[0];

			while (root.parent != null)
				root = root.parent;
			synchronized (ALL) {
				root.add();
			}
			TOP.remove();
		}
	}

	static int fib(int n) {
		In in = In.of("fib");
		int result = n < 2 ? n : fib(n - 1) + fib(n - 2);

		in.out();
		return result;
	}

	static class Thrown extends RuntimeException {
		Thrown(String text) {
			super(text, null, false, false);
		}
	}

	static void deep(int depth) {
		In in = In.of("deep");

		try {
			if (depth == 0)
				throw new Thrown("deep");
			deep(depth - 1);
		} finally {
			in.out();
		}
	}

	/** Goes on in its own context after what it has called has thrown. */
	static int catches(int depth) {
		In in = In.of("catches");
		int caught = 0;

		for (int i = 0; i < 3; i++)
			try {
				deep(depth);
			} catch (Thrown e) {
				in.caught();
				caught += leaf();
			}
		in.out();
		return caught;
	}

	static int leaf() {
		In.of("leaf").out();
		return 1;
	}

	/** Until the stack ends: the innermost call may not have come to count. */
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

	static class Base {
		Base(int value) {
			In in = In.of("Base.<init>");

			try {
				if (value < 0)
					throw new Thrown("base");
				leaf();
			} finally {
				in.out();
			}
		}
	}

	/** What comes behind super() never does if that throws. */
	static class Doomed extends Base {
		Doomed(int value) {
			super(begin("Doomed.<init>", value));
			leaf();
			In.TOP.get()[0].out();
		}
	}

	static class Doubly extends Doomed {
		Doubly(int value) {
			super(begin("Doubly.<init>", value));
			leaf();
			In.TOP.get()[0].out();
		}
	}

	/** Called by a constructor before super(): not one of those that count. */
	static int begin(String name, int value) {
		In.of(name);
		return value;
	}

	static void constructs() {
		In in = In.of("constructs");

		for (int value = -2; value < 3; value++)
			try {
				new Doubly(value);
				leaf();
			} catch (Thrown e) {
				in.caught();
				leaf();
			}
		in.out();
	}

	interface Shape {
		int sides();

		default int twice() {
			In in = In.of("Shape.twice");
			int result = sides() + sides();

			in.out();
			return result;
		}
	}

	static class Square implements Shape {
		public int sides() {
			In in = In.of("Square.sides");

			leaf();
			in.out();
			return 4;
		}
	}

	static synchronized int locked(int depth) {
		In in = In.of("locked");

		try {
			synchronized (ALL) {
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
		int sum = fib(12) + catches(i % 30) + new Square().twice() + locked(i % 7);

		constructs();
		sum += (Integer) Exact.class.getDeclaredMethod("leaf").invoke(null);
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

	static void wanders(int count) {
		In in = In.of("wanders");

		for (int i = 0; i < count; i++) {
			parks(i % 9);
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
			}, "t" + i, i % 3 * (1 << 20)));
			threads.get(i).start();
		}
		wait(threads);
		for (Map.Entry<String, Long> entry : ALL.entrySet())
			System.out.println(entry.getValue() + " " + entry.getKey());
	}
}
