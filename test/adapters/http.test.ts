import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpOptions, httpAdapter, keyHeader } from '../../src/adapters/index.ts';
import { ArgumentError } from '../../src/model/argument.ts';
import { callOf, keyless, newKey, thrown } from './calls.ts';
import { Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await new Service().open();
});
afterEach(() => service.close());

const adapter = (options: Partial<HttpOptions> = {}) =>
  httpAdapter<unknown>({ url: `${service.url}/orders`, status: (name) => `${service.url}/orders/${name}`, ...options });

const asked = (key: string) => ({ key, tool: 'order', args: {} });

describe('a call', () => {
  test('is sent as JSON with its key in the header, and answers status and body', async () => {
    const key = newKey();
    const answer = await adapter({ headers: { Authorization: 'Bearer x' } }).call(callOf({ item: 'tea' }, key));
    expect(answer).toEqual({ status: 201, body: { order: 1, of: { item: 'tea' } } });
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/orders', body: '{"item":"tea"}' });
    expect(request?.headers).toMatchObject({
      'idempotency-key': keyHeader(key),
      'content-type': 'application/json',
      authorization: 'Bearer x',
    });
    expect(keyHeader(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('has the same bytes for the same arguments, however they are ordered', async () => {
    const { call } = adapter();
    await call(callOf({ b: { d: 1, c: [2, 1] }, a: new Date(0) }));
    await call(callOf({ a: new Date(0), b: { c: [2, 1], d: 1 } }));
    const [one, other] = service.requests.map(({ body }) => body);
    expect(one).toBe('{"a":"1970-01-01T00:00:00.000Z","b":{"c":[2,1],"d":1}}');
    expect(other).toBe(one);
  });

  test('made again with the same key is done once, by a service that knows the header', async () => {
    const { call } = adapter();
    const key = newKey();
    expect(await call(callOf({ item: 'tea' }, key))).toEqual(await call(callOf({ item: 'tea' }, key)));
    expect(service.done.size).toBe(1);
    await call(callOf({ item: 'tea' }));
    expect(service.done.size).toBe(2);
  });

  test('uses the method and the header that it is told', async () => {
    const key = newKey();
    await adapter({ method: 'PUT', header: 'X-Request' }).call(callOf({}, key));
    expect(service.requests[0]).toMatchObject({ method: 'PUT', headers: { 'x-request': keyHeader(key) } });
  });

  test('without a key says that nothing happened, and why', async () => {
    expect(await thrown(() => adapter().call(keyless({})))).toEqual({
      applied: 'no',
      message: expect.stringContaining('no idempotency key'),
    });
    expect(service.requests).toEqual([]);
  });

  test('that is stopped before it leaves says that nothing happened', async () => {
    const outcome = await thrown(() => adapter().call(callOf({}, newKey(), AbortSignal.abort())));
    expect(outcome.applied).toBe('no');
    expect(service.requests).toEqual([]);
  });
});

describe('a reply that is lost after the service has acted', () => {
  test.each<[string, Service['manner']]>([
    ['the connection is torn before the reply', (response) => void response.destroy()],
    [
      'the connection is torn in the reply',
      (response) => {
        response.writeHead(201, { 'content-type': 'application/json', 'content-length': 1000 });
        response.write('{"order":', () => response.destroy());
      },
    ],
    [
      'the reply is no HTTP',
      (response) => {
        response.socket?.end('nonsense\r\n\r\n');
      },
    ],
    [
      'the reply is no JSON though it says so',
      (response) => {
        response.writeHead(201, { 'content-type': 'application/problem+json; charset=utf-8' });
        response.end('{');
      },
    ],
  ])('leaves the outcome unknown where %s, and the status tells', async (_, manner) => {
    service.manner = manner;
    const { call, reconcile } = adapter();
    const key = newKey();
    expect((await thrown(() => call(callOf({ item: 'tea' }, key)))).applied).toBe('unknown');
    expect(await reconcile(asked(key))).toEqual({
      is: 'applied',
      output: { status: 200, body: { order: 1, of: { item: 'tea' } } },
    });
  });

  test('leaves the outcome unknown where the call is stopped meanwhile, and the request is broken off', async () => {
    const stop = new AbortController();
    let gone: Promise<unknown> | undefined;
    service.manner = (response) => {
      gone = new Promise((resolve) => response.once('close', resolve));
      stop.abort();
    };
    const { call } = adapter();
    await expect(call(callOf({}, newKey(), stop.signal))).rejects.toMatchObject({ name: 'AbortError' });
    await gone;
    expect(service.done.size).toBe(1);
  });

  test('leaves the outcome unknown where the reply does not end, and reads no further than the limit', async () => {
    let gone: Promise<unknown> | undefined;
    service.manner = (response) => {
      gone = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(201, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
      };
      response.on('drain', more);
      more();
    };
    const { call } = adapter({ limit: 10_000 });
    expect(await thrown(() => call(callOf({})))).toEqual({
      applied: 'unknown',
      message: 'the answer is larger than 10000 bytes',
    });
    await gone;
  });
});

describe('an answer', () => {
  test.each([307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429])('of %i is a refusal', async (status) => {
    service.refuse = (response) => {
      response.writeHead(status, { location: `${service.url}/elsewhere` }).end('no');
      return true;
    };
    expect(await thrown(() => adapter().call(callOf({})))).toEqual({
      applied: 'no',
      message: expect.stringContaining(`was answered ${status}: `),
    });
    expect(service.requests.length).toBe(1);
  });

  test.each([300, 301, 302, 303, 304, 402, 406, 408, 409, 412, 418, 425, 500, 502, 503, 504])(
    'of %i says nothing of what was done',
    async (status) => {
      service.manner = (response) => void response.writeHead(status, { location: `${service.url}/elsewhere` }).end();
      expect(await thrown(() => adapter().call(callOf({})))).toEqual({
        applied: 'unknown',
        message: expect.stringContaining(`was answered ${status}`),
      });
      expect(service.requests.length).toBe(1);
    },
  );

  test('may be empty, or a text', async () => {
    service.manner = (response) => void response.writeHead(204).end();
    expect(await adapter().call(callOf({}))).toEqual({ status: 204, body: null });
    service.manner = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('{"done"');
    expect(await adapter().call(callOf({}))).toEqual({ status: 200, body: '{"done"' });
  });
});

describe('a service that was never reached', () => {
  test('refuses the connection: nothing happened', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await thrown(() => adapter({ url: `http://${host}:${port}/` }).call(callOf({})));
      expect(outcome).toEqual({ applied: 'no', message: expect.stringContaining('the service could not be reached') });
    }
  });

  test('has several addresses: nothing happened if none of them could be reached', async () => {
    const refused = Object.assign(new Error('refused'), { syscall: 'connect', code: 'ECONNREFUSED' });
    const torn = Object.assign(new Error('torn'), { syscall: 'read', code: 'ECONNRESET' });
    for (const [errors, applied] of [
      [[refused, refused], 'no'],
      [[refused, torn], 'unknown'],
      [[], 'unknown'],
    ] as const) {
      const cause = new AggregateError(errors);
      const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
      expect((await thrown(() => adapter({ fetch }).call(callOf({})))).applied).toBe(applied);
    }
  });

  test('has no address: nothing happened', async () => {
    const outcome = await thrown(() => adapter({ url: 'http://nowhere.invalid/' }).call(callOf({})));
    expect(outcome.applied).toBe('no');
  });

  test('takes the connection and drops it: that is not known', async () => {
    const server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const outcome = await thrown(() => adapter({ url: `http://127.0.0.1:${port}/` }).call(callOf({})));
    expect(outcome.applied).toBe('unknown');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the reconciler', () => {
  test('says that a call did not happen where the status is 404, with the key in the header', async () => {
    const key = newKey();
    expect(await adapter({ headers: { authorization: 'x' } }).reconcile(asked(key))).toEqual({ is: 'not_applied' });
    expect(service.requests).toMatchObject([
      {
        method: 'GET',
        url: `/orders/${keyHeader(key)}`,
        headers: { 'idempotency-key': keyHeader(key), authorization: 'x' },
      },
    ]);
  });

  test.each([201, 204, 302, 401, 410, 429, 500, 503])('knows nothing where the status is %i', async (status) => {
    service.told = (response) => void response.writeHead(status, { location: service.url }).end();
    expect(await adapter().reconcile(asked(newKey()))).toEqual({ is: 'unknown' });
    expect(service.requests.length).toBe(1);
  });

  test('knows nothing of a service that tells nothing', async () => {
    const { reconcile } = httpAdapter({ url: service.url });
    expect(await reconcile(asked(newKey()))).toEqual({ is: 'unknown' });
    expect(service.requests).toEqual([]);
  });

  test('throws where the status does not answer in time or breaks off, so that it is asked again', async () => {
    service.told = () => {};
    await expect(adapter({ patience: 50 }).reconcile(asked(newKey()))).rejects.toMatchObject({ name: 'TimeoutError' });
    service.told = (response) => void response.destroy();
    await expect(adapter().reconcile(asked(newKey()))).rejects.toThrow();
  });
});

describe('hostile input', () => {
  test('that has no JSON does not leave', async () => {
    const round: Record<string, unknown> = {};
    round.self = round;
    for (const input of [round, { n: 1n }, { toJSON: () => JSON.parse('{') }])
      expect((await thrown(() => adapter().call(callOf(input)))).applied).toBe('no');
    expect(service.requests).toEqual([]);
  });

  test('reaches neither the headers nor the URL', async () => {
    await adapter().call(
      callOf(JSON.parse('{"__proto__":{"x":1},"url":"http://other.invalid","headers":{"host":"h"}}')),
    );
    expect(service.requests).toMatchObject([
      { url: '/orders', body: '{"__proto__":{"x":1},"headers":{"host":"h"},"url":"http://other.invalid"}' },
    ]);
    expect(service.requests[0]?.headers.host).toBe(new URL(service.url).host);
  });

  test('cannot take the place of the key: it wins over headers of the same name', async () => {
    const key = newKey();
    await adapter({ headers: { 'idempotency-key': 'mine' } }).call(callOf({}, key));
    expect(service.requests[0]?.headers['idempotency-key']).toBe(keyHeader(key));
  });

  test('options that no request can be made of are refused at once', () => {
    for (const url of ['', 'file:///etc/passwd', 'http://user:secret@service.invalid/'])
      expect(() => httpAdapter({ url })).toThrow(ArgumentError);
    expect(() => adapter({ header: 'two words' })).toThrow(ArgumentError);
    expect(() => adapter({ headers: { 'x-y': 'a\r\nb: c' } })).toThrow(ArgumentError);
  });
});
