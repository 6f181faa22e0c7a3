/* SPDX-License-Identifier: MIT */
/*
 * Processes to which `clew attach` attaches together. Each counts its calls in
 * memory that the test shares, while the test allows it.
 *
 *	family SHARED CHILDREN [user]
 *
 * The first process has forked CHILDREN children when it is ready, and forks
 * another on each request. With `user` the children change to that user.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MEMBERS_MAX 32

#define NOINLINE    __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline, optnone))
#endif

static struct {
	volatile uint64_t is_ready, may_go, asked, members;
	volatile struct {
		uint64_t pid, is_idle, calls, rounds;
	} member[MEMBERS_MAX];
} * shared;

static uint64_t self;

int family_leaf(int n);
int family_round(int n);

NOINLINE int family_leaf(int n)
{
	shared->member[self].calls = shared->member[self].calls + 1;
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

NOINLINE int family_round(int n)
{
	int sum = n;

	for (int i = 0; i < 5; i++)
		sum = family_leaf(sum);
	shared->member[self].rounds = shared->member[self].rounds + 1;
	return sum;
}

static void turn(void)
{
	const struct timespec moment = { .tv_nsec = 300000 };

	if (shared->may_go) {
		shared->member[self].is_idle = 0;
		family_round(1);
	} else {
		shared->member[self].is_idle = 1;
	}
	nanosleep(&moment, NULL);
}

static void give_birth(uid_t user)
{
	const pid_t parent = getpid();
	const uint64_t place = shared->members;

	if (place == MEMBERS_MAX || fork() != 0)
		return;
	if (user && setuid(user) != 0)
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of the user resets it */
	if (getppid() != parent)
		_exit(0);
	self = place;
	shared->member[self].pid = (uint64_t)getpid();
	shared->members = place + 1;
	for (;;)
		turn();
}

/*
 * Forks a child and waits until it has taken its own place in SHARED, so that
 * two children never take the same one.
 */
static void give_birth_and_wait(uid_t user)
{
	const uint64_t place = shared->members;

	give_birth(user);
	while (shared->members == place)
		turn();
}

int main(int argc, char **argv)
{
	const uid_t user = argc > 3 ? (uid_t)atoi(argv[3]) : 0;
	int fd, children, born = 0;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	children = atoi(argv[2]);
	if (fd < 0 || ftruncate(fd, sizeof(*shared)) != 0)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (shared == MAP_FAILED)
		return 2;
	shared->member[0].pid = (uint64_t)getpid();
	shared->members = 1;
	while (born++ < children)
		give_birth_and_wait(user);
	shared->is_ready = 1;
	for (uint64_t asked = 0;; turn())
		for (; asked < shared->asked; asked++)
			give_birth_and_wait(user);
}
