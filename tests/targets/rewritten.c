/* SPDX-License-Identifier: MIT */
/*
 * An agent that rewrites classes when they are loaded:
 *
 *	java -agentpath:rewritten.so=TRACKER,FILE,[late:][keep:|gate:]PREFIX
 *
 * It rewrites classes whose names begin with PREFIX, except TRACKER,
 * java/lang/Object, whose constructor HotSpot replaces, and classes of lambdas.
 * FILE lists the results: "NUMBER CLASS.METHOD" for each method, "refused NAME:
 * REASON", and at the end "classes COUNT" and "methods COUNT".
 *
 * late: Classes are loaded unchanged and all changed at the end, except those
 * that the JVM itself would call meanwhile; FILE has "kept CLASS" for each that
 * the JVM refuses to change. keep: Methods store the result of enter(), and
 * their handlers call caught(). gate: Methods do so too, and check STATE first.
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classfile/classfile.h"

#define NUMBERS 65536 /* some need a constant-pool entry */

static struct classfile_tracker tracker = {
	.enter = { "enter", "(I)V" },
	.exit = { "exit", "(I)V" },
	.thrown = { "thrown", "(I)V" },
};
static const char *prefix;
static FILE *told;
/* Protects the file, the numbers below, and has_ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int32_t next;
static uint64_t classes, methods;
static int is_late, has_ended;
static _Atomic int is_changing; /* changing loaded classes */

/* Memory that one class needed. */
struct block {
	struct block *older;
	_Alignas(16) char data[];
};

static void *take(void *context, size_t bytes)
{
	struct block **newest = context;
	struct block *block = malloc(sizeof(*block) + bytes);

	if (!block)
		return NULL;
	block->older = *newest;
	*newest = block;
	return block->data;
}

static void give_back(struct block *newest)
{
	while (newest) {
		struct block *older = newest->older;

		free(newest);
		newest = older;
	}
}

static int64_t choose(void *context, const struct classfile_method *method)
{
	const int32_t number = next++ % NUMBERS;

	fprintf(told, "%d %.*s.%.*s\n", number, (int)method->class_name.length,
		method->class_name.text, (int)method->name.length,
		method->name.text);
	return number;
}

static void refuse(void *context, const struct classfile_method *method,
		   enum classfile_refusal why)
{
	fprintf(told, "refused %.*s.%.*s: %s\n", (int)method->class_name.length,
		method->class_name.text, (int)method->name.length,
		method->name.text, classfile_refusal_text(why));
}

static void rewrite(jvmtiEnv *jvmti, const char *name, jint bytes,
		    const unsigned char *data, jint *new_bytes,
		    unsigned char **new_data)
{
	struct block *newest = NULL;
	const struct classfile_caller caller = { (void *)&newest, take, choose,
						 refuse };
	struct classfile_result result = { 0 };
	const enum classfile_refusal why = classfile_rewrite(
		data, (size_t)bytes, &tracker, &caller, &result);

	if (why)
		fprintf(told, "refused %s: %s\n", name,
			classfile_refusal_text(why));
	if (result.data &&
	    !(*jvmti)->Allocate(jvmti, (jlong)result.bytes, new_data)) {
		memcpy(*new_data, result.data, result.bytes);
		*new_bytes = (jint)result.bytes;
		classes++;
		methods += result.method_count;
	}
	give_back(newest);
}

static void JNICALL is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
			      jobject loader, const char *name, jobject domain,
			      jint bytes, const unsigned char *data,
			      jint *new_bytes, unsigned char **new_data)
{
	if (!name || is_late != is_changing ||
	    strncmp(name, prefix, strlen(prefix)) != 0 ||
	    strcmp(name, tracker.class_name) == 0 ||
	    strcmp(name, "java/lang/Object") == 0 || strstr(name, "$$Lambda"))
		return;
	pthread_mutex_lock(&lock);
	if (!has_ended)
		rewrite(jvmti, name, bytes, data, new_bytes, new_data);
	pthread_mutex_unlock(&lock);
}

/* ---- Loaded classes ---- */

