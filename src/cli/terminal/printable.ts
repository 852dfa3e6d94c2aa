/** Text without what a terminal could obey, or what could mislead a reader: control sequences, signs of writing direction. */

/** True of a text of nothing but the characters that every terminal shows. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * Replaces characters that a terminal or a reader could take for more than text: controls, formatting characters, line
 * separators.
 */
export function printable(text: string): string {
  return isPlain(text)
    ? text
    : text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
        return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
      });
}

/**
 * Replaces characters of a finished text that a terminal could obey or that could mislead a reader: C1 controls,
 * formatting characters such as those of writing direction, line separators. They are written as JSON escapes, so that
 * a program reads the same string.
 */
export function inert(text: string): string {
  return text.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
