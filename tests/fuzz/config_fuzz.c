/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the configuration that libclew.so reads in the
 * program, and the file with messages of processes that could not be recorded.
 *
 * A configuration is refused with a reason, or its rules can be applied to any
 * name.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/host/config.h"
#include "preload/modules/select.h"
#include "report/recording/unrecorded_reader.h"
#include "tests/fuzz/folder.h"
#include "wire/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void require(int condition)
{
	if (!condition)
		abort();
}

static void use_rules(const struct config *config)
{
	static const char *const names[] = {
		"",
		"main",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/bin/a b",
		"_ZN3foo3barEv",
		"operator delete[](void*)",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		select_module(config, names[i]);
		select_function(config, names[i]);
	}
	for (const struct asked_probe *p = config->probes; p; p = p->next)
		require(p->number < WIRE_PROBES_MAX && p->text && *p->text);
}

static void read_config(void)
{
	struct arena arena = { 0 };
	struct config config;
	char why[256] = "";

	if (config_read(&config, fuzz_folder(), &arena, why, sizeof(why)))
		require(*why && strnlen(why, sizeof(why)) < sizeof(why));
	else
		use_rules(&config);
	arena_fini(&arena);
}

static void read_unrecorded(void)
{
	size_t count, more;
	struct unrecorded *items =
		unrecorded_read(fuzz_folder(), &count, &more);

	for (size_t i = 0; i < count; i++)
		require(items[i].why && !strchr(items[i].why, '\n') &&
			!strchr(items[i].why, '\033'));
	unrecorded_free(items, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	write_file(WIRE_CONFIG_NAME, data, size);
	write_file(WIRE_UNRECORDED_NAME, data, size);
	read_config();
	read_unrecorded();
	return 0;
}
