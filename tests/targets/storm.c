/* SPDX-License-Identifier: MIT */
/*
 * storm stay|stack|jump|wide: two timers at 10 kHz interrupt a walk through
 * ever new contexts, and each other; their handlers also walk through new
 * contexts. `stack`: the handlers run on an alternate stack. `jump`: one
 * handler sometimes jumps out of the interrupted code. `wide`: interrupted code
 * has AVX-512 state, which each handler overwrites; the program ends when this
 * has happened often enough inside clew's code, if clew is present.
 *
 * A handler may interrupt a function after its call and before it is counted,
 * so handlers use a new root. A function that was jumped out of may never be
 * counted, so with `jump` only contexts after the storm are exact. That phase
 * lasts until standard input is readable or ends.
 */
#define TRUTH_NODES (1 << 20)
#define TRUTH_MAIN
#include "tests/targets/truth.h"
#include "tests/targets/wide.h"

#include <link.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define PERIOD_NS  100000
#define SECONDS    1
#define JUMP_EACH  16
#define INSIDE_MIN 20

static volatile unsigned int ticks[2];
static volatile int may_jump; /* a jump could leave the truth inconsistent */
static uint32_t roots[2];
static sigjmp_buf landing;
static volatile int has_landing;

static int is_wide;
static unsigned int wide_errors;
static uint64_t clew_start, clew_end; /* range of clew's code */
static volatile unsigned int inside;  /* ticks that interrupted it */

#define ENTER_UNLESS_JUMPING(f)                                                \
	do {                                                                   \
		if (!may_jump)                                                 \
			ENTER(f);                                              \
	} while (0)
#define LEAVE_UNLESS_JUMPING()                                                 \
	do {                                                                   \
		if (!may_jump)                                                 \
			LEAVE();                                               \
	} while (0)

static COUNTED unsigned int left(unsigned int depth, unsigned int seed);

static COUNTED unsigned int right(unsigned int depth, unsigned int seed)
{
	ENTER_UNLESS_JUMPING(right);
	volatile unsigned int sum = seed;

	if (depth)
		sum += seed & 4 ? left(depth - 1, seed / 3)
				: right(depth - 1, seed / 2);
	LEAVE_UNLESS_JUMPING();
	return sum;
}

static COUNTED unsigned int left(unsigned int depth, unsigned int seed)
{
	ENTER_UNLESS_JUMPING(left);
	volatile unsigned int sum = seed;

	if (depth)
		sum += seed & 2 ? right(depth - 1, seed / 2)
				: left(depth - 1, seed / 3);
	LEAVE_UNLESS_JUMPING();
	return sum;
}

TRUTH_INLINE void spoil(const ucontext_t *interrupted)
{
	uint64_t pc = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
	struct wide wide;

	inside += pc >= clew_start && pc < clew_end;
	wide_fill(&wide, pc);
	wide_set(&wide);
}

static COUNTED void on_tick(int signal, siginfo_t *info, void *interrupted)
{
	int which = signal != SIGUSR1;
	uint32_t here = TRUTH_HERE;

	if (is_wide)
		spoil(interrupted);
	TRUTH_HERE = roots[which];
	ENTER(on_tick);
	truth.nodes[TRUTH_HERE].is_root = 1;
	left(8, ticks[which] * 2654435761u);
	LEAVE();
	roots[which] = TRUTH_HERE;
	TRUTH_HERE = here;
	ticks[which]++;
}

static COUNTED void on_tick_jump(int signal, siginfo_t *info, void *interrupted)
{
	int which = signal != SIGUSR1;

	left(8, ticks[which] * 2654435761u);
	if (++ticks[which] % JUMP_EACH == 0 && has_landing)
		siglongjmp(landing, 1);
}

/* Makes calls that do not use this state themselves. */
TRUTH_INLINE unsigned int left_wide(unsigned int seed)
{
	struct wide set, found;
	unsigned int sum;

	wide_fill(&set, seed);
	wide_set(&set);
	sum = left(12, seed);
	wide_get(&found);
	wide_errors += (unsigned int)wide_differs(&set, &found);
	return sum;
}

static COUNTED unsigned int walk(unsigned int seed)
{
	volatile unsigned int sum = 0;

	ENTER_UNLESS_JUMPING(walk);
	for (unsigned int i = 0; i < 64; i++)
		sum += is_wide ? left_wide((seed + i) * 2246822519u)
			       : left(12, (seed + i) * 2246822519u);
	LEAVE_UNLESS_JUMPING();
	return sum;
}

TRUTH_INLINE void handle(int signal, int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = may_jump ? on_tick_jump : on_tick;
	action.sa_flags = flags | SA_RESTART | SA_SIGINFO;
	sigaction(signal, &action, NULL);
}

TRUTH_INLINE timer_t start_timer(int signal)
{
	struct itimerspec each = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
	struct sigevent event;
	timer_t timer;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = signal;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &each, NULL))
		puts("no timer");
	return timer;
}

TRUTH_INLINE long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns whether clew was interrupted often enough, if it is present. */
TRUTH_INLINE int is_settled(void)
{
	return !is_wide || !clew_end || inside >= INSIDE_MIN;
}

static COUNTED void weather_the_storm(void)
{
	ENTER(weather_the_storm);
	uint32_t here = TRUTH_HERE;
	timer_t timers[2] = { start_timer(SIGUSR1), start_timer(SIGUSR2) };
	long end = now_ms() + SECONDS * 1000;
	static volatile unsigned int seed;

	/* longer if the computer is busy: until there were enough ticks */
	sigsetjmp(landing, 1);
	has_landing = 1;
	TRUTH_HERE = here;
	while (now_ms() < end || ticks[0] < 1000 || ticks[1] < 1000 ||
	       !is_settled())
		walk(seed += 64);
	timer_delete(timers[0]);
	timer_delete(timers[1]);
	sigsetjmp(landing, 1); /* a signal may still be pending */
	may_jump = 0;
	TRUTH_HERE = here;
	LEAVE();
}

TRUTH_INLINE int has_input(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) != 0;
}

static COUNTED void calm(void)
{
	ENTER_ROOT(calm);
	do
		for (unsigned int i = 0; i < 1000; i++)
			walk(i);
	while (!has_input());
	LEAVE();
}

static COUNTED int find_clew(struct dl_phdr_info *module, size_t bytes,
			     void *unused)
{
	const int is_clew = strstr(module->dlpi_name, "libclew") != NULL;

	ENTER(find_clew);
	for (int i = 0; is_clew && i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		clew_start = module->dlpi_addr + segment->p_vaddr;
		clew_end = clew_start + segment->p_memsz;
	}
	LEAVE();
	return is_clew;
}

int main(int argc, char **argv)
{
	static char alternate[256 * 1024];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	const char *mode = argc > 1 ? argv[1] : "";
	int flags = strcmp(mode, "stack") ? 0 : SA_ONSTACK;

	is_wide = !strcmp(mode, "wide");
	if (is_wide && !__builtin_cpu_supports("avx512f"))
		return 77;
	ENTER(main);
	if (is_wide)
		dl_iterate_phdr(find_clew, NULL);
	sigaltstack(&stack, NULL);
	may_jump = !strcmp(mode, "jump");
	handle(SIGUSR1, flags);
	handle(SIGUSR2, flags);
	weather_the_storm();
	puts("calm");
	fflush(stdout);
	calm();
	if (is_wide)
		printf("inside %u\n", inside);
	puts(wide_errors ? "spoilt" : "over");
	truth_write();
	if (!strcmp(mode, "jump")) { /* skip exit handlers */
		fflush(stdout);
		_exit(0);
	}
	return 0;
}
