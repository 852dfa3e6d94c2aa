/** The audit at the terminal: its list, one case of it, and what it refuses. */
import { describe, expect, test } from 'vitest';
import type { Case } from '../../audit/case.ts';
import { audit, cases } from './command.ts';

describe('the command', () => {
  test('lists the cases with what each probes', async () => {
    const { code, out } = await audit('--list');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual(cases.map(({ domain, name, probes }) => `${domain}/${name}: ${probes}`));
  });

  test('runs one case under one strategy, and prints it', async () => {
    const one = ['--domain', 'etl-pipeline', '--strategy', 'belay', '--repeat', '1'];
    const given = cases.find(({ domain }) => domain === 'etl-pipeline') as Case;
    const { code, out } = await audit(...one, '--case', given.name);
    expect([code, out.includes('1 cases, 1 runs.')]).toEqual([0, true]);
    expect(out).toContain('Everything is as it has to be.');
  });

  test('refuses a case that is none, and misuse', async () => {
    expect(await audit('--case', 'nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('receipt-after-submit'),
    });
    expect(await audit('--strategy', 'hope')).toMatchObject({ code: 2 });
    expect(await audit('--without', 'care')).toMatchObject({ code: 2 });
    expect(await audit('--repeat', '0')).toMatchObject({ code: 2 });
    expect(await audit('--freeze')).toMatchObject({ code: 2, err: expect.stringContaining('--by') });
    expect(await audit('--help')).toMatchObject({ code: 0, out: expect.stringContaining('npm run audit -- --domain') });
  });
});
