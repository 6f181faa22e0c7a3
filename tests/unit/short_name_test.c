/* SPDX-License-Identifier: MIT */
/* Tests short names of functions, on real names and on hostile ones. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbolizer/a2n.h"

struct name_case {
	const char *name, *expected;
};

static void assert_short(const char *name, enum a2n_detail detail,
			 const char *expected)
{
	char *text = a2n_short_name(name, detail);

	assert_string_equal(text, expected);
	free(text);
}

static void assert_cases(const struct name_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_short(cases[i].name, A2N_SHORTEST,
			     cases[i].expected ? cases[i].expected
					       : cases[i].name);
}

#define ASSERT_CASES(cases) assert_cases(cases, sizeof(cases) / sizeof(*cases))

static void lists_are_folded(void **state)
{
	static const struct name_case cases[] = {
		{ "foo(int)", "foo" },
		{ "a::b<c>::d(e)", "a::b<c>::d" },
		{ "unsigned long const* a::f<int>(int&&)", "a::f<int>" },
		{ "Heap<trading::ByPrice>::push(trading::Order const&)",
		  "Heap<trading::ByPrice>::push" },
		{ "std::vector<int, std::allocator<int> >::push_back(int&&)",
		  "std::vector<int>::push_back" },
		{ "std::map<trading::Key, trading::Order>::find(int)",
		  "std::map<...>::find" },
		{ "void f<std::vector<std::vector<int, std::allocator<int> >, "
		  "std::allocator<std::vector<int, std::allocator<int> > > > >("
		  "int)",
		  "f<...>" },
		{ "std::_Rb_tree<int, int, std::less<int>, "
		  "std::allocator<int> >::clear() const &",
		  "std::_Rb_tree<int, int>::clear" },
		{ "std::function<int (int, char)>::f() noexcept",
		  "std::function<int (int, char)>::f" },
		{ "std::enable_if<((4)>(5)), int>::type f<((4)<(5))>()",
		  "f<((4)<(5))>" },
		{ "f[abi:cxx11](int)", "f" },
		{ "non-virtual thunk to A::f(int)", "thunk to A::f" },
		{ "f(int)::local::g(char) const", "f::local::g" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void strings_and_streams_have_their_usual_names(void **state)
{
	static const struct name_case cases[] = {
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, "
		  "std::allocator<char> >::append(char const*)",
		  "std::string::append" },
		{ "std::basic_ostream<wchar_t, std::char_traits<wchar_t> >::"
		  "flush()",
		  "std::wostream::flush" },
		{ "void f<std::__cxx11::basic_string<char, "
		  "std::char_traits<char>, std::allocator<char> > >(int)",
		  "f<std::string>" },
		{ "std::__cxx11::list<int, std::allocator<int> >::sort()",
		  "std::list<int>::sort" },
		{ "std::__1::basic_string<char, std::__1::char_traits<char>, "
		  "std::__1::allocator<char>>::append(char const*)",
		  "std::string::append" },
		{ "std::chrono::_V2::system_clock::now()",
		  "std::chrono::system_clock::now" },
		{ "my::basic_string<char, std::char_traits<char> >::f()",
		  "my::basic_string<char>::f" },
		{ "std::basic_string<char, my_traits>::f()",
		  "std::basic_string<char, my_traits>::f" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void operators_stay_whole(void **state)
{
	static const struct name_case cases[] = {
		{ "operator==(A const&, A const&)", "operator==" },
		{ "bool std::operator==<char, std::char_traits<char>, "
		  "std::allocator<char> >(char const*)",
		  "std::operator==<char>" },
		{ "A::operator<(A const&) const", "A::operator<" },
		{ "std::ostream& std::operator<< <std::char_traits<char> >("
		  "std::ostream&, char)",
		  "std::operator<<" },
		{ "std::ostream& operator<< <int>(int)", "operator<< <int>" },
		{ "A<int>::operator()(int) const", "A<int>::operator()" },
		{ "A::operator->() const", "A::operator->" },
		{ "A::operator->*(int)", "A::operator->*" },
		{ "A::operator-><int>(int)", "A::operator-><int>" },
		{ "A::operator!() const", "A::operator!" },
		{ "A::operator>>(int)", "A::operator>>" },
		{ "A::operator<=>(A const&)", "A::operator<=>" },
		{ "A::operator,(int)", "A::operator," },
		{ "A::operator[](int)", "A::operator[]" },
		{ "operator new[](unsigned long)", "operator new[]" },
		{ "operator delete(void*)", "operator delete" },
		{ "operator\"\" _km(long double)", "operator\"\" _km" },
		{ "A::operator T*() const", "A::operator T*" },
		{ "A::operator bool() const", "A::operator bool" },
		{ "A::operator void (*)(int)()", "A::operator void (*)(int)" },
		{ "A::operator std::vector<int, std::allocator<int> >() const",
		  "A::operator std::vector<int>" },
		{ "A::operator()(int)::{lambda()#1}::operator()() const",
		  "A::operator()::{lambda#1}::operator()" },
		{ "operators(int)", "operators" },
		{ "my_operator<int>(int)", "my_operator<int>" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void lambdas_and_local_scopes_stay(void **state)
{
	static const struct name_case cases[] = {
		{ "foo(int)::{lambda(int)#1}::operator()(int) const",
		  "foo::{lambda#1}::operator()" },
		{ "auto f<int>(int) const::{lambda(auto:1)#2}::operator()<int>"
		  "(int) const",
		  "f<int>::{lambda#2}::operator()<int>" },
		{ "(anonymous namespace)::f(int)", "(anonymous)::f" },
		{ "void a::(anonymous namespace)::g<int>()",
		  "a::(anonymous)::g<int>" },
		{ "std::_Function_handler<void (), main::{lambda()#1}>::"
		  "_M_invoke(std::_Any_data const&)",
		  "std::_Function_handler<...>::_M_invoke" },
		{ "f(int)::{unnamed type#1}::g()", "f::{unnamed type#1}::g" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void results_are_left_out(void **state)
{
	static const struct name_case cases[] = {
		{ "decltype(auto) std::visit<X>(Y)", "std::visit<X>" },
		{ "decltype (declval<X>().f()) g<X>(X)", "g<X>" },
		{ "int (*foo(int))(int)", "foo" },
		{ "void (*a::foo<int>(int) const)(char)", "a::foo<int>" },
		{ "int (A::*b::bar(int))(char)", "b::bar" },
		{ "int (&foo(int))[10]", "foo" },
		{ "f(int)::{lambda()#1} g<int>(int)", "g<int>" },
		{ "(anonymous namespace)::A f<int>(int)", "f<int>" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void clones_have_the_name_of_their_function(void **state)
{
	static const struct name_case cases[] = {
		{ "f(int) [clone .constprop.0] [clone .cold]", "f" },
		{ "f [clone .part.0]", "f" },
		{ "parse.constprop.0", "parse" },
		{ "parse.part.12.cold", "parse" },
		{ "parse.isra.0", "parse" },
		{ "parse.part.1.constprop.0.cold", "parse" },
		{ "a::f(int)+0x12e0", "a::f+0x12e0" },
		{ "a::f(a::f(int)::_ZN1a1fEi.Frame*) [clone .actor]",
		  "a::f [clone .actor]" },
		{ "a::f(a::f(int)::_ZN1a1fEi.Frame*) [clone .actor] "
		  "[clone .cold]",
		  "a::f [clone .actor]" },
		{ "f(f<long>(long)::_Z1fIlE4taskT_.Frame*) [clone .destroy]",
		  "f [clone .destroy]" },
		{ "a::f(int) [clone .resume]", "a::f [clone .resume]" },
		{ "a::f(int) [clone .resume]+0x12",
		  "a::f [clone .resume]+0x12" },
		{ "a.b", NULL },
	};

	(void)state;
	ASSERT_CASES(cases);
	assert_short("a::f(int) [clone .resume] [clone .cold]", A2N_PARAMETERS,
		     "a::f(int) [clone .resume] [clone .cold]");
	assert_short("void f<int>(int) [clone .cold]", A2N_PARAMETERS,
		     "f<int>(int) [clone .cold]");
}

static void rust_types_lose_their_modules(void **state)
{
	static const struct name_case cases[] = {
		{ "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
		  "<Vec<T> as Drop>::drop" },
		{ "<alloc::vec::Vec<T,A> as alloc::vec::spec::SpecExtend<T,I>>"
		  "::spec_extend",
		  "<Vec<T,A> as SpecExtend<T,I>>::spec_extend" },
		{ "core::str::<impl str>::parse", NULL },
		{ "alloc::str::<impl alloc::borrow::ToOwned for str>::to_owned",
		  "alloc::str::<impl ToOwned for str>::to_owned" },
		{ "std::rt::lang_start::{{closure}}", NULL },
		{ "std::rt::lang_start::<()>::{closure#0}", NULL },
		{ "core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::"
		  "String>>",
		  "core::ptr::drop_in_place<...>" },
		{ "core::ptr::drop_in_place::<alloc::string::String>",
		  "core::ptr::drop_in_place::<String>" },
		{ "<[u8]>::starts_with", NULL },
		{ "<fn(a::B) -> c::D as e::F<i32>>::call",
		  "<fn(B) -> D as F<i32>>::call" },
		{ "alloc::vec::Vec<T,alloc::alloc::Global>::push",
		  "alloc::vec::Vec<T>::push" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void other_languages_have_their_rules(void **state)
{
	static const struct name_case cases[] = {
		{ "std.stdio.writeln!(immutable(char)[], int).writeln(int)",
		  "std.stdio.writeln!(...).writeln" },
		{ "test.main().worker()", "test.main.worker" },
		{ "app.Server.serve().__lambda1()",
		  "app.Server.serve.__lambda1" },
		{ "test.f!(int).f(int).g(char) const", "test.f!(int).f.g" },
		{ "com.acme.Foo.bar(int, long[], String)", "Foo.bar" },
		{ "com.acme.Foo$Inner.<init>(int)", "Foo$Inner.<init>" },
		{ "com.acme.Foo.bar(Ljava/lang/String;)V", "Foo.bar" },
		{ "com.acme.Foo.bar(int):12", "Foo.bar:12" },
		{ "java.lang.invoke.LambdaForm$MH.0x0a.f()",
		  "LambdaForm$MH.0x0a.f" },
		{ "a.b.c(int)", "a.b.c" },
		{ "net/http.(*conn).serve", "http.(*conn).serve" },
		{ "github.com/a/b%2ev2.Do", "b%2ev2.Do" },
		{ "main.(*T).f", NULL },
		{ "main.main.func1", NULL },
		{ "main.Map[go.shape.int]", NULL },
		{ "a/b.Map[go.shape.struct { X int }]", "b.Map[...]" },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void other_names_stay_unchanged(void **state)
{
	static const struct name_case cases[] = {
		{ "", NULL },
		{ "main", NULL },
		{ "_dl_runtime_resolve", NULL },
		{ "ledger+0x12e0", NULL },
		{ "libstdc++.so.6+0x12e0", NULL },
		{ "my program (deleted)+0x12", NULL },
		{ "(kernel)", NULL },
		{ "(generated code of node)", NULL },
		{ "(in libpython3.11.so)", NULL },
		{ "[vdso]", NULL },
		{ "-[NSString foo:bar:]", NULL },
		{ "JS:~Module._compile node:internal/cjs/loader:1310:37",
		  NULL },
		{ "JS:*(anonymous) /home/a b/c.js:1:2", NULL },
		{ "py::word_of:/home/a/words.py", NULL },
		{ "Builtin:ArrayFor", NULL },
		{ "erlang:apply/2", NULL },
		{ "'Elixir.Foo':bar/2", NULL },
		{ "StubRoutines (1)", NULL },
		{ "vtable chunks (initial)", NULL },
		{ "JNIEnv::GetMethodID", NULL },
	};

	(void)state;
	ASSERT_CASES(cases);
}

static void more_detail_keeps_more(void **state)
{
	static const char name[] =
		"void a::f<std::map<int, std::__cxx11::basic_string<char, "
		"std::char_traits<char>, std::allocator<char> > > >"
		"(std::vector<int, std::allocator<int> > const&) const";

	(void)state;
	assert_short(name, A2N_SHORTEST, "a::f<...>");
	assert_short(name, A2N_BARE, "a::f");
	assert_short("a::f<b::C<std::map<int, std::string>, int>>(int)",
		     A2N_ARGUMENTS, "a::f<b::C<...>>");
	assert_short(name, A2N_TEMPLATES, "a::f<std::map<int, std::string>>");
	assert_short(name, A2N_PARAMETERS,
		     "a::f<std::map<int, std::string>>"
		     "(std::vector<int> const&) const");
	assert_short("f(int)::{lambda(char)#1}::operator()(char) const",
		     A2N_PARAMETERS,
		     "f(int)::{lambda(char)#1}::operator()(char) const");
	assert_short("test.main(int).worker(char)", A2N_PARAMETERS,
		     "test.main(int).worker(char)");
	assert_short("com.acme.Foo.bar(int)", A2N_PARAMETERS,
		     "com.acme.Foo.bar(int)");
	assert_short("bool a<b>::operator< <c>(d)", A2N_BARE, "a::operator<");
	assert_short("<a::Vec<T> as b::Drop>::drop", A2N_BARE,
		     "<Vec as Drop>::drop");
	assert_short("a::b::<c>", A2N_BARE, "a::b");
	assert_short("a::b::<c>::{closure#0}", A2N_BARE, "a::b::{closure#0}");
	assert_short("a.b!(int).b(int)", A2N_BARE, "a.b.b");
	assert_short("a/b.Map[int]", A2N_BARE, "b.Map");
}

static void a_cut_name_is_closed(void **state)
{
	char name[512];

	(void)state;
	memset(name, 'x', sizeof(name));
	memcpy(name, "a::f<b<(c)>, d<e, (", 19);
	strcpy(name + 400, "...");
	assert_short(name, A2N_SHORTEST, "a::f<b<(c)>, d<...>>");
}

/* ---- Real names ---- */

