// SPDX-License-Identifier: MIT
package com.acme;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Counts calls by context (In.java) that begin while counting is on, controlled
 * by words on standard input. "go" lets its threads run until each rests
 * somewhere within its calls; "run" ends the resting. "on" and "off" switch
 * counting. "end" ends the threads and prints lines "CALLS METHOD;METHOD;...".
 *
 *	java com.acme.Standby SEED STEPS [virtual]
 *
 * By the seed, each thread rests at least every STEPS steps.
 */
public class Standby extends Calls {
	/** The points at which threads wait for each other. */
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

		/**
		 * Waits until this number of threads rests; releases them first
		 * if isGo.
		 */
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

	/** Catches exceptions of other objects of this kind. */
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

	/**
	 * Catches exceptions of other objects of its class itself, before it
	 * counts.
	 */
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

	/** Has no handler. */
	static Object makes() {
		In in = In.of("makes");
		Object made = new Doubly(-1, new In[1]);

		in.out();
		return made;
	}

	/** Code of the JVM catches the exception. */
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

	/** Only one thread uses its monitors. */
	static class Locks {
		synchronized int locked(int depth) {
			In in = In.of("Locks.locked");

			try {
				synchronized (new Object()) {
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
		sum += calls(() -> leaf() + calls(Calls::leaf));
		in.out();
		return sum;
	}

	/** May have begun before counting: its rounds are outermost. */
	static void rounds() {
		Locks locks = new Locks();

		for (int i = 0; !Rests.isEnding; i++)
			round(i, locks);
		In.end();
	}

	static final CountDownLatch lastTask = new CountDownLatch(1);

	/** Each round is a task that throws. */
	static void tasks(ExecutorService service) {
		service.execute(() -> {
			FutureTask<Object> task = new FutureTask<>(Standby::makes);

			In.start();
			task.run();
			In.start();
			if (Rests.isEnding) {
				In.end();
				lastTask.countDown();
			} else {
				tasks(service);
			}
		});
	}

	// ---- Input ----

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
		In.counts = false;
		In.next = Rests::rest;
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
		lastTask.await();
		service.shutdown();
		while (!service.isTerminated())
			Thread.onSpinWait();
		In.print();
	}
}
