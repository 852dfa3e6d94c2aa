/** The guide, followed from top to bottom: its files are written, its commands run, and what they print is what it shows. */
import { afterAll, describe, expect, test } from 'vitest';
import { allBlocks, applied, commandsOf, compiled, files, installed, read } from './pages.ts';

const guide = read('docs/guide.md');
const page = allBlocks(guide);

/** Without what is another each time: the day, and the time. */
function undated(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d(?:T[\d:]+Z)?/g, 'TODAY').replace(/belay-[\w-]{43}/g, 'KEY');
}

describe('the guide, from top to bottom', () => {
  const { folder, write, run, remove } = installed('guide');
  const texts = new Map<string, string>();
  afterAll(remove);

  for (const block of page) {
    const { language, file, content } = block;
    if (file !== null) {
      test(`has ${file} as far as it is shown`, () => {
        texts.set(file, applied(texts.get(file) ?? '', block));
        write(file, texts.get(file) as string);
      });
    }
    for (const { command, printed } of language === 'console' ? commandsOf(content) : []) {
      test(command, async () => {
        expect(undated(await run(command))).toBe(undated(printed));
      });
    }
  }

  test('compiles under strict rules', () => {
    const names = [...files(guide).keys()].filter((name) => name.endsWith('.ts'));
    expect(names).toContain('agents.ts');
    expect(compiled(folder, names)).toBe('');
  });

  test('shows whatever it writes, and compares whatever it prints', () => {
    const languages = new Set(page.map(({ language }) => language));
    expect([...languages].sort()).toEqual(['console', 'diff', 'json', 'ts', 'yaml']);
    expect(page.filter(({ language, file }) => language !== 'console' && file === null)).toEqual([]);
  });
});

/** The decisions whose reasons the guide's program prints: here, those of all. */
const SOME = "decision.verdict === 'escalate'";

describe('what the guide says of what is written otherwise', () => {
  /** What a command prints in the guide's folder as its end leaves it, with one file changed. */
  const otherwise = async (file: string, from: string, to: string, command: string): Promise<string> => {
    const { write, run, remove } = installed('otherwise');
    try {
      const texts = files(guide);
      const changed = (texts.get(file) as string).replace(from, to);
      expect(changed).not.toBe(texts.get(file));
      for (const [name, text] of texts) write(name, (name === file ? changed : text).replace(SOME, 'true'));
      return (await run(command)).replace(/\s+/g, ' ');
    } finally {
      remove();
    }
  };
  const config = 'boundaries/expenses.yaml';

  test('where a receipt may cross the payment, one receipt goes back once the transfer is paid back', async () => {
    const from = 'anchors: [read, reserved],';
    const printed = await otherwise(config, from, `${from} joint: [Payment],`, 'node wrong.ts late');
    expect(printed).toContain('(then the answer is restore_joint)');
    expect(printed).toContain('restore_joint (level 2): Receipt::r2::0 goes back to its entry');
    expect(printed).toMatch(/done: hold 40, hold 25, hold 60, transfer 125, march filed $/);
  });

  test('a call in a state of no skeleton fits nobody', async () => {
    const printed = await otherwise(
      config,
      '[reading, reserving]\n    entry: [reading]',
      '[reserving]\n    entry: [reserving]',
      'node fault.ts before',
    );
    expect(printed).toContain('ambiguous_instance: the failure lies outside every unit of work.');
  });

  test('an idempotent call with what was found wrong is refused', async () => {
    const from = '({ context: { report } }) => ({ report })';
    const to = '({ context: { report, transfer } }) => ({ report, transfer })';
    const printed = await otherwise('machine.ts', from, to, 'node wrong.ts late');
    expect(printed).toContain('effect_diverged: file of Payment::march::0');
  });
});
