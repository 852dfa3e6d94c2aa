/** Requests that a page of another site, another program or a person without the token could send: none of them is served. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parked, pathOf, Served } from './serving.ts';

/** What a request says, as its line and headers; `@host`, `@token` and `@run` stand for those of the server. */
type Hostile = readonly [what: string, status: number | 'closed', request: string];

const OWN = 'Host: @host\r\nAuthorization: Bearer @token\r\n';
const get = (target: string, headers = OWN) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (target: string, body: string, headers = `${OWN}Content-Type: application/json\r\n`) =>
  `POST ${target} HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const act = (headers: string) => post('@run/act', '{"act":"failed-1","by":"eve"}', headers);
const JSON_TYPE = 'Content-Type: application/json\r\n';

const HOSTILE: readonly Hostile[] = [
  [
    'a host that names another machine',
    403,
    get('/api/runs', 'Host: evil.example\r\nAuthorization: Bearer @token\r\n'),
  ],
  ['a name that resolves to this machine', 403, get('/', 'Host: rebound.example:80\r\n')],
  ['the address without its port', 403, get('/api/runs', 'Host: 127.0.0.1\r\nAuthorization: Bearer @token\r\n')],
  ['another port', 403, get('/api/runs', 'Host: 127.0.0.1:1\r\nAuthorization: Bearer @token\r\n')],
  ['an address of all interfaces', 403, get('/api/runs', 'Host: 0.0.0.0\r\nAuthorization: Bearer @token\r\n')],
  ['no host', 403, get('/api/runs', 'Authorization: Bearer @token\r\n')],
  ['an empty host', 403, get('/api/runs', 'Host: \r\nAuthorization: Bearer @token\r\n')],
  ['two hosts', 400, get('/api/runs', `${OWN}Host: evil.example\r\n`)],
  ['a user in the host', 403, get('/api/runs', 'Host: me@@host\r\nAuthorization: Bearer @token\r\n')],
  ['HTTP/1.0 without a host', 403, 'GET /api/runs HTTP/1.0\r\n\r\n'],
  ['another origin', 403, get('/api/runs', `${OWN}Origin: https://evil.example\r\n`)],
  ['a file as origin', 403, get('/api/runs', `${OWN}Origin: null\r\n`)],
  ['its own origin over TLS', 403, get('/api/runs', `${OWN}Origin: https://@host\r\n`)],
  ['an origin of another port', 403, get('/api/runs', `${OWN}Origin: http://127.0.0.1:1\r\n`)],
  ['an act of another origin', 403, act(`${OWN}${JSON_TYPE}Origin: https://evil.example\r\n`)],
  ['another site, as the browser says', 403, get('/api/runs', `${OWN}Sec-Fetch-Site: cross-site\r\n`)],
  ['another port of this machine, as the browser says', 403, get('/api/runs', `${OWN}Sec-Fetch-Site: same-site\r\n`)],
  ['the page in the frame of another site', 403, get('/', 'Host: @host\r\nSec-Fetch-Site: cross-site\r\n')],
  ['no token', 401, get('/api/runs', 'Host: @host\r\n')],
  ['an empty token', 401, get('/api/runs', 'Host: @host\r\nAuthorization: Bearer \r\n')],
  ['a wrong token', 401, get('/api/runs', 'Host: @host\r\nAuthorization: Bearer AAAA\r\n')],
  ['the beginning of the token', 401, get('/api/runs', 'Host: @host\r\nAuthorization: Bearer @half\r\n')],
  ['more than the token', 401, get('/api/runs', 'Host: @host\r\nAuthorization: Bearer @tokenA\r\n')],
  ['the token in another scheme', 401, get('/api/runs', 'Host: @host\r\nAuthorization: Basic @token\r\n')],
  ['the token twice', 400, get('/api/runs', `${OWN}Authorization: Bearer @token\r\n`)],
  ['the token in the query', 401, get('/api/runs?token=@token', 'Host: @host\r\n')],
  ['the token in a cookie', 401, get('/api/runs', 'Host: @host\r\nCookie: token=@token\r\n')],
  ['a read of a run without the token', 401, get('@run', 'Host: @host\r\n')],
  ['the events without the token', 401, get('/api/events', 'Host: @host\r\n')],
  ['an act without the token', 401, act(`Host: @host\r\n${JSON_TYPE}`)],
  ['a path upwards', 400, get('/../package.json')],
  ['a path upwards in percent', 400, get('/%2e%2e/package.json')],
  ['a path upwards in percent twice', 400, get('/%252e%252e/etc/passwd')],
  ['a path upwards with backslashes', 400, get('/..\\..\\etc\\passwd')],
  ['a path upwards below the data', 400, get('/api/../../etc/passwd')],
  ['an absolute path', 400, get('//etc/passwd')],
  ['a zero byte', 400, get('/page.js%00.html')],
  ['a file beside the page', 404, get('/package.json')],
  ['a source of the page', 404, get('/main.tsx')],
  ['a target with a host', 400, get('http://evil.example/api/runs')],
  ['a run that there is not', 404, get('/api/runs/AAAA')],
  ['a member that every object has', 404, get('@run/constructor')],
  ['a view that there is not', 404, get('@run/secrets')],
  ['a target that is too long', 414, get(`/api/${'a'.repeat(2_000)}`)],
  ['headers that are too large', 'closed', get('/api/runs', `${OWN}X-More: ${'a'.repeat(20_000)}\r\n`)],
  ['a method that changes', 405, `DELETE @run HTTP/1.1\r\n${OWN}\r\n`],
  ['a question before another origin', 403, `OPTIONS /api/runs HTTP/1.1\r\n${OWN}Origin: https://evil.example\r\n\r\n`],
  ['OPTIONS of no origin', 405, `OPTIONS /api/runs HTTP/1.1\r\n${OWN}\r\n`],
  ['TRACE', 405, `TRACE /api/runs HTTP/1.1\r\n${OWN}\r\n`],
  ['CONNECT', 'closed', `CONNECT evil.example:443 HTTP/1.1\r\n${OWN}\r\n`],
  ['an upgrade', 'closed', get('/api/events', `${OWN}Connection: Upgrade\r\nUpgrade: websocket\r\n`)],
  ['an act by GET', 405, get('@run/act')],
  ['a read by POST', 405, post('@run', '{}')],
  ['an act as a form', 415, act(`${OWN}Content-Type: application/x-www-form-urlencoded\r\n`)],
  ['an act as plain text', 415, act(`${OWN}Content-Type: text/plain\r\n`)],
  ['an act of no type', 415, act(OWN)],
  ['a body that is too large', 413, `POST @run/act HTTP/1.1\r\n${OWN}${JSON_TYPE}Content-Length: 70000\r\n\r\n`],
  [
    'a body without its length',
    411,
    `POST @run/act HTTP/1.1\r\n${OWN}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'a body of two lengths',
    400,
    `POST @run/act HTTP/1.1\r\n${OWN}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  ],
  [
    'a body of a length and of chunks',
    400,
    `POST @run/act HTTP/1.1\r\n${OWN}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
  ],
  ['a body that is no JSON', 400, post('@run/act', '{"act"')],
  ['a body that is a list', 400, post('@run/act', '[]')],
  ['a body that is no UTF-8', 400, post('@run/act', '{"act":"\u00ff\u00fe"}')],
  ['a name that is no text', 400, post('@run/act', '{"act":{"toString":1}}')],
  ['an act that the run does not offer', 409, post('@run/act', '{"act":"approve-0000","by":"eve"}')],
  ['a GET with a body', 400, `GET /api/runs HTTP/1.1\r\n${OWN}Content-Length: 2\r\n\r\n{}`],
  [
    'an expectation',
    400,
    `POST @run/act HTTP/1.1\r\n${OWN}${JSON_TYPE}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
  ],
  ['no HTTP at all', 400, 'hello\r\n\r\n'],
];

