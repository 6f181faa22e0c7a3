/* SPDX-License-Identifier: MIT */
/*
 * The configuration of a recording: the file `config` in the recording's
 * folder, which is $CLEW_DIR if clew is preloaded. It is read once in a
 * session, before anything is hooked. clew-record(1), "RULES", describes its
 * syntax.
 */
#ifndef CLEW_HOST_CONFIG_H
#define CLEW_HOST_CONFIG_H

#include <stdint.h>

#include "expression/probe_action.h"
#include "image/arena.h"
#include "match/ere.h"
#include "wire/packet.h"
#include "wire/recording.h"

#define CONFIG_DIR_VARIABLE "CLEW_DIR"

enum rule_kind {
	RULE_MODULE,
	RULE_NOT_MODULE,
	RULE_FUNCTION,
	RULE_NOT_FUNCTION,
};

struct rule {
	struct rule *next; /* the next rule in the order of the file */
	enum rule_kind kind;
	const char *line; /* the line as it was written */
	const char *text; /* the rule's glob or regular expression */
	struct ere regex; /* RULE_FUNCTION, RULE_NOT_FUNCTION */
	/* number of modules or functions that the rule has matched */
	uint64_t matches;
};

/* A line of a probe's actions. */
struct probe_line {
	struct probe_line *next;
	const char *text;
};

/* A requested probe (image/probe_spec.h). */
struct asked_probe {
	struct asked_probe *next; /* the next probe in the order of the file */
	const char *text;
	uint32_t number; /* 0 is p1 */
	/* Set by live_probes.c: */
	int is_removed;
	int is_new; /* not in any recording yet */
	/* Number of the latest search of the modules; 0: the first. */
	uint32_t search_number;
	/* the lines of its actions as they were written */
	struct probe_line *lines;
	struct probe_action action;
};

/* A shared object with handlers of probes, by its path. */
struct handler_object {
	struct handler_object *next;
	const char *path;
};

/* What is recorded of a JVM (option --java). */
enum config_java {
	CONFIG_JAVA_NATIVES, /* native methods, with their Java names */
	/* native methods, and the functions of the JVM itself */
	CONFIG_JAVA_VM,
	CONFIG_JAVA_OFF, /* nothing: clew's agent is not loaded into the JVM */
	/* native methods, and each call of a Java method */
	CONFIG_JAVA_EXACT,
	/* like CONFIG_JAVA_EXACT, but only while counting is switched on */
	CONFIG_JAVA_STANDBY,
	/* native methods, and each call of compiled Java methods */
	CONFIG_JAVA_IN_PLACE,
};

struct warmed_file {
	struct warmed_file *next;
	const char *path;
};

struct config {
	const char *dir;       /* absolute path of the recording */
	const char *cache_dir; /* folder of the analysis cache, or NULL */
	/*
	 * The file name of a loaded agent library (front/agent_entries.h), or
	 * NULL. After a colon: the agent's option.
	 */
	const char *agent;
	struct rule *rules;
	struct asked_probe *probes;
	/* shared objects with handlers of probes */
	struct handler_object *handler_objects;
	int hook_libc;
	enum config_java java;
	/*
	 * Patterns of the methods to count with EXACT, STANDBY and IN_PLACE, or
	 * NULL for all.
	 */
	const char *java_methods;
	/* smaller methods are not counted; size of the bytecode */
	uint32_t java_min_size;
	/* calls of JNI functions by native methods are counted as well */
	int hook_jni;
	/* Native functions appear below the generated code that calls them. */
	int jit_callers;
	int no_children;
	int no_prelinking; /* no stubs are mapped from the cache */
	/*
	 * For `clew cache warm`: the program and its libraries, for which the
	 * cache is filled. The process then ends.
	 */
	struct warmed_file *warmed_files;
	uint64_t max_contexts;
	/* Which limit max_contexts follows from; reports show it. */
	enum wire_fold max_contexts_cause;
	/* limit for tables, contexts and samples; 0 if there is none */
	uint64_t max_bytes;
	/* The user has limited the contexts or the bytes (by max_bytes). */
	int is_bounded;
	uint32_t verify_period;
	/*
	 * Recursion is folded in threads with more contexts than this; 0:
	 * always; UINT64_MAX: never.
	 */
	uint64_t fold_beyond;
	int no_tail_nesting;
	enum wire_time time;
	uint32_t rate_hz; /* number of samples per second */
	int wants_ticks;  /* whether no finer clock is used */
	int has_clock;    /* the user has chosen the clock by an option */
	/*
	 * Maximum size of a process's packets; 0: no trace, calls are counted.
	 */
	uint64_t trace_bytes;
	/* maximum size of a thread's packets; 0 if there is none */
	uint64_t thread_bytes;
	/*
	 * number of calls between two stamps; 0 if stamps are only at contexts
	 */
	uint32_t stamp_every;
	int stamp_returns; /* whether each return is stamped as well */
	/* Threads begin untraced, because a probe switches their trace on. */
	int trace_waits;
	int keeps_sites; /* also record the return address of each call */
	/* Deeper calls are not recorded; 0: no limit. */
	uint32_t trace_depth;
	/* Approximate time between stamps; 0: by number of calls. */
	uint64_t stamp_ns;
	/* minimum duration of recorded calls; 0 if all calls are recorded */
	uint64_t least_ns;
	/* What happens to packets when the trace is full. */
	enum wire_overflow overflow;
	/*
	 * Number of workers of `clew record` that count the calls of packets;
	 * 0: none.
	 */
	uint32_t workers;
	int snapshot_signal; /* signal that takes a snapshot, or 0 */
	/* budget in thousandths of the CPU time; 0 if there is no limit */
	uint32_t budget;
	uint64_t avoided; /* system calls that a filter forbids (avoidable.h) */
};

/*
 * Reads dir/config; a missing file means defaults. Strings are allocated in the
 * arena. Returns 0, or -errno and an error message in why[bytes].
 */
int config_read(struct config *config, const char *dir, struct arena *arena,
		char *why, size_t bytes);

/* Adds a probe. Returns 0, -EINVAL if there are too many, or -ENOMEM. */
int config_add_probe(struct config *config, const char *text,
		     struct arena *arena);

/*
 * Adds a shared object with handlers, unless it was added before. Returns a
 * copy of its path that stays valid, or NULL if there is no memory.
 */
const char *config_add_object(struct config *config, const char *path,
			      struct arena *arena);

/*
 * Adds an action to the last probe. Returns 0, -EINVAL if it is invalid, or
 * -ENOMEM.
 */
int config_add_action(struct config *config, const char *text,
		      struct arena *arena);

#endif
