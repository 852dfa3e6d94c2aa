/**
 * Compiles a document into a config. Reads as much as possible past an error, so that every problem of a file is
 * reported at once; the result is a config only if nothing was refused.
 */
import { isExternal } from '../model/external-keys.ts';
import { SIGNALS, type Signal } from '../model/failure.ts';
import type { Guards } from '../predicates/compile.ts';
import { suggest } from '../predicates/suggest.ts';
import { certificateOf } from './certificate.ts';
import type { BoundaryConfig, EventType, Skeleton, Tool } from './config.ts';
import { contentDigest } from './digest.ts';
import { blindIn, keysIn, nameIn, scopesIn } from './keys/names.ts';
import type { Scopes } from './keys/scopes.ts';
import { entriesOf, field, type Item, itemsOf, numberOf, plain, textOf, textsOf } from './page/document.ts';
import type { Findings } from './page/finding.ts';
import { LONGEST_WAIT, timeIn } from './page/time.ts';
import { alternativesIn } from './sections/alternatives.ts';
import { checkJudges } from './sections/judge.ts';
import { checkKeepers } from './sections/obligations.ts';
import { checkNames, redactedKeysIn } from './sections/redact.ts';
import { checkSeen } from './sections/revalidate.ts';
import { checkSandboxes, sandboxesIn } from './sections/sandboxes.ts';
import { compileSkeleton } from './sections/skeleton.ts';
import { compileTool } from './sections/tool.ts';

/** Compiles a document, and reports its errors to `findings`. */
export function compileConfig(root: Item, guards: Guards, findings: Findings): BoundaryConfig {
  const scopes = scopesIn(field(root, 'scopes'), findings);
  const budgets = budgetsOf(field(root, 'budgets'), findings);
  const pools = poolsOf(field(root, 'budgets'), findings);
  const tools = new Map<string, Tool>();
  for (const [name, { at, item }] of entriesOf(field(root, 'tools'))) {
    nameIn(name, at, findings);
    tools.set(name, compileTool(name, at, item, { budgets, scopes }, findings));
  }
  const skeletons = new Map<string, Skeleton>();
  for (const [name, { at, item }] of entriesOf(field(root, 'skeletons'))) {
    nameIn(name, at, findings);
    skeletons.set(name, compileSkeleton(name, at, item, { guards, scopes }, findings));
  }
  checkJoint(root, skeletons, findings);
  checkInvariants(root, tools, findings);
  checkSeen(root, tools, findings);
  const sandboxes = sandboxesIn(field(root, 'sandboxes'), findings);
  checkSandboxes(root, sandboxes, findings);
  checkKeepers(root, tools, findings);
  checkJudges(root, tools, findings);
  checkNames(root, skeletons, tools, findings);
  checkMixed(root, findings);
  const agent = field(root, 'agent');
  const [keys, claims] = [field(root, 'keys'), field(root, 'claims')];
  return {
    agent: agent === null ? '' : nameIn(textOf(agent) ?? '', agent.at, findings),
    digest: contentDigest(plain(root)),
    certificate: certificateOf(plain(root)),
    tools,
    skeletons,
    alternatives: alternativesIn(field(root, 'alternatives'), skeletons, findings),
    scopes,
    blind: blindIn(field(keys, 'blind'), scopes, findings),
    append: keysIn(field(keys, 'append'), scopes, findings),
    events: eventsIn(field(root, 'events'), scopes, findings),
    redact: redactedKeysIn(field(root, 'redact'), findings),
    recover: itemsOf(field(root, 'recover')).map((rule) => compileRecover(rule, tools, findings)),
    tries: numberOf(field(root, 'tries')) ?? 20,
    budgets,
    pools,
    sandboxes,
    release: textOf(field(claims, 'release')) === 'final' ? 'final' : 'whole',
    lineUp: textOf(field(claims, 'line_up')) === 'announce' ? 'announce' : 'first_touch',
    claimTtl: timeIn(field(claims, 'ttl'), findings),
  };
}

/**
 * Refuses what no enumeration has played together. A choice does not look again at what its held calls rest on, and a
 * second look touches a key in states that no walk over the machine counts.
 */
function checkMixed(root: Item, findings: Findings): void {
  const tools = entriesOf(field(root, 'tools'));
  const looks = tools.flatMap(([name, { item }]) => {
    const at = field(item, 'revalidate')?.at;
    return at === undefined ? [] : [{ name, at }];
  });
  const [alternatives] = entriesOf(field(root, 'alternatives'));
  const promised = entriesOf(field(root, 'skeletons')).some(([, { item }]) =>
    ['commit', 'exit'].flatMap((kind) => itemsOf(field(item, kind))).some((each) => field(each, 'release') !== null),
  );
  const isReleased = promised || textOf(field(field(root, 'claims'), 'release')) === 'final';
  const mixed = alternatives === undefined ? null : `"${alternatives[0]}" has alternatives`;
  const others = isReleased ? 'claims are released before the end of the run' : null;
  for (const { name, at } of looks)
    for (const beside of [mixed, others])
      if (beside !== null)
        findings.report(
          'bad_revalidate',
          'error',
          at,
          `"${name}" is revalidated, and ${beside}`,
          'Take one of both out.',
        );
  if (alternatives !== undefined && others !== null)
    findings.report('bad_alternatives', 'error', alternatives[1].at, `${mixed}, and ${others}`, 'Take claims out.');
}

