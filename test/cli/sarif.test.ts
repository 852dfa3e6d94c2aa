/** SARIF is what the schema of SARIF 2.1.0 says it is, for findings of a config and for rehearsals. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv-draft-04';
import formats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { Desk } from './agents.ts';
import { belay } from './belay.ts';

// The schema of the standard, in the package that judges the logs of other tools by it.
const schema = fileURLToPath(import.meta.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'));
const ajv = new Ajv.default({ allErrors: true, strict: false, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));

interface Log {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly message: { readonly text: string };
      readonly locations: readonly { readonly physicalLocation: { readonly region: { readonly startLine: number } } }[];
    }[];
  }[];
}

function valid(text: string): Log {
  const log = JSON.parse(text);
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  return log as Log;
}

describe('a log in SARIF', () => {
  const desk = new Desk();
  afterAll(() => desk.clear());
  const config = fileURLToPath(new URL('fixtures/order.yaml', import.meta.url));

  test('is refused by the schema where a result has no message', () => {
    const result = { ruleId: 'rehearsal_lost' };
    expect(validate({ version: '2.1.0', runs: [{ tool: { driver: { name: 'belay' } }, results: [result] }] })).toBe(
      false,
    );
  });

  test('fits the schema and names the line to blame for each run of a rehearsal that does harm, and for each act that acts twice', async () => {
    const { out } = await desk.ask('rehearse', 'order', '--kills', 'none', '--format', 'sarif');
    const results = valid(out).runs.flatMap((run) => run.results);
    const lines = readFileSync(config, 'utf8').split('\n');
    expect(results.map(({ ruleId }) => ruleId === 'rehearsal_acts_twice').filter(Boolean)).toHaveLength(2);
    expect(results).toHaveLength(6 + 2);
    for (const { message, locations } of results) {
      const tool = /^(\w+)(?:#|, asked)/.exec(message.text)?.[1];
      const line = locations[0]?.physicalLocation.region.startLine ?? 0;
      expect([message.text, lines[line - 1]?.trim().startsWith(`${tool}:`)]).toEqual([message.text, true]);
    }
  });

  test('fits the schema for the findings of a config, and where there is none', async () => {
    const found = await belay(['check', config, '--format', 'sarif']);
    expect(valid(found.out).runs).toHaveLength(1);
    const { out } = await desk.ask('rehearse', 'order', '--only', 'restart', '--format', 'sarif');
    expect(valid(out).runs[0]?.results).toEqual([]);
  });
});
