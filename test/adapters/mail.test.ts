import { createServer } from 'node:net';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Mail, type MailOptions, mailAdapter, messageIdOf } from '../../src/adapters/index.ts';
import { ArgumentError } from '../../src/model/argument.ts';
import { callOf, keyless, newKey, thrown } from './calls.ts';
import { PostOffice, type Trouble } from './post-office.ts';

let office: PostOffice;
beforeEach(async () => {
  office = await new PostOffice().open();
});
afterEach(() => office.close());

const lookup: MailOptions['lookup'] = (id) => (office.has(id) ? 'there' : 'not_there');

const adapter = (options: Partial<MailOptions> = {}, port = office.port) =>
  mailAdapter(createTransport({ host: '127.0.0.1', port, ignoreTLS: true }), {
    from: 'Belay <belay@sender.invalid>',
    domain: 'sender.invalid',
    lookup,
    ...options,
  });

const mail: Mail = {
  to: 'ada@people.invalid',
  subject: 'Über das Treffen',
  text: 'Hello\n.\nBcc: eve@people.invalid\n',
};
const asked = (key: string) => ({ key, tool: 'send', args: mail });

describe('a message', () => {
  test('arrives with an id that is made of its key, and nothing else than was written', async () => {
    const key = newKey();
    const { messageId } = await adapter().send(callOf(mail, key));
    expect(messageId).toBe(messageIdOf(key, 'sender.invalid'));
    expect(messageId).toMatch(/^<[0-9a-f]{64}@sender\.invalid>$/);
    const [{ to, mail: arrived } = { to: [], mail: null }] = office.mailbox;
    expect(to).toEqual(['ada@people.invalid']);
    expect(arrived).toMatchObject({
      messageId,
      subject: mail.subject,
      from: { address: 'belay@sender.invalid' },
      to: [{ address: 'ada@people.invalid' }],
    });
    expect(arrived?.text?.trimEnd()).toBe(mail.text.trimEnd());
  });

  test('sent again with the same key has the same id, and another one with another key', async () => {
    const { send } = adapter();
    const key = newKey();
    expect(await send(callOf(mail, key))).toEqual(await send(callOf(mail, key)));
    await send(callOf(mail));
    expect(new Set(office.mailbox.map(({ mail }) => mail.messageId)).size).toBe(2);
  });

  test('whose reply is lost after it was taken is unknown, and found by its id', async () => {
    office.trouble = { at: 'lost' };
    const { send, reconcile } = adapter();
    const key = newKey();
    expect((await thrown(() => send(callOf(mail, key)))).applied).toBe('unknown');
    expect(office.mailbox.length).toBe(1);
    expect(await reconcile(asked(key))).toEqual({
      is: 'applied',
      output: { messageId: messageIdOf(key, 'sender.invalid') },
    });
  });

  test('whose connection is torn before it was taken is unknown as well: the sender cannot tell', async () => {
    office.trouble = { at: 'data', torn: true };
    const { send, reconcile } = adapter();
    const key = newKey();
    expect((await thrown(() => send(callOf(mail, key)))).applied).toBe('unknown');
    expect(await reconcile(asked(key))).toEqual({ is: 'not_applied' });
  });

  test('without a key does not leave', async () => {
    expect(await thrown(() => adapter().send(keyless(mail)))).toMatchObject({
      applied: 'no',
      message: expect.stringContaining('no idempotency key'),
    });
    expect((await thrown(() => adapter().send(callOf(mail, newKey(), AbortSignal.abort())))).applied).toBe('no');
    expect(office.mailbox).toEqual([]);
  });
});

