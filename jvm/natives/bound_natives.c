/* SPDX-License-Identifier: MIT */
/*
 * Finds bound natives in the JVM's own data, not by JVMTI: a request for the
 * methods of all classes would give each method an identifier that is never
 * freed. The Class object of a class contains the address of the JVM's Klass.
 * Unsafe.getLong() reads this address, because a collector may move the object
 * at any time. References to all classes keep their data alive during the
 * search. But a class may be redefined meanwhile, so the data is read by a
 * system call that fails at unmapped addresses, and RegisterNatives() finds the
 * method by its name.
 */
#include "jvm/natives/bound_natives.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/jvmti/environment.h"
#include "jvm/jvmti/from_java.h"
#include "jvm/jvmti/java_exceptions.h"
#include "jvm/jvmti/own_loaders.h"
#include "preload/host/lookup.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define NATIVES_MAX  16384
#define TEXT_BYTES   (4 << 20)
#define CLASSES_MAX  65536 /* capacity that PushLocalFrame() requests */
#define METHODS_MAX  65535 /* maximum number of methods of a class (JVMS 4.1) */
#define SYMBOL_MAX   65535
#define METHOD_BYTES 256
#define ACC_NATIVE   0x100
#define BATCH_MAX    64 /* number of methods that are read together */

/*
 * The code of unbound natives is only recognized if at least this number of
 * natives has it (find_unbound()).
 */
#define UNBOUND_LEAST 4

/*
 * A native method. `class` is a global reference, because it is used in an
 * event, which Java methods have called. ZGC of JDK 21 and later does not
 * update the local references of the code that has called these methods before
 * the thread returns there.
 */
struct found_native {
	jclass class;
	const char *class_name, *name, *signature;
	uint64_t method;
	uint64_t address;
	uint32_t is_machine; /* whether the code belongs to the JVM */
	/*
	 * Number of natives that are earlier in the array and have the same
	 * address; 0 if the code does not belong to the JVM.
	 */
	uint32_t earlier_count;
};

/* State of a search, which is mapped because it is too large for a stack. */
struct natives_search {
	JavaVM *vm;
	JNIEnv *jni;
	jvmtiEnv *jvmti;
	bound_natives_choose choose;
	void *context;
	uint64_t machine_pc;
	long changed;
	/* Offsets and sizes in the JVM, in bytes. */
	int64_t klass, methods, count, items, flags, fixed, pool, name_index,
		signature_index, length, text;
	uint64_t method_bytes, pool_bytes;
	/*
	 * address of the code to which unbound natives lead; 0 if it is unknown
	 */
	uint64_t unbound;
	jobject unsafe;
	jmethodID get_long;
	uint32_t found;
	uint64_t text_used;
	struct found_native natives[NATIVES_MAX];
	uint64_t class_methods[METHODS_MAX];
	/* Copies of up to BATCH_MAX methods of class_methods. */
	unsigned char copies[BATCH_MAX * METHOD_BYTES];
	char texts[TEXT_BYTES];
};

/* ---- HotSpot's descriptions for debuggers ---- */

static int learn(struct natives_search *search)
{
	const uint64_t pc = search->machine_pc;
	const int32_t *klass =
		hotspot_static_at(pc, "java_lang_Class", "_klass_offset");
	const struct {
		int64_t *to;
		const char *type, *field;
	} wanted[] = {
		{ &search->methods, "InstanceKlass", "_methods" },
		{ &search->count, "Array<int>", "_length" },
		{ &search->items, "Array<Method*>", "_data" },
		{ &search->flags, "Method", "_access_flags" },
		{ &search->fixed, "Method", "_constMethod" },
		{ &search->pool, "ConstMethod", "_constants" },
		{ &search->name_index, "ConstMethod", "_name_index" },
		{ &search->signature_index, "ConstMethod", "_signature_index" },
		{ &search->length, "Symbol", "_length" },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		*wanted[i].to =
			hotspot_offset(pc, wanted[i].type, wanted[i].field);
		if (*wanted[i].to < 0)
			return -ENOTSUP;
	}
	search->text = hotspot_symbol_text(pc);
	search->klass = klass ? *klass : 0;
	search->method_bytes = hotspot_size(pc, "Method");
	search->pool_bytes = hotspot_size(pc, "ConstantPool");
	return search->text >= 0 && search->klass > 0 && search->pool_bytes &&
			       search->method_bytes &&
			       search->method_bytes + sizeof(uint64_t) <=
				       METHOD_BYTES
		       ? 0
		       : -ENOTSUP;
}

