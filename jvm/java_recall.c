/* SPDX-License-Identifier: MIT */
#include "jvm/java_recall.h"

#include "preload/sys/sys.h"

void java_recall_begin(void)
{
	struct java_recall *recall;

	if (hot.java_recall)
		return;
	recall = sys_map_private(sizeof(*recall));
	if (!sys_failed(recall))
		hot.java_recall = recall;
}

void java_recall_end(void)
{
	struct java_recall *recall = hot.java_recall;

	hot.java_recall = NULL;
	if (recall)
		sys_munmap(recall, sizeof(*recall));
}
