/* SPDX-License-Identifier: MIT */
/*
 * The time of source lines with the functions that they call, and the calls made
 * there. A context belongs to the line of its first call in its parent
 * (report/html/html_call_lines.c). In recursion, a line has the time of an inner
 * call once.
 */

/*
 * Returns a function that returns the lines at which contexts are called, as
 * columns; ascending. Returns null if the page has none.
 */
export function readCallers(data) {
  const numbers = data.own("callers");
  const callers = { context: [], file: [], line: [] };

  if (!numbers || numbers.isAtEnd)
    return null;
  return () => { /* the first call reads them */
    for (let context = 0; !numbers.isAtEnd;) {
      callers.context.push(context += numbers.next());
      callers.file.push(numbers.next());
      callers.line.push(numbers.next());
    }
    return callers;
  };
}

/* Returns the sums of subtrees, without contexts that are not shown. */
function sumsOf(profile, column) {
  const { parent, count } = profile.recorded.contexts;
  const below = new Float64Array(count);

  for (let i = count - 1; i > 0; i--) {
    if (profile.shown(i) >= 0)
      below[i] += column[i];
    below[parent[i]] += below[i];
  }
  return below;
}

/* Returns the indices of lines in the order of their contexts. */
function inOrder({ context }) {
  return Uint32Array.from(context, (_, i) => i)
    .sort((a, b) => context[a] - context[b]);
}

/*
 * Calls add(file, line, f, total, made) for each call of a context and each line
 * with samples. The function f is the one that has the line.
 */
export function eachLineTotal(profile, add) {
  const { contexts, whole } = profile.recorded;
  const { parent, end, function: functions } = contexts;
  const callers = profile.callers();
  const { lines } = profile;
  const below = whole.time ? sumsOf(profile, whole.time) : null;
  const order = inOrder(lines);
  const active = new Map(); /* line of a function -> open calls from there */
  const path = []; /* open calls: { key, end } */
  const keyOf = (file, line, f) => `${f} ${file} ${line}`;
  const leave = (context) => {
    while (path.length && path.at(-1).end <= context) {
      const { key } = path.pop();

      active.set(key, active.get(key) - 1);
    }
  };

  for (let i = 0, j = 0; i < callers.context.length || j < order.length;) {
    const call = callers.context[i] ?? Infinity;
    const context = Math.min(call, lines.context[order[j]] ?? Infinity);

    leave(context);
    if (call === context) {
      const f = functions[parent[context]];
      const key = keyOf(callers.file[i], callers.line[i], f);

      if (profile.shown(context) >= 0)
        add(callers.file[i], callers.line[i], f,
            active.get(key) ? 0 : below?.[context] ?? 0, whole.calls[context]);
      active.set(key, (active.get(key) ?? 0) + 1);
      path.push({ key, end: end[context] });
      i++;
    }
    for (; j < order.length && lines.context[order[j]] === context; j++) {
      const at = order[j];
      const f = functions[context];

      if (profile.shown(context) >= 0 &&
          !active.get(keyOf(lines.file[at], lines.line[at], f)))
        add(lines.file[at], lines.line[at], f, lines.time[at], 0);
    }
  }
}
