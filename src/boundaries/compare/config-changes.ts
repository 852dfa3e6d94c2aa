/**
 * Compares two configs by their meaning. Comments, layout, the order of names, and a field that spells out its default
 * are no changes. Recoverability, gained or lost, follows from both configs and, if the caller passes one, from the
 * machine.
 */
import type { Alternatives, BoundaryConfig, EventType, Skeleton } from '../config.ts';
import { isOf, lostEdges, whyNot } from '../lint/edges.ts';
import type { Reach } from '../lint/reach.ts';
import { siteTrouble } from '../lint/skeletons.ts';
import { type ConfigDocument, field, type Item, plain, textsOf } from '../page/document.ts';
import { type Difference, limit, members, names, said, within } from './leaning.ts';
import { skeletonChanges } from './skeleton-changes.ts';
import { toolChanges } from './tool-changes.ts';

/** A config with the page that it was read from. */
export interface ComparedConfig {
  readonly config: BoundaryConfig;
  readonly document: ConfigDocument;
}

type Compare = (old: ComparedConfig, now: ComparedConfig) => readonly Difference[];

/** One comparison for each part of a config: a part without one does not compile. */
const PARTS: Readonly<Record<keyof BoundaryConfig, Compare>> = {
  agent: ({ config: old }, { config: now }) => said('agent', old.agent, now.agent, 'other'),
  digest: () => [],
  certificate: () => [],
  tools: (old, now) =>
    within(
      ['tools'],
      members(old.config.tools, now.config.tools, (a, b, name) => [
        ...toolChanges(a, b),
        ...(a === null || b === null
          ? []
          : (['input', 'output'] as const).flatMap((of) =>
              said(of, schemaOf(old, name, of), schemaOf(now, name, of), 'stricter'),
            )),
      ]),
    ),
  skeletons: (old, now) => within(['skeletons'], members(old.config.skeletons, now.config.skeletons, skeletonChanges)),
  alternatives: ({ config: old }, { config: now }) =>
    within(['alternatives'], members(old.alternatives, now.alternatives, alternativesChanges)),
  scopes: ({ config: old }, { config: now }) =>
    within(
      ['scopes'],
      members(old.scopes, now.scopes, (a, b) => said('kind', a, b, 'other')),
    ),
  blind: (old, now) =>
    within(['keys'], names('blind', listed(old, 'keys', 'blind'), listed(now, 'keys', 'blind'), 'looser')),
  append: (old, now) =>
    within(['keys'], names('append', listed(old, 'keys', 'append'), listed(now, 'keys', 'append'), 'looser')),
  events: ({ config: old }, { config: now }) =>
    within(
      ['events'],
      members(old.events, now.events, (a, b) => [
        ...said('reads', readsText(a), readsText(b), 'other'),
        ...steerChanges(a?.steer ?? 'own', b?.steer ?? 'own'),
        ...said('from', a?.from ?? 'beginning', b?.from ?? 'beginning', 'other'),
      ]),
    ),
  redact: (old, now) => names('redact', listed(old, 'redact'), listed(now, 'redact'), 'stricter'),
  recover: ({ config: old }, { config: now }) => names('recover', recoverTexts(old), recoverTexts(now), 'other'),
  tries: ({ config: old }, { config: now }) => limit('tries', old.tries, now.tries, 'looser'),
  budgets: ({ config: old }, { config: now }) =>
    within(
      ['budgets'],
      members(old.budgets, now.budgets, (a, b) => limit('', a, b, 'looser').map((each) => ({ ...each, path: [] }))),
    ),
  pools: ({ config: old }, { config: now }) =>
    within(
      ['budgets'],
      members(old.pools, now.pools, (a, b) => said('pool', a ?? '-', b ?? '-', 'other')),
    ),
  sandboxes: ({ config: old }, { config: now }) =>
    within(
      ['sandboxes'],
      members(old.sandboxes, now.sandboxes, (a, b) =>
        a === null || b === null
          ? said('', a?.provider ?? null, b?.provider ?? null, 'other').map(unnamed)
          : [
              ...said('provider', a.provider, b.provider, 'other'),
              ...limit('ready', a.ready, b.ready, 'looser', ' ms'),
              ...limit('grace', a.grace, b.grace, 'looser', ' ms'),
              ...said('snapshot', a.snapshot ? 'true' : null, b.snapshot ? 'true' : null, 'looser'),
            ],
      ),
    ),
  release: ({ config: old }, { config: now }) => within(['claims'], said('release', old.release, now.release, 'other')),
  lineUp: ({ config: old }, { config: now }) => within(['claims'], said('line_up', old.lineUp, now.lineUp, 'other')),
  claimTtl: ({ config: old }, { config: now }) =>
    within(['claims'], said('ttl', textOfTime(old.claimTtl), textOfTime(now.claimTtl), 'other')),
};

