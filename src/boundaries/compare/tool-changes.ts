/** Compares the rules of two configs for one tool. */
import { type EffectClass, joinOf } from '../../model/effect.ts';
import type { Obligations, Once, Revalidate, See, Spend, Tool } from '../config.ts';
import { type Difference, keys, limit, members, names, said, within } from './leaning.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** One comparison for each field of a tool: a field without one does not compile. */
const FIELDS: Readonly<Record<keyof Tool, (old: Tool, now: Tool) => readonly Difference[]>> = {
  name: () => [],
  reads: (old, now) => keys('reads', old.reads, now.reads),
  writes: (old, now) => keys('writes', old.writes, now.writes),
  effect: (old, now) => classes(old.effect, now.effect),
  reconcile: (old, now) => said('reconcile', old.reconcile, now.reconcile, 'looser'),
  undo: (old, now) => said('undo', old.undo, now.undo, 'looser'),
  asking: (old, now) => (old.reconcile === null || now.reconcile === null ? [] : asking(old.asking, now.asking)),
  retry: (old, now) => retries(old.retry, now.retry),
  gate: (old, now) => gates(old.gate, now.gate),
  buffer: (old, now) => said('buffer', bufferText(old.buffer), bufferText(now.buffer), 'stricter'),
  once: (old, now) => onces(old.once, now.once),
  when: (old, now) => said('when', old.when?.text ?? null, now.when?.text ?? null, 'stricter'),
  check: (old, now) => said('check', old.check, now.check, 'stricter'),
  spends: (old, now) =>
    within(
      ['spends'],
      members(old.spends, now.spends, (a, b) => unnamed(said('', spendText(a), spendText(b), 'stricter'))),
    ),
  decides: (old, now) => said('decides', decidesText(old), decidesText(now), 'stricter'),
  revalidate: (old, now) => freshness(old.revalidate, now.revalidate),
  see: (old, now) => sights(old.see, now.see),
  keyValid: (old, now) => limit('key_valid', old.keyValid, now.keyValid, 'looser', ' ms'),
  obligations: (old, now) => obliged(old.obligations, now.obligations),
  redact: (old, now) => names('redact', old.redact, now.redact, 'stricter'),
  in: (old, now) => said('in', inText(old.in), inText(now.in), 'other'),
  timeout: (old, now) => limit('timeout', old.timeout, now.timeout, 'looser', ' ms'),
  computed: (old, now) =>
    within(
      ['computed'],
      members(old.computed?.texts ?? NONE, now.computed?.texts ?? NONE, (a, b) => unnamed(said('', a, b, 'stricter'))),
    ),
  // The text of a schema is compared where the page is at hand.
  input: () => [],
  misfits: () => [],
  output: () => [],
  refuses: () => [],
};

/** The differences between two tools; null where a config does not list it, which counts as irreversible. */
export function toolChanges(old: Tool | null, now: Tool | null): readonly Difference[] {
  if (old !== null && now !== null) return Object.values(FIELDS).flatMap((compare) => compare(old, now));
  const listed = (tool: Tool | null) => (tool === null ? null : `listed, ${tool.effect}`);
  return unnamed(said('', listed(old), listed(now), (old ?? now)?.effect === 'irreversible' ? 'other' : 'looser'));
}

function inText(within: Tool['in']): string | null {
  return within === null ? null : `${within.sandbox}${within.beyond ? ', beyond it' : ''}`;
}

function decidesText({ decides }: Tool): string | null {
  return decides ? 'true' : null;
}

/** The classes are no chain: idempotent, and reversible or compensable, are neither stricter than each other (CO2). */
function classes(old: EffectClass, now: EffectClass): readonly Difference[] {
  if (old === now) return [];
  const join = joinOf(old, now);
  return [{ path: ['effect'], old, now, is: join === now ? 'stricter' : join === old ? 'looser' : 'other' }];
}

function freshness(old: Revalidate | null, now: Revalidate | null): readonly Difference[] {
  const text = (one: Revalidate | null) => (one === null ? null : `older than ${one.for} ms`);
  if (old === null || now === null) return said('revalidate', text(old), text(now), 'stricter');
  const other = { path: ['else'], old: old.else, now: now.else };
  return within(
    ['revalidate'],
    [
      ...limit('for', old.for, now.for, 'looser', ' ms'),
      ...said('same', old.same?.text ?? null, now.same?.text ?? null, 'looser'),
      ...(old.else === now.else ? [] : [{ ...other, is: now.else === 'park' ? 'stricter' : 'looser' } as const]),
    ],
  );
}

function obliged(old: Obligations | null, now: Obligations | null): readonly Difference[] {
  const each = ({ each }: Obligations) => (typeof each === 'string' ? each : JSON.stringify(each));
  const text = (one: Obligations | null) => (one === null ? null : each(one));
  if (old === null || now === null) return said('obligations', text(old), text(now), 'stricter');
  return within(
    ['obligations'],
    [
      ...said('each', each(old), each(now), 'other'),
      ...dues(old.due, now.due),
      ...said('kept_by', old.keptBy, now.keptBy, 'other'),
      ...said('as', old.as?.text ?? null, now.as?.text ?? null, 'stricter'),
      ...said('until', old.until?.text ?? null, now.until?.text ?? null, 'looser'),
    ],
  );
}

