/* SPDX-License-Identifier: MIT */
/* Unpacks the page's script, which report/html/build.mjs compressed, and runs it. */

async function boot() {
  const code = document.getElementById("clew-code");
  const bytes = Uint8Array.from(atob(code.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");

  script.textContent = await new Response(stream).text();
  code.replaceWith(script);
}

boot().catch((error) => {
  document.body.textContent = `This page cannot be shown: ${error.message}`;
});
