/** A history of two instances with a failure, as a trace in a file. */
import { file, trace } from './belay.ts';

export const A = ['S', 'A', 0];
export const B = ['S', 'B', 0];
export const begin = { do: 'trace', id: 't1' };

/** A slot that was resolved and read by a final step that has sent something and committed. */
export const story = trace(
  begin,
  { do: 'enter', in: A },
  { do: 'write', in: A, key: 'slots/0/value' },
  { do: 'fail', in: A },
  { do: 'boundary', in: A, kind: 'commit' },
  { do: 'enter', in: B },
  { do: 'read', in: B, key: 'slots/*/value' },
  { do: 'fail', in: A, key: 'slots/0/value' },
  { do: 'effect', in: B, class: 'irreversible', status: 'unknown', id: 'submit' },
  { do: 'fail', in: B },
  { do: 'effect', in: B, class: 'irreversible', status: 'confirmed', id: 'submit' },
  { do: 'boundary', in: B, kind: 'exit' },
  { do: 'fail', in: A, key: 'slots/0/value' },
  { do: 'fail', in: A },
);
export const path = file('story.jsonl', story);

export const answers = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
