/** Values of which a type says less than is known: a state relies on what an earlier one has learnt, and an error may be anything. */
import type { AddressInfo } from 'node:net';

/** Gives a value that has to be there. @throws Error where it is not. */
export function there<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what} yet`);
  return value;
}

/** Gives a field of a value that may be no object, and may have no such field. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Gives a field that has to be a text. @throws Error where it is none. */
export function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  if (typeof field !== 'string') throw new Error(`there is no text ${name}`);
  return field;
}

/** Gives a field that has to be a number. @throws Error where it is none. */
export function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  if (typeof field !== 'number') throw new Error(`there is no number ${name}`);
  return field;
}

/** Gives the message of what was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Gives the port that a server listens on. @throws Error where it listens on none. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** Names the fields of a record whose type names them all. */
export function keysOf<TKey extends string>(record: { readonly [Key in TKey]?: unknown }): TKey[] {
  return Object.keys(record) as TKey[];
}

/** Types a machine: xstate reads the types off a value that it never looks into. */
export function typed<TContext, TInput>(): { context?: TContext; input?: TInput } {
  return {};
}
