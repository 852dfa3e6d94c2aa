/** The mutants of the rules about obligations (semantics.md OB1 to OB7). */
import type { Mutant } from './mutant.ts';

const ROUNDS = { run: 'tests', file: 'test/semantics/obligations.test.ts' } as const;
const REFUSED = { run: 'tests', file: 'test/sidecar/owing-refused.test.ts' } as const;
const BESIDE = { run: 'tests', file: 'test/sidecar/owing-beside.test.ts' } as const;
const UNDONE = { run: 'tests', file: 'test/sidecar/owing-undone.test.ts' } as const;
const AGENT = { run: 'tests', file: 'test/workers/owing-agent.test.ts' } as const;
const BY = { run: 'tests', file: 'test/sidecar/owing.test.ts' } as const;

export const OF_OBLIGATIONS: readonly Mutant[] = [
  {
    rule: 'OB1',
    file: 'sidecar/calls/taking-on.ts',
    off: 'an obligation is recorded once the sentence is confirmed',
    find: "...(entry.do === 'intent' ? takenOnBy(parts, entry) : [])",
    replace: "...(entry.do === 'outcome' ? takenOnBy(parts, { ...parts.runState.ledger.get(entry.key)!.intent }) : [])",
    by: ROUNDS,
  },
  {
    rule: 'OB1',
    file: 'reports/obligations.ts',
    off: 'a sentence that has failed is owed',
    find: "call.status === 'failed' || call.status === 'compensated' || call.repeats",
    replace: "call.status === 'compensated' || call.repeats",
    by: ROUNDS,
  },
  {
    rule: 'OB1',
    file: 'reports/obligations.ts',
    off: 'a sentence that was undone is owed',
    find: "call.status === 'failed' || call.status === 'compensated' || call.repeats",
    replace: "call.status === 'failed' || call.repeats",
    by: ROUNDS,
  },
  {
    rule: 'OB2',
    file: 'reports/obligations.ts',
    off: 'one call keeps all that it fits',
    find: 'const free = possible.find((call) => !holders.has(call.key) && fits(one, call));',
    replace:
      'const free = possible.find((call) => fits(one, call));\n    if (free !== undefined) holders.delete(free.key);',
    by: ROUNDS,
  },
  {
    rule: 'OB2',
    file: 'reports/obligations.ts',
    off: 'what was kept stays kept once the call is undone',
    find: "call.status === 'confirmed' && !call.undoing",
    replace: "(call.status === 'confirmed' || call.status === 'compensated')",
    by: ROUNDS,
  },
  {
    rule: 'OB2',
    file: 'reports/obligations.ts',
    off: 'a call from before the sentence keeps what it says',
    find: 'if (runState.obligations.orderOf(call.key) <= order) return false;',
    replace: '',
    by: ROUNDS,
  },
  {
    rule: 'OB2',
    file: 'reports/obligations.ts',
    off: 'a call that keeps one obligation is not passed on to another',
    find: 'if (holder !== undefined && !find(holder, seen)) continue;',
    replace: 'if (holder !== undefined) continue;',
    by: ROUNDS,
  },
  {
    rule: 'OB3',
    file: 'reports/obligations.ts',
    off: 'nothing is released by the context',
    find: "if (until !== null && until.ask(facts).is === 'yes')",
    replace: 'if (until === facts)',
    by: UNDONE,
  },
  {
    rule: 'OB4',
    file: 'sidecar/run/owing.ts',
    off: 'a run ends while it owes',
    find: 'const owed = owedActs(parts.runState);\n    const [first] = owed;',
    replace: 'const owed = owedActs(parts.runState).slice(0, 0);\n    const [first] = owed;',
    by: ROUNDS,
  },
  {
    rule: 'OB4',
    file: 'sidecar/failures/ended-by-person.ts',
    off: 'the end of a person names nothing as broken',
    find: 'const broken = brokenIn(parts.runState);',
    replace: 'const broken = brokenIn(parts.runState).slice(0, 0);',
    by: ROUNDS,
  },
  {
    rule: 'OB5',
    file: 'boundaries/obligations.ts',
    off: 'a time that is none is taken as never',
    find: 'if (at !== null && !Number.isSafeInteger(at))',
    replace: 'if (at === 0)',
    by: REFUSED,
  },
  {
    rule: 'OB5',
    file: 'sidecar/calls/taking-on.ts',
    off: 'what is due already is taken on',
    find: 'return past < 0 ? null',
    replace: 'return past < 200 ? null',
    by: REFUSED,
  },
  {
    rule: 'OB6',
    file: 'sidecar/run/owing.ts',
    off: 'each process tells again what is overdue',
    find: 'over.filter(({ overdue }) => !overdue)',
    replace: 'over.filter(({ due }) => due !== null)',
    by: BY,
  },
  {
    rule: 'OB6',
    file: 'sidecar/run/run.ts',
    off: 'who is outside says what is due',
    find: 'const isDue = this.owing.isForged(event);',
    replace: 'const isDue = event.type === null;',
    by: UNDONE,
  },
  {
    rule: 'OB6',
    file: 'sidecar/run/deliveries.ts',
    off: 'what a restore took back of what is due does not come again',
    find: '(back.confirmed === true || isDue(back))',
    replace: '(back.confirmed === true)',
    by: UNDONE,
  },
  {
    rule: 'OB7',
    file: 'sidecar/run/owing.ts',
    off: 'a config without the tool that keeps is not looked at',
    find: 'if (why === act.unkept) return [];',
    replace: 'if (why !== act.keptBy) return [];',
    by: BESIDE,
  },
  {
    rule: 'OB7',
    file: 'sidecar/run/owing.ts',
    off: 'a pause keeps nothing from being kept',
    find: 'return paused === null ? null',
    replace: 'return paused !== undefined ? null',
    by: AGENT,
  },
  {
    rule: 'OB7',
    file: 'sidecar/run/owing.ts',
    off: 'a machine without the tool that keeps is not looked at',
    find: 'if (callable?.has(keptBy) === false)',
    replace: 'if (callable?.has(keptBy) === null)',
    by: BESIDE,
  },
];
