/** `belay check` for programs: JSON, SARIF and JUnit. */
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { PLAIN } from '../boundaries/config.ts';
import { belay } from './belay.ts';
import { folder, makeChecked, mjs, put, schedule, within, wrong } from './checking.ts';

makeChecked();

describe('belay check', () => {
  test('--json is the same for a program', async () => {
    const { code, out } = await belay(['check', wrong, '--machines', mjs, '--json']);
    expect(code).toBe(1);
    const checked = JSON.parse(out);
    expect(checked).toMatchObject({ errors: 1, files: [{ file: wrong, agent: 'm', machine: true }] });
    expect(checked.files[0].digest).toMatch(/^[0-9a-f]{64}$/);
    expect(checked.files[0].findings).toContainEqual({
      code: 'unknown_state',
      severity: 'error',
      file: wrong,
      line: 13,
      column: 33,
      message: '"DOEN" is not a state of m',
      mend: 'Did you mean "DONE"?',
    });
    expect((await belay(['check', wrong, '--machines', mjs, '--format', 'json'])).out).toBe(out);
  });

  test('--format sarif is SARIF 2.1.0 as far as code hosts read it', async () => {
    const odd = put('odd name/ü & <b>.yaml', PLAIN.replace('BUSY -> DONE', 'BUSY -> "<DOEN>&"'));
    const { code, out } = await belay(['check', wrong, odd, '--machines', mjs, '--format', 'sarif']);
    expect(code).toBe(1);
    const log = JSON.parse(out);
    const place = {
      type: 'object',
      required: ['physicalLocation'],
      properties: {
        physicalLocation: {
          type: 'object',
          additionalProperties: false,
          required: ['artifactLocation', 'region'],
          properties: {
            artifactLocation: {
              type: 'object',
              additionalProperties: false,
              required: ['uri'],
              properties: { uri: { type: 'string', pattern: '^file:///[!-~]+$' } },
            },
            region: {
              type: 'object',
              additionalProperties: false,
              required: ['startLine', 'startColumn'],
              properties: { startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } },
            },
          },
        },
      },
    };
    const result = {
      type: 'object',
      additionalProperties: false,
      required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
      properties: {
        ruleId: { type: 'string' },
        ruleIndex: { type: 'integer', minimum: 0 },
        level: { enum: ['none', 'note', 'warning', 'error'] },
        message: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: { text: { type: 'string' } },
        },
        locations: { type: 'array', items: place },
      },
    };
    const driver = {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { const: 'belay' },
        semanticVersion: { type: 'string' },
        rules: {
          type: 'array',
          uniqueItems: true,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['id'],
            properties: { id: { type: 'string' } },
          },
        },
      },
    };
    const run = {
      type: 'object',
      additionalProperties: false,
      required: ['tool', 'results'],
      properties: {
        tool: { type: 'object', required: ['driver'], properties: { driver } },
        columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
        results: { type: 'array', minItems: 2, items: result },
      },
    };
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'runs'],
      properties: { $schema: { type: 'string' }, version: { const: '2.1.0' }, runs: { type: 'array', items: run } },
    };
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    const [{ tool, results }] = log.runs;
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    const uris = results.map((one: (typeof results)[0]) => one.locations[0].physicalLocation.artifactLocation.uri);
    expect(uris).toContain(pathToFileURL(odd).href);
    const relative = JSON.parse((await within(folder, 'odd name', '--format', 'sarif')).out).runs[0].results;
    expect(relative[0].locations[0].physicalLocation.artifactLocation.uri).toBe(
      'odd%20name/%C3%BC%20%26%20%3Cb%3E.yaml',
    );
  });

  test('--format junit is XML with one suite a file, and says everything', async () => {
    const odd = put('odd/<&".yaml', PLAIN.replace('BUSY -> DONE', `'BUSY -> <"&'`));
    const { code, out } = await belay(['check', schedule, odd, '--machines', mjs, '--format', 'junit']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="belay check" tests="\d+" failures="1">\n/,
    );
    expect(out).toContain('<failure type="unknown_state" message="&quot;&lt;&quot;&amp;&quot; is not a state of m.');
    expect(out).toContain(`<testsuite name="${folder}/odd/&lt;&amp;&quot;.yaml" tests=`);
    expect(out.replace(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/&/);
    const open: string[] = [];
    for (const [, close, name, empty] of out
      .slice(out.indexOf('<testsuites'))
      .matchAll(/<(\/?)(\w[\w-]*)[^>]*?(\/?)>/g)) {
      if (close) expect(open.pop()).toBe(name);
      else if (!empty) open.push(name as string);
    }
    expect(open).toEqual([]);
  });
});

test('JSON has no character that a terminal obeys or a reader is misled by, and is the same to a program', async () => {
  const evil = put('evil/\u009b31m.yaml', PLAIN.replace('agent: m', 'agent: "\\u0085\\u202e\\u2066m"'));
  const { out } = await belay(['check', evil, '--json', '--no-exec']);
  expect(out).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(out).files[0]).toMatchObject({ file: evil, agent: '\u0085\u202e\u2066m' });
});
