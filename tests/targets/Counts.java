// SPDX-License-Identifier: MIT
package com.acme;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs Counted and prints its own counts, and the counts that its rewritten
 * methods have reported to the tracker: lines "own NAME COUNT" and "told NUMBER
 * COUNT".
 */
public class Counts {
	static final Map<String, AtomicLong> OWN = new ConcurrentHashMap<>();

	static int own(String name) {
		OWN.computeIfAbsent(name, key -> new AtomicLong()).incrementAndGet();
		return 1;
	}

	/** Called by rewritten methods; each thread has a stack of them. */
	public static class Tracker {
		static final AtomicLong[] TOLD = new AtomicLong[4096];
		static final AtomicLong RETURNS = new AtomicLong();
		static final AtomicLong THROWS = new AtomicLong();
		static final AtomicLong DROPPED = new AtomicLong();
		static final AtomicLong OPEN = new AtomicLong();
		static final ThreadLocal<Tracker> TRACKERS =
				ThreadLocal.withInitial(Tracker::new);

		static {
			for (int i = 0; i < TOLD.length; i++)
				TOLD[i] = new AtomicLong();
		}

		private final int[] stack = new int[4096];
		private int depth;

		public static void enter(int number) {
			Tracker tracker = TRACKERS.get();

			TOLD[number].incrementAndGet();
			OPEN.incrementAndGet();
			tracker.stack[tracker.depth++] = number;
		}

		public static void exit(int number) {
			RETURNS.incrementAndGet();
			TRACKERS.get().leave(number);
		}

		public static void thrown(int number) {
			THROWS.incrementAndGet();
			TRACKERS.get().leave(number);
		}

		/**
		 * Constructors that super() has thrown out of may be above it.
		 */
		private void leave(int number) {
			while (stack[--depth] != number)
				DROPPED.incrementAndGet();
			OPEN.decrementAndGet();
		}
	}

	public static void main(String[] argv) throws Throwable {
		Counted.run();
		for (Map.Entry<String, AtomicLong> entry : new TreeMap<>(OWN).entrySet())
			System.out.println("own " + entry.getKey() + " " + entry.getValue());
		for (int i = 0; i < Tracker.TOLD.length; i++)
			if (Tracker.TOLD[i].get() > 0)
				System.out.println("told " + i + " " + Tracker.TOLD[i]);
		System.out.println("returns " + Tracker.RETURNS);
		System.out.println("throws " + Tracker.THROWS);
		System.out.println("dropped " + Tracker.DROPPED);
		System.out.println("open " + Tracker.OPEN);
	}
}
