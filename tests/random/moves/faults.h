/* SPDX-License-Identifier: MIT */
/*
 * Faults that a handler repairs: it makes the page writable, steps over the
 * instruction, or jumps away. The functions that fault also call something:
 * below a function that calls nothing, a handler's calls have another context
 * (docs/known-limits.md).
 */
#ifndef CLEW_TESTS_RANDOM_FAULTS_H
#define CLEW_TESTS_RANDOM_FAULTS_H

#define FAULT_PAGE 4096

static PLAYED void faults_work(long n)
{
	ENTER(faults_work);
	__asm__ volatile("" : : "r"(n));
	LEAVE();
}

/* The handler of SIGSEGV, SIGILL and of queued signals. */
static PLAYED void faults_handler(int number, siginfo_t *info, void *data)
{
	ucontext_t *context = (ucontext_t *)data;

	ENTER(faults_handler);
	faults_work(number);
	if (number == SIGILL)
		context->uc_mcontext.gregs[REG_RIP] += 2;
	else if (number == SIGSEGV && info->si_addr == NULL)
		siglongjmp(play.now.landing->place, 1);
	else if (number == SIGSEGV &&
		 mprotect(info->si_addr, FAULT_PAGE, PROT_READ | PROT_WRITE))
		signal(SIGSEGV, SIG_DFL); /* an unexpected fault */
	else if (number == SIGALRM)
		play.queued += info->si_value.sival_int;
	LEAVE();
}

TRUTH_INLINE void faults_prepare(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = faults_handler;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
}

static PLAYED long faults_write(volatile long *page, function body, long n)
{
	ENTER(faults_write);
	n += body(n);
	*page = n;
	faults_work(n);
	n += *page;
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_fault(function body, long n)
{
	void *page = mmap(NULL, FAULT_PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return faults_write((volatile long *)page, body, n);
}

static PLAYED long faults_skip(function body, long n)
{
	ENTER(faults_skip);
	n += body(n);
	__asm__ volatile("ud2" : : : "memory");
	faults_work(n);
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_illegal(function body, long n)
{
	return faults_skip(body, n);
}

static PLAYED void faults_null(long n)
{
	const volatile long *nothing;

	ENTER(faults_null);
	faults_work(n);
	__asm__ volatile("xor %0, %0" : "=r"(nothing));
	faults_work(*nothing);
	LEAVE();
}

/* A separate function: compilers inline no function that calls sigsetjmp(). */
static PLAYED void faults_land(function body, long n)
{
	ENTER(faults_land);
	body(n);
	LANDING(LAND_MASK, sigsetjmp(landing.place, 1), faults_null(n));
	LEAVE();
}

TRUTH_INLINE long move_null(function body, long n)
{
	faults_land(body, n);
	return n;
}

static PLAYED long faults_queue(function body, long n)
{
	union sigval value;

	ENTER(faults_queue);
	n += body(n);
	value.sival_int = 3;
	pthread_sigqueue(pthread_self(), SIGALRM, value);
	n += play.queued;
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_queue(function body, long n)
{
	return faults_queue(body, n);
}

#endif