/* Returns the text without the symbols of operators, which have brackets. */
static const char *skip_operators(const char *text)
{
	static const char *const symbols[] = { "<=>", "<<=", ">>=", "->*",
					       "<<",  ">>",  "->",  "<=",
					       ">=",  "<",   ">" };
	const size_t head = strlen("operator");

	if (strncmp(text, "operator", head) != 0)
		return text;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (strncmp(text + head, symbols[i], strlen(symbols[i])) == 0)
			return text + head + strlen(symbols[i]);
	return text;
}

static int is_balanced(const char *text)
{
	char open[256];
	size_t depth = 0;

	for (const char *at = text; *at; at++) {
		at = skip_operators(at);
		if (*at == '\0')
			break;
		if (strchr("(<[{", *at) && depth < sizeof(open))
			open[depth++] = *at;
		else if (strchr(")>]}", *at) &&
			 (depth == 0 ||
			  open[--depth] != *at - (*at == ')' ? 1 : 2)))
			return 0;
	}
	return depth == 0;
}

/* Returns whether a name of C++ has a blank outside of brackets. */
static int has_blank(const char *name)
{
	int depth = 0;

	if (strstr(name, "operator") || strstr(name, "thunk to ") ||
	    strstr(name, " for "))
		return 0;
	for (; *name; name++) {
		depth += strchr("(<[{", *name) != NULL;
		depth -= strchr(")>]}", *name) != NULL;
		if (*name == ' ' && depth == 0)
			return 1;
	}
	return 0;
}

