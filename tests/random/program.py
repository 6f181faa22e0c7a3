# SPDX-License-Identifier: MIT
"""Generates random programs that count their own calls, as data that can be shrunk.

A program is a list of functions. Each function belongs to a module and has a list of
moves. render() writes the sources; the files in moves/ define the moves. A program from
which any of this is removed is still a program, so a failing one can be shrunk.
"""
import dataclasses
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
MODULES = "main", "lib", "plugin"

# These moves end in the middle of the frame. A function with such a move makes
# no tail call.
PLAIN = "call", "through", "loop", "switch", "callback"
JUMPS = "plain", "mask", "builtin", "jump"
# Called as `v += move_NAME(f, v)`, with any function f.
BODIES = {
    "arguments": ("varargs", "structs", "wide", "vectors", "conventions"),
    "cancellation": ("exiting_thread", "cancelled_thread", "cleanup"),
    "crowds": ("crowd",),
    "ends": ("at_exit", "no_return"),
    "faults": ("fault", "illegal", "null", "queue"),
    "frames": ("alloca", "array", "goto"),
    "libc": ("callback", "sort", "tree", "folder", "stream", "format", "once"),
    "links": ("linked",),
    "nested": ("nested", "goto_out"),
    "programs": ("exec", "vfork", "spawn", "shell"),
    "registers": ("registers",),
    "rethrows": ("rethrow", "destroy", "whole", "virtual"),
    "sees": ("see_caller", "see_frames", "see_next", "see_library",
             "see_state"),
    "tails": ("stack_tail", "variadic_tail"),
    "threads": ("thread",),
}
# Called as `move_NAME()`.
BARE = "throw", "yield", "exit", "leave_thread"
FEATURES = {
    "jumps": ("land", "jump"), "exceptions": ("try", "throw"),
    "signals": ("raise", "pending"), "forks": ("fork",), "plugin": ("open",),
    "contexts": ("coroutine", "yield"), "switches": ("coroutine", "yield"),
    "copies": ("replay", "capture"),
    **BODIES,
    "ends": ("at_exit", "no_return", "exit"),
    "cancellation": (*BODIES["cancellation"], "leave_thread"),
    "rethrows": (*BODIES["rethrows"], "throw"),
}
CXX = "exceptions", "rethrows"
WITH_BODY = frozenset(name for names in BODIES.values() for name in names)


@dataclasses.dataclass
class Function:
    number: int
    module: str
    moves: list  # tuples of a move's name and its arguments
    tail: tuple = None  # ("direct" or "through", number), or ("see",)


@dataclasses.dataclass
class Program:
    seed: int
    language: str
    features: tuple
    functions: list
    rounds: int
    budget: int
    seen_through: bool = False  # Callers know which registers their callees change.


class Maker:
    """Generates the program of a seed."""

    def __init__(self, seed, features=None):
        self.chance = random.Random(seed)
        self.seed = seed
        names = list(FEATURES) if features is None else list(features)
        share = self.chance.choice((.15, .4))
        self.features = tuple(n for n in names
                              if features or self.chance.random() < share)
        self.count = self.chance.randint(4, 28)

    def make(self):
        language = "c"
        if set(CXX) & set(self.features) or self.chance.random() < .3:
            language = "c++"
        modules = [m for m in MODULES
                   if m != "plugin" or "plugin" in self.features]
        functions = [Function(i, self.chance.choice(modules) if i else "main",
                              []) for i in range(self.count)]
        for function in functions:
            function.moves = [self.move(functions, language)
                              for _ in range(self.chance.randint(0, 4))]
            if self.chance.random() < .35 and \
                    all(move[0] in PLAIN for move in function.moves):
                function.tail = self.tail(function, functions)
        self.see_tails(functions)
        return Program(self.seed, language, self.features, functions,
                       self.chance.randint(1, 6),
                       self.chance.choice((50, 500, 3000)),
                       self.chance.random() < .3)

    def callee(self, functions):
        """Returns a function that can be called by name; plugins are not linked."""
        return self.chance.choice(
            [f.number for f in functions if f.module != "plugin"])

    def any(self):
        return self.chance.randrange(self.count)

    def tail(self, function, functions):
        number = self.callee(functions)
        # A compiler turns a direct tail call to the function itself into a loop.
        if self.chance.random() < .5 and number != function.number:
            return "direct", number
        return "through", self.any()

    def see_tails(self, functions):
        """Lets some functions jump to a function that reads its return address.

        clew does not hook them. No other function jumps to them, as clew cannot see all
        jumps to them (docs/known-limits.md).
        """
        if "sees" not in self.features:
            return
        seeing = {f.number for f in functions
                  if f.tail and self.chance.random() < .3}
        for function in functions:
            if function.number in seeing:
                function.tail = ("see",)
            elif function.tail and function.tail[1] in seeing:
                function.tail = None

    def move(self, functions, language):
        special = [what for feature in self.features
                   for what in FEATURES[feature]]
        if special and self.chance.random() < .4:
            return self.special(self.chance.choice(special), functions,
                                language)
        what = self.chance.choice(PLAIN)
        if what in ("through", "callback"):
            return what, self.any()
        if what == "loop":
            return what, self.callee(functions), self.chance.randint(1, 5)
        if what == "switch":
            return what, *(self.callee(functions) for _ in range(6))
        return what, self.callee(functions)

    def special(self, what, functions, language):
        if what == "land":
            kinds = ["plain", "mask", "context"]
            if language == "c":
                kinds.append("builtin")
            return what, self.chance.choice(kinds), self.callee(functions)
        if what in ("raise", "pending"):
            return (what,)
        if what == "coroutine":
            by_hand = "switches" in self.features and \
                ("contexts" not in self.features or self.chance.random() < .5)
            return (what, self.any(), self.callee(functions), int(by_hand),
                    self.chance.randrange(2))
        if what in ("jump", "capture", "open", *BARE):
            return (what,)
        return what, self.any() if what in WITH_BODY else \
            self.callee(functions)