/** The types of events: what their senders have seen, and who may change them. */
function eventsIn(item: Item | null, scopes: Scopes, findings: Findings): BoundaryConfig['events'] {
  const events = new Map<string, EventType>();
  for (const [type, { at, item: declared }] of entriesOf(item)) {
    const seen = field(declared, 'reads');
    const reads = seen === null ? null : keysIn(seen, scopes, findings);
    for (const key of (reads ?? []).filter(isExternal))
      findings.report(
        'bad_key',
        'error',
        at,
        `"${key.text}" lies outside of the memory`,
        'Name what the machine shows its senders: keys of its context.',
      );
    const steer = field(declared, 'steer');
    const from = textOf(field(declared, 'from')) === 'here' ? 'here' : 'beginning';
    const named = textsOf(steer).map(([name]) => name);
    events.set(type, { reads, from, steer: steer?.kind === 'list' ? named : textOf(steer) === 'any' ? 'any' : 'own' });
  }
  return events;
}

function compileRecover(
  rule: Item,
  tools: ReadonlyMap<string, Tool>,
  findings: Findings,
): { readonly tool: string; readonly signals: readonly Signal[] } {
  const named = field(rule, 'tool');
  const tool = textOf(named) ?? '';
  if (named !== null && tool !== '' && !tools.has(tool)) {
    findings.report('unknown_tool', 'error', named.at, `"${tool}" is no tool of this config`, () =>
      suggest(tool, tools.keys()),
    );
  }
  const texts = textsOf(field(rule, 'signals')).map(([text]) => text);
  return { tool, signals: SIGNALS.filter((signal) => texts.includes(signal)) };
}

function checkJoint(root: Item, skeletons: ReadonlyMap<string, Skeleton>, findings: Findings): void {
  for (const [, { item }] of entriesOf(field(root, 'skeletons'))) {
    for (const [name, at] of textsOf(field(field(item, 'rollback'), 'joint'))) {
      if (skeletons.has(name)) continue;
      findings.report('unknown_skeleton', 'error', at.at, `"${name}" is no skeleton of this config`, () =>
        suggest(name, skeletons.keys()),
      );
    }
  }
}

/** The budgets of a run by their names; `time` may be written as a duration, and is in milliseconds. */
function budgetsOf(item: Item | null, findings: Findings): ReadonlyMap<string, number> {
  const budgets = new Map<string, number>();
  for (const [name, { at, item: limit }] of entriesOf(item)) {
    nameIn(name, at, findings);
    const shared = numberOf(field(limit, 'limit'));
    const most = textOf(limit) === null ? (shared ?? numberOf(limit)) : timeIn(limit, findings, LONGEST_WAIT);
    if (textOf(limit) !== null && name !== 'time')
      findings.report('bad_amount', 'error', limit.at, `"${name}" is no time`, 'Write a whole number.');
    budgets.set(name, most ?? 0);
  }
  return budgets;
}

/** The pools of the budgets that name one. */
function poolsOf(item: Item | null, findings: Findings): ReadonlyMap<string, string> {
  const pools = new Map<string, string>();
  for (const [name, { item: limit }] of entriesOf(item)) {
    const at = field(limit, 'pool');
    const pool = textOf(at);
    if (at === null || pool === null) continue;
    const other = [...pools].find(([, each]) => each === pool)?.[0];
    if (name === 'time')
      findings.report(
        'bad_pool',
        'error',
        at.at,
        'what a call takes of "time" has no most',
        'Limit the time of each run.',
      );
    if (other !== undefined)
      findings.report(
        'bad_pool',
        'error',
        at.at,
        `"${other}" is the budget of the pool "${pool}"`,
        'Name another pool.',
      );
    pools.set(name, pool);
  }
  return pools;
}

/** Checks that the calls of an invariant's tools are held back until the invariant holds. */
function checkInvariants(root: Item, tools: ReadonlyMap<string, Tool>, findings: Findings): void {
  for (const [, { item }] of entriesOf(field(root, 'skeletons'))) {
    for (const boundary of [...itemsOf(field(item, 'commit')), ...itemsOf(field(item, 'exit'))]) {
      for (const invariant of itemsOf(field(boundary, 'invariants'))) {
        for (const [name, { at }] of entriesOf(field(invariant, 'sum'))) {
          if (!tools.has(name)) {
            const message = `"${name}" is no tool of this config`;
            findings.report('unknown_tool', 'error', at, message, () => suggest(name, tools.keys()));
          } else if (tools.get(name)?.buffer === null) {
            const message = `"${name}" is not buffered: its calls act before the sum is made`;
            findings.report('bad_hold', 'error', at, message, `Add "buffer" to ${name}.`);
          }
        }
      }
    }
  }
}
