/** Lists of whole numbers as text: each as its distance from the one before it, in as few bytes as that takes. */

/** The text of a list of whole numbers. */
export function packed(numbers: readonly number[]): string {
  let bytes = Buffer.allocUnsafe(Math.max(64, numbers.length * 2));
  let [length, last] = [0, 0];
  for (const number of numbers) {
    if (length + 10 > bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    const distance = number - last;
    last = number;
    let left = distance < 0 ? -2 * distance - 1 : 2 * distance;
    while (left >= 128) {
      bytes[length] = (left % 128) + 128;
      length += 1;
      left = Math.floor(left / 128);
    }
    bytes[length] = left;
    length += 1;
  }
  return bytes.toString('base64', 0, length);
}

/** The list of whole numbers that a text holds. */
export function unpacked(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const numbers: number[] = [];
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    let [left, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at] as number;
      at += 1;
      left += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    last += left % 2 === 0 ? left / 2 : -(left + 1) / 2;
    numbers.push(last);
  }
  return numbers;
}
