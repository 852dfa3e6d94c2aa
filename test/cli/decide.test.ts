/** `belay decide`: what is decided of a trace, for a program and in words. */
import { describe, expect, test } from 'vitest';
import { belay, trace } from './belay.ts';
import { A, answers, B, begin, path, story } from './story.ts';

describe('belay decide --json', () => {
  test('answers every failure in order, as of its own line', async () => {
    const { code, out, err } = await belay(['decide', path, '--json']);
    const effect = { instance: 'S::B::0', id: 'submit', class: 'irreversible', status: 'unknown', undo: false, at: 6 };
    const done = { ...effect, status: 'confirmed' };
    const entry = { kind: 'entry', at: 1 };
    const reads = {
      kind: 'read',
      consumer: 'S::B::0',
      key: 'slots/*/value',
      step: 5,
      producer: 'S::A::0',
      wrote: 'slots/0/value',
      write: 2,
      committed: { kind: 'exit', at: 8 },
    };
    const refusals = [
      { code: 'committed_consumers_present', candidate: entry, witness: reads },
      { code: 'irreversible_effect_policy', candidate: entry, witness: done },
    ];
    expect(answers(out)).toEqual([
      { id: 't1', at: 2, verdict: 'restore', level: 0, line: { 'S::A::0': entry }, vetoes: [] },
      {
        id: 't1',
        at: 5,
        verdict: 'restore',
        level: 1,
        line: { 'S::A::0': entry, 'S::B::0': { kind: 'entry', at: 4 } },
        vetoes: [],
      },
      {
        id: 't1',
        at: 6,
        verdict: 'escalate',
        level: null,
        line: null,
        vetoes: [{ code: 'effect_outcome_unknown', candidate: { kind: 'entry', at: 4 }, witness: effect }],
        unblock: { leadsTo: 'restore', acts: [{ act: 'settle_outcome', effect }] },
      },
      {
        id: 't1',
        at: 8,
        verdict: 'escalate',
        level: null,
        line: null,
        vetoes: refusals,
        unblock: { leadsTo: 'rerun', acts: [{ act: 'undo_by_hand', effect: done }] },
      },
      {
        id: 't1',
        at: 8,
        verdict: 'restore',
        level: 0,
        line: { 'S::A::0': { kind: 'commit', at: 3 }, 'S::B::0': 'all' },
        vetoes: refusals,
      },
    ]);
    expect([code, err]).toEqual([0, '']);
  });

  test('prints a line that the policy does not allow, or allows', async () => {
    const joint = trace(
      begin,
      { do: 'enter', in: A },
      { do: 'write', in: A, key: 'x' },
      { do: 'enter', in: B, by: A },
      { do: 'boundary', in: B, kind: 'commit' },
      { do: 'fail', in: A },
    );
    const line = { 'S::A::0': { kind: 'entry', at: 1 }, 'S::B::0': 'none' };
    const [refused] = answers((await belay(['decide', '-', '--json'], joint)).out);
    expect(refused).toMatchObject({ verdict: 'rerun', level: 2, line });
    expect(refused.vetoes[0].witness).toEqual({
      kind: 'start',
      consumer: 'S::B::0',
      producer: 'S::A::0',
      step: 3,
      committed: { kind: 'commit', at: 4 },
    });
    expect(refused.unblock).toEqual({
      leadsTo: 'restore_joint',
      acts: [{ act: 'allow_joint', instances: ['S::B::0'] }],
    });
    const [allowed] = answers((await belay(['decide', '-', '--json', '--joint', 'all'], joint)).out);
    expect(allowed).toEqual({ id: 't1', at: 4, verdict: 'restore_joint', level: 2, line, vetoes: [] });
  });

  test('lists what to undo, and an abstention with its reason', async () => {
    const lines = trace(
      begin,
      { do: 'enter', in: A },
      { do: 'effect', in: A, class: 'compensable', status: 'confirmed', undo: true },
      { do: 'fail', in: A },
      { do: 'fail', in: A, key: 'x' },
    );
    const [restored, abstained] = answers((await belay(['decide', '-', '--json'], lines)).out);
    const hold = { instance: 'S::A::0', id: null, class: 'compensable', status: 'confirmed', undo: true, at: 2 };
    expect(restored).toMatchObject({ verdict: 'restore', undo: [hold] });
    expect(abstained).toEqual({
      id: 't1',
      at: 2,
      verdict: 'rerun',
      level: null,
      line: null,
      vetoes: [
        { code: 'ambiguous_instance', candidate: null, witness: { instance: 'S::A::0', key: 'x', why: 'never_wrote' } },
      ],
      undo: [hold],
      unblock: { leadsTo: 'ask_again', acts: [{ act: 'name_suspect', why: 'never_wrote' }] },
    });
  });

  test('follows the policy that is asked for', async () => {
    const hops = trace(
      begin,
      ...['A', 'B', 'C'].map((entity) => ({ do: 'enter', in: ['S', entity, 0] })),
      { do: 'write', in: A, key: 'a' },
      { do: 'read', in: B, key: 'a' },
      { do: 'write', in: B, key: 'b' },
      { do: 'read', in: ['S', 'C', 0], key: 'b' },
      { do: 'boundary', in: ['S', 'C', 0], kind: 'commit' },
      { do: 'fail', in: A },
    );
    const verdicts = ['line', 'static', 'dart'].map(async (policy) => {
      return answers((await belay(['decide', '-', '--json', '--policy', policy], hops)).out)[0].verdict;
    });
    expect(await Promise.all(verdicts)).toEqual(['rerun', 'rerun', 'restore']);
  });

  test('begins a new history, numbered from 1, at each trace line', async () => {
    const two = trace(
      begin,
      { do: 'enter', in: A },
      { do: 'trace', id: 't2' },
      { do: 'enter', in: B },
      { do: 'fail', in: B },
    );
    expect(answers((await belay(['decide', '-', '--json'], two)).out)).toMatchObject([
      { id: 't2', at: 1, line: { 'S::B::0': { kind: 'entry', at: 1 } } },
    ]);
  });

  test('reads line ends of either kind, a byte order mark, blank lines and a last line without an end', async () => {
    const text = `\ufeff${story.trimEnd().replaceAll('\n', '\r\n\r\n')}`;
    const { code, out } = await belay(['decide', '-', '--json'], text);
    expect([code, out]).toEqual([0, (await belay(['decide', path, '--json'])).out]);
  });
});

