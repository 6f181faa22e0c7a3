/* SPDX-License-Identifier: MIT */
/*
 * A long press with a finger opens the menu that a right click opens. Some
 * browsers (those of iOS) have no contextmenu event for it, so this sends one
 * to the touched element. The click that the release of the finger would cause
 * is prevented.
 */
const HELD_MS = 550; /* browsers with an event of their own take 500 */
const STILL = 10; /* maximal movement in pixels */

let press = null; /* the finger that is held still */
let isDone = false; /* the touched element has opened its menu */

function forget() {
  clearTimeout(press?.timer);
  press = null;
}

function open() {
  const { target, x, y, id } = press;
  const event = new PointerEvent("contextmenu", {
    bubbles: true, cancelable: true, button: 2, pointerType: "touch",
    clientX: x, clientY: y });

  forget();
  isDone = !target.dispatchEvent(event);
  if (isDone)
    target.dispatchEvent(new PointerEvent("pointercancel", {
      bubbles: true, pointerId: id, pointerType: "touch" }));
}

function begin({ pointerType, isPrimary, pointerId: id, target, clientX: x,
                 clientY: y }) {
  forget();
  isDone = false;
  if (pointerType === "touch" && isPrimary)
    press = { id, target, x, y, timer: setTimeout(open, HELD_MS) };
}

function move({ clientX, clientY }) {
  if (press && Math.hypot(clientX - press.x, clientY - press.y) > STILL)
    forget();
}

/* The end of the touch would cause a click. */
function prevent(event) {
  if (!isDone)
    return;
  if (event.cancelable)
    event.preventDefault();
  event.stopImmediatePropagation();
}

export function listenToLongPresses() {
  const listen = (type, listener, isPassive = true) => addEventListener(
    type, listener, { capture: true, passive: isPassive });

  listen("pointerdown", begin);
  listen("pointermove", move);
  listen("pointerup", forget);
  listen("pointercancel", forget);
  listen("contextmenu", (event) => {
    if (event.isTrusted && isDone)
      prevent(event);
    else if (event.isTrusted)
      forget();
  }, false);
  for (const type of ["touchend", "mousedown", "mouseup", "click"])
    listen(type, prevent, false);
}
