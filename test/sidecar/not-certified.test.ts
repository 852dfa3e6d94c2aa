/** A boundary that control has passed without certifying is told, where its condition said no over nothing (semantics.md §4). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const machine = (answer: unknown) =>
  setup({ actors: { mail: tool(async () => answer), crm: tool(async () => 'ok') } }).createMachine({
    id: 'a',
    context: { tries: 0 } as Record<string, unknown>,
    initial: 'mailing',
    states: {
      mailing: {
        invoke: {
          src: 'mail',
          onDone: {
            target: 'recording',
            actions: assign({ mail: ({ event }) => (event.output as { id: unknown }).id }),
          },
        },
      },
      recording: {
        invoke: { src: 'crm', onDone: { target: 'end', actions: assign({ crm: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });

/** The findings of a run whose mail tool answers something, under a commit. */
async function findings(answer: unknown, commit: string, rollback = 'anchors: [mailed, recorded]'): Promise<string[]> {
  const { config, findings: wrong } = loadConfig(
    `
belay: 1
agent: a
tools: { mail: { writes: [mail], effect: irreversible }, crm: { reads: [mail], writes: [crm], effect: none } }
skeletons:
  Notify:
    entity: '"it"'
    states: [mailing, recording]
    entry: [mailing]
    outputs: [mail, crm]
    commit: [${commit}]
    exit: [{ id: recorded, at: recording -> end, when: 'memory.?crm.hasValue()' }]
    rollback: { ${rollback}, resume: mailing }
`,
    { file: 'page.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(wrong));
  const told: string[] = [];
  const sidecar = await attach(machine(answer), {
    run: 'r',
    config,
    onFinding: ({ code, text }) => void told.push(`${code} ${text}`),
  });
  sidecar.actor.start();
  await sidecar.finished();
  await sidecar.close();
  return told;
}

const edge = (when: string) => `{ id: mailed, at: mailing -> recording, when: '${when}', outputs: [mail] }`;
const state = (when: string) => `{ id: mailed, at: recording, when: '${when}', outputs: [mail] }`;

describe('a commit that control has passed while its condition said no', () => {
  const silent = [expect.stringMatching(/^not_certified commit mailed of Notify::it::0 .*mail has no value/)];
  test.each([
    ['on an edge, over what is undefined', { nonsense: true }, edge('memory.?mail.hasValue()')],
    ['on an edge, over null', { id: null }, edge('memory.mail != null')],
    ['on an edge, over another value', {}, edge('memory.?mail.orValue("") != ""')],
    ['in a state that control has left', {}, state('memory.?mail.hasValue()')],
  ])('is told once: %s', async (_, answer, commit) => {
    expect(await findings(answer, commit)).toEqual(silent);
  });

  test('is told where the condition asks for a part that is not there', async () => {
    expect(await findings({ id: { nonsense: 1 } }, edge('memory.mail.?number.hasValue()'))).toEqual([
      expect.stringMatching(/mail\/number has no value/),
    ]);
  });

  test.each([
    ['an answer as expected', { id: 'M1' }, edge('memory.?mail.hasValue()')],
    ['a reviewed no over a value', { id: 'queued' }, edge('memory.mail == "sent"')],
    [
      'another boundary at the same place',
      { id: null },
      `${edge('memory.mail != null')}, { id: none, at: mailing -> recording, when: memory.mail == null, outputs: [mail] }`,
    ],
  ])('is no finding: %s', async (_, answer, commit) => {
    expect(
      await findings(
        answer,
        commit,
        'anchors: [mailed, recorded] '.replace('mailed', commit.includes('none') ? 'mailed, none' : 'mailed'),
      ),
    ).toEqual([]);
  });

  test('is no finding while its review is not over', async () => {
    expect(await findings({}, edge('memory.?mail.hasValue()'), 'anchors: [recorded], pending: [mailed]')).toEqual([]);
  });
});

test('a condition that cannot be evaluated is told, and is no no', async () => {
  expect(await findings({}, edge('memory.mail.number == 1'))).toEqual([
    expect.stringMatching(/^not_certified commit mailed of Notify::it::0 does not certify: closed: /),
  ]);
});
