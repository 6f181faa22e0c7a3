// SPDX-License-Identifier: MIT
package com.acme;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A context of one thread's calls, as reported by its methods. A call that
 * began while nothing was to be counted is in its caller's context.
 */
final class In {
	/** Sums of all threads that have ended. */
	private static final Map<String, Long> ALL = new TreeMap<>();
	private static final ThreadLocal<In[]> TOP = ThreadLocal.withInitial(() -> new In[] { new In(null, "") });

	/** Whether calls that begin are counted. */
	static volatile boolean counts = true;
	/** Runs after each reported beginning. */
	static Runnable next = () -> {
	};

	private final In parent;
	private final String path;
	private final Map<String, In> callees = new HashMap<>();
	private boolean isSilent;
	private long calls;

	private In(In parent, String path) {
		this.parent = parent;
		this.path = path;
	}

	/** Reports that a call has begun. */
	static In of(String name) {
		In in = enter(TOP.get(), name);

		next.run();
		return in;
	}

	private static In enter(In[] top, String name) {
		In caller = top[0];

		if (!counts) {
			In silent = new In(caller, caller.path);

			silent.isSilent = true;
			return silent;
		}
		In in = caller.callees.get(name);

		if (in == null) {
			in = new In(caller, caller.path.isEmpty() ? name : caller.path + ";" + name);
			caller.callees.put(name, in);
		}
		in.calls++;
		top[0] = in;
		return in;
	}

	/** The same in an argument of super(), for code after super(). */
	static int begin(String name, In[] in, int value) {
		in[0] = of(name);
		return value;
	}

	/** Reports that the call ends; its callees have ended also. */
	void out() {
		TOP.get()[0] = parent;
	}

	/** Reports that the call has caught an exception. */
	void caught() {
		TOP.get()[0] = isSilent ? parent : this;
	}

	/** Begins with an empty context. */
	static void start() {
		In[] top = TOP.get();

		while (top[0].parent != null)
			top[0] = top[0].parent;
	}

	private void add() {
		if (calls > 0)
			ALL.merge(path, calls, Long::sum);
		for (In callee : callees.values())
			callee.add();
	}

	/** Must be called at the end of each thread. */
	static void end() {
		start();
		synchronized (ALL) {
			TOP.get()[0].add();
		}
		TOP.remove();
	}

	/**
	 * Prints lines "CALLS METHOD;METHOD;...", outermost first, after all
	 * threads have ended.
	 */
	static void print() {
		for (Map.Entry<String, Long> entry : ALL.entrySet())
			System.out.println(entry.getValue() + " " + entry.getKey());
	}
}
