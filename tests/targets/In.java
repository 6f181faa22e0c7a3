// SPDX-License-Identifier: MIT
package com.acme;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A context of one thread's calls, by the word of those that tell of themselves; who has
 * begun while nothing was to count is in that of its caller.
 */
final class In {
	/** Of all threads that have ended. */
	private static final Map<String, Long> ALL = new TreeMap<>();
	private static final ThreadLocal<In[]> TOP = ThreadLocal.withInitial(() -> new In[] { new In(null, "") });

	/** Whether calls that begin are to count. */
	static volatile boolean counts = true;
	/** What each does when it has told that it began. */
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

	/** A call has begun. */
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

	/** Of an argument of super(), for what comes behind that. */
	static int begin(String name, In[] in, int value) {
		in[0] = of(name);
		return value;
	}

	/** It ends; whoever it has called has ended, too. */
	void out() {
		TOP.get()[0] = parent;
	}

	/** It has caught something. */
	void caught() {
		TOP.get()[0] = isSilent ? parent : this;
	}

	/** Nobody that counts is running. */
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

	/** The calling thread is about to end. */
	static void end() {
		start();
		synchronized (ALL) {
			TOP.get()[0].add();
		}
		TOP.remove();
	}

	/** Lines "CALLS METHOD;METHOD;...", outermost first, when all threads have ended. */
	static void print() {
		for (Map.Entry<String, Long> entry : ALL.entrySet())
			System.out.println(entry.getValue() + " " + entry.getKey());
	}
}