static uint64_t word_at(uint64_t at)
{
	uint64_t word;

	return sys_read_memory(at, &word, sizeof(word)) ? 0 : word;
}

/* ---- Java ---- */

/* Returns a local reference to the class, or NULL if it does not exist. */
static jclass find_class(JNIEnv *jni, const char *name)
{
	jclass class = (*jni)->FindClass(jni, name);

	return has_thrown(jni) ? NULL : class;
}

/*
 * Calls a static method without arguments. Returns its result, or NULL after an
 * exception.
 */
static jobject call_static(JNIEnv *jni, jclass class, const char *name,
			   const char *signature)
{
	const jmethodID method =
		(*jni)->GetStaticMethodID(jni, class, name, signature);
	jobject object;

	if (has_thrown(jni) || !method)
		return NULL;
	object = (*jni)->CallStaticObjectMethod(jni, class, method);
	return has_thrown(jni) ? NULL : object;
}

/*
 * Returns the object of the class Unsafe. JDK 8 has only sun.misc.Unsafe, whose
 * getUnsafe() cannot be called from native code.
 */
static jobject find_unsafe(JNIEnv *jni, jclass *unsafe)
{
	jfieldID field;

	*unsafe = find_class(jni, "jdk/internal/misc/Unsafe");
	if (*unsafe)
		return call_static(jni, *unsafe, "getUnsafe",
				   "()Ljdk/internal/misc/Unsafe;");
	*unsafe = find_class(jni, "sun/misc/Unsafe");
	if (!*unsafe)
		return NULL;
	field = (*jni)->GetStaticFieldID(jni, *unsafe, "theUnsafe",
					 "Lsun/misc/Unsafe;");
	return has_thrown(jni) || !field
		       ? NULL
		       : (*jni)->GetStaticObjectField(jni, *unsafe, field);
}

static int find_helpers(struct natives_search *search)
{
	JNIEnv *jni = search->jni;
	jclass unsafe;

	search->unsafe = find_unsafe(jni, &unsafe);
	if (!search->unsafe || own_loaders_find(jni))
		return -ENOTSUP;
	search->get_long = (*jni)->GetMethodID(jni, unsafe, "getLong",
					       "(Ljava/lang/Object;J)J");
	return !has_thrown(jni) && search->get_long ? 0 : -ENOTSUP;
}

static uint64_t klass_of(const struct natives_search *search, jclass class)
{
	JNIEnv *jni = search->jni;
	const jlong klass =
		(*jni)->CallLongMethod(jni, search->unsafe, search->get_long,
				       class, (jlong)search->klass);

	return has_thrown(jni) ? 0 : (uint64_t)klass;
}

/* ---- The natives of a class ---- */

/*
 * Copies the text of the JVM's Symbol at an address into search->texts. Returns
 * the copy, or NULL if the symbol cannot be read or there is no room.
 */
static const char *read_symbol(struct natives_search *search, uint64_t at)
{
	char *to = search->texts + search->text_used;
	uint16_t length;

	if (!at ||
	    sys_read_memory(at + (uint64_t)search->length, &length,
			    sizeof(length)) ||
	    search->text_used + length + 1U > TEXT_BYTES ||
	    sys_read_memory(at + (uint64_t)search->text, to, length))
		return NULL;
	to[length] = '\0';
	search->text_used += length + 1U;
	return to;
}

static const char *read_name(struct natives_search *search, uint64_t fixed,
			     int64_t index_at)
{
	const uint64_t pool = word_at(fixed + (uint64_t)search->pool);
	uint16_t index;

	if (!pool ||
	    sys_read_memory(fixed + (uint64_t)index_at, &index, sizeof(index)))
		return NULL;
	return read_symbol(search,
			   word_at(pool + search->pool_bytes + 8 * index));
}

static const char *keep_text(struct natives_search *search, const char *text)
{
	char *to = search->texts + search->text_used;
	uint64_t bytes = 0;

	while (text[bytes++])
		;
	if (search->text_used + bytes > TEXT_BYTES)
		return NULL;
	copy_bytes(to, text, bytes);
	search->text_used += bytes;
	return to;
}

/*
 * Adds a method to search->natives if it is native. `copy` is a copy of the
 * JVM's Method and of the word behind it, which for a native is the address of
 * its code.
 */
