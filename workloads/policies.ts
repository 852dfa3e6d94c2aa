/** What a client does when a call fails, in seven ways; six of them that others use, or that know more than anybody can. */

export const POLICIES = [
  'give-up',
  'naive-retry',
  'whole-restart',
  'checkpoint-rollback',
  'comp-frozen',
  'belay',
  'oracle',
] as const;
export type Policy = (typeof POLICIES)[number];

/** The policies that run without a sidecar. */
export type PlainPolicy = Exclude<Policy, 'comp-frozen' | 'belay'>;

export const ABOUT: Readonly<Record<Policy, string>> = {
  'give-up': 'leaves the call and goes on',
  'naive-retry': 'makes the call again, up to ten times, and then leaves it',
  'whole-restart': 'starts the task over in the world that is there, up to ten times',
  'checkpoint-rollback': 'goes on from the last snapshot, taken where work begins, up to a hundred times',
  'comp-frozen': "the DART paper's rule, whole-snapshot restore, and nobody to ask",
  belay: 'the line, with everybody who can be asked',
  oracle: 'knows whether the effect landed, and which earlier work was wrong',
};

/** How often a policy tries in all before it leaves a call, or the task. */
export const LIMITS = { 'naive-retry': 10, 'whole-restart': 10, 'checkpoint-rollback': 100 } as const;

/** Whether there is a policy of a name. */
export function isPolicy(name: string): name is Policy {
  return (POLICIES as readonly string[]).includes(name);
}