struct real_names {
	size_t count, bytes, short_bytes;
};

static void check_real_name(void *context, const struct a2n_range *range,
			    const struct a2n_frame *frames, size_t count)
{
	struct real_names *names = context;
	char *name, *shorter;

	(void)range;
	if (count == 0 || !frames->name)
		return;
	name = strndup(frames->name, frames->name_length);
	for (int i = A2N_PARAMETERS; i >= A2N_BARE; i--) {
		shorter = a2n_short_name(name, (enum a2n_detail)i);
		if (!*shorter || strlen(shorter) > strlen(name) ||
		    (is_balanced(name) && !is_balanced(shorter)) ||
		    (i != A2N_PARAMETERS && has_blank(shorter)))
			fail_msg("%s: %s", name, shorter);
		if (i == A2N_SHORTEST)
			names->short_bytes += strlen(shorter);
		free(shorter);
	}
	names->count++;
	names->bytes += strlen(name);
	free(name);
}

static void names_of_the_cxx_library_keep_their_brackets(void **state)
{
	const struct a2n_options options = {
		.flags = A2N_NO_CACHE | A2N_NO_DEBUG | A2N_NO_DOWNLOAD,
	};
	const struct a2n_module *module;
	struct real_names names = { 0 };
	struct a2n *a2n;

	(void)state;
	assert_int_equal(a2n_create(&options, &a2n), 0);
	assert_int_equal(a2n_module_open(a2n, CXX_LIBRARY, NULL, &module), 0);
	a2n_module_symbols(module, check_real_name, &names);
	a2n_destroy(a2n);
	assert_true(names.count > 2000);
	assert_true(names.short_bytes < names.bytes / 2);
}

