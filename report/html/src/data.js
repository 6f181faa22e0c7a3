/* SPDX-License-Identifier: MIT */
/*
 * Decodes the data that report/html/html.c writes into the page. The data is base64 of
 * a zlib stream of sections:
 *
 *	8 bytes of name, padded with blanks | u64 length | that many bytes
 *
 * Section "meta" is JSON; all others are columns of unsigned LEB128 numbers.
 * Sections that are not requested are skipped.
 */

/* Newer browsers have a function for it, which is several times faster. */
function bytesOf(base64) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);

  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  return bytes;
}

const PIECE = 1 << 20; /* bytes that are decompressed at a time */

async function write(bytes, stream) {
  const writer = stream.getWriter();

  for (let i = 0; i < bytes.length; i += PIECE)
    await writer.write(bytes.subarray(i, i + PIECE));
  await writer.close();
}

async function read(stream) {
  const reader = stream.getReader();
  const pieces = [];
  let length = 0;

  for (let { value } = await reader.read(); value;
    { value } = await reader.read()) {
    pieces.push(value);
    length += value.length;
  }
  const bytes = new Uint8Array(length);

  for (const piece of pieces.reverse())
    bytes.set(piece, length -= piece.length);
  return bytes;
}

async function inflate(base64) {
  const { readable, writable } = new DecompressionStream("deflate");
  const [bytes] = await Promise.all([read(readable),
                                     write(bytesOf(base64), writable)]);

  return bytes;
}

/* Returns { name: bytes }. */
function sections(bytes) {
  const view = new DataView(bytes.buffer);
  const ascii = new TextDecoder();
  const found = {};
  let at = 0;

  while (at + 16 <= bytes.length) {
    const name = ascii.decode(bytes.subarray(at, at + 8)).trim();
    const length = Number(view.getBigUint64(at + 8, true));

    found[name] = bytes.subarray(at + 16, at + 16 + length);
    at += 16 + length;
  }
  return found;
}

/* Numbers above 2^53 lose their last digits; no count is that large. */
export class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get isAtEnd() {
    return this.at >= this.bytes.length;
  }

  next() {
    const { bytes } = this;
    let byte = bytes[this.at++];
    let number = byte & 0x7f;

    for (let scale = 128; byte & 0x80; scale *= 128) {
      byte = bytes[this.at++];
      number += (byte & 0x7f) * scale;
    }
    return number;
  }

  /* Repeats next() here, which is twice as fast as calling it. */
  fill(array) {
    const { bytes } = this;
    let { at } = this;

    for (let i = 0; i < array.length; i++) {
      let byte = bytes[at++];
      let number = byte & 0x7f;

      for (let scale = 128; byte & 0x80; scale *= 128) {
        byte = bytes[at++];
        number += (byte & 0x7f) * scale;
      }
      array[i] = number;
    }
    this.at = at;
    return array;
  }

  /*
   * Fills an array of zeros with a column of which most numbers are 0: instead
   * of several zeros it has a 0 and their number, and none at its end.
   */
  fillRare(array) {
    for (let i = 0; !this.isAtEnd;) {
      const number = this.next();

      if (number === 0)
        i += this.next();
      else
        array[i++] = number;
    }
    return array;
  }
}

/*
 * Returns { meta, column(name, array) and rare(name, array): filled or null,
 * numbers(name), own(name): numbers to read later, for which the other sections
 * need not be kept }.
 */
export async function decode(base64) {
  const found = sections(await inflate(base64.trim()));
  const meta = JSON.parse(new TextDecoder().decode(found.meta));

  return {
    meta,
    numbers: (name) => found[name] ? new Numbers(found[name]) : null,
    own: (name) => found[name] ? new Numbers(found[name].slice()) : null,
    column: (name, array) =>
      found[name] ? new Numbers(found[name]).fill(array) : null,
    rare: (name, array) =>
      found[name] ? new Numbers(found[name]).fillRare(array) : null,
  };
}
