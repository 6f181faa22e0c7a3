/* SPDX-License-Identifier: MIT */
/*
 * Copies text. Where the browser refuses its clipboard to a page, an older
 * command is tried, and then the text is shown for copying by hand.
 */
import { element } from "./dom.js";

function copyByCommand(text) {
  const focused = document.activeElement;
  const area = element("textarea.offscreen", { "aria-hidden": "true" });

  area.value = text;
  document.body.append(area);
  area.select();
  let isCopied = false;

  try {
    isCopied = document.execCommand("copy");
  } catch {
    /* refused */
  }
  area.remove();
  focused?.focus?.({ preventScroll: true });
  return isCopied;
}

function show(text) {
  const area = element("textarea", { readonly: true, rows: "5",
                                     "aria-label": "Text to copy" });
  const dialog = element("dialog", { "aria-label": "Copy" },
    element("p", {}, "The browser does not permit copying. Copy this text:"),
    area, element("form", { method: "dialog" }, element("button", {}, "Close")));

  area.value = text;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}

/* Returns whether the text was copied; otherwise it is shown. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (copyByCommand(text))
      return true;
  }
  show(text);
  return false;
}