def statement(move):
    what, *rest = move
    if what == "call":
        return f"v += f{rest[0]}(v);"
    if what == "through":
        return f"v += play_table[{rest[0]}](v);"
    if what == "loop":
        return (f"for (int i = 0; i < {rest[1]} && play.budget > 0; i++) "
                f"v += f{rest[0]}(v + i);")
    if what == "switch":
        cases = " ".join(f"case {i}: v += f{number}(v); break;"
                         for i, number in enumerate(rest))
        return f"switch ((unsigned long)v % 6) {{ {cases} }}"
    if what == "land":
        kind, number = rest
        test = {"plain": "setjmp(landing.place)",
                "mask": "sigsetjmp(landing.place, 1)",
                "builtin": "__builtin_setjmp(landing.builtin)",
                "context": "LAND_AGAIN()"}[kind]
        return f"LANDING(LAND_{kind.upper()}, {test}, v += f{number}(v));"
    if what == "try":
        return f"TRYING(v += f{rest[0]}(v));"
    if what == "raise":
        return "raise(SIGUSR1 + 2 * (int)draw(2));"
    if what == "pending":
        return "move_pending(SIGUSR1 + 2 * (int)draw(2));"
    if what == "coroutine":
        body, between, by_hand, is_mapped = rest
        return (f"v += move_coroutine(play_table[{body}], f{between}, "
                f"{by_hand}, {is_mapped});")
    if what == "fork":
        return f"v += move_fork(f{rest[0]}, v);"
    if what == "replay":
        return f"v += move_replay(f{rest[0]}, v);"
    if what in WITH_BODY:
        return f"v += move_{what}(play_table[{rest[0]}], v);"
    if what in BARE:
        return f"move_{what}();"
    return {"jump": "MOVE_JUMP();", "capture": "MOVE_CAPTURE();",
            "open": "play_open();"}[what]


def tail_of(kind, number=None):
    if kind == "see":
        return "sees_last"
    return f"f{number}" if kind == "direct" else f"play_table[{number}]"


def body_of(function):
    name = f"f{function.number}"
    # The code at a landing reads its variables from memory.
    is_volatile = any(move[0] in ("land", "try", "capture", "replay")
                      for move in function.moves)
    lines = [f"LINKED PLAYER long {name}(long n)", "{",
             f"\t{'volatile ' if is_volatile else ''}long v = n;", "",
             f"\tENTER({name});", "\tif (is_over()) {", "\t\tLEAVE();",
             "\t\treturn n % 7;", "\t}", "\tplay.now.depth++;"]
    lines += ["\t" + statement(move) for move in function.moves]
    lines += ["\tplay.now.depth--;"]
    if function.tail:
        # A function that reads its return address does not announce its entry.
        says = "LEAVE" if function.tail[0] == "see" else "TAIL"
        lines += [f"\tRETURN_TAIL({says}, {tail_of(*function.tail)}, "
                  "v % 1000);"]
    else:
        lines += ["\tLEAVE();",
                  f"\treturn v % 1000 + {function.number};"]
    return lines + ["}", ""]


HEAD = """\
#define PLAY_FUNCTIONS {count}
#define LINKED {linked}
#define PLAYER {player}
{nested}{main}#include "tests/random/play.h"

/* What sees.h finds by RTLD_NEXT. */
char play_name[] = "{module}";

/* A tail call, where the compiler is sure to make one. */
#if defined(__clang__)
#define RETURN_TAIL(says, f, n) \\
	do {{ long a = n; says(); \\
	__attribute__((musttail)) return f(a); }} while (0)
#elif defined(PLAY_SIBCALLS)
#define RETURN_TAIL(says, f, n) \\
	do {{ long a = n; says(); return f(a); }} while (0)
#else
#define RETURN_TAIL(says, f, n) \\
	do {{ long r = f(n); LEAVE(); return r; }} while (0)
#endif
"""

