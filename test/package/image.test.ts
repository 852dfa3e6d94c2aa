/** The image and its compose file, read: files that there are, verbs and options that belay has, versions that it takes. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { belay } from '../cli/belay.ts';
import { read, root } from '../pages.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
}

const recipe = read('image/Dockerfile');
const { services, volumes } = parse(read('image/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const ours = Object.entries(services).filter(([, { image }]) => image === 'belay');
const BELAY = '/app/node_modules/.bin/belay';

/** The words that a service gives to belay. */
const words = ({ entrypoint = [BELAY], command = [] }: Service) => [...entrypoint.slice(1), ...command];

describe('the compose file', () => {
  test('has a database, two workers, the inspector and the sender of messages', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['postgres', 'worker-1', 'worker-2', 'inspector', 'notify']),
    );
    expect(services['worker-1']).toEqual(services['worker-2']);
  });

  test.each(ours)('gives belay a verb that there is, with options that the verb has: %s', async (_, service) => {
    const given = words(service);
    const options = given.filter((word) => word.startsWith('--'));
    const verb = given.slice(0, given[0] === 'store' ? 2 : 1);
    const { code, out } = await belay([...verb, '--help']);
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringContaining(`Usage: belay ${verb.join(' ')}`)]);
    for (const option of options) expect(out).toMatch(new RegExp(`^  ${option}\\b`, 'm'));
    expect(service.entrypoint?.[0] ?? BELAY).toBe(BELAY);
  });

  test('names files, volumes and services that there are', () => {
    for (const [name, { build, volumes: mounts = [], depends_on = {} }] of Object.entries(services)) {
      if (build !== undefined) expect(existsSync(resolve(root, 'image', build.context, build.dockerfile))).toBe(true);
      for (const mount of mounts) {
        const [from = ''] = mount.split(':');
        expect([name, from, from.startsWith('.') ? existsSync(resolve(root, 'image', from)) : from in volumes]).toEqual(
          [name, from, true],
        );
      }
      expect(Object.keys(depends_on).filter((other) => !(other in services))).toEqual([]);
    }
    const [, module] = /--module,\s*\/app\/agents\/(\S+?),/.exec(read('image/compose.yaml')) ?? [];
    expect(existsSync(join(root, 'docs/workers', module ?? 'none'))).toBe(true);
  });

  test('opens nothing to other machines, and has the inspector where its page answers', () => {
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(services.inspector).toMatchObject({ network_mode: 'host' });
    expect(services.inspector?.environment?.BELAY_STORE).toContain('@127.0.0.1:5432/');
    expect(read('image/compose.yaml')).not.toMatch(/PASSWORD: (?!\$\{)/);
  });
});

describe('the image', () => {
  test('is built from stages and files that there are, and runs as no root', () => {
    const stages = [...recipe.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, image, name]) => [image, name]);
    expect(new Set(stages.map(([image]) => image)).size).toBe(1);
    const copies = [...recipe.matchAll(/^COPY (?:--from=(\S+) )?(\S+) \S+$/gm)];
    expect(copies.map(([, from]) => from)).toEqual([undefined, stages[0]?.[1]]);
    expect(existsSync(join(root, copies[0]?.[2] ?? 'none'))).toBe(true);
    expect(recipe.indexOf('\nUSER node\n')).toBeGreaterThan(recipe.lastIndexOf('\nRUN '));
    expect(recipe).toContain(`ENTRYPOINT ["${BELAY}"]`);
  });

  test('has the Node, the driver and the xstate that the package takes and the tests run with', () => {
    const { engines, bin } = JSON.parse(read('package.json'));
    const major = Number(/^FROM node:(\d+)/m.exec(recipe)?.[1]);
    const [from, below] = [...engines.node.matchAll(/(\d+)(?:\.\d+)*/g)].map(([, number]) => Number(number));
    expect([major > Number(from) && major < Number(below), Object.keys(bin)]).toEqual([true, ['belay']]);
    const locked = JSON.parse(read('package-lock.json')).packages;
    for (const name of ['pg', 'xstate']) expect(recipe).toContain(` ${name}@${locked[`node_modules/${name}`].version}`);
  });

  test('leaves out what is built or installed here', () => {
    const left = read('image/Dockerfile.dockerignore').split('\n');
    expect(left).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'dist', 'build', 'reports']));
  });
});
