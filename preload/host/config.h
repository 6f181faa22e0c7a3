/* SPDX-License-Identifier: MIT */
/*
 * What was asked for: $CLEW_DIR/config, read once, before anything is hooked.
 * Its syntax is described in clew-record(1), "RULES".
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
	struct rule *next; /* in the order of the file */
	enum rule_kind kind;
	const char *line; /* as written */
	const char *text; /* glob or regular expression */
	struct ere regex; /* RULE_FUNCTION, RULE_NOT_FUNCTION */
	uint64_t matches; /* modules or functions */
};

/* What a probe does, a line of it. */
struct probe_line {
	struct probe_line *next;
	const char *text;
};

/* A probe that was asked for (image/probe_spec.h). */
struct asked_probe {
	struct asked_probe *next; /* in the order of the file */
	const char *text;
	uint32_t number; /* p1 is 0 */
	/* By live_probes.c: */
	int is_removed;
	int is_new;         /* no recording tells of it */
	uint32_t looked_at; /* of the modules, when they were: 0, the first */
	struct probe_line *lines; /* what it does, as it was said */
	struct probe_action action;
};

/* A shared object with handlers of probes, by its path. */
struct handler_object {
	struct handler_object *next;
	const char *path;
};

/* What of a Java virtual machine is recorded. */
enum config_java {
	CONFIG_JAVA_NATIVES, /* its native methods, by their Java names */
	CONFIG_JAVA_VM,      /* and the functions of the machine itself */
	CONFIG_JAVA_OFF,     /* it is not told of us */
	CONFIG_JAVA_EXACT,   /* and each call of a Java method */
	CONFIG_JAVA_STANDBY, /* the same, but only while it is switched on */
	CONFIG_JAVA_IN_PLACE, /* and each call of compiled code of a Java method */
};

struct warmed_file {
	struct warmed_file *next;
	const char *path;
};

struct config {
	const char *dir;       /* of the recording, absolute */
	const char *cache_dir; /* NULL: no analysis cache */
	struct rule *rules;
	struct asked_probe *probes;
	struct handler_object *handler_objects; /* of probes */
	int hook_libc;
	enum config_java java;
	const char *java_methods; /* of the last three: patterns; NULL: none */
	uint32_t java_min_size;   /* bytes of code that they have */
	int hook_jni;             /* what natives call of JNI, too */
	int jit_callers; /* native functions below the generated code that calls */
	int no_children;
	int no_prelinking; /* stubs are made anew */
	/* The cache is filled for these, the program and its libraries; then the process ends. */
	struct warmed_file *warmed_files;
	uint64_t max_contexts;
	enum wire_fold max_contexts_cause; /* whether max_bytes says so */
	uint64_t max_bytes; /* of tables, contexts, samples; 0: no limit */
	int is_bounded;     /* the user has said one of these */
	uint32_t verify_period;
	int folds_recursion;
	int no_tail_nesting;
	enum wire_time time;
	uint32_t rate_hz;     /* of samples */
	int wants_ticks;      /* no finer clock */
	int has_clock;        /* it was said which */
	uint64_t trace_bytes; /* of a process's packets; 0: calls are counted */
	uint64_t thread_bytes; /* of those of a thread; 0: no limit but that */
	uint32_t stamp_every;  /* calls in a packet; 0: none but at contexts */
	int stamp_returns;     /* and each return */
	int keeps_sites;       /* and where each call returns to */
	uint32_t
		trace_depth; /* calls that are deeper are not written; 0: all are */
	uint64_t stamp_ns; /* from stamp to stamp, about; 0: by calls */
	uint64_t least_ns; /* that calls take which are kept; 0: all are */
	enum wire_overflow overflow; /* of packets that are to be used again */
	uint32_t workers;    /* of clew record, which count calls; 0: none */
	int snapshot_signal; /* at which one is made; 0: none */
	uint32_t budget;     /* thousandths of the CPU time; 0: no limit */
};

/*
 * Read dir/config; a missing file means defaults. Strings live in the arena.
 * 0, or -errno with a sentence in why[bytes].
 */
int config_read(struct config *config, const char *dir, struct arena *arena,
		char *why, size_t bytes);

/* One probe more: 0, -EINVAL if there are too many, or -ENOMEM. */
int config_add_probe(struct config *config, const char *text,
		     struct arena *arena);

/* Such an object, unless it is known: its path, which stays, or NULL without memory. */
const char *config_add_object(struct config *config, const char *path,
			      struct arena *arena);

/* What the last one does: 0, -EINVAL if it is not understood, or -ENOMEM. */
int config_add_action(struct config *config, const char *text,
		      struct arena *arena);

#endif
