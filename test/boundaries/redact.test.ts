/** What a config may redact, and what it may not call by that. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { redactionRules } from '../../src/boundaries/sections/redact.ts';

/** A config with a redaction, and what may show it. */
function config({ redact = '[card]', parts = '[]', writes = '[receipt]', entity = '"it"' }) {
  return `belay: 1
agent: till
redact: ${redact}
tools:
  pay: { writes: ${writes}, effect: idempotent, redact: ${parts} }
skeletons:
  Pay:
    entity: '${entity}'
    states: [paying]
    entry: [paying]
    inputs: [card, customer]
    outputs: [receipt]
    exit: [{ id: paid, at: paying -> paid, when: 'memory.?receipt.hasValue()' }]
    rollback: { anchors: [paid] }
`;
}

const refusals = (text: string) =>
  loadConfig(text, { file: 'till.yaml' }).findings.flatMap(({ severity, code, line }) =>
    severity === 'error' ? [`${line} ${code}`] : [],
  );

test('keys of the memory and parts of calls are taken, and journaled as they stand', () => {
  const { config: loaded } = loadConfig(
    config({ redact: '[card, customers/*/card, actor:*/pin]', parts: '[args.card, output.list.*.pin, output]' }),
    { file: 'till.yaml' },
  );
  expect(loaded && redactionRules(loaded)).toEqual({
    keys: ['card', 'customers/*/card', 'actor:*/pin'],
    tools: { pay: ['args.card', 'output.list.*.pin', 'output'] },
  });
});

describe('refused is', () => {
  test.each<[string, Parameters<typeof config>[0], string[]]>([
    ['a key outside, of which no value is seen', { redact: '["vault:cards/**"]' }, ['3 bad_redaction']],
    ['a key with a hole', { redact: '["cards/{entity}"]' }, ['3 bad_key']],
    ['what is no part of a call', { parts: '[card]' }, ['5 bad_redaction']],
    [
      'a key that a redacted argument would fill',
      { parts: '[args.card]', writes: '["bank:{args.card}"]' },
      ['5 redacted_name'],
    ],
    [
      'a key that a part of it would fill',
      { parts: '[args.card]', writes: '["bank:{args.card.no}"]' },
      ['5 redacted_name'],
    ],
    ['an entity that is a redacted value', { entity: 'memory.card' }, ['8 redacted_name']],
    ['an entity that is a part of one', { redact: '[customer]', entity: 'memory.customer.name' }, ['8 redacted_name']],
    ['an entity that is a redacted argument', { parts: '[args.card]', entity: 'args.card' }, ['8 redacted_name']],
  ])('%s', (_, given, expected) => {
    expect(refusals(config(given))).toEqual(expected);
  });

  test('nothing that only stands beside it', () => {
    const given = { redact: '[customer/card]', parts: '[args.card]', writes: '["bank:{args.id}"]' };
    expect(refusals(config({ ...given, entity: 'memory.customer.id' }))).toEqual([]);
  });
});
