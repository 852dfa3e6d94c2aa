/** The mutants of the rules about second looks, and about keys that are forgotten (semantics.md RV1 to RV6, E3). */
import type { Mutant } from './mutant.ts';

const LOOKS = { run: 'tests', file: 'test/semantics/revalidated.test.ts' } as const;
const KEYS = { run: 'tests', file: 'test/semantics/key-valid.test.ts' } as const;

export const OF_LOOKS: readonly Mutant[] = [
  {
    rule: 'RV1',
    file: 'projection/looks.ts',
    off: 'the age of an answer is not kept',
    find: 'this.all.set(actor, { tool, args, output, at });',
    replace: 'this.all.set(actor, { tool, args, output, at: Date.now() });',
    by: LOOKS,
  },
  {
    rule: 'RV2',
    file: 'sidecar/calls/revalidating.ts',
    off: 'an old answer is never looked at again',
    find: 'return age < 0 || age > rule.for || (rule.for === 0 && seen === undefined);',
    replace: 'return age < 0;',
    by: LOOKS,
  },
  {
    rule: 'RV2',
    file: 'effects/acting.ts',
    off: 'a call that has waited behind its intent leaves',
    find: 'return call.looks?.isDue() === true || (recorded !== undefined && call.isExpired(recorded));',
    replace: 'return recorded !== undefined && call.isExpired(recorded);',
    by: LOOKS,
  },
  {
    rule: 'RV2',
    file: 'projection/relied-reads.ts',
    off: 'an act uses nothing up',
    find: "return call !== undefined && call.repeats === null && !['none', 'idempotent'].includes(call.intent.class);",
    replace: 'return call === null;',
    by: LOOKS,
  },
  {
    rule: 'RV3',
    file: 'sidecar/calls/revalidating.ts',
    off: 'two answers are not compared',
    find: 'if (same === null) return isSame(asHeld(now, codecs), asHeld(then, codecs));',
    replace: 'if (same === null) return true;',
    by: LOOKS,
  },
  {
    rule: 'RV4',
    file: 'effects/awaiting-approval.ts',
    off: 'an approved call is not looked at after its approval',
    find: 'while (!isRefused && looks?.isDue()) {',
    replace: 'while (isRefused && looks?.isDue()) {',
    by: LOOKS,
  },
  {
    rule: 'RV4',
    file: 'sidecar/commits/outbox.ts',
    off: 'a commit is decided without a look',
    find: "const moved = prepared !== null && 'tokens' in prepared && isDue() ? await looks.make() : null;",
    replace: 'const moved = null as Awaited<ReturnType<typeof looks.make>>;',
    by: LOOKS,
  },
  {
    rule: 'RV5',
    file: 'sidecar/queries/recovery-queries.ts',
    off: 'an answer that never stands still is told as a budget',
    find: "return moved === true ? { code: 'never_still', spent } : { code: 'recovery_budget_spent', of, spent };",
    replace: "return { code: 'recovery_budget_spent', of, spent };",
    by: LOOKS,
  },
  {
    rule: 'RV6',
    file: 'projection/looks.ts',
    off: 'a call that is sent again is compared with its own effect',
    find: 'return this.relied.get(key)?.findLast((each) => each.tool === tool);',
    replace:
      'const one = this.relied.get(key)?.findLast((each) => each.tool === tool);\n    return one && { ...(this.all.get(one.actor) as LookedAt), actor: one.actor };',
    by: { run: 'tests', file: 'test/semantics/seen.test.ts' },
  },
  {
    rule: 'RV6',
    file: 'sidecar/calls/reconciling.ts',
    off: 'no look settles a call',
    find: 'const seeing = tool?.see && call ? this.#seeing(call, tool.see) : undefined;',
    replace: 'const seeing = undefined as Reconciler | undefined;',
    by: LOOKS,
  },
  {
    rule: 'RV6',
    file: 'effects/acting.ts',
    off: 'a reply alone says that a call had an effect',
    find: "if (call.seen === null) write({ status: 'confirmed', output: settled.output }, spent);",
    replace: "if (call.seen !== undefined) write({ status: 'confirmed', output: settled.output }, spent);",
    by: LOOKS,
  },
  {
    rule: 'E3',
    file: 'effects/guard.ts',
    off: 'a call leaves again under a key that may be forgotten',
    find: "if (stood && call.isExpired(recorded)) return { is: 'expired', recorded };",
    replace: '',
    by: KEYS,
  },
  {
    rule: 'E3',
    file: 'sidecar/calls/reconciling.ts',
    off: 'who has forgotten the key is believed',
    find: 'if (isForgotten && !outlivesKey && !tool?.see) {',
    replace: 'if (isForgotten && outlivesKey && !tool?.see) {',
    by: KEYS,
  },
];