/** A later time is looser, and none the loosest; a part of the obligation may say any time. */
function dues(old: Obligations['due'], now: Obligations['due']): readonly Difference[] {
  const text = (due: Obligations['due']) => (due === null ? null : 'at' in due ? due.at : `${due.after} ms`);
  if (old !== null && now !== null && 'after' in old && 'after' in now)
    return limit('due', old.after, now.after, 'looser', ' ms');
  return said('due', text(old), text(now), 'stricter');
}

function sights(old: See | null, now: See | null): readonly Difference[] {
  return within(
    ['reconcile'],
    [
      ...said('see', old?.tool ?? null, now?.tool ?? null, 'looser'),
      ...(old === null || now === null ? [] : said('applied', old.applied.text, now.applied.text, 'other')),
      ...said('always', old?.always ? 'true' : null, now?.always ? 'true' : null, 'stricter'),
    ],
  );
}

function asking(old: Tool['asking'], now: Tool['asking']): readonly Difference[] {
  return within(
    ['reconcile'],
    [
      ...said('tries', `${old.tries}`, `${now.tries}`, 'other'),
      ...said('wait', `${old.wait} ms`, `${now.wait} ms`, 'other'),
      ...settling(old.settles, now.settles),
      ...refusing('refuses_key', old.refusesKey, now.refusesKey),
      ...refusing('outlives_key', old.outlivesKey, now.outlivesKey),
      ...(old.settles === now.settles && old.tries === now.tries && old.wait === now.wait
        ? said('patient', `${old.patient}`, `${now.patient}`, 'other')
        : []),
    ],
  );
}

/** Without a time, a counterparty is believed at once: the loosest. */
function settling(old: number | null, now: number | null): readonly Difference[] {
  if (old === now) return [];
  const text = (value: number | null) => (value === null ? null : `${value} ms`);
  return [
    { path: ['settles_within'], old: text(old), now: text(now), is: (now ?? 0) > (old ?? 0) ? 'stricter' : 'looser' },
  ];
}

/** A counterparty that refuses the key from then on is believed where another is not. */
function refusing(path: string, old: boolean, now: boolean): readonly Difference[] {
  return old === now ? [] : [{ path: [path], old: `${old}`, now: `${now}`, is: now ? 'looser' : 'stricter' }];
}

function retries(old: Tool['retry'], now: Tool['retry']): readonly Difference[] {
  if (old === null || now === null) return said('retry', retryText(old), retryText(now), 'looser');
  return within(
    ['retry'],
    [
      ...limit('max', old.max, now.max, 'looser'),
      ...said('backoff', `${old.backoff} ms`, `${now.backoff} ms`, 'other'),
      ...said('factor', `${old.factor}`, `${now.factor}`, 'other'),
      ...said('jitter', `${old.jitter}`, `${now.jitter}`, 'other'),
      ...names('non_retryable', [...old.never], [...now.never], 'stricter'),
    ],
  );
}

function retryText(retry: Tool['retry']): string | null {
  return retry === null ? null : `${retry.max} times`;
}

function gates(old: Tool['gate'], now: Tool['gate']): readonly Difference[] {
  if (old === null || now === null) return said('gate', gateText(old), gateText(now), 'stricter');
  return within(
    ['gate'],
    [
      ...limit('expires', old.expires, now.expires, 'looser', ' ms'),
      ...said('when', old.when?.text ?? null, now.when?.text ?? null, 'looser'),
      ...names('edits', old.edits, now.edits, 'looser'),
    ],
  );
}

function gateText(gate: Tool['gate']): string | null {
  if (gate === null) return null;
  return gate.when === null ? 'each call' : `each call for which ${gate.when.text}`;
}

/** Fewer parts make more calls one act: stricter, as is the scope of the store. */
function onces(old: Once | null, now: Once | null): readonly Difference[] {
  if (old === null || now === null) return said('once', onceText(old), onceText(now), 'stricter');
  const wider = { path: ['scope'], old: old.scope, now: now.scope };
  return within(
    ['once'],
    [
      ...names('by', old.by, now.by, 'looser'),
      ...(old.scope === now.scope ? [] : [{ ...wider, is: now.scope === 'store' ? 'stricter' : 'looser' } as const]),
    ],
  );
}

function onceText(once: Once | null): string | null {
  return once === null ? null : `by ${once.by.join(', ')}, in its ${once.scope}`;
}

function bufferText(buffer: Tool['buffer']): string | null {
  return buffer === null || buffer === 'call' ? buffer : buffer.name;
}

function spendText(spend: Spend | null): string | null {
  if (spend === null) return null;
  return spend.charge === null ? spend.atMost.text : `at most ${spend.atMost.text}, charged ${spend.charge.text}`;
}

/** Differences of the thing itself, which has no field. */
function unnamed(differences: readonly Difference[]): readonly Difference[] {
  return differences.map((difference) => ({ ...difference, path: [] }));
}
