/**
 * An instance is one occurrence of a reviewed skeleton, and the unit of recovery (DART def. 4). Its identity is the three
 * columns below (K1); the printed form exists to be read, is injective, and is never parsed.
 */
import { NUMBER, refuseOther, shape, TEXT } from './argument.ts';

/** The identity of an instance (K1). `ordinal` counts the occurrences of (skeleton, entity) from 0 (K2). */
export interface InstanceId {
  readonly skeleton: string;
  readonly entity: string;
  readonly ordinal: number;
}

/** The skeleton of the root instances, which own the steps outside every skeleton: no config can name one so. */
export const ROOT = '(root)';

/** The printed name of the root instance of a region. */
export function rootName(region: string): string {
  return printed({ skeleton: ROOT, entity: region, ordinal: 0 });
}

/**
 * Prints an instance as `Skeleton::entity::0`, with `%` and `:` in its parts escaped, so that no two print alike (K1).
 * @example
 * import { instanceName } from 'belay-sidecar';
 *
 * assert.equal(instanceName({ skeleton: 'Order', entity: 'a:b', ordinal: 0 }), 'Order::a%3Ab::0');
 */
export function instanceName(id: InstanceId): string {
  const known = names.get(id);
  if (known !== undefined) return known;
  refuseOther('instanceName', { id: [id, INSTANCE] });
  const name = printed(id);
  names.set(id, name);
  return name;
}

/** Identities are values and never change. A step asks for their names many times. */
const names = new WeakMap<InstanceId, string>();

function printed(id: InstanceId): string {
  return `${escapePart(id.skeleton)}::${escapePart(id.entity)}::${id.ordinal}`;
}

function escapePart(text: string): string {
  return /[%:]/.test(text) ? text.replaceAll('%', '%25').replaceAll(':', '%3A') : text;
}

/** An instance, as exported functions take it. */
export const INSTANCE = shape<InstanceId>('an instance: { skeleton, entity, ordinal }', {
  skeleton: TEXT,
  entity: TEXT,
  ordinal: NUMBER,
});
