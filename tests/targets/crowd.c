/* SPDX-License-Identifier: MIT */
/*
 * crowd N: N threads at once on the smallest stacks, each with counted calls
 * before and after all have started.
 */
#define TRUTH_NODES (1 << 20)
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <limits.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int present, may_leave;

static COUNTED int work(int n)
{
	ENTER(work);
	volatile int sum = n;

	if (n > 0)
		sum += work(n - 1);
	LEAVE();
	return sum;
}

static COUNTED void *come_and_go(void *argument)
{
	int number = (int)(intptr_t)argument;

	ENTER(come_and_go);
	work(number % 5);
	pthread_mutex_lock(&mutex);
	present++;
	pthread_cond_broadcast(&changed);
	while (!may_leave)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	work(number % 7);
	LEAVE();
	return NULL;
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 10;
	pthread_t *threads = calloc((size_t)wanted, sizeof(*threads));
	pthread_attr_t attributes;
	int made = 0;

	ENTER(main);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	while (made < wanted &&
	       !pthread_create(&threads[made], &attributes, come_and_go,
			       (void *)(intptr_t)made))
		made++;
	pthread_mutex_lock(&mutex);
	while (present < made)
		pthread_cond_wait(&changed, &mutex);
	may_leave = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	printf("%d of %d\n", made, wanted);
	LEAVE();
	truth_write();
	free(threads);
	return 0;
}
