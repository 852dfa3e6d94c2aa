/**
 * The declared seam of the audit: a sidecar whose judges are not all there. `#seam` (`imports` in package.json) is open to this
 * package alone; whoever installs it has no way to a run without its guards.
 */

export { crossing } from '../model/effect.ts';
export { DECISION_POLICY, type DecisionPolicy } from '../recovery/decision-policy.ts';
export { attachJudged } from './attach.ts';
export { machineShape } from './shape.ts';
