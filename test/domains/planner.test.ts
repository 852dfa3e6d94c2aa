import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { chosen } from '../../domains/planner/chosen.ts';
import { type Endpoint, endpointFrom, live } from '../../domains/planner/live.ts';
import { ask, line, type Planner, type Question, scripted } from '../../domains/planner/planner.ts';
import { costOf, recorded, recording, requestOf } from '../../domains/planner/recorded.ts';
import { scheduleForm } from '../../domains/schedule-form/agent.ts';
import { MailServer } from '../../domains/schedule-form/mail.ts';
import * as questions from '../../domains/schedule-form/planner.ts';
import { scratchFolder } from '../scratch.ts';
import { runsOf } from './running.ts';

const folder = scratchFolder('planner');

const time: Question<{ times: readonly string[] }, string> = {
  name: 'time',
  asks: 'Pick one of the times.',
  answer: { type: 'string', pattern: '^[a-z]{3}-[0-9]{2}$' },
};
const shown = { times: ['mon-09', 'tue-10'] };
const never = new AbortController().signal;

/** What a request to the loopback server carries. */
interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[]; response_format: unknown };
}

type Answer = (response: ServerResponse, asked: Asked, nth: number) => void;

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server that speaks chat completions, on the loopback interface. */
async function endpoint(answer: Answer, more: Partial<Endpoint> = {}): Promise<{ planner: Planner; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = (await json(request)) as Asked['body'];
    asked.push({ path: request.url ?? '', key: request.headers.authorization, body });
    answer(response, asked.at(-1) as Asked, asked.length);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const given = { address: `http://127.0.0.1:${port}/v1`, key: 'a-key', model: 'a-model', timeout: 60_000, retries: 0 };
  const how = { streams: false, as: 'schema' } as const;
  return { planner: live({ ...given, ...how, ...more }), asked };
}

function complete(response: ServerResponse, content: string | null): void {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
  const body = { id: 'c', object: 'chat.completion', created: 0, model: 'a-model', choices };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: 'not now', type: 'server_error' } }));
}

