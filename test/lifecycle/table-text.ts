/** The table of a run's life as Markdown: what `docs/lifecycle.md` shows. */
import { QUESTIONS, type Question, REGIONS, TABLE } from '../../src/sidecar/lifecycle/table.ts';

type Row = Readonly<Partial<Record<Question, { readonly is: string; readonly code?: string }>>>;

/** One line for each state, one column for each question. */
export function tableText(): string {
  const asked = Object.keys(QUESTIONS) as Question[];
  const head = ['state', ...asked];
  const lines = Object.entries(REGIONS).flatMap(([region, states]) =>
    states.map((state) => {
      const row = (TABLE[region as keyof typeof TABLE] as Readonly<Record<string, Row>>)[state] ?? {};
      const cells = asked.map((question) => {
        const cell = row[question];
        return cell === undefined ? '' : cell.is === 'wait' ? 'w' : `\`${cell.code}\``;
      });
      return [`${region}.**${state}**`, ...cells];
    }),
  );
  const text = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [text(head), text(head.map(() => '---')), ...lines.map(text)].join('\n');
}
