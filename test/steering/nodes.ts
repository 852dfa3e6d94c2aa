/** The nodes of little programs. */
import type { Node } from './programs.ts';

export const GO: Node = { is: 'wait', type: 'GO' };
export const OK: Node = { is: 'wait', type: 'OK' };
type Call = Extract<Node, { is: 'call' }>;
export const call = (reads: readonly string[], kind: Call['class'] = 'none'): Call => ({
  is: 'call',
  reads,
  class: kind,
});
