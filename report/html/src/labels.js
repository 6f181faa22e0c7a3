/* SPDX-License-Identifier: MIT */
/*
 * Shortens names to the available room: removes first parameters, template
 * arguments and suffixes of compilers, then outer scopes, then the end.
 */

const appended = /\.(lto_priv|isra|part|constprop|cold|llvm)(\.\d+)*/g;

/* "f a::b<c>::d(e)" -> "a::b::d" */
export function shorten(name) {
  let depth = 0, made = "";

  if (name.startsWith("(") || name.includes("operator"))
    return name;
  for (const c of name.replaceAll("(anonymous namespace)", "{anonymous}")) {
    if (c === "(" && depth === 0 && made)
      break;
    if (c === "<")
      depth++;
    if (depth === 0)
      made += c;
    if (c === ">" && depth > 0)
      depth--;
  }
  return made.trim().split(" ").pop().replace(appended, "") || name;
}

/* "com.example.app.Main.run" -> "Main.run", "a::b::c" -> "b::c" */
function innermost(name) {
  const parts = name.split(name.includes("::") ? /(::)/ : /(\.)/);
  const isScoped = parts.every((part) => /^([A-Za-z_~$][\w$]*|::|\.)$/
    .test(part));

  return isScoped && parts.length > 3 ? parts.slice(-3).join("") : name;
}

export class Labels {
  constructor() {
    this.widths = new Map();
  }

  #width(context, text) {
    let width = this.widths.get(text);

    if (width === undefined) {
      if (this.widths.size > 50000)
        this.widths.clear();
      this.widths.set(text, width = context.measureText(text).width);
    }
    return width;
  }

  /*
   * Returns the longest form of the name that fits into `room` pixels, or "".
   * `short` is the short name, if it is known.
   */
  fit(context, name, room, short = shorten(name)) {
    let text = name;

    for (const shorter of [() => short, innermost]) {
      if (this.#width(context, text) <= room)
        return text;
      text = shorter(text);
    }
    let wide = this.#width(context, text);

    if (wide <= room)
      return text;
    for (let length = Math.floor(text.length * room / wide); length > 1;
      length--) {
      const cut = `${text.slice(0, length)}…`;

      if (context.measureText(cut).width <= room)
        return cut;
    }
    return "";
  }
}
