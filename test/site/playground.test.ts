/** The playground's answers: those of `belay decide` to the letter, and what its "What if" tells is what asking it tells. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { ask, lineOf } from '../../site/playground/ask.ts';
import { EXAMPLES } from '../../site/playground/examples.ts';
import { type Question, whatIfs } from '../../site/playground/what-if.ts';
import { decideTrace, type Form } from '../../src/cli/decide/decide.ts';
import type { Rules } from '../../src/model/decision.ts';
import { blocks, read } from '../pages.ts';
import { histories } from '../recovery/written.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-playground-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LINE: Rules = { policy: 'line', joint: 'none' };
const RULES: Rules[] = (['line', 'static', 'dart'] as const).flatMap((policy) => [
  { policy, joint: 'none' },
  { policy, joint: 'all' },
]);

/** What the command prints about a trace, and its exit code. */
async function commanded(text: string, rules: Rules, form: Form) {
  const file = join(folder, 'trace.jsonl');
  writeFileSync(file, text);
  const out = { answers: '', notes: '' };
  const code = await decideTrace(file, rules, form, {
    answers: async (piece) => {
      out.answers += piece;
    },
    notes: (line) => {
      out.notes += line;
    },
    progress: () => {},
    medium: { columns: 100, colours: false, breaks: true },
  });
  return { code, ...out };
}

/** A trace of written events, with a failure of each instance at its end. */
function traced(events: readonly { in: unknown }[]): string {
  const failures = [...new Set(events.map((event) => JSON.stringify(event.in)))].map(
    (of) => `{"do":"fail","in":${of}}`,
  );
  const lines = events.map((event) => JSON.stringify(event));
  return `${['{"do":"trace","id":"drawn"}', ...lines, ...failures].join('\n')}\n`;
}

describe('the answers of the playground', () => {
  test("to the README's trace are the README's text", () => {
    const [trace, text] = [blocks(read('README.md'), 'jsonl')[0], blocks(read('README.md'), 'text')[0]];
    expect(EXAMPLES[0].trace).toBe(trace);
    expect(ask(trace as string, LINE).answers.map(({ words }) => words(100))).toEqual([text]);
  });

  test("to the trace of the format's page are the object that the page shows", () => {
    const page = read('docs/trace-format.md');
    expect(EXAMPLES[1]?.trace).toBe(blocks(page, 'jsonl')[0]);
    const [answer] = ask(EXAMPLES[1]?.trace as string, LINE).answers;
    expect(JSON.parse(answer?.json as string)).toEqual(JSON.parse(blocks(page, 'json')[0] as string));
  });

  test('are those of belay decide for random histories, under every rule, in words and as JSON', async () => {
    const verdicts = new Set<string>();
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(...RULES), async (events, rules) => {
        const text = traced(events);
        const { answers, malformed } = ask(text, rules);
        expect(malformed).toBe(null);
        for (const { decision } of answers) verdicts.add(decision.verdict);
        const [words, json] = [await commanded(text, rules, 'words'), await commanded(text, rules, 'json')];
        expect(answers.map((answer) => answer.words(100)).join('')).toBe(words.answers);
        expect(answers.map((answer) => answer.json).join('')).toBe(json.answers);
      }),
      { numRuns: 150 },
    );
    expect([...verdicts].sort()).toEqual(['escalate', 'rerun', 'restore', 'restore_joint']);
  });

  test.each([
    ['{"do":"fail","in":["A","a",0]}', 1, 'no_trace'],
    ['{"do":"trace","id":"t"}\n\n{"do":"enter","in":["A","a",0]}\n{"do":"leap"}', 4, 'unknown_do'],
    ['{"do":"trace","id":"t"}\n{"do":"read","in":["A","a",0],"key":"x"}', 2, 'not_entered'],
    ['{"do":"trace","id":"t"}\n{"do":"enter"', 2, 'not_json'],
    ['{"do":"trace","id":"t"}\n{"do":"fail","in":["A","a",0]}', 2, 'not_entered'],
  ])('to %j name the malformed line as the command does', async (text, line, code) => {
    const { malformed } = ask(text, LINE);
    expect(malformed).toMatchObject({ line, code });
    const { code: exit, notes } = await commanded(text, LINE, 'words');
    expect([exit, notes]).toEqual([2, `${folder}/trace.jsonl:${line}: ${code} ${malformed?.message}`]);
  });

  test('show every entered instance in the line, and which of them move', () => {
    const shown = EXAMPLES.map(({ trace }) => {
      const [answer] = ask(trace, LINE).answers;
      return answer === undefined ? [] : lineOf(answer).map(({ instance, keep, moves }) => [instance, keep, moves]);
    });
    expect(shown).toEqual([
      [
        ['ResolveSlot::slot[0]::0', 'up to its commit at event 3', true],
        ['Finalize::final::0', 'all of its past', false],
      ],
      [
        ['Draft::report::0', 'up to its entry at event 1', true],
        ['Review::report::0', 'nothing: it never started', true],
      ],
      [],
      [
        ['Fetch::prices::0', 'up to its entry at event 1', true],
        ['Sum::totals::0', 'up to its entry at event 3', true],
        ['Chart::totals::0', 'up to its entry at event 6', true],
      ],
    ]);
  });
});

