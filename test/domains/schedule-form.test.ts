import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { Calendar } from '../../domains/schedule-form/calendar.ts';
import { MailServer } from '../../domains/schedule-form/mail.ts';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { folder, reviewed, runsOf } from './running.ts';

const agent = agents.scheduleForm;
const run = runsOf(agent);
const { shape, config, size, warnings, notRecoverable, exitsOf } = reviewed(agent);

describe('the machine and its boundaries', () => {
  test('have the size of the paper: 12 states, 18 legal edges, 3 skeletons, 4 commits, 6 exits', () => {
    expect(size).toMatchObject({ states: 12, edges: 18, skeletons: 3, commits: 4, exits: 6 });
  });

  test('have three recoverable exits of a slot, and one legal edge that is none', () => {
    expect(warnings).toEqual([]);
    expect(notRecoverable('ResolveSlot')).toEqual(['WAITING_SLOT_SELECTION -> SLOT_READY']);
    expect(exitsOf('ResolveSlot')).toEqual([
      'WAITING_SLOT_REFINEMENT -> SLOT_READY',
      'WAITING_SLOT_REFINEMENT -> REVIEW_READY',
      'WAITING_SLOT_REFINEMENT -> DONE',
    ]);
  });
});

describe('a run that never fails', () => {
  test('takes 26 actions with five slots, and certifies every boundary that it comes past', async () => {
    const { status, calls, world, findings } = await run({});
    expect(status).toBe('done');
    expect(calls).toHaveLength(26);
    expect(findings).toEqual([]);
    expect(world).toMatchObject({
      mail: { length: 2 },
      hold: { length: 10 },
      receipt: [{ room: 'library', people: 2 }],
    });
  });

  test('moves a slot as the reviewer wishes, as its next occurrence', async () => {
    const { context, findings } = await run({
      slots: ['Kickoff', 'Budget'],
      wishes: [{ slot: 'slot[1]', value: 'fri-10' }],
    });
    expect(context).toMatchObject({ slots: { 'slot[1]': { value: 'fri-10' } } });
    // The slot that is opened again has a time already, and it is none that this occurrence chose.
    expect(findings.map((text) => text.split(' does not')[0])).toEqual([
      'not_certified commit slot-chosen of ResolveSlot::slot[1]::1',
    ]);
  });

  test('holds the slots of a draft, and invites nobody', async () => {
    const { status, value, world } = await run({ mode: 'draft', slots: ['Kickoff'] });
    expect([status, value, world.mail, world.hold?.length]).toEqual(['done', 'DONE', [], 2]);
  });

  test('is cancelled where somebody is not known', async () => {
    const { status, value, world } = await run({ people: ['ada', 'nobody'] });
    expect([status, value, world]).toEqual(['done', 'CANCELLED', { hold: [], booking: [], receipt: [], mail: [] }]);
  });

  test('refuses an input that is no request, and says why', async () => {
    await expect(agent.open({ run: 'r', folder: folder(), input: { mode: 'loud', sloots: 3 } })).rejects.toThrow(
      /no request.*additional properties.*\/mode must be equal to one of/,
    );
  });
});

describe('a tool that is not declared', () => {
  const text = readFileSync(agent.config, 'utf8');
  const undeclared = text.replace(/ {2}file_receipt:[\s\S]*?required: \[messageId\] }\n/, '');
  const loaded = loadConfig(undeclared, { file: 'schedule-form.yaml' });

  test('is reported by check', () => {
    if (loaded.config === null) throw new Error(JSON.stringify(loaded.findings));
    const codes = lintConfig(loaded.config, loaded.document, shape).map(({ code, message }) => `${code} ${message}`);
    expect(codes.join('\n')).toMatch(/tool_undeclared .*file_receipt/);
  });

  test('is irreversible: its lost reply blocks what the declared tool may redo', async () => {
    if (loaded.config === null) throw new Error('it is a config');
    const blocked = await losesItsReceipt(loaded.config);
    expect([blocked.status, blocked.decision?.verdict]).toEqual(['parked', 'escalate']);
    expect(JSON.stringify(blocked.decision?.refusals)).toContain('"class":"irreversible","status":"unknown"');
    expect((await losesItsReceipt(config)).status).toBe('done');
  });

  /** The agent under a config; its receipt is filed, and the reply lost. */
  function losesItsReceipt(under: BoundaryConfig) {
    const fault = { tool: 'file_receipt', when: 'after', signal: 'TOOL_EXCEPTION' } as const;
    return run({ slots: ['Kickoff'] }, fault, { config: under, undo: {}, reconcilers: {} });
  }
});

describe('the world', () => {
  const hold = { meeting: 'm', slot: 's', people: ['ada', 'ben'], title: 't', value: 'mon-12' };

  test('makes a change once for each key, and again without one', () => {
    const calendar = new Calendar(join(folder(), 'c.sqlite'));
    calendar.hold(hold, 'k');
    calendar.hold(hold, 'k');
    expect(calendar.rows().hold).toHaveLength(2);
    calendar.hold(hold, undefined);
    expect(calendar.rows().hold).toHaveLength(4);
    calendar.close();
  });

  test('puts a change back once, and refuses where it was changed since', () => {
    const calendar = new Calendar(join(folder(), 'c.sqlite'));
    calendar.hold(hold, 'k');
    calendar.settle({ ...hold, value: 'fri-10' }, 'l');
    expect(() => calendar.putBack('k', 'k~undo')).toThrow('changed since');
    calendar.putBack('l', 'l~undo');
    calendar.putBack('l', 'l~undo');
    expect(calendar.rows().hold).toMatchObject([
      { value: 'mon-12', revision: 0 },
      { value: 'mon-12', revision: 0 },
    ]);
    calendar.putBack('k', 'k~undo');
    expect(calendar.rows().hold).toEqual([]);
    calendar.close();
  });

  test('has a mail server that keeps its mailbox when it goes, and knows what was delivered', async () => {
    const where = folder();
    const mail = {
      messageId: '<a@b.invalid>',
      meeting: 'm',
      to: ['x@y.invalid', 'z@y.invalid'],
      subject: 's',
      body: 'b',
    };
    const first = await MailServer.start(where);
    await first.send(mail, new AbortController().signal);
    // The next one waits for the first to let go of the mailbox.
    const [second] = await Promise.all([MailServer.start(where), first.close()]);
    expect(await second.find(mail.messageId)).toEqual(mail.to);
    expect(await second.find('<other@b.invalid>')).toBeNull();
    await second.send(mail, new AbortController().signal);
    expect((await second.all()).map(({ recipient }) => recipient)).toEqual([...mail.to, ...mail.to]);
    await second.close();
  });

  test('delivers nothing of a mail that was broken off once it has said that it is not there', async () => {
    const server = await MailServer.start(folder());
    const mail = { meeting: 'm', to: ['x@y.invalid'], subject: 's', body: 'b'.repeat(2_000_000) };
    for (let nth = 0; nth < 20; nth += 1) {
      const messageId = `<${nth}@b.invalid>`;
      const stop = new AbortController();
      const sending = server.send({ messageId, ...mail }, stop.signal).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, nth));
      stop.abort();
      const told = await server.find(messageId);
      await sending;
      await new Promise((resolve) => setTimeout(resolve, 5));
      const there = (await server.all()).some((each) => each.messageId === messageId);
      expect([nth, told !== null]).toEqual([nth, there]);
    }
    await server.close();
  });
});