describe('belay decide in words', () => {
  test('fits a terminal, and says the verdict first', async () => {
    const { code, out } = await belay(['decide', path]);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(
      't1, event 2: restore (level 0): S::A::0 goes back to its entry at event 1. No other instance',
    );
    expect(out).toContain('effect_outcome_unknown: whether the effect "submit" of S::B::0');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('has no colours in a pipe, unless they are forced, and NO_COLOR has the last word', async () => {
    const coloured = async (env: NodeJS.ProcessEnv) => (await belay(['decide', path], '', env)).out.includes('\u001b[');
    expect(await coloured({ CI: '1', TERM: 'xterm-256color' })).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1' })).toBe(true);
    expect(await coloured({ FORCE_COLOR: '0' })).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  });

  test('says so when nothing was asked', async () => {
    const { code, out, err } = await belay(['decide', '-'], trace(begin, { do: 'enter', in: A }));
    expect([code, out, err]).toEqual([0, '', '-: no "fail" line, so nothing was asked\n']);
    expect(await belay(['decide', '-'])).toEqual({
      code: 0,
      out: '',
      err: '-: no "fail" line, so nothing was asked\n',
    });
  });

  test('prints nothing that a terminal would obey, whatever a run is called', async () => {
    const hostile = 'x\u001b[2Jy\u202e\u0007';
    const lines = trace(
      { do: 'trace', id: hostile },
      { do: 'enter', in: [hostile, hostile, 0] },
      { do: 'fail', in: [hostile, hostile, 0] },
    );
    const { out } = await belay(['decide', '-'], lines);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(out.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(out).toContain('"x\\u001b[2Jy\\u{202e}\\u0007", event 1: restore');
  });
});
