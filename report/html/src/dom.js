/* SPDX-License-Identifier: MIT */
/*
 * Creates elements. Names come from untrusted files, so text only becomes text
 * nodes. No other module creates markup, and the build rejects properties that
 * would.
 */

/* element("div.row", { title: "x", onclick: f }, child, "text", ...) */
export function element(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);

  if (classes.length)
    made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on"))
      made.addEventListener(name.slice(2), value);
    else if (value === true)
      made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) =>
    child !== null && child !== undefined && child !== false));
  return made;
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

/*
 * Creates a row of buttons of which one is pressed. choices: [[value, label,
 * title]]. The element has .choose(value), which does not call `chosen`.
 */
export function segments(label, choices, value, chosen) {
  const group = element("div.segments", { role: "group", "aria-label": label });

  group.choose = (wanted) => {
    for (const button of group.children)
      button.setAttribute("aria-pressed",
                          String(button.dataset.value === String(wanted)));
  };
  for (const [each, text, title] of choices)
    group.append(element("button", {
      type: "button", title, "data-value": each,
      onclick: () => {
        group.choose(each);
        chosen(each);
      },
    }, text));
  group.choose(value);
  return group;
}

/*
 * Creates a selection list; options: [[value, label]] or { label, options }. The
 * element has .choose(value), as the buttons of segments() have.
 */
export function select(label, options, value, chosen) {
  const option = ([each, text]) =>
    element("option", { value: each, selected: each === value }, text);
  const list = element("select", { "aria-label": label,
                                   onchange: () => chosen(list.value) },
    options.map((each) => Array.isArray(each) ? option(each)
      : element("optgroup", { label: each.label }, each.options.map(option))));
  const made = element("label.select", {}, element("span", {}, label), list);

  made.choose = (wanted) => {
    list.value = wanted;
  };
  return made;
}
