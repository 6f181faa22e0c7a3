/* SPDX-License-Identifier: MIT */
/* Texts for screen readers about changes that only the eye sees. */
import { element } from "./dom.js";

const region = element("div.offscreen", { role: "status", "aria-live": "polite" });

/* Readers report changes only of a region that is in the page before. */
export const announcer = () => region;

/* Of several changes at the same time the last one is reported. */
export function announce(text) {
  region.textContent = text;
}
