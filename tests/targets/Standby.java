// SPDX-License-Identifier: MIT
package com.acme;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Counts by their contexts its calls that begin while it is told to count, by words of its
 * standard input: "go" lets its threads run until each rests, somewhere in the midst of
 * its calls, "run" that none does any more; "on" and "off" say whether calls count; "end" has them end,
 * and lines "CALLS METHOD;METHOD;..." be written.
 *
 *	java com.acme.Standby SEED STEPS [virtual]
 *
 * By the seed threads rest each so many steps, at most.
 */
public class Standby {
	static final Map<String, Long> ALL = new TreeMap<>();

	/** One thread's contexts, and where it is. */
	static final class In {
		static volatile boolean counts;
		static final ThreadLocal<In[]> TOP = ThreadLocal.withInitial(() -> new In[] { new In(null, "") });

		final In parent;
		final String path;
		final Map<String, In> callees = new HashMap<>();
		boolean isSilent;
		long calls;

		In(In parent, String path) {
			this.parent = parent;
			this.path = path;
		}

		static In of(String name) {
			In[] top = TOP.get();
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

		/** Whoever it has called has ended, too. */
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

		/** Of an argument of super(), for what comes behind that. */
		static int begin(String name, In[] in, int value) {
			in[0] = of(name);
			Rests.rest();
			return value;
		}

		void add() {
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
		}
	}

	/** Where threads wait for each other. */
	static final class Rests {
		static final ReentrantLock LOCK = new ReentrantLock();
		static final Condition CHANGED = LOCK.newCondition();
		static final ThreadLocal<Rests> OWN = ThreadLocal.withInitial(Rests::new);
		static int phase, resting, made, most;
		static volatile boolean isEnding, isFree;

		final Random random;
		int left;

		Rests() {
			LOCK.lock();
			random = new Random(made++);
			LOCK.unlock();
		}

		static void rest() {
			Rests own = OWN.get();

			if (own.left-- > 0 || isFree)
				return;
			own.left = own.random.nextInt(most);
			LOCK.lock();
			int before = phase;

			resting++;
			CHANGED.signalAll();
			while (phase == before && !isFree)
				CHANGED.awaitUninterruptibly();
			LOCK.unlock();
		}

		/** Until each of so many rests, again if they are let go. */
		static void await(int threads, boolean isGo) {
			LOCK.lock();
			if (isGo) {
				phase++;
				resting = 0;
				CHANGED.signalAll();
			}
			while (resting < threads)
				CHANGED.awaitUninterruptibly();
			LOCK.unlock();
			System.out.println("rested");
		}

		static void run(boolean isEnd) {
			LOCK.lock();
			isFree = true;
			isEnding = isEnd;
			CHANGED.signalAll();
			LOCK.unlock();
		}
	}

	static class Thrown extends RuntimeException {
		Thrown(String text) {
			super(text, null, false, false);
		}
	}

	// ---- Calls ----

	static int leaf() {
		In in = In.of("leaf");

		Rests.rest();
		in.out();
		return 1;
	}

	static int fib(int n) {
		In in = In.of("fib");
		int result = n < 2 ? leaf() : fib(n - 1) + fib(n - 2);

		in.out();
		return result;
	}

	/** Has no handler: whoever catches tells. */
	static int sinks(int depth) {
		In in = In.of("sinks");

		if (depth == 0)
			throw new Thrown("sinks");
		int result = sinks(depth - 1);

		in.out();
		return result;
	}

