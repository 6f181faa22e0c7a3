# SPDX-License-Identifier: MIT
"""Measures loads of many short processes, each of which is hooked anew.

The loads are a build, a shell loop, and the commands of a configure script. The figures
are CPU time and wall time relative to native runs, with cached analyses. The output of
each run is removed only after all runs: ext4 without a journal, when it creates a file,
skips each inode that was freed in the last minute.
"""
import os
import pathlib
import shutil
import tempfile

from measure import CLEW_TOOL, NATIVE, medians, run, table

FILES = 61
UNIT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct row {{ int id; char name[32]; }};
static int compare_{n}(const void *a, const void *b)
{{
	return strcmp(((const struct row *)a)->name,
		      ((const struct row *)b)->name);
}}
int sort_{n}(struct row *rows, size_t count)
{{
	for (size_t i = 0; i < count; i++)
		snprintf(rows[i].name, sizeof(rows[i].name), "row %d", {n});
	qsort(rows, count, sizeof(*rows), compare_{n});
	return rows[0].id;
}}
"""
MAKEFILE = """
program: $(patsubst %.c,%.o,$(wildcard *.c))
	gcc -o $@ $^
%.o: %.c
	gcc -O1 -c -o $@ $<
"""
BUILD = """set -e
cp {folder}/*.c {folder}/Makefile .
make -s -j2
"""
LOOP = """set -e
i=0
while [ $i -lt 500 ]; do
  case $((i % 3)) in
  0) git --version ;;
  1) echo "line $i" | sed 's/line/row/' ;;
  2) echo "$i 7" | awk '{ print $1 * $2 }' ;;
  esac
  i=$((i + 1))
done
"""
CONFIGURE = """set -e
for name in strlen strdup mmap fork poll epoll_create getline pipe2 dup3 openat \
    memfd_create getrandom qsort_r reallocarray explicit_bzero no_such_one; do
  echo "char $name(); int main(void) { return $name() == 0; }" > conftest.c
  if gcc -w -o conftest conftest.c 2> conftest.err; then
    echo "#define HAVE_$(echo $name | tr a-z A-Z) 1" >> config.h
  fi
  sed -e 's/^/| /' conftest.c | grep -c main
  test -s config.h && expr "X$name" : 'X\\(.*\\)' && rm -f conftest*
done
sort config.h | uniq | wc -l
"""


def build_argv(folder):
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    for i in range(FILES):
        (folder / f"unit{i}.c").write_text(UNIT.format(n=i), encoding="utf-8")
    (folder / "main.c").write_text("int main(void) { return 0; }\n",
                                   encoding="utf-8")
    return ["/bin/sh", "-c", BUILD.format(folder=folder)]


LOADS = {
    f"make -j2, {FILES} C files": (build_argv, ("make", "gcc")),
    "500 git, sed, awk": (lambda _: ["/bin/sh", "-c", LOOP],
                          ("git", "sed", "awk")),
    "a configure script's checks": (lambda _: ["/bin/sh", "-c", CONFIGURE],
                                    ("gcc",)),
}


def bench(rounds):
    rows = []
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        os.environ["XDG_CACHE_HOME"] = name
        for load, (argv_of, needs) in LOADS.items():
            if not all(shutil.which(program) for program in needs):
                continue
            folder = pathlib.Path(name) / load.replace(" ", "-")
            folder.mkdir()
            argv = argv_of(folder)
            run(CLEW_TOOL, argv, kept=folder)  # This run fills the cache.
            found = medians({tool: (tool, argv, None)
                             for tool in (NATIVE, CLEW_TOOL)}, rounds, folder)
            native, clew = found[NATIVE], found[CLEW_TOOL]
            rows.append([load, f"{native.cpu:.2f} s",
                         f"{clew.cpu / native.cpu:.1f}x",
                         f"{clew.wall / native.wall:.1f}x",
                         f"{clew.scratch_bytes / 2**20:.0f} MiB"])
    return table(["many processes", "native, CPU", "clew, CPU", "clew, wall",
                  "recording"], rows)