static void see_method(struct natives_search *search, jclass class,
		       const char **class_name, uint64_t method,
		       const unsigned char *copy)
{
	struct found_native *one = &search->natives[search->found];
	uint64_t address, fixed;
	uint16_t flags;

	copy_bytes(&flags, copy + search->flags, sizeof(flags));
	copy_bytes(&fixed, copy + search->fixed, sizeof(fixed));
	copy_bytes(&address, copy + search->method_bytes, sizeof(address));
	if (!(flags & ACC_NATIVE) || !address || search->found == NATIVES_MAX)
		return;
	if (!*class_name) {
		char *text = NULL;

		if (!(*search->jvmti)
			     ->GetClassSignature(search->jvmti, class, &text,
						 NULL))
			*class_name = keep_text(search, text);
		(*search->jvmti)
			->Deallocate(search->jvmti, (unsigned char *)text);
	}
	*one = (struct found_native){
		.class = class,
		.class_name = *class_name,
		.name = read_name(search, fixed, search->name_index),
		.signature = read_name(search, fixed, search->signature_index),
		.method = method,
		.address = address,
	};
	search->found += one->class_name && one->name && one->signature;
}

/*
 * Copies `count` methods by one system call and adds the natives among them.
 * Methods from the first unmapped one on are skipped.
 */
static void see_methods(struct natives_search *search, jclass class,
			const char **class_name, const uint64_t *methods,
			uint32_t count)
{
	const uint64_t bytes = search->method_bytes + sizeof(uint64_t);
	const struct iovec to = { search->copies, count * bytes };
	struct iovec from[BATCH_MAX];
	long got;

	for (uint32_t i = 0; i < count; i++)
		from[i] = (struct iovec){ (void *)methods[i], bytes };
	got = sys_copy_ranges(sys_gettid(), &to, from, count);
	for (uint32_t i = 0; got > 0 && i < (uint64_t)got / bytes; i++)
		see_method(search, class, class_name, methods[i],
			   search->copies + i * bytes);
}

/*
 * Returns whether the platform class loader has loaded the class: for such
 * classes RegisterNatives() would print a warning. Also true if the loader is
 * unknown.
 */
static int is_of_platform(const struct natives_search *search, jclass class)
{
	JNIEnv *jni = search->jni;
	jobject loader = NULL;
	int is_platform;

	if ((*search->jvmti)->GetClassLoader(search->jvmti, class, &loader))
		return 1;
	is_platform = loader && own_loaders_have(jni, loader);
	if (loader)
		(*jni)->DeleteLocalRef(jni, loader);
	return is_platform;
}

/*
 * The natives from index `since` on belong to `class`. Gives them a global
 * reference to the class; removes them if the reference cannot be created.
 */
static void hold_class(struct natives_search *search, jclass class,
		       uint32_t since)
{
	JNIEnv *jni = search->jni;
	jclass held = (*jni)->NewGlobalRef(jni, class);

	if (has_thrown(jni) || !held) {
		search->found = since;
		return;
	}
	for (uint32_t i = since; i < search->found; i++)
		search->natives[i].class = held;
}

static void let_go_of_classes(struct natives_search *search)
{
	JNIEnv *jni = search->jni;
	jclass last = NULL;

	for (uint32_t i = 0; i < search->found; i++) {
		jclass class = search->natives[i].class;

		if (class != last)
			(*jni)->DeleteGlobalRef(jni, class);
		last = class;
	}
}

static void see_class(struct natives_search *search, jclass class)
{
	const char *class_name = NULL;
	const uint32_t before = search->found;
	jboolean is_array = 1;
	uint64_t klass, array;
	int32_t count;

	if ((*search->jvmti)->IsArrayClass(search->jvmti, class, &is_array) ||
	    is_array)
		return;
	klass = klass_of(search, class);
	array = klass ? word_at(klass + (uint64_t)search->methods) : 0;
	if (!array ||
	    sys_read_memory(array + (uint64_t)search->count, &count,
			    sizeof(count)) ||
	    count < 1 || count > METHODS_MAX ||
	    sys_read_memory(array + (uint64_t)search->items,
			    search->class_methods, 8 * (uint64_t)count))
		return;
	for (int32_t i = 0; i < count; i += BATCH_MAX)
		see_methods(search, class, &class_name,
			    search->class_methods + i,
			    count - i < BATCH_MAX ? (uint32_t)(count - i)
						  : BATCH_MAX);
	if (search->found > before && is_of_platform(search, class))
		search->found = before;
	if (search->found > before)
		hold_class(search, class, before);
}

/* ---- Bound natives ---- */