	static int deep(int depth) {
		In in = In.of("deep");

		try {
			Rests.rest();
			return depth == 0 ? sinks(5) : deep(depth - 1);
		} finally {
			in.caught();
			leaf();
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

	static class Base {
		Base(int value) {
			In in = In.of("Base.<init>");

			try {
				if (value < 0)
					throw new Thrown("base");
				leaf();
			} finally {
				in.caught();
				in.out();
			}
		}
	}

	/** What comes behind super() never does if that throws. */
	static class Doomed extends Base {
		Doomed(int value, In[] in) {
			super(In.begin("Doomed.<init>", in, value));
			leaf();
			in[0].out();
		}
	}

	static class Doubly extends Doomed {
		Doubly(int value, In[] in) {
			super(In.begin("Doubly.<init>", in, value), new In[1]);
			leaf();
			in[0].out();
		}
	}

	/** Catches what others of its kind throw. */
	static class Tree extends Base {
		Tree(int depth, int value, In[] in) {
			super(In.begin("Tree.<init>", in, value));
			grows(depth, value);
			in[0].out();
		}

		static void grows(int depth, int value) {
			In in = In.of("Tree.grows");

			for (int i = 0; depth > 0 && i < 2; i++)
				try {
					new Tree(depth - 1, value - i, new In[1]);
					leaf();
				} catch (Thrown e) {
					in.caught();
					leaf();
				}
			in.out();
		}
	}

	/** Catches, itself, what others of its class throw before it counts. */
	static class Stem extends Base {
		Stem(int depth, int value, In[] in) {
			super(In.begin("Stem.<init>", in, value));
			for (int i = 0; depth > 0 && i < 3; i++)
				try {
					new Stem(depth - 1, 1 - i, new In[1]);
					leaf();
				} catch (Thrown e) {
					in[0].caught();
					leaf();
				}
			in[0].out();
		}
	}

	static int constructs() {
		In in = In.of("constructs");
		int made = 0;

		for (int value = -2; value < 3; value++)
			try {
				new Doubly(value, new In[1]);
				made += leaf();
			} catch (Thrown e) {
				in.caught();
				made += leaf();
			}
		in.out();
		return made;
	}

	/** Without a handler. */
	static Object makes() {
		In in = In.of("makes");
		Object made = new Doubly(-1, new In[1]);

		in.out();
		return made;
	}

	/** The machine's own code catches. */
	static int fails() {
		In in = In.of("fails");
		FutureTask<Object> task = new FutureTask<>(Standby::makes);
		int sum = 0;

		task.run();
		try {
			task.get();
		} catch (ExecutionException | InterruptedException e) {
			in.caught();
			sum += leaf();
		}
		try {
			Standby.class.getDeclaredMethod("makes").invoke(null);
		} catch (InvocationTargetException e) {
			in.caught();
			sum += leaf();
		} catch (ReflectiveOperationException e) {
			throw new Error(e);
		}
		in.out();
		return sum;
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

	/** Its monitors are one thread's only. */
	static class Locks {
		synchronized int locked(int depth) {
			In in = In.of("Locks.locked");

			try {
				synchronized (new Object()) {
					Rests.rest();
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
	}

	static int calls(IntSupplier supplier) {
		In in = In.of("calls");
		int result = supplier.getAsInt();

		in.out();
		return result;
	}

	static int round(int i, Locks locks) {
		In in = In.of("round");
		int sum = fib(i % 9) + catches(i % 30) + new Square().twice() + locks.locked(i % 7) + constructs() + fails();

		new Tree(i % 4, 2, new In[1]);
		new Stem(i % 5, 1, new In[1]);
		sum += calls(() -> leaf() + calls(Standby::leaf));
		in.out();
		return sum;
	}

	/** Began before anything counted, or not: its rounds are outermost. */
	static void rounds() {
		Locks locks = new Locks();

		for (int i = 0; !Rests.isEnding; i++)
			round(i, locks);
		In.end();
	}

	/** Each of its rounds is a task, which throws. */
	static void tasks(ExecutorService service) {
		service.execute(() -> {
			FutureTask<Object> task = new FutureTask<>(Standby::makes);

			In.start();
			task.run();
			In.start();
			if (Rests.isEnding)
				In.end();
			else
				tasks(service);
		});
	}

	// ---- What it is told ----

	static Thread start(boolean isVirtual) throws Exception {
		if (isVirtual)
			return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
					.invoke(null, (Runnable) Standby::rounds);
		Thread thread = new Thread(Standby::rounds);

		thread.start();
		return thread;
	}

	public static void main(String[] argv) throws Exception {
		ExecutorService service = Executors.newSingleThreadExecutor();
		List<Thread> threads = new ArrayList<>();
		Scanner words = new Scanner(System.in);

		Rests.made = Integer.parseInt(argv[0]);
		Rests.most = Integer.parseInt(argv[1]);
		System.out.println(ProcessHandle.current().pid());
		for (int i = 0; i < 4; i++)
			threads.add(start(argv.length > 2));
		tasks(service);
		Rests.await(threads.size() + 1, false);
		while (words.hasNext()) {
			String word = words.next();

			if (word.equals("go"))
				Rests.await(threads.size() + 1, true);
			else if (word.equals("end"))
				break;
			else if (word.equals("run"))
				Rests.run(false);
			else
				In.counts = word.equals("on");
		}
		Rests.run(true);
		for (Thread thread : threads)
			thread.join();
		service.shutdown();
		while (!service.isTerminated())
			Thread.onSpinWait();
		for (Map.Entry<String, Long> entry : ALL.entrySet())
			System.out.println(entry.getValue() + " " + entry.getKey());
	}
}
