/** The attributes that are used are those of the pinned version of the conventions; none of this is loaded without being asked for. */
import { spawnSync } from 'node:child_process';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, test } from 'vitest';
import { ATTRIBUTES, CONVENTIONS, OPERATIONS } from '../../src/otel/conventions.ts';
import { spanContextOf, stored } from '../../src/otel/trace-context.ts';
import { read, root, TYPESCRIPT } from '../pages.ts';

test('the version is that of the package that they are compared with, and it is pinned', () => {
  const { version } = JSON.parse(read('node_modules/@opentelemetry/semantic-conventions/package.json'));
  const { devDependencies } = JSON.parse(read('package.json'));
  expect([version, devDependencies['@opentelemetry/semantic-conventions']]).toEqual([CONVENTIONS, CONVENTIONS]);
});

test('every attribute and operation has the name that the conventions give it', () => {
  expect(ATTRIBUTES).toEqual({
    agent: conventions.ATTR_GEN_AI_AGENT_NAME,
    arguments: conventions.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
    call: conventions.ATTR_GEN_AI_TOOL_CALL_ID,
    conversation: conventions.ATTR_GEN_AI_CONVERSATION_ID,
    errorType: conventions.ATTR_ERROR_TYPE,
    operation: conventions.ATTR_GEN_AI_OPERATION_NAME,
    result: conventions.ATTR_GEN_AI_TOOL_CALL_RESULT,
    tool: conventions.ATTR_GEN_AI_TOOL_NAME,
  });
  expect(OPERATIONS).toEqual({
    executeTool: conventions.GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
    invokeAgent: conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  });
});

test('no name of the conventions is written down anywhere else than there and in the list of metrics', () => {
  const spelled = /'(gen_ai\.[a-z_.]+)'/g;
  const own = new Set<string>(Object.values(ATTRIBUTES));
  for (const [, name] of read('src/reports/metrics.ts').matchAll(spelled)) expect(own).toContain(name);
  for (const file of ['spans', 'span-writer', 'telemetry', 'calls-under-way', 'otel'])
    expect([file, [...read(`src/otel/${file}.ts`).matchAll(spelled)]]).toEqual([file, []]);
});

describe('the stored place in a trace', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

  test('is that of W3C Trace Context, and is read back', () => {
    const context = { traceId: trace, spanId: span, traceFlags: 1 };
    expect(stored(context)).toEqual({ parent: `00-${trace}-${span}-01` });
    expect(spanContextOf(stored(context))).toEqual({ ...context, isRemote: true });
    const from = { parent: `00-${trace}-${span}-00`, state: 'rojo=00f067aa0ba902b7,congo=t61' };
    const back = spanContextOf(from);
    expect([back?.traceFlags, back === null ? null : stored(back)]).toEqual([0, from]);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no object', 'x'],
    ['no text', { parent: 7 }],
    ['no trace', { parent: `00-${'0'.repeat(32)}-${span}-01` }],
    ['no span', { parent: `00-${trace}-${'0'.repeat(16)}-01` }],
    ['capitals', { parent: `00-${trace.toUpperCase()}-${span}-01` }],
    ['more behind it', { parent: `00-${trace}-${span}-01-x` }],
    ['a line more', { parent: `00-${trace}-${span}-01\n` }],
  ])('is none where a journal has %s', (_, from) => {
    expect(spanContextOf(from as never)).toBeNull();
  });

  test('has no state that a journal made up', () => {
    const context = spanContextOf({ parent: `00-${trace}-${span}-01`, state: 7 as never });
    expect(context?.traceState).toBeUndefined();
    const long = spanContextOf({ parent: `00-${trace}-${span}-01`, state: `a=${'x'.repeat(10_000)}` });
    expect(long?.traceState?.serialize()).toBe('');
  });
});

describe('without OpenTelemetry', () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (name.includes('@opentelemetry/') || name.includes('/src/otel/') || name.startsWith('./otel/')) throw new Error('not installed: ' + name);
    return next(name, context);
  };`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;

  /** Imports files of src in a process of its own in which no module of OpenTelemetry, and none of its room, can be loaded. */
  function imported(files: readonly string[]): string {
    const text = files.map((file) => `await import(${JSON.stringify(`${root}/src/${file}.ts`)});`).join('\n');
    const args = ['--import', dataUrl(register), '--input-type=module', '--eval', `${text} console.log('loaded');`];
    const ran = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...TYPESCRIPT } });
    return ran.stdout.trim() === 'loaded' ? 'loaded' : ran.stderr;
  }

  test('everything else can be imported, and none of its code is loaded', () => {
    const all = ['index', 'flow/flow', 'reports/index', 'recovery/index', 'adapters/index', 'testing/index'];
    expect(imported([...all, 'journal/sqlite/store'])).toBe('loaded');
  });

  test('its own list cannot', () => {
    expect(imported(['otel/otel'])).toContain('not installed: ');
  });
});

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
