/** The agents that ask before they act, in one folder: what is asked of them, and what their journal says of answers. */
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { AnswerEntry } from '../../src/model/call-entries.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { Desk, OFFICE } from './agents.ts';

export let desk: Desk;

/** Opens a folder for the tests of a file. */
export function openOffice(): void {
  desk = new Desk(OFFICE);
  afterAll(() => desk.clear());
}

export const LOSES = ['--input', '{"loses":true}'];
export const row = (name: string, count: number) => expect.stringMatching(new RegExp(`\n {2}${name} +${count}\n`));

/** Runs an agent up to its gate, and gives the gate. */
export async function asked(run: string, ...more: string[]) {
  await desk.ask('run', 'office', '--run', run, ...more);
  const [gate] = await desk.json('approvals', run);
  return gate as { gate: string; digest: string; epoch: number };
}

/** Leaves a message for a run, as anybody could. */
export async function post(run: string, body: string): Promise<number> {
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
  try {
    return store.post(run, body);
  } finally {
    await store.close();
  }
}

/** What the journal of a run says of answers. */
export async function answers(run: string): Promise<Pick<AnswerEntry, 'verdict' | 'by' | 'why'>[]> {
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'), { readonly: true });
  try {
    return entriesOf(store.read(run)).flatMap((entry) =>
      entry.do === 'answer' ? [{ verdict: entry.verdict, by: entry.by, why: entry.why }] : [],
    );
  } finally {
    await store.close();
  }
}
