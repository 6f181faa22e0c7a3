/* SPDX-License-Identifier: MIT */
/*
 * A menu at the mouse or at the focused item, with the keys of ARIA's menu
 * pattern: arrows, Home, End and first letters move, Enter and Space choose,
 * Escape and Tab close. Closing returns the focus to where it was.
 */
import { element, replace } from "./dom.js";

const MARGIN = 6; /* pixels between the menu and the edge of the window */

/* Returns whether a key opens the menu of the focused item. */
export const isMenuKey = ({ key, shiftKey }) =>
  key === "ContextMenu" || (key === "F10" && shiftKey);

/*
 * Returns whether a contextmenu event is a right click or a long touch. Keys also
 * cause one, which isMenuKey() has handled.
 */
export const isMenuClick = ({ button, pointerType }) =>
  button === 2 || pointerType === "touch";

export class Menu {
  constructor() {
    this.host = element("div.menu", {
      role: "menu", hidden: true, "aria-label": "Actions",
      onkeydown: (event) => this.#key(event),
      oncontextmenu: (event) => event.preventDefault() });
    addEventListener("pointerdown", ({ target }) => {
      if (!this.host.contains(target))
        this.close(false);
    }, { capture: true });
    for (const each of ["resize", "blur", "popstate"])
      addEventListener(each, () => this.close(false));
    addEventListener("wheel", () => this.close(false), { capture: true, passive: true });
  }

  /*
   * Opens the menu. items: [{ label, title, act(), isDisabled }], and null for a
   * line between groups.
   */
  open(items, { x, y }) {
    this.opener = document.activeElement;
    replace(this.host, items.map((item) => item ? this.#item(item)
      : element("div.line", { role: "separator" })));
    this.host.hidden = false;
    this.#place(x, y);
    this.#items[0]?.focus({ preventScroll: true });
  }

  close(isFocusReturned = true) {
    if (this.host.hidden)
      return;
    this.host.hidden = true;
    if (isFocusReturned)
      this.opener?.focus?.({ preventScroll: true });
  }

  #item({ label, title, act, isDisabled = false }) {
    return element("button", {
      type: "button", role: "menuitem", tabindex: "-1", title,
      "aria-disabled": isDisabled ? "true" : null,
      onpointerenter: (event) => event.target.focus({ preventScroll: true }),
      onclick: () => {
        if (isDisabled)
          return;
        this.close();
        act();
      },
    }, label);
  }

  #place(x, y) {
    const { offsetWidth: width, offsetHeight: height } = this.host;
    const fit = (at, size, room) =>
      Math.max(MARGIN, Math.min(at, room - size - MARGIN));

    this.host.style.left = `${fit(x, width, innerWidth)}px`;
    this.host.style.top = `${fit(y, height, innerHeight)}px`;
  }

  get #items() {
    return [...this.host.querySelectorAll("[role=menuitem]")];
  }

  #key(event) {
    const items = this.#items;
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];

    if (next !== undefined)
      items[(next + items.length) % items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab")
      this.close();
    else if (/^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey)
      this.#seek(items, at, event.key.toLowerCase());
    else if (event.key !== "Enter" && event.key !== " ")
      return;
    else
      items[at]?.click();
    event.preventDefault();
    event.stopPropagation();
  }

  #seek(items, at, letter) {
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];

    order.find(({ textContent }) => textContent.toLowerCase().startsWith(letter))
      ?.focus();
  }
}
