/**
 * The part of a config that certificates rest on. A checkpoint certified under another config is stale if this part has
 * changed, and only then (semantics.md CO1). The table names each field of the schema once.
 */
import type { Certificate } from '../model/certificate.ts';
import { contentDigest } from './digest.ts';
import { isOfVersion } from './version-rules.ts';

/**
 * The bearing of a field on the past of a run.
 * - `rests`: a certificate, a dependence or a promise rests on the field.
 * - `joined`: each call keeps the stricter of two values, the config's at the time of the call and today's (CO2).
 * - `free`: the sidecar reads the field anew each time, and nothing of the past rests on it.
 */
type Bearing = 'rests' | 'joined' | 'free';

/** Every field of the schema by its path: `*` stands for a name, and the items of a list have the path of the list. */
export const BEARINGS: Readonly<Record<string, Bearing>> = {
  belay: 'rests',
  agent: 'rests',
  tools: 'rests',
  'tools.*.effect': 'joined',
  'tools.*.undo': 'joined',
  'tools.*.reads': 'rests',
  'tools.*.writes': 'rests',
  // The boundary that certifies publishes the staged calls, so the stager and the staged data matter.
  'tools.*.buffer': 'rests',
  // The field decides whether two calls are the same act.
  'tools.*.once': 'rests',
  'tools.*.once.by': 'rests',
  'tools.*.once.scope': 'rests',
  // An answer that the machine received could be refused when it is served again.
  'tools.*.output': 'rests',
  // Arguments are asked for and computed before a call first leaves; the journal has the arguments that left.
  'tools.*.input': 'free',
  'tools.*.computed': 'free',
  // Nothing of the past rests on whether a kept answer is served or asked for anew.
  'tools.*.decides': 'free',
  // The journal says of each call whether its effect is gone with a sandbox.
  'tools.*.in': 'free',
  'tools.*.in.sandbox': 'free',
  'tools.*.in.beyond': 'free',
  // Before a call leaves, reads that are too old by today's config are made again.
  'tools.*.revalidate': 'free',
  'tools.*.revalidate.for': 'free',
  'tools.*.revalidate.same': 'free',
  'tools.*.revalidate.else': 'free',
  'tools.*.key_valid': 'free',
  // The obligation is journaled with its call.
  'tools.*.obligations': 'free',
  'tools.*.obligations.each': 'free',
  'tools.*.obligations.due': 'free',
  'tools.*.obligations.kept_by': 'free',
  'tools.*.obligations.as': 'free',
  'tools.*.obligations.until': 'free',
  'tools.*.redact': 'free',
  'tools.*.reconcile': 'free',
  'tools.*.reconcile.ask': 'free',
  'tools.*.reconcile.tries': 'free',
  'tools.*.reconcile.wait': 'free',
  'tools.*.reconcile.settles_within': 'free',
  'tools.*.reconcile.refuses_key': 'free',
  'tools.*.reconcile.outlives_key': 'free',
  'tools.*.reconcile.see': 'free',
  'tools.*.reconcile.applied': 'free',
  'tools.*.reconcile.always': 'free',
  'tools.*.retry': 'free',
  'tools.*.retry.max': 'free',
  'tools.*.retry.backoff': 'free',
  'tools.*.retry.factor': 'free',
  'tools.*.retry.jitter': 'free',
  'tools.*.retry.non_retryable': 'free',
  'tools.*.gate': 'free',
  'tools.*.gate.when': 'free',
  'tools.*.gate.expires': 'free',
  // The arguments that a person changed were journaled when the call left.
  'tools.*.gate.edits': 'free',
  'tools.*.when': 'free',
  'tools.*.check': 'free',
  'tools.*.spends': 'free',
  'tools.*.spends.*.at_most': 'free',
  'tools.*.spends.*.charge': 'free',
  'tools.*.timeout': 'free',
  skeletons: 'rests',
  'skeletons.*.entity': 'rests',
  'skeletons.*.states': 'rests',
  'skeletons.*.entry': 'rests',
  'skeletons.*.inputs': 'rests',
  'skeletons.*.required': 'rests',
  'skeletons.*.outputs': 'rests',
  'skeletons.*.commit': 'rests',
  'skeletons.*.commit.id': 'rests',
  'skeletons.*.commit.at': 'rests',
  'skeletons.*.commit.when': 'rests',
  'skeletons.*.commit.when.guard': 'rests',
  'skeletons.*.commit.outputs': 'rests',
  'skeletons.*.commit.release': 'free',
  'skeletons.*.commit.message': 'free',
  'skeletons.*.commit.judge': 'rests',
  'skeletons.*.commit.judge.by': 'rests',
  'skeletons.*.commit.judge.pass': 'rests',
  'skeletons.*.commit.judge.sure': 'rests',
  'skeletons.*.commit.judge.weak': 'rests',
  'skeletons.*.commit.judge.why': 'free',
  'skeletons.*.commit.judge.found': 'free',
  'skeletons.*.commit.judge.reject': 'free',
  'skeletons.*.commit.invariants': 'rests',
  'skeletons.*.commit.invariants.id': 'rests',
  'skeletons.*.commit.invariants.sum': 'rests',
  'skeletons.*.commit.invariants.is': 'rests',
  'skeletons.*.exit': 'rests',
  'skeletons.*.exit.id': 'rests',
  'skeletons.*.exit.at': 'rests',
  'skeletons.*.exit.when': 'rests',
  'skeletons.*.exit.when.guard': 'rests',
  'skeletons.*.exit.outputs': 'rests',
  'skeletons.*.exit.release': 'free',
  'skeletons.*.exit.message': 'free',
  'skeletons.*.exit.judge': 'rests',
  'skeletons.*.exit.judge.by': 'rests',
  'skeletons.*.exit.judge.pass': 'rests',
  'skeletons.*.exit.judge.sure': 'rests',
  'skeletons.*.exit.judge.weak': 'rests',
  'skeletons.*.exit.judge.why': 'free',
  'skeletons.*.exit.judge.found': 'free',
  'skeletons.*.exit.judge.reject': 'free',
  'skeletons.*.exit.invariants': 'rests',
  'skeletons.*.exit.invariants.id': 'rests',
  'skeletons.*.exit.invariants.sum': 'rests',
  'skeletons.*.exit.invariants.is': 'rests',
  'skeletons.*.discard': 'rests',
  'skeletons.*.discard.id': 'rests',
  'skeletons.*.discard.at': 'rests',
  'skeletons.*.rollback': 'rests',
  'skeletons.*.rollback.anchors': 'rests',
  'skeletons.*.rollback.pending': 'rests',
  'skeletons.*.rollback.compensable': 'joined',
  // Decides whose promises a restore may cross, and a promise was made under the config of its time.
  'skeletons.*.rollback.joint': 'rests',
  // Decides whether a certified exit may be used; the tests of an exit do not depend on it.
  'skeletons.*.rollback.exits': 'free',
  'skeletons.*.rollback.outcome_checkpoints': 'rests',
  'skeletons.*.rollback.resume': 'rests',
  'skeletons.*.rollback.tries': 'free',
  // The calls that a branch holds and the units that a choice ended are settled for good.
  alternatives: 'rests',
  'alternatives.*.at': 'rests',
  'alternatives.*.branch': 'rests',
  'alternatives.*.choose': 'free',
  'alternatives.*.choose.rule': 'free',
  'alternatives.*.choose.when': 'free',
  'alternatives.*.choose.score': 'free',
  'alternatives.*.choose.deadline': 'free',
  'alternatives.*.choose.expires': 'free',
  'alternatives.*.losers': 'free',
  scopes: 'rests',
  keys: 'rests',
  'keys.blind': 'rests',
  'keys.append': 'rests',
  // The keys that the sender of an event had seen are not recorded with the event; today's config is asked for them.
  events: 'rests',
  'events.*.reads': 'rests',
  'events.*.steer': 'free',
  'events.*.from': 'free',
  redact: 'free',
  recover: 'free',
  'recover.tool': 'free',
  'recover.signals': 'free',
  tries: 'free',
  budgets: 'free',
  'budgets.*.pool': 'free',
  'budgets.*.limit': 'free',
  sandboxes: 'free',
  'sandboxes.*.provider': 'free',
  'sandboxes.*.ready': 'free',
  'sandboxes.*.grace': 'free',
  'sandboxes.*.snapshot': 'free',
  claims: 'free',
  'claims.release': 'free',
  'claims.line_up': 'free',
  'claims.ttl': 'free',
};

