/**
 * Names the tasks of `Send`s within their node, by their entity, so that a replay finds the same task again
 * (semantics.md C5).
 */
import { createHash } from 'node:crypto';
import type { BoundaryConfig } from '../boundaries/config.ts';
import { argsDigest } from '../effects/digest.ts';
import type { Setting } from './setting.ts';

/** Names tasks by the entities that a config has for their nodes, else by what their `Send`s carry. */
export function tieFor({ skeletons }: BoundaryConfig): Setting['tieOf'] {
  return (node, args, memory) => {
    const skeleton = [...skeletons.values()].find(({ entry }) => entry.includes(node));
    const event = { ...(typeof args === 'object' ? args : { input: args }), type: 'graph.task' };
    const { type: _, ...fields } = event;
    const facts = { state: node, action: 'graph.task', args: fields, entity: null, memory, event };
    const entity = skeleton?.entity.evaluate(facts);
    const text = entity !== undefined && 'value' in entity ? `entity ${entity.value}` : argsDigest(args, null);
    return `s${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  };
}
