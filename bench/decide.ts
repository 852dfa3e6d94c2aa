/**
 * What a decision costs: `npm run bench`. Prints medians, p99 and ratios of one run, and the targets beside them; a missed
 * target is printed as missed. Nothing here is asserted, since a busy machine is no defect.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { decide, History, type InstanceId, type Policy, parseKey } from '../src/index.ts';

const SIZES = [100, 1_000, 10_000];
const COMMITS = 4; // with the entry, five checkpoints each
const GROUP = 10;
const MILLION = 1_000_000;

const id = (n: number): InstanceId => ({ skeleton: 'Resolve', entity: `slot[${n}]`, ordinal: 0 });

/**
 * Instances in groups of ten that work on one thing each: the first writes a draft, the others read it and write a part of
 * their own, and everyone commits four times on the way. Then the first of all writes once more, its group reads that
 * uncommitted, and it fails: its group moves, and every other group is left alone.
 */
function population(size: number): History {
  const history = new History();
  const lead = (n: number) => n - (n % GROUP);
  for (let n = 0; n < size; n += 1) {
    history.apply({ do: 'enter', in: id(n), by: null });
    for (let commit = 0; commit < COMMITS; commit += 1) {
      const key = n === lead(n) ? `drafts/${n}` : `drafts/${lead(n)}/parts/${n}`;
      history.apply({ do: 'read', in: id(n), key: parseKey(`drafts/${lead(n)}/**`) });
      history.apply({ do: 'write', in: id(n), key: parseKey(key), mode: 'update' });
      history.apply({ do: 'boundary', in: id(n), kind: 'commit' });
    }
  }
  history.apply({ do: 'write', in: id(0), key: parseKey('drafts/0'), mode: 'update' });
  for (let n = 1; n < GROUP; n += 1) history.apply({ do: 'read', in: id(n), key: parseKey('drafts/*') });
  return history;
}

/** Everyone reads all that was written so far, writes and commits: what the first wrote first, everyone rests on. */
function crowd(size: number): History {
  const history = new History();
  for (let n = 0; n < size; n += 1) {
    history.apply({ do: 'enter', in: id(n), by: null });
    history.apply({ do: 'read', in: id(n), key: parseKey('slots/*/value') });
    history.apply({ do: 'write', in: id(n), key: parseKey(`slots/${n}/value`), mode: 'update' });
    history.apply({ do: 'boundary', in: id(n), kind: 'commit' });
  }
  return history;
}

/** One instance rewrites a whole collection again and again; another has read each member of it since the last time. */
function rewritten(size: number): History {
  const history = new History();
  for (const n of [0, 1]) history.apply({ do: 'enter', in: id(n), by: null });
  for (let n = 0; n < size; n += 1) history.apply({ do: 'write', in: id(0), key: parseKey('slots'), mode: 'update' });
  for (let n = 0; n < size; n += 1) history.apply({ do: 'read', in: id(1), key: parseKey(`slots/${n}`) });
  return history;
}

/** A chain in which each instance read what the one before it wrote, nobody committed: the failure of the first moves all. */
function chain(size: number): History {
  const history = new History();
  for (let n = 0; n < size; n += 1) {
    history.apply({ do: 'enter', in: id(n), by: null });
    if (n > 0) history.apply({ do: 'read', in: id(n), key: parseKey(`slots/${n - 1}`) });
    history.apply({ do: 'write', in: id(n), key: parseKey(`slots/${n}`), mode: 'update' });
  }
  return history;
}

async function timed(bench: Bench): Promise<Map<string, { median: number; p99: number }>> {
  await bench.run();
  return new Map(
    bench.tasks.map((task) => {
      const { result } = task;
      if (result === undefined || !('latency' in result)) throw new Error(`${task.name} did not run`);
      return [task.name, { median: result.latency.p50 * 1_000, p99: result.latency.p99 * 1_000 }];
    }),
  );
}

function row(name: string, { median, p99 }: { median: number; p99: number }, note = ''): void {
  console.log(`  ${name.padEnd(44)} ${micro(median)} ${micro(p99)}  ${note}`);
}

function micro(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} µs`.padStart(12);
}

function verdict(met: boolean, target: string): string {
  return met ? `target ${target}: met` : `target ${target}: MISSED`;
}

console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}\n`);
console.log(`  ${'one decision'.padEnd(44)} ${'median'.padStart(12)} ${'p99'.padStart(12)}`);

const failure = { in: id(0), key: null };
const suspect = { in: id(0), key: parseKey('drafts/0') };
const local = new Bench({ time: 1_000 });
for (const size of SIZES) {
  const history = population(size);
  local.add(`${size} instances, ${GROUP} move (line)`, () => decide(history, failure));
}
const times = await timed(local);
for (const [name, time] of times) row(name, time, verdict(time.median < 1_000, 'below 1 ms'));
const medians = [...times.values()].map(({ median }) => median);
const ratio = (medians.at(-1) as number) / (medians[0] as number);
console.log(
  `  ${SIZES.at(-1)} instances against ${SIZES[0]}: ${ratio.toFixed(2)} times the cost, the same ${GROUP} moved\n`,
);

const wide = new Bench({ time: 1_000 });
const everyone = population(10_000);
for (const policy of ['line', 'static', 'dart'] satisfies Policy[]) {
  wide.add(`10000 instances, suspect an early write (${policy})`, () =>
    decide(everyone, suspect, { policy, joint: 'none' }),
  );
}
const crowded = crowd(10_000);
wide.add('a crowd of 10000, all rest on it (line)', () => decide(crowded, { in: id(0), key: parseKey('slots') }));
for (const size of [1_000, 10_000]) {
  const history = rewritten(size);
  wide.add(`${size} rewrites of ${size} keys, one read each (line)`, () => decide(history, failure));
}
for (const size of [1_000, 10_000]) {
  const history = chain(size);
  wide.add(`a chain of ${size}, all of them move (line)`, () => decide(history, failure));
}
for (const [name, time] of await timed(wide)) row(name, time);

console.log(`\n  belay decide on ${MILLION.toLocaleString('en')} events`);
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
try {
  const trace = join(folder, 'million.jsonl');
  await writeMillion(trace);
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const began = performance.now();
  const answers = execFileSync(process.execPath, [main, 'decide', trace, '--json'], { maxBuffer: 1 << 30 });
  const seconds = (performance.now() - began) / 1_000;
  const rate = Math.round(MILLION / seconds).toLocaleString('en');
  console.log(
    `  ${seconds.toFixed(1)} s, ${rate} events a second, ${answers.toString().split('\n').length - 1} answer(s)`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A trace of a million events: instances of ten events each, and a failure of the last. */
async function writeMillion(path: string): Promise<void> {
  const out = createWriteStream(path);
  const write = (line: object) => out.write(`${JSON.stringify(line)}\n`);
  write({ do: 'trace', id: 'million' });
  const instances = MILLION / 10;
  for (let n = 0; n < instances; n += 1) {
    const where = { in: ['Resolve', `slot[${n}]`, 0] };
    write({ do: 'enter', ...where });
    for (let act = 0; act < 4; act += 1) {
      write({ do: 'read', ...where, key: `slots/${Math.max(0, n - act)}/value` });
      write({ do: 'write', ...where, key: `slots/${n}/value` });
    }
    if (!write({ do: 'boundary', ...where, kind: 'commit' })) {
      await once(out, 'drain');
    }
  }
  write({ do: 'fail', in: ['Resolve', `slot[${instances - 1}]`, 0] });
  out.end();
  await finished(out);
}