static const struct link_map *machine_of(const struct natives_search *search)
{
	return lookup_module(search->machine_pc);
}

/*
 * Finds the function of the JVM to which all unbound natives lead: it is the
 * function with the most natives, if it has at least twice as many as any other
 * and at least UNBOUND_LEAST.
 */
static void find_unbound(struct natives_search *search)
{
	const struct link_map *machine = machine_of(search);
	uint32_t most = 0, second = 0;

	for (uint32_t i = 0; i < search->found; i++) {
		struct found_native *one = &search->natives[i];

		one->is_machine = lookup_module(one->address) == machine;
		for (uint32_t k = i; one->is_machine && k-- > 0;)
			if (search->natives[k].address == one->address) {
				one->earlier_count =
					search->natives[k].earlier_count + 1;
				break;
			}
	}
	for (uint32_t i = 0; i < search->found; i++) {
		const struct found_native *one = &search->natives[i];

		if (!one->is_machine || one->earlier_count < most)
			continue;
		if (one->address != search->unbound)
			second = most;
		search->unbound = one->address;
		most = one->earlier_count;
	}
	for (uint32_t i = 0; i < search->found; i++) {
		const struct found_native *one = &search->natives[i];

		if (one->is_machine && one->address != search->unbound &&
		    one->earlier_count > second)
			second = one->earlier_count;
	}
	if (most + 1 < UNBOUND_LEAST || most + 1 < 2 * (second + 1))
		search->unbound = 0;
}

/*
 * If the function of unbound natives is unknown, all natives whose code belongs
 * to the JVM are regarded as unbound.
 */
static int is_bound(const struct natives_search *search,
		    const struct found_native *one)
{
	return search->unbound ? one->address != search->unbound
			       : !one->is_machine;
}

/* ---- Binding ---- */

static void change(struct natives_search *search,
		   const struct found_native *one, JNIEnv *jni)
{
	const struct bound_native native = {
		.its = { one->class_name, one->name, one->signature },
		.method = &one->method,
		.address = (void *)one->address,
	};
	JNINativeMethod wanted = {
		.name = (char *)one->name,
		.signature = (char *)one->signature,
		.fnPtr = search->choose(search->context, &native),
	};

	if (!wanted.fnPtr)
		return;
	search->changed +=
		!(*jni)->RegisterNatives(jni, one->class, &wanted, 1);
	has_thrown(jni);
}

static void change_all(JNIEnv *jni, void *context)
{
	struct natives_search *search = context;

	for (uint32_t i = 0; i < search->found; i++)
		if (is_bound(search, &search->natives[i]))
			change(search, &search->natives[i], jni);
}

/* ---- The whole search ---- */

static int search_classes(struct natives_search *search)
{
	jclass *classes = NULL;
	jint count;

	if ((*search->jvmti)->GetLoadedClasses(search->jvmti, &count, &classes))
		return -ENOTSUP;
	for (jint i = 0; i < count; i++)
		see_class(search, classes[i]);
	(*search->jvmti)->Deallocate(search->jvmti, (unsigned char *)classes);
	find_unbound(search);
	return 0;
}

/*
 * Does the whole search and the binding, and frees all its references. Returns
 * 0 or -errno.
 */
static int run(struct natives_search *search)
{
	JNIEnv *jni = search->jni;
	int err;

	if ((*jni)->PushLocalFrame(jni, CLASSES_MAX)) {
		has_thrown(jni);
		return -ENOMEM;
	}
	err = find_helpers(search);
	if (!err && search->choose)
		err = search_classes(search);
	if (!err)
		err = from_java_call(search->vm, jni, change_all, search);
	let_go_of_classes(search);
	(*jni)->PopLocalFrame(jni, NULL);
	return err;
}

long bound_natives_change(JavaVM *vm, JNIEnv *jni, uint64_t machine_pc,
			  bound_natives_choose choose, void *context)
{
	struct natives_search *search = sys_map_private(sizeof(*search));
	long result;

	if (sys_failed(search))
		return -ENOMEM;
	search->vm = vm;
	search->jni = jni;
	search->choose = choose;
	search->context = context;
	search->machine_pc = machine_pc;
	result = learn(search);
	if (!result) {
		search->jvmti = environment_open(vm);
		if (!search->jvmti)
			result = -ENOTSUP;
	}
	if (!result) {
		result = run(search);
		(*search->jvmti)->DisposeEnvironment(search->jvmti);
	}
	if (!result)
		result = search->changed;
	sys_munmap(search, sizeof(*search));
	return result;
}