#define TOGETHER 50

/* Classes that are needed to change classes. */
static int is_needed(const char *signature)
{
	static const char *const needed[] = {
		"Ljava/lang/Class;", "Ljava/lang/Thread;", "Ljava/lang/invoke/",
		"Ljava/lang/ref/",   "Ljava/lang/Object;", "Ljdk/internal/",
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (strncmp(signature, needed[i], strlen(needed[i])) == 0)
			return 1;
	return 0;
}

static int may_change(jvmtiEnv *jvmti, jclass class)
{
	jboolean is_modifiable = JNI_FALSE;
	char *signature;
	int may;

	if ((*jvmti)->IsModifiableClass(jvmti, class, &is_modifiable) ||
	    !is_modifiable ||
	    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return 0;
	may = !is_needed(signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return may;
}

/* Changes them together or, if one is refused, each alone. */
static void change(jvmtiEnv *jvmti, jclass *changed, jint count)
{
	char *signature;

	if (!(*jvmti)->RetransformClasses(jvmti, count, changed))
		return;
	for (jint i = 0; i < count; i++)
		if ((*jvmti)->RetransformClasses(jvmti, 1, changed + i) &&
		    !(*jvmti)->GetClassSignature(jvmti, changed[i], &signature,
						 NULL))
			fprintf(told, "kept %s\n", signature);
}

static void change_all(jvmtiEnv *jvmti)
{
	jclass *found, together[TOGETHER];
	jint found_count, count = 0;

	if ((*jvmti)->GetLoadedClasses(jvmti, &found_count, &found))
		return;
	is_changing = 1;
	for (jint i = 0; i < found_count; i++) {
		if (may_change(jvmti, found[i]))
			together[count++] = found[i];
		if (count == TOGETHER || (count > 0 && i == found_count - 1)) {
			change(jvmti, together, count);
			count = 0;
		}
	}
	is_changing = 0;
}

static void JNICALL ends(jvmtiEnv *jvmti, JNIEnv *jni)
{
	if (is_late)
		change_all(jvmti);
	pthread_mutex_lock(&lock);
	fprintf(told, "classes %lu\nmethods %lu\n", (unsigned long)classes,
		(unsigned long)methods);
	fflush(told);
	has_ended = 1;
	pthread_mutex_unlock(&lock);
}

static int read_options(char *options)
{
	char *file = strchr(options, ',');
	char *rest = file ? strchr(file + 1, ',') : NULL;

	if (!rest)
		return 0;
	*file = *rest = '\0';
	tracker.class_name = options;
	is_late = strncmp(rest + 1, "late:", 5) == 0;
	prefix = rest + 1 + (is_late ? 5 : 0);
	if (strncmp(prefix, "gate:", 5) == 0) {
		tracker.gate = "STATE";
		tracker.catching =
			(struct classfile_call){ "catching", "(II)J" };
	}
	if (strncmp(prefix, "keep:", 5) == 0 || tracker.gate) {
		prefix += 5;
		tracker.enter.descriptor = "(I)J";
		tracker.exit.descriptor = "(J)V";
		tracker.thrown.name = NULL;
		tracker.caught = (struct classfile_call){
			"caught", tracker.gate ? "(JII)V" : "(JI)V"
		};
	}
	told = fopen(file + 1, "w");
	return told != NULL;
}

static int listen(jvmtiEnv *jvmti)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMDeath = ends,
		.ClassFileLoadHook = is_loaded,
	};
	static const jvmtiEvent events[] = { JVMTI_EVENT_VM_DEATH,
					     JVMTI_EVENT_CLASS_FILE_LOAD_HOOK };
	const jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_generate_early_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
	};

	if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return 0;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       events[i], NULL))
			return 0;
	return 1;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	static char copy[4096];
	jvmtiEnv *jvmti;

	snprintf(copy, sizeof(copy), "%s", options ? options : "");
	if (!read_options(copy) ||
	    (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK ||
	    !listen(jvmti))
		return JNI_ERR;
	return JNI_OK;
}
