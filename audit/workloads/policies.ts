/**
 * Names the acts of a client when a call fails, in nine ways; eight of them are in use elsewhere, or know more than a
 * client can.
 */

export const POLICIES = [
  'give-up',
  'naive-retry',
  'ask-and-retry',
  'whole-restart',
  'checkpoint-rollback',
  'checkpoint-every-step',
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
  'ask-and-retry':
    'asks whether the call happened, by the status queries and keys that Belay has; takes the answer, makes the call again, or waits. It cannot go back',
  'whole-restart': 'starts the task over in the world that is there, up to ten times',
  'checkpoint-rollback': 'goes on from the last snapshot, taken where work begins, up to a hundred times',
  'checkpoint-every-step': 'the same, with a snapshot after every step',
  'comp-frozen': "the DART paper's rule, whole-snapshot restore, and nobody to ask",
  belay: 'the line, with everybody who can be asked',
  oracle:
    'knows whether the effect landed, and which earlier work was wrong; where the agent says what relied on it, undoes what it redoes',
};

/** The number of attempts of a policy before it leaves a call, or the task. */
export const LIMITS = {
  'naive-retry': 10,
  'ask-and-retry': 100,
  'whole-restart': 10,
  'checkpoint-rollback': 100,
  'checkpoint-every-step': 100,
} as const;

/** The policies that go back, to a snapshot or to the beginning, where a call fails or is found wrong. */
export type GoingBack = 'whole-restart' | 'checkpoint-rollback' | 'checkpoint-every-step';

/** True for a policy that goes back. */
export function goesBack(policy: Policy): policy is GoingBack {
  return ['whole-restart', 'checkpoint-rollback', 'checkpoint-every-step'].includes(policy);
}

/** True if there is a policy of a name. */
export function isPolicy(name: string): name is Policy {
  return POLICIES.some((policy) => policy === name);
}