/** Every difference in what two configs say. */
export function configChanges(old: ComparedConfig, now: ComparedConfig): readonly Difference[] {
  return Object.values(PARTS).flatMap((compare) => compare(old, now));
}

/** A boundary or an edge that one config can restore to, or certify on, and the other cannot; `why` says why not. */
export interface RecoverableChange {
  readonly skeleton: string;
  /** The id of a boundary, or an edge as text. */
  readonly at: string;
  readonly is: 'recoverable' | 'not recoverable';
  readonly why: readonly string[];
}

/** The boundaries that only one of the configs certifies, and with a machine the edges that leave a skeleton. */
export function recoverableChanges(
  old: BoundaryConfig,
  now: BoundaryConfig,
  reach: Reach | null,
): readonly RecoverableChange[] {
  const changes: RecoverableChange[] = [];
  const reachable = reach?.from(() => false) ?? new Set<string>();
  const [before, after] = [certifying(old, reach, reachable), certifying(now, reach, reachable)];
  for (const [place, { skeleton, at, why }] of new Map([...before, ...after])) {
    const [was, is] = [before.get(place)?.why.length === 0, after.get(place)?.why.length === 0];
    if (was === is) continue;
    const gone = after.has(place) ? why : ['it is not there any more'];
    changes.push({ skeleton, at, is: is ? 'recoverable' : 'not recoverable', why: is ? [] : gone });
  }
  return reach === null ? changes : [...changes, ...edgeChanges(old, now, reach)];
}

/** The differences of alternatives; of those that are new or gone only that. */
function alternativesChanges(old: Alternatives | null, now: Alternatives | null): readonly Difference[] {
  if (old === null || now === null) return said('', old?.at ?? null, now?.at ?? null, 'looser').map(unnamed);
  return [
    ...said('at', old.at, now.at, 'other'),
    ...said('branch', old.branch, now.branch, 'other'),
    ...(old.rule === now.rule ? [] : ruleChange(old.rule, now.rule)),
    ...said('when', old.when?.text ?? null, now.when?.text ?? null, 'stricter'),
    ...said('score', old.score?.text ?? null, now.score?.text ?? null, 'other'),
    ...limit('deadline', old.deadline, now.deadline, 'other', ' ms'),
    ...limit('expires', old.expires, now.expires, 'looser', ' ms'),
    ...(old.losers === now.losers ? [] : losersChange(old.losers, now.losers)),
  ];
}

function unnamed(difference: Difference): Difference {
  return { ...difference, path: [] };
}

function ruleChange(old: Alternatives['rule'], now: Alternatives['rule']): readonly Difference[] {
  return [{ path: ['rule'], old, now, is: now === 'gate' ? 'stricter' : old === 'gate' ? 'looser' : 'other' }];
}

function losersChange(old: Alternatives['losers'], now: Alternatives['losers']): readonly Difference[] {
  return [{ path: ['losers'], old, now, is: now === 'stand' ? 'looser' : 'stricter' }];
}

