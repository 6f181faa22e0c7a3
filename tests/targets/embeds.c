/* SPDX-License-Identifier: MIT */
/*
 * Creates a JVM in-process, after two attempts that must fail and before
 * another one that must fail. The arguments must stay unchanged.
 *
 *	embeds [LIBJVM]	without LIBJVM the program is linked with one
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <string.h>

typedef jint (*create_function)(JavaVM **, void **, void *);

static create_function find_create(const char *path)
{
#ifdef IS_LINKED
	return (create_function)JNI_CreateJavaVM;
#else
	void *library = dlopen(path, RTLD_NOW);

	return library ? (create_function)dlsym(library, "JNI_CreateJavaVM")
		       : NULL;
#endif
}

static jint attempt(create_function create, const char *last, JavaVM **vm,
		    JNIEnv **jni, int ignores)
{
	JavaVMOption options[3] = { { .optionString = "-Xmx64m" },
				    { .optionString = "-Xshare:auto" },
				    { .optionString = (char *)last } };
	JavaVMInitArgs arguments = { .version = JNI_VERSION_1_8,
				     .nOptions = 3,
				     .options = options,
				     .ignoreUnrecognized = (jboolean)ignores };
	JavaVMInitArgs before = arguments;
	jint result = create(vm, (void **)jni, &arguments);

	if (memcmp(&before, &arguments, sizeof(before)))
		puts("the arguments have changed");
	return result;
}

int main(int argc, char **argv)
{
	create_function create = find_create(argc > 1 ? argv[1] : "");
	JavaVM *vm = NULL;
	JNIEnv *jni = NULL;
	jclass class;

	if (!create)
		return 2;
	printf("%d\n", (int)attempt(create, "-Xnonsense", &vm, &jni, 0));
	printf("%d\n", (int)create(&vm, (void **)&jni,
				   &(JavaVMInitArgs){ .version = 7 }));
	printf("%d\n", (int)attempt(create, "-Xnonsense", &vm, &jni, 1));
	class = (*jni)->FindClass(jni, "java/lang/System");
	printf("%d\n", class && (*jni)->GetStaticMethodID(jni, class,
							  "nanoTime", "()J"));
	printf("%d\n", (int)attempt(create, "-Xint", &vm, &jni, 0));
	printf("%d\n", (int)(*vm)->DestroyJavaVM(vm));
	return 5;
}
