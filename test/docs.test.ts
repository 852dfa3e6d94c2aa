/** What the documents show is what the command does. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { belay } from './cli/belay.ts';
import { blocks, compiled, files, read, root, TYPESCRIPT, tryout } from './pages.ts';

const readme = read('README.md');
const format = read('docs/trace-format.md');

test("the README's trace is the file that it names, and the command says about it what the README shows", async () => {
  const [trace] = blocks(readme, 'jsonl');
  expect(read('docs/schedule.jsonl')).toBe(trace);
  expect(readme).toContain('npx --no belay decide node_modules/belay-sidecar/docs/schedule.jsonl');
  const { code, out } = await belay(['decide', `${root}/docs/schedule.jsonl`]);
  expect([code, out]).toEqual([0, blocks(readme, 'text')[0]]);
});

test('the README has at most 1,200 words, and a table of at most ten rows', () => {
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(1200);
  expect(readme.split('\n').filter((line) => line.startsWith('| ')).length - 2).toBeLessThanOrEqual(10);
});

describe("the README's attach example", () => {
  const { folder, write, remove } = tryout('readme');
  for (const [name, content] of files(readme)) write(name, content);
  afterAll(remove);
  const run = () => execFileSync(process.execPath, ['--import', 'tsx', 'run.mts'], { cwd: folder, encoding: 'utf8' });

  test('needs at most 25 lines around the machine', () => {
    expect([...files(readme).keys()]).toEqual(['machine.mts', 'boundaries/order.yaml', 'run.mts', 'shop.mts']);
    expect((files(readme).get('run.mts') as string).trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  });

  test('compiles under strict rules', () => {
    expect(compiled(folder, ['run.mts', 'machine.mts', 'shop.mts'])).toBe('');
  });

  test('has a config that holds against the machine', async () => {
    const args = ['check', `${folder}/boundaries`, '--machines', `${folder}/machine.mts`];
    const { code, out } = await belay(args, '', TYPESCRIPT);
    expect([code, out]).toEqual([0, expect.stringContaining('0 errors, 0 warnings')]);
  });

  test('prints what the README says, and when it is run again how that run ended', async () => {
    expect(run()).toBe(blocks(readme, 'text')[1]);
    const { out } = await belay(['runs', '--journal', `${folder}/belay.sqlite`, '--json']);
    expect(JSON.parse(out)).toMatchObject({ run: 'order-1', held: false });
    expect(run()).toBe(blocks(readme, 'text')[1]?.split('\n').slice(1).join('\n'));
  });

  test('tells its decisions again from the exported trace', async () => {
    const { code, out } = await belay(['export', 'order-1', '--trace', '--journal', `${folder}/belay.sqlite`]);
    expect(code).toBe(0);
    expect((await belay(['decide', '-', '--json'], out)).code).toBe(0);
    expect(out).toContain('{"do":"boundary","in":["Order","the order",0],"kind":"commit"}');
  });
});

test("the page's program about a trace runs against the package's public name", () => {
  const [program] = blocks(format, 'ts');
  const args = ['--input-type=module', '--eval', program as string];
  expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe(
    'restore ResolveSlot::slot[0]::0 goes back to its entry at event 1. No other instance moves.\n',
  );
});

test("the README's commands exist", () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...readme.matchAll(/npm (?:run )?([a-z:]+)/g)].map((match) => match[1] as string);
  expect(named).toContain('test');
  for (const name of named)
    if (!['ci', 'pack', 'install', 'init', 'pkg'].includes(name)) expect(Object.keys(scripts)).toContain(name);
});

test('the example of the format is answered as its page says', async () => {
  const { out } = await belay(['decide', '-', '--json'], blocks(format, 'jsonl')[0]);
  expect(JSON.parse(out)).toEqual(JSON.parse(blocks(format, 'json')[0] as string));
});

test('the format lists every code with which a trace is refused, and no other', () => {
  const listed = format.slice(format.indexOf('## What is malformed')).matchAll(/^\| (`.*?) \|/gm);
  const codes = [...listed].flatMap((match) => [...(match[1] as string).matchAll(/`(\w+)`/g)].map((code) => code[1]));
  const sources = ['src/history/trace.ts', 'src/history/history.ts', 'src/cli/decide/lines.ts'].map(read).join('\n');
  const unions = [...sources.matchAll(/ErrorCode =([^;{]*);/g)].map((match) => match[1]).join(' ');
  const declared = [...unions.matchAll(/'(\w+)'/g)].map((match) => match[1]);
  expect(codes.length).toBeGreaterThan(15);
  expect([...codes].sort()).toEqual([...declared].sort());
});

test('the sidecar lists every code with which a checkpoint is refused, and no other', () => {
  const page = read('docs/sidecar.md');
  const section = page.slice(page.indexOf('## Why a checkpoint is refused'), page.indexOf('## Reconcilers and undos'));
  const listed = [...section.matchAll(/`([a-z]+_[a-z_]+)`/g)].map((match) => match[1]);
  const vetoes = [...read('src/model/veto.ts').matchAll(/code: '(\w+)'/g)].map((match) => match[1]);
  const ofEffects = /EffectVeto =(.*);/.exec(read('src/model/effect.ts'))?.[1] ?? '';
  const declared = [...vetoes, ...[...ofEffects.matchAll(/'(\w+)'/g)].map((match) => match[1])];
  expect(declared.length).toBeGreaterThan(10);
  expect([...new Set(listed)].sort()).toEqual([...new Set(declared)].sort());
});

test('every link to a file of the repository leads somewhere', () => {
  const pages = [
    'README.md',
    ...readdirSync(`${root}/docs`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  for (const page of pages) {
    for (const [, target] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      const folder = page.slice(0, page.lastIndexOf('/') + 1);
      expect([page, target, existsSync(`${root}/${folder}${target}`)]).toEqual([page, target, true]);
    }
  }
});