/**
 * The length of a digest in a certificate, in hexadecimal digits: enough to notice a change, no proof against forgery.
 */
const DIGITS = 16;

/** The certificate of a config, as its file has it. */
export function certificateOf(config: unknown): Certificate {
  const { tools, ...page } = (config ?? {}) as { readonly tools?: object | null };
  const digest = (value: unknown, path: readonly string[]) =>
    contentDigest(resting(value, path) ?? {}).slice(0, DIGITS);
  // The rules of an older version of a tool are left out: certificates that rest on its calls are stale (CO4).
  const own = Object.entries(tools ?? {})
    .filter(([name]) => !isOfVersion(name))
    .map(([name, tool]) => [name, digest(tool, ['tools', '*'])] as const);
  return { page: digest(page, []), tools: Object.fromEntries(own) };
}

/** The part of a value that certificates rest on; undefined if there is none. An empty map or list counts as none. */
function resting(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => resting(item, path) ?? {});
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    const bearing = BEARINGS[at.join('.')];
    // A name that is no field is the name of a tool, skeleton, scope or event, or a part of a JSON schema.
    const rests = bearing === undefined ? resting(inner, [...path, '*']) : resting(inner, at);
    return bearing === 'free' || bearing === 'joined' || rests === undefined ? [] : [[name, rests] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** True if certificates of one config hold under another. `called`: true for a tool that the run may have called. */
export function holdsUnder(then: Certificate, now: Certificate, called: (tool: string) => boolean): boolean {
  if (then.page !== now.page) return false;
  const names = new Set([...Object.keys(then.tools), ...Object.keys(now.tools)]);
  return [...names].every((name) => {
    const [before, after] = [ownOf(then.tools, name), ownOf(now.tools, name)];
    return before === after || (before === undefined && !called(name));
  });
}

function ownOf(tools: Certificate['tools'], name: string): string | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