type Certifying = ReadonlyMap<
  string,
  { readonly skeleton: string; readonly at: string; readonly why: readonly string[] }
>;

function certifying(config: BoundaryConfig, reach: Reach | null, reachable: ReadonlySet<string>): Certifying {
  return new Map(
    [...config.skeletons.values()].flatMap((skeleton) =>
      skeleton.boundaries.map((boundary) => {
        const trouble = reach === null ? [] : siteTrouble(boundary, skeleton, reach, reachable);
        const why = [...whyNot(boundary, skeleton, config, reach?.shape ?? null), ...trouble];
        return [`${skeleton.name}::${boundary.id}`, { skeleton: skeleton.name, at: boundary.id, why }] as const;
      }),
    ),
  );
}

function edgeChanges(old: BoundaryConfig, now: BoundaryConfig, reach: Reach): readonly RecoverableChange[] {
  const [before, after] = [lostIn(old, reach), lostIn(now, reach)];
  const changes: RecoverableChange[] = [];
  for (const [place, edge] of new Map([...before.lost, ...after.lost])) {
    const [was, is] = [before.lost.has(place), after.lost.has(place)];
    if (was === is) continue;
    const leaves = ({ config }: LostIn) => leavesOf(config.skeletons.get(edge.skeleton), edge);
    if (!is && !leaves(after)) continue;
    changes.push({
      skeleton: edge.skeleton,
      at: edgeText(edge),
      is: is ? 'not recoverable' : 'recoverable',
      why: is ? edge.why : [],
    });
  }
  return changes;
}

interface LostIn {
  readonly config: BoundaryConfig;
  readonly lost: ReadonlyMap<string, ReturnType<typeof lostEdges>[number]>;
}

function lostIn(config: BoundaryConfig, reach: Reach): LostIn {
  const lost = lostEdges(config, reach).map((edge) => [`${edge.skeleton}::${edgeText(edge)}`, edge] as const);
  return { config, lost: new Map(lost) };
}

function leavesOf(
  skeleton: Skeleton | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  return skeleton !== undefined && isOf(from, skeleton) && !isOf(to, skeleton);
}

function edgeText({ from, to, event }: { readonly from: string; readonly to: string; readonly event: string }): string {
  return `${from} -> ${to}${event === '' ? '' : ` (${event})`}`;
}

function listed({ document }: ComparedConfig, ...path: readonly string[]): readonly string[] {
  const item = path.reduce<Item | null>((at, name) => field(at, name), document.root);
  return textsOf(item).map(([text]) => text);
}

/** The keys that the senders of an event have seen: all, where nothing is declared. */
function readsText(event: EventType | null): string {
  return event?.reads == null ? '**' : event.reads.map(({ text }) => text).join(', ');
}

/** The persons who may change an event: one more is looser. */
function steerChanges(old: EventType['steer'], now: EventType['steer']): readonly Difference[] {
  const [was, is] = [old, now].map((steer) => (typeof steer === 'string' ? [] : steer)) as [string[], string[]];
  if (old === 'any' || now === 'any') {
    const [from, to] = [old, now].map((steer) => (typeof steer === 'string' ? steer : steer.join(', ')));
    return old === now
      ? []
      : [{ path: ['steer'], old: from ?? null, now: to ?? null, is: now === 'any' ? 'looser' : 'stricter' }];
  }
  return names('steer', was, is, 'looser');
}

function recoverTexts({ recover }: BoundaryConfig): readonly string[] {
  return recover.flatMap(({ tool, signals }) => signals.map((signal) => `${tool} ${signal}`));
}

/** A schema of a tool as text, its names sorted; null where it has none. */
function schemaOf({ document }: ComparedConfig, tool: string, of: 'input' | 'output'): string | null {
  const item = field(field(field(document.root, 'tools'), tool), of);
  return item === null ? null : JSON.stringify(sorted(plain(item)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

function textOfTime(time: number | null): string | null {
  return time === null ? null : `${time} ms`;
}
