/* SPDX-License-Identifier: MIT */
/* Texts for screen readers about changes that are only visible. */
import { element } from "./dom.js";

const region = element("div.offscreen", { role: "status", "aria-live": "polite" });

/*
 * Screen readers report changes only of a region that existed in the page
 * before.
 */
export const announcer = () => region;

/* If there are several changes at the same time, the last one is reported. */
export function announce(text) {
  region.textContent = text;
}
