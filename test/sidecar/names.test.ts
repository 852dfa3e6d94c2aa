/** The names of a config and of a program meet when the machine is attached, and not when a call's outcome is unknown. */
import { describe, expect, test } from 'vitest';
import type { SidecarOptions } from '../../src/xstate/attach.ts';
import { Line } from './stations.ts';

const buffer = { publish: () => {}, discard: () => {} };
const ask = () => ({ is: 'not_applied' }) as const;
const undo = () => {};

/** What attaching a line of one tool says: its refusal, or its findings. */
async function told(tool: string, more: Partial<SidecarOptions>): Promise<readonly string[]> {
  const line = new Line([{ name: 'pay', tool }]);
  const texts: string[] = [];
  try {
    const run = await line.begin({
      ...more,
      onFinding: ({ code, text }: { code: string; text: string }) => void texts.push(`${code} ${text}`),
    });
    await run.close();
  } catch (error) {
    return [`${(error as { code?: string }).code} ${(error as Error).message}`];
  }
  return texts;
}

describe('a name that is misspelt on one side is refused at once, and the other is offered', () => {
  test.each<[string, string, Partial<SidecarOptions>, string]>([
    [
      'a reconciler',
      'effect: irreversible, reconcile: findPayment',
      { reconcilers: { findPaymnt: ask } },
      'findPaymnt',
    ],
    ['an undo', 'effect: reversible, undo: release', { undo: { releaze: undo } }, 'releaze'],
    ['a buffer', 'effect: irreversible, buffer: drafts', { buffers: { draft: buffer } }, 'draft'],
    ['a check', 'effect: irreversible, check: fresh', { checks: { frehs: () => null } }, 'frehs'],
  ])('%s', async (_, tool, more, meant) => {
    expect(await told(tool, more)).toEqual([expect.stringMatching(`^not_registered .*Did you mean "${meant}"\\?$`)]);
  });

  test('in resume() as in attach()', async () => {
    const line = new Line([{ name: 'pay', tool: 'effect: irreversible, reconcile: findPayment' }]);
    await expect(line.resume({ reconcilers: { findPaymnt: ask } })).rejects.toMatchObject({ code: 'not_registered' });
  });
});

describe('a name that stands on one side alone', () => {
  test('is refused where its call would be held back for ever', async () => {
    const text = /^not_registered "pay" names the buffer "drafts", and attach\(\) was not given it under "buffers"/;
    expect(await told('effect: irreversible, buffer: drafts', {})).toEqual([expect.stringMatching(text)]);
  });

  test('is a finding where it only has the run parked', async () => {
    expect(await told('effect: irreversible, reconcile: find, undo: take', {})).toEqual([
      expect.stringMatching(/^not_registered "pay" names the reconciler "find"/),
      expect.stringMatching(/^not_registered "pay" names the undo "take"/),
    ]);
  });

  test('is a finding where nothing would ever ask it', async () => {
    expect(await told('effect: none', { reconcilers: { somethingElse: ask } })).toEqual([
      expect.stringMatching(/^not_named attach\(\) was given the reconciler "somethingElse"/),
    ]);
  });

  test('is missed where every object has something of that name', async () => {
    expect(await told('effect: irreversible, check: constructor', { checks: {} })).toEqual([
      expect.stringMatching(/^not_registered .*the check "constructor"/),
    ]);
  });
});

test('names that meet are not spoken of', async () => {
  const tool = 'effect: reversible, reconcile: find, undo: take, check: fresh, buffer: drafts';
  const more = {
    reconcilers: { find: ask },
    undo: { take: undo },
    checks: { fresh: () => null },
    buffers: { drafts: buffer },
  };
  expect(await told(tool, more)).toEqual([]);
});