describe('a refusal', () => {
  test.each<Trouble>([
    { at: 'connect', code: 554 },
    { at: 'sender', code: 550 },
    { at: 'sender', code: 451 },
    { at: 'recipient', code: 550 },
    { at: 'recipient', code: 450 },
    { at: 'data', code: 554 },
  ])('that the server is clear about says that nothing happened: %o', async (trouble) => {
    office.trouble = trouble;
    expect(await thrown(() => adapter().send(callOf(mail)))).toEqual({
      applied: 'no',
      message: expect.stringContaining('the message was not taken'),
    });
    expect(office.mailbox).toEqual([]);
  });

  test.each([421, 451])('of %i once the text has left says nothing for certain', async (code) => {
    office.trouble = { at: 'data', code };
    expect((await thrown(() => adapter().send(callOf(mail)))).applied).toBe('unknown');
  });

  test('of the credentials says that nothing happened', async () => {
    const strict = await new PostOffice(true).open();
    const auth = { user: 'belay', pass: 'wrong' };
    const transport = createTransport({ host: '127.0.0.1', port: strict.port, ignoreTLS: true, auth });
    const { send } = mailAdapter(transport, { from: 'a@b.invalid', domain: 'b.invalid' });
    expect((await thrown(() => send(callOf(mail)))).applied).toBe('no');
    await strict.close();
  });

  test('of a server that is not there says that nothing happened', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    expect((await thrown(() => adapter({}, port).send(callOf(mail)))).applied).toBe('no');
    const nowhere = createTransport({ host: 'nowhere.invalid', port: 25 });
    const { send } = mailAdapter(nowhere, { from: 'a@b.invalid', domain: 'b.invalid' });
    expect((await thrown(() => send(callOf(mail)))).applied).toBe('no');
  });
});

describe('the reconciler', () => {
  test('says what the lookup says', async () => {
    for (const [presence, is] of [
      ['there', 'applied'],
      ['not_there', 'not_applied'],
      ['unknown', 'unknown'],
    ] as const)
      expect(await adapter({ lookup: () => presence }).reconcile(asked(newKey()))).toMatchObject({ is });
  });

  test('knows nothing without one', async () => {
    const transport = createTransport({ host: '127.0.0.1', port: office.port });
    const { reconcile } = mailAdapter(transport, { from: 'a@b.invalid', domain: 'b.invalid' });
    expect(await reconcile(asked(newKey()))).toEqual({ is: 'unknown' });
  });
});

describe('hostile input', () => {
  test.each([
    'ada@people.invalid\r\nBcc: eve@people.invalid',
    'ada@people.invalid\nRCPT TO:<eve@people.invalid>',
    'ada@people.invalid, eve@people.invalid',
    'ada@people.invalid;eve@people.invalid',
    'friends: ada@people.invalid, eve@people.invalid;',
    'Ada <eve@people.invalid>',
    '"a b"@people.invalid',
    'ada@people.invalid\0',
    'ada',
    '',
    ['ada@people.invalid', 'eve@people.invalid'],
    { address: 'eve@people.invalid' },
    undefined,
  ])('in `to` does not leave: %j', async (to) => {
    expect((await thrown(() => adapter().send(callOf({ ...mail, to } as Mail)))).applied).toBe('no');
    expect(office.mailbox).toEqual([]);
  });

  test.each(['a\r\nBcc: eve@people.invalid', 'a\nb', 'a\rb', 'a\0', 7, undefined, { path: 'package.json' }])(
    'in `subject` does not leave: %j',
    async (subject) => {
      expect((await thrown(() => adapter().send(callOf({ ...mail, subject } as Mail)))).applied).toBe('no');
      expect(office.mailbox).toEqual([]);
    },
  );

  test.each([{ path: 'package.json' }, { href: 'http://127.0.0.1/' }, null, 7])(
    'in `text` that would have a file or a page sent does not leave: %j',
    async (text) => {
      expect((await thrown(() => adapter().send(callOf({ ...mail, text } as unknown as Mail)))).applied).toBe('no');
      expect(office.mailbox).toEqual([]);
    },
  );

  test('no input at all does not leave, and other fields are not sent along', async () => {
    expect((await thrown(() => adapter().send(callOf(undefined as unknown as Mail)))).applied).toBe('no');
    const more = { ...mail, bcc: 'eve@people.invalid', attachments: [{ path: 'package.json' }], messageId: '<mine@x>' };
    await adapter().send(callOf(more));
    expect(office.mailbox[0]?.to).toEqual(['ada@people.invalid']);
    expect(office.mailbox[0]?.mail.attachments).toEqual([]);
    expect(office.mailbox[0]?.raw).not.toMatch(/mine@x|eve@people\.invalid(?!\r?\n)/);
  });

  test('a domain that would break the id is refused at once', () => {
    for (const domain of ['', 'a b', 'x>\r\nBcc: y', '@x', '.x'])
      expect(() => adapter({ domain })).toThrow(ArgumentError);
  });
});