/* ---- Hostile names ---- */

/* Returns a text of `count` copies of a piece; the caller frees it. */
static char *repeated(const char *piece, size_t count)
{
	const size_t length = strlen(piece);
	char *text = malloc(length * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, piece, length);
	text[length * count] = '\0';
	return text;
}

static void long_and_deep_names_take_linear_time(void **state)
{
	static const char *const pieces[] = {
		"<",
		"(",
		"a<",
		"a(",
		"<>",
		"a::",
		"a<b>::",
		"{",
		"operator",
		"operator<",
		"operator ",
		"f()::",
		"(*",
		"(*f(",
		"a::b<(c)::",
		"[",
		" ",
		".cold",
		" [clone .a]",
		"a,",
		"std::basic_",
		"std::allocator<",
		">",
		")",
		"std::__cxx11::",
		"std::basic_string<char>::",
		"a.",
		"A.",
		"a/",
		"x<a::b as ",
		" const",
		"[abi:a]",
		"(anonymous namespace)::",
		"+0x1",
		"!(",
		"decltype(",
		"{lambda(",
	};
	const clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		char *name = repeated(pieces[i], 100000);

		for (int j = A2N_BARE; j <= A2N_PARAMETERS; j++) {
			char *text = a2n_short_name(name, (enum a2n_detail)j);

			assert_true(*text && strlen(text) <= strlen(name));
			free(text);
		}
		free(name);
	}
	/* Quadratic time would be about an hour. */
	assert_true((clock() - start) / CLOCKS_PER_SEC < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_folded),
		cmocka_unit_test(strings_and_streams_have_their_usual_names),
		cmocka_unit_test(operators_stay_whole),
		cmocka_unit_test(lambdas_and_local_scopes_stay),
		cmocka_unit_test(results_are_left_out),
		cmocka_unit_test(clones_have_the_name_of_their_function),
		cmocka_unit_test(rust_types_lose_their_modules),
		cmocka_unit_test(other_languages_have_their_rules),
		cmocka_unit_test(other_names_stay_unchanged),
		cmocka_unit_test(more_detail_keeps_more),
		cmocka_unit_test(a_cut_name_is_closed),
		cmocka_unit_test(names_of_the_cxx_library_keep_their_brackets),
		cmocka_unit_test(long_and_deep_names_take_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
