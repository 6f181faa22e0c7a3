/* SPDX-License-Identifier: MIT */
/*
 * Classes are changed in batches, because the JVM stops all its threads for
 * each request. If the JVM refuses a batch, its classes are changed one by one.
 */
#include "jvm/jvmti/loaded_classes.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/hot/runtime.h"

#define BATCH 50

struct class_changing {
	jvmtiEnv *jvmti;
	const struct loaded_classes_asker *asker;
	jclass batch[BATCH];
	jint count;
};

/* Reports progress to the controller, which waits for the end of attaching. */
static void report_step(void)
{
	if (rt.late_steps)
		atomic_fetch_add(rt.late_steps, 1);
}

static void change_singly(struct class_changing *changing)
{
	jvmtiEnv *jvmti = changing->jvmti;

	for (jint i = 0; i < changing->count; i++) {
		const jclass class = changing->batch[i];
		char *signature = NULL;

		if ((*jvmti)->RetransformClasses(jvmti, 1, &class) &&
		    !(*jvmti)->GetClassSignature(jvmti, class, &signature,
						 NULL))
			changing->asker->refuse(signature + 1,
						strlen(signature) - 2);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	}
}

static void change_batch(struct class_changing *changing)
{
	if (changing->count > 0 &&
	    (*changing->jvmti)
		    ->RetransformClasses(changing->jvmti, changing->count,
					 changing->batch))
		change_singly(changing);
	changing->count = 0;
	report_step();
}

static int is_meant(const struct class_changing *changing, JNIEnv *jni,
		    jclass class, char *signature)
{
	jvmtiEnv *jvmti = changing->jvmti;
	const size_t bytes = strlen(signature);
	jobject loader = NULL;
	int is;

	if (*signature != 'L' || bytes < 3 ||
	    (*jvmti)->GetClassLoader(jvmti, class, &loader))
		return 0;
	signature[bytes - 1] = '\0';
	is = changing->asker->is_meant(jni, loader, signature + 1);
	if (loader)
		(*jni)->DeleteLocalRef(jni, loader);
	return is;
}

static void see_class(struct class_changing *changing, JNIEnv *jni,
		      jclass class)
{
	jvmtiEnv *jvmti = changing->jvmti;
	jboolean is_modifiable = JNI_FALSE;
	char *signature = NULL;

	if ((*jvmti)->IsModifiableClass(jvmti, class, &is_modifiable) ||
	    !is_modifiable ||
	    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return;
	if (is_meant(changing, jni, class, signature))
		changing->batch[changing->count++] = class;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	if (changing->count == BATCH)
		change_batch(changing);
}

void loaded_classes_change(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct loaded_classes_asker *asker)
{
	struct class_changing changing = { .jvmti = jvmti, .asker = asker };
	jclass *found;
	jint count;

	if ((*jvmti)->GetLoadedClasses(jvmti, &count, &found))
		return;
	for (jint i = 0; i < count; i++)
		see_class(&changing, jni, found[i]);
	change_batch(&changing);
	for (jint i = 0; i < count; i++)
		(*jni)->DeleteLocalRef(jni, found[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)found);
}
