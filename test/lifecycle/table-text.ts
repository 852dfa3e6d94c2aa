/** The table of a run's life as Markdown: what `docs/lifecycle.md` shows. */
import { QUESTIONS, type Question, REGIONS, TABLE } from '../../src/sidecar/lifecycle/table.ts';

type Row = Readonly<Partial<Record<Question, { readonly is: string; readonly code?: string }>>>;

const ASKED = Object.keys(QUESTIONS) as Question[];

/** The names of questions; if they are most of all, the names of the others. */
function named(questions: readonly Question[]): string {
  if (questions.length * 2 <= ASKED.length) return questions.map((each) => `\`${each}\``).join(', ');
  const others = ASKED.filter((each) => !questions.includes(each));
  return `all${others.length === 0 ? '' : ` but ${others.map((each) => `\`${each}\``).join(', ')}`}`;
}

/** One line for each state that has an answer other than yes: the questions that wait, and the refused ones with their code. */
export function tableText(): string {
  const lines = Object.entries(REGIONS).flatMap(([region, states]) =>
    states.flatMap((state) => {
      const row = (TABLE[region as keyof typeof TABLE] as Readonly<Record<string, Row>>)[state] ?? {};
      const answered = (is: string) => ASKED.filter((question) => (row[question]?.code ?? row[question]?.is) === is);
      const codes = [...new Set(ASKED.flatMap((question) => row[question]?.code ?? []))];
      const waits = answered('wait');
      const refused = codes.map((code) => `\`${code}\`: ${named(answered(code))}`).join('; ');
      if (waits.length === 0 && refused === '') return [];
      return [`| ${region}.**${state}** | ${waits.length === 0 ? '' : named(waits)} | ${refused} |`];
    }),
  );
  return ['| state | waits | is refused |', '| --- | --- | --- |', ...lines].join('\n');
}
