/* SPDX-License-Identifier: MIT */
/*
 * Shortens names to the available room: takes first the short name that the page
 * has of a function, then removes outer scopes, then the end.
 */

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
   * `short` is the short name of a function.
   */
  fit(context, name, room, short = name) {
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