MAIN = """\
static void *play_handle;

LINKED COUNTED void play_open(void)
{
	void (*fill)(void);

	ENTER(play_open);
	if (!play_handle && !play.is_crowd) {
		play_handle = dlopen(PLAY_PLUGIN, RTLD_NOW);
		fill = (void (*)(void))(uintptr_t)dlsym(play_handle,
							"plugin_fill");
		fill();
	}
	LEAVE();
}

static char play_alternate[1 << 20];

static COUNTED void prepare(void)
{
	struct sigaction action;
	stack_t stack;

	ENTER(prepare);
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = play_alternate;
	stack.ss_size = sizeof(play_alternate);
	sigaltstack(&stack, NULL);
	faults_prepare();
	threads_prepare();
	memset(&action, 0, sizeof(action));
	action.sa_handler = play_handler;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < PLAY_FUNCTIONS; i++)
		play_table[i] = f0;
	main_fill();
	lib_fill();
	LEAVE();
}

/* The last handler of exit(). */
static PLAYED void finish(int status, void *unused)
{
	(void)status;
	(void)unused;
	truth_write();
}

int main(int argc, char **argv)
{
	const int is_again = argc > 1 && argv[1][0] == 'a';

	ENTER(main);
	LEAVE_OUT(finish);
	on_exit(finish, NULL);
	prepare();
	play.random = SEED;
	play.threads = is_again ? 1 : 3;
	play.forks = is_again ? 0 : 2;
	play.sights = is_again ? 2 : 12;
	for (int i = 0; i < (is_again ? 1 : ROUNDS); i++) {
		play.budget = is_again ? 50 : BUDGET;
		play.now.may_end = 1;
		printf("%d: %ld\\n", i,
		       play_table[i % PLAY_FUNCTIONS](i));
		fflush(stdout);
		memset(&play.now, 0, sizeof(play.now));
	}
	LEAVE();
	return 0;
}
"""


def render(program, folder):
    """Writes the sources of main, lib and plugin. Returns {module: path}."""
    paths = {}
    for module in MODULES:
        own = [f for f in program.functions if f.module == module]
        lines = [HEAD.format(
            count=len(program.functions),
            linked='extern "C"' if program.language == "c++" else "",
            player="SEEN_THROUGH" if program.seen_through else "COUNTED",
            module=module,
            nested="#define PLAY_NESTED\n" if "nested" in program.features
            else "",
            main="#define TRUTH_MAIN\n" if module == "main" else "")]
        lines += [f"LINKED long f{f.number}(long n);"
                  for f in program.functions]
        lines += [f"LINKED void {name}(void);" for name in
                  ("play_open", "main_fill", "lib_fill", "plugin_fill")]
        lines.append("")
        for function in own:
            lines += body_of(function)
        lines += [f"LINKED COUNTED void {module}_fill(void)", "{",
                  f"\tENTER({module}_fill);", "\tplay_list();"]
        lines += [f"\tplay_table[{f.number}] = f{f.number};" for f in own]
        lines += [f"\tLEAVE_OUT(f{f.number});" for f in own
                  if f.tail == ("see",)]
        lines += ["\tLEAVE();", "}", ""]
        text = "\n".join(lines)
        if module == "main":
            text += "\n" + MAIN.replace("SEED", str(program.seed + 1)) \
                .replace("ROUNDS", str(program.rounds)) \
                .replace("BUDGET", str(program.budget))
        suffix = ".cc" if program.language == "c++" else ".c"
        paths[module] = folder / (module + suffix)
        paths[module].write_text(text, encoding="utf-8")
    return paths


def smaller(program):
    """Yields programs that are a little smaller than this one, the smallest first."""
    def with_functions(functions, **other):
        return dataclasses.replace(program, functions=functions, **other)

    functions = program.functions
    if program.rounds > 1:
        yield dataclasses.replace(program, rounds=1)
        yield dataclasses.replace(program, rounds=program.rounds - 1)
    if program.budget > 4:
        yield dataclasses.replace(program, budget=program.budget // 2)
        yield dataclasses.replace(program, budget=program.budget - 1)
    for i, function in enumerate(functions):
        def put(**change):
            # pylint: disable=cell-var-from-loop
            return with_functions(
                functions[:i] + [dataclasses.replace(function, **change)]
                + functions[i + 1:])
        if function.moves:
            yield put(moves=[])
        if function.tail:
            yield put(tail=None)
        if len(function.moves) > 1:
            for j in range(len(function.moves)):
                yield put(moves=function.moves[:j] + function.moves[j + 1:])
        if function.module != "main":
            yield put(module="main")
