/** The preview of an abort in words: the calls to undo, in their order, and the calls that would stand. */
import type { Outline } from '../../recovery/explain.ts';
import type { AbortPreview } from '../../xstate/preview.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { section } from './preview.ts';

/** Formats a preview of an abort. */
export function abortText(run: string, preview: AbortPreview, medium: Medium): string {
  const { undo, stands, unknown, dropped } = preview;
  const tools = new Map([...undo, ...stands, ...unknown, ...dropped].map(({ key, tool }) => [key, tool]));
  const named = (keys: readonly string[]) => keys.map((key) => tools.get(key) ?? key).join(' and ');
  const head: Outline = {
    label: run,
    text: 'nothing was left for the run; this is what an abort would come to, were every undo to work',
    under: [
      ...section(
        'Undone, in this order',
        undo.map(({ tool, by, key }) => `${tool} by ${by} (${key})`),
      ),
      ...section(
        'Stands',
        stands.map(({ tool, why, gone, key }) => {
          const on = gone.length === 0 ? '' : `; it rests on ${named(gone)}, which would be gone`;
          return `${tool} (${key}): ${why}${on}`;
        }),
      ),
      ...section(
        'Not known yet',
        unknown.map(({ tool, holds, key }) => {
          return `${tool} (${key})${holds.length === 0 ? '' : ` holds back ${named(holds)}, which it rests on`}`;
        }),
      ),
      ...section(
        'Never leaves',
        dropped.map(({ tool, key }) => `${tool} (${key})`),
      ),
    ],
  };
  const isEmpty = tools.size === 0;
  return layOut(null, isEmpty ? { ...head, under: [{ text: 'Nothing that it did is in the world.' }] } : head, medium);
}