describe('"What if" of the playground', () => {
  test('offers the acts of a lost reply with both outcomes, the other rules, and no suspect where there is one instance', () => {
    const question: Question = { text: EXAMPLES[2]?.trace as string, rules: LINE };
    const told = whatIfs(question, 0).map(({ group, title, answer }) => [group, title, answer?.decision.verdict]);
    expect(told).toEqual([
      ['Acts that help', 'the effect "pay" did not happen', 'restore'],
      ['Acts that help', 'the effect "pay" happened', 'escalate'],
      ['Other rules', 'the policy is line, and commitments of others may be crossed', 'escalate'],
      ['Other rules', 'the policy is static', 'escalate'],
      ['Other rules', 'the policy is static, and commitments of others may be crossed', 'escalate'],
      ['Other rules', 'the policy is dart, the rule of the DART paper', 'escalate'],
    ]);
  });

  test('tells of the acts of a refusal that all of them together lead where the refusal says', () => {
    const led = new Map<string, number>();
    fc.assert(
      fc.property(histories, fc.constantFrom(...RULES), (events, rules) => {
        const text = traced(events);
        ask(text, rules).answers.forEach(({ decision }, nth) => {
          if (!('unblock' in decision) || decision.unblock.acts.length === 0) return;
          const { acts, leadsTo } = decision.unblock;
          const items = whatIfs({ text, rules }, nth).filter(({ group }) => group === 'Acts that help');
          const whole = acts.length === 1 ? items[0] : items.find(({ title }) => title === 'all of these acts');
          expect(whole?.answer?.decision.verdict).toBe(leadsTo);
          led.set(leadsTo, (led.get(leadsTo) ?? 0) + (acts.length > 1 ? 1 : 0));
        });
      }),
      { numRuns: 300 },
    );
    expect([...led.keys()].sort()).toEqual(['rerun', 'restore', 'restore_joint']);
    expect([...led.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(3);
  });

  test('tells the answer that the question gets once it is asked, also for an effect without an id', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const nameless = events.map(({ id, ...event }, index) =>
          id !== undefined && !events.some((other, at) => at !== index && other.id === id) ? event : { id, ...event },
        );
        const text = traced(nameless);
        const { answers } = ask(text, LINE);
        answers.forEach((_, nth) => {
          for (const { question, answer } of whatIfs({ text, rules: LINE }, nth))
            expect(ask(question.text, question.rules).answers[nth]?.json ?? null).toBe(answer?.json ?? null);
        });
      }),
      { numRuns: 50 },
    );
  });
});
