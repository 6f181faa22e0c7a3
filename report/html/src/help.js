/* SPDX-License-Identifier: MIT */
/* The dialog that lists the keys. */
import { element } from "./dom.js";

const keys = [
  ["1 … 9", "open a tab; its tooltip has the number"],
  ["/", "search; Enter and Shift Enter, or n and N, move from match to match"],
  ["← → ↑ ↓", "move from frame to frame, or from row to row"],
  ["← →", "call tree: close or open the selected row"],
  ["e", "call tree: open the hottest path"],
  ["o", "fold or unfold inlined functions"],
  ["Enter", "zoom to the selected frame; open the selected row"],
  ["Esc", "zoom out; end the search"],
  ["+ −", "zoom in, zoom out (also Ctrl and the mouse wheel)"],
  ["0", "timeline: show the whole time (also Home)"],
  ["r", "timeline: show the selected or visible range in all views"],
  ["z", "timeline: zoom to the selected range; Esc ends the selection"],
  ["e", "timeline: fold or unfold all lanes"],
  ["h", "timeline: lanes, or a heatmap of samples"],
  ["Space, c", "timeline: in the tab of calls, mark a call, compare two"],
  ["Shift ← →", "timeline: move to earlier or later times"],
  ["f", "flame or icicle"],
  ["i", "inverted: from functions to their callers"],
  ["m", "width by time or by calls"],
  ["Shift F10", "menu of the selected frame or row (also a right click)"],
  ["b", "callers and callees of the selected function"],
  ["l", "copy a link to what the page shows"],
  ["d", "light or dark"],
];

/* Lists keys of the timeline only if there is one. */
export function help(hasTimeline) {
  const dialog = element("dialog", { "aria-label": "Keys" },
    element("h2", {}, "Keys"),
    element("dl", {}, keys
      .filter(([, what]) => hasTimeline || !what.startsWith("timeline"))
      .map(([key, what]) =>
        [element("dt", {}, key), element("dd", {}, what)])),
    element("form", { method: "dialog" },
      element("button", {}, "Close")));

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog)
      dialog.close();
  });
  return dialog;
}