describe('a live planner', () => {
  test('asks for JSON of the question’s schema, and answers with what is in it', async () => {
    const { planner, asked } = await endpoint((response) => complete(response, '{"answer":"tue-10"}'));
    expect(await ask(planner, time, shown, never)).toBe('tue-10');
    const [request] = asked;
    expect([request?.path, request?.key]).toEqual(['/v1/chat/completions', 'Bearer a-key']);
    expect(request?.body.model).toBe('a-model');
    expect(request?.body.messages[0]?.content).toContain('Pick one of the times.');
    expect(JSON.parse(request?.body.messages[1]?.content ?? '')).toEqual(shown);
    expect(request?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'time', schema: { properties: { answer: time.answer } } },
    });
  });

  test.each([
    ['no JSON', 'I would say Tuesday.'],
    ['nothing', ''],
    ['another type', '{"answer":7}'],
    ['no answer', '{}'],
    ['no time', '{"answer":"whenever"}'],
    ['null', 'null'],
  ])('refuses %s', async (_, content) => {
    const { planner } = await endpoint((response) => complete(response, content));
    await expect(ask(planner, time, shown, never)).rejects.toMatchObject({ name: 'PlannerError', code: 'bad_answer' });
  });

  test('asks again where it is refused for the moment, and no more often than it may', async () => {
    const { planner, asked } = await endpoint(
      (response, _, nth) =>
        nth < 3
          ? fail(response, nth === 1 ? 503 : 429, { 'retry-after-ms': '1' })
          : complete(response, '{"answer":"mon-09"}'),
      { retries: 2 },
    );
    expect(await ask(planner, time, shown, never)).toBe('mon-09');
    expect(asked).toHaveLength(3);
  });

  test.each([401, 404, 500])('says so where it is refused with %i', async (status) => {
    const { planner } = await endpoint((response) => fail(response, status));
    await expect(ask(planner, time, shown, never)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(String(status)),
    });
  });

  test('says so where nobody listens, where the connection breaks, and where what comes back is no completion', async () => {
    const nowhere = { address: 'http://127.0.0.1:9/v1', key: 'k', model: 'm', timeout: 60_000, retries: 0 };
    const nobody = live({ ...nowhere, streams: false, as: 'schema' });
    await expect(ask(nobody, time, shown, never)).rejects.toMatchObject({ code: 'unreachable' });
    const { planner: broken } = await endpoint((response) => response.destroy());
    await expect(ask(broken, time, shown, never)).rejects.toMatchObject({ code: 'unreachable' });
    const { planner: other } = await endpoint((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    );
    await expect(ask(other, time, shown, never)).rejects.toMatchObject({ code: 'bad_answer' });
  });

  test('waits no longer than it may', async () => {
    const { planner } = await endpoint(() => {}, { timeout: 60 });
    await expect(ask(planner, time, shown, never)).rejects.toMatchObject({
      code: 'late',
      message: 'time was not answered within 60 ms',
    });
  });

  test('stops asking once its call is given up', async () => {
    const giveUp = new AbortController();
    const { planner } = await endpoint(() => giveUp.abort());
    await expect(ask(planner, time, shown, giveUp.signal)).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('takes whom to ask from the environment, and says what is missing there', () => {
    const set = { PLANNER_ADDRESS: 'http://127.0.0.1:1/v1', PLANNER_KEY: 'k', PLANNER_MODEL: 'm' };
    expect(endpointFrom(set)).toEqual({
      address: set.PLANNER_ADDRESS,
      key: 'k',
      model: 'm',
      timeout: 30_000,
      retries: 2,
      streams: false,
      as: 'schema',
    });
    expect(endpointFrom({ ...set, PLANNER_TIMEOUT: '5' }).timeout).toBe(5);
    expect(endpointFrom({ ...set, PLANNER_STREAMS: 'yes', PLANNER_AS: 'tool' })).toMatchObject({
      streams: true,
      as: 'tool',
    });
    for (const wrong of [
      {},
      { ...set, PLANNER_KEY: '' },
      { ...set, PLANNER_ADDRESS: 'there' },
      { ...set, PLANNER_TIMEOUT: 'long' },
      { ...set, PLANNER_STREAMS: 'maybe' },
      { ...set, PLANNER_AS: 'prose' },
    ])
      expect(() => endpointFrom(wrong)).toThrow(expect.objectContaining({ code: 'not_set' }));
  });
});

/** A request as a recording holds it, of a planner that costs nothing. */
function captured(answer: string) {
  return { request: requestOf(time, shown), question: 'time', shown, answer, cost: null };
}

/** Streams pieces of a completion, each one a server-sent event. */
function stream(response: ServerResponse, pieces: readonly object[], isWhole = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces)
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'a-model', ...piece })}\n\n`,
    );
  if (isWhole) response.end('data: [DONE]\n\n');
  else response.destroy();
}

const delta = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const USAGE = { choices: [], usage: { prompt_tokens: 31, completion_tokens: 5, total_tokens: 36 } };

describe('a live planner whose answers are streamed, or are calls of a tool', () => {
  test('puts the pieces together, and says what they cost', async () => {
    const pieces = [delta('{"ans'), delta('wer":"tue'), delta('-10"}', 'stop'), USAGE];
    const { planner, asked } = await endpoint((response) => stream(response, pieces), { streams: true });
    expect(await planner.priced?.(time, shown, never)).toEqual({
      answer: 'tue-10',
      cost: { prompt: 31, completion: 5, milliseconds: expect.any(Number) },
    });
    expect(asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('takes an answer that was cut off for none: at the limit, without an end, and where the connection breaks', async () => {
    const limit = [delta('{"answer":"tue-10"}', 'length'), USAGE];
    const endless = [delta('{"answer":"tue-10"}')];
    for (const pieces of [limit, endless]) {
      const { planner } = await endpoint((response) => stream(response, pieces), { streams: true });
      await expect(ask(planner, time, shown, never)).rejects.toMatchObject({
        code: 'bad_answer',
        message: 'the answer to time was cut off',
      });
    }
    const { planner } = await endpoint((response) => stream(response, endless, false), { streams: true });
    await expect(ask(planner, time, shown, never)).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('asks for a call of a tool, and takes its arguments, streamed or not', async () => {
    const called = (part: string, finish: string | null = null) => ({
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, function: { name: 'time', arguments: part } }] },
          finish_reason: finish,
        },
      ],
    });
    const pieces = [called('{"answer"'), called(':"mon-09"}', 'tool_calls'), USAGE];
    const streamed = await endpoint((response) => stream(response, pieces), { streams: true, as: 'tool' });
    expect(await ask(streamed.planner, time, shown, never)).toBe('mon-09');
    const call = { id: 'c1', type: 'function', function: { name: 'time', arguments: '{"answer":"mon-09"}' } };
    const choices = [
      { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } },
    ];
    const whole = await endpoint(
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'a-model', choices })),
      { as: 'tool' },
    );
    expect(await ask(whole.planner, time, shown, never)).toBe('mon-09');
    for (const { asked } of [streamed, whole])
      expect(asked[0]?.body).toMatchObject({
        tools: [{ type: 'function', function: { name: 'time' } }],
        tool_choice: { type: 'function', function: { name: 'time' } },
      });
  });

  test('asks again where it is refused with 429, and a recording has the cost of what came in the end', async () => {
    const { planner, asked } = await endpoint(
      (response, _, nth) =>
        nth === 1
          ? fail(response, 429, { 'retry-after-ms': '1' })
          : stream(response, [delta('{"answer":"mon-09"}', 'stop'), USAGE]),
      { streams: true, retries: 1 },
    );
    const file = join(folder, 'priced.json');
    expect(await ask(recording(file, planner), time, shown, never)).toBe('mon-09');
    expect(asked).toHaveLength(2);
    expect(costOf(file)).toEqual({ answers: 1, prompt: 31, completion: 5, milliseconds: expect.any(Number) });
    expect(await ask(recorded(file), time, shown, never)).toBe('mon-09');
  });
});

describe('the environment', () => {
  test('chooses the script, a recording, or an endpoint, and says what it lacks', async () => {
    const script = scripted([line(time, () => 'mon-09')]);
    const file = join(folder, 'chosen.json');
    writeFileSync(file, JSON.stringify([captured('fri-16')]));
    expect(await ask(chosen(script, {}), time, shown, never)).toBe('mon-09');
    const recorded = chosen(script, { PLANNER: 'recorded', PLANNER_RECORDING: file });
    expect(await ask(recorded, time, shown, never)).toBe('fri-16');
    for (const wrong of [{ PLANNER: 'hope' }, { PLANNER: 'live' }, { PLANNER: 'recorded' }])
      expect(() => chosen(script, wrong)).toThrow(expect.objectContaining({ code: 'not_set' }));
  });
});

describe('a recording', () => {
  test('is made once, and answers the same afterwards without anybody being asked', async () => {
    const file = join(folder, 'made.json');
    let times = 0;
    const asked = recording(
      file,
      scripted([line(time, ({ times: [first = ''] }) => `${first.slice(0, 4)}${++times}0`)]),
    );
    expect(await ask(asked, time, shown, never)).toBe('mon-10');
    expect(await ask(asked, time, shown, never)).toBe('mon-10');
    expect(await ask(recorded(file), time, { ...shown }, never)).toBe('mon-10');
    expect(times).toBe(1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([captured('mon-10')]);
  });

  test('has no answer to what was never asked in it, and is not just any file', async () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, JSON.stringify([captured('mon-10')]));
    const other = { times: ['wed-09'] };
    await expect(ask(recorded(file), time, other, never)).rejects.toMatchObject({ code: 'unknown_question' });
    const reworded = { ...time, asks: 'Pick the other one.' };
    await expect(ask(recorded(file), reworded, shown, never)).rejects.toMatchObject({ code: 'unknown_question' });
    for (const text of ['{', '{}', '[1]', JSON.stringify([{ ...captured('mon-10'), request: 'time' }])]) {
      writeFileSync(file, text);
      expect(() => recorded(file)).toThrow(expect.objectContaining({ code: 'not_set' }));
    }
  });
});

describe('an agent that asks', () => {
  const run = async (planner: Planner) => {
    const agent = scheduleForm(planner, MailServer.here);
    const { status, world, verdicts } = await runsOf(agent)({ slots: ['Kickoff', 'Budget'] });
    return { status, rows: Object.values(world).flat().length, verdicts };
  };

  /** Answers as the script would, over HTTP. */
  const asScripted: Answer = (response, { body }) => {
    const { name } = (body.response_format as { json_schema: { name: string } }).json_schema;
    const question = Object.values(questions).find((each) => 'name' in each && each.name === name) as Question<
      never,
      unknown
    >;
    const content = JSON.parse(body.messages[1]?.content ?? '') as unknown;
    void questions.scripted
      .answer(question, content, never)
      .then((answer) => complete(response, JSON.stringify({ answer })));
  };

  test('comes to the same with a script, over HTTP, and from what was captured there', async () => {
    const { planner } = await endpoint(asScripted);
    const file = join(folder, 'captured.json');
    const script = await run(questions.scripted);
    expect(script).toEqual({ status: 'done', rows: expect.any(Number), verdicts: [] });
    expect(await run(recording(file, planner))).toEqual(script);
    expect(await run(recorded(file))).toEqual(script);
  });

  test('goes back to its entry where a model answers nonsense, and holds nothing twice', async () => {
    let choices = 0;
    const { planner } = await endpoint((response, asked, nth) => {
      const { name } = (asked.body.response_format as { json_schema: { name: string } }).json_schema;
      if (name === 'choose' && ++choices === 2) complete(response, '{"answer":"some time"}');
      else asScripted(response, asked, nth);
    });
    const script = await run(questions.scripted);
    const { verdicts, ...rest } = await run(planner);
    expect(rest).toEqual({ status: 'done', rows: script.rows });
    expect(verdicts).toHaveLength(1);
  });
});
