/* SPDX-License-Identifier: MIT */
#include "jvm/jvmti/asked_method.h"

int asked_method_ask(jvmtiEnv *jvmti, jmethodID method,
		     struct asked_method *out)
{
	*out = (struct asked_method){ 0 };
	return !(*jvmti)->GetMethodName(jvmti, method, &out->name,
					&out->signature, NULL) &&
	       !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &out->class) &&
	       !(*jvmti)->GetClassSignature(jvmti, out->class, &out->class_name,
					    NULL);
}

void asked_method_give_back(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct asked_method *asked)
{
	if (asked->class && jni)
		(*jni)->DeleteLocalRef(jni, asked->class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)asked->name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)asked->signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)asked->class_name);
}