describe('the server of the inspector', () => {
  let served: Served;
  beforeAll(async () => {
    served = await Served.over(await parked());
  });
  afterAll(() => served.close());

  const filled = (request: string) =>
    request
      .replaceAll('@half', served.token.slice(0, 20))
      .replaceAll('@token', served.token)
      .replaceAll('@run', pathOf('r'))
      .replaceAll('@host', served.host);

  test('has more than fifty hostile requests to refuse', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(50);
  });

  test.each(HOSTILE)('refuses %s', async (_what, status, request) => {
    const answer = await served.raw(filled(request), 400);
    const [, said = 'closed'] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
    if (status === 'closed') expect(['closed', '400', '431']).toContain(said);
    else expect(said).toBe(String(status));
    // Whatever is refused learns nothing of the runs, of the machine, and may be read by no other origin.
    expect(answer).not.toMatch(/connection reset|Access-Control|\bat .*\.ts:|\/src\//);
    expect(served.given).toEqual([]);
  });

  test('serves its own page, and what that asks', async () => {
    const page = await served.raw(
      filled('GET / HTTP/1.1\r\nHost: @host\r\nSec-Fetch-Site: none\r\nConnection: close\r\n\r\n'),
    );
    expect(page).toMatch(/^HTTP\/1\.1 200 /);
    expect(page).toContain('<div id="page">');
    const own = filled(
      get('@run', `${OWN}Origin: http://@host\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n`),
    );
    const answer = await served.raw(own);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('connection reset');
  });

  test('lets no page run a script or a style of another place, and no other page read or frame it', async () => {
    const page = await served.raw(filled('GET / HTTP/1.1\r\nHost: @host\r\nConnection: close\r\n\r\n'));
    expect(page).toMatch(
      /\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; /,
    );
    expect(page).toContain("frame-ancestors 'none'");
    expect(page).not.toMatch(/unsafe-|<script>|<style|style="| on\w+="/);
    for (const header of ['X-Content-Type-Options: nosniff', 'Referrer-Policy: no-referrer', 'Cache-Control: no-store'])
      expect(page).toContain(header);
    expect(page).not.toContain('Access-Control');
  });

  test('listens on the loopback interface alone', () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  });
});

describe('a client that is slow', () => {
  test.each([
    ['with its headers', (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\n`],
    [
      'with its body',
      (host: string, token: string) =>
        `POST ${pathOf('r')}/act HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n${JSON_TYPE}Content-Length: 50\r\n\r\n{`,
    ],
    ['with its first word', () => 'GE'],
  ])('%s is cut off', async (_what, request) => {
    const served = await Served.over(await parked(), { patience: 200 });
    const begun = performance.now();
    const answer = await served.raw(request(served.host, served.token), 60_000);
    expect(performance.now() - begun).toBeLessThan(50_000);
    expect(answer).toMatch(/^(HTTP\/1\.1 (408|400) .*)?/);
    expect(answer).not.toContain(' 200 ');
    expect(served.given).toEqual([]);
    await served.close();
  });
});
