/**
 * Cuts a stream of bytes into lines. Bytes, because a line that is not UTF-8 must be refused and not read as something
 * else.
 */
import { CodedError } from '../../model/coded-error.ts';

/** The longest line, in bytes. No trace needs a longer one, and it limits the cost of a file without line ends. */
const LONGEST_LINE = 4 * 1024 * 1024;

const NEWLINE = 0x0a;

/** The reasons why a line cannot be read at all. */
type LineErrorCode = 'not_utf8' | 'line_too_long';

/** Thrown for a line that cannot be read. */
class LineError extends CodedError<LineErrorCode> {
  override readonly name = 'LineError';
}

/** Yields the lines of a stream in batches, without their line ends; the last one need not have one. Holds one line at most. */
export async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let rest: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    const batch: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      batch.push(Buffer.concat([...rest, chunk.subarray(start, end)]));
      rest = [];
      held = 0;
      start = end + 1;
    }
    yield batch;
    rest.push(chunk.subarray(start));
    held += chunk.length - start;
    if (held > LONGEST_LINE) break;
  }
  if (held > 0) yield [Buffer.concat(rest)];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a line.
 * @throws LineError where it is too long or is not UTF-8.
 */
export function lineText(bytes: Uint8Array): string {
  if (bytes.length > LONGEST_LINE) throw new LineError('line_too_long', `a line has at most ${LONGEST_LINE} bytes`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new LineError('not_utf8', 'a trace is UTF-8');
  }
}
