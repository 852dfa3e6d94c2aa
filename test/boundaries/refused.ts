/** The work that a file costs, and the findings that refuse it. */
import { expect } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';

/** Milliseconds of work since a mark, of this process: how busy the machine is with others is no matter. */
export const workSince = (mark: NodeJS.CpuUsage) => process.cpuUsage(mark).user / 1_000;

/** The most work that any file may cost, in milliseconds: a file costs a tenth of it, and one that is built to cost cost minutes. */
const MOST = 10_000;

/** The codes of a file, which must be refused with little work. */
export function refused(content: string | Uint8Array): string[] {
  const start = process.cpuUsage();
  const { config, findings } = loadConfig(content, { file: 'x.yaml' });
  expect(workSince(start)).toBeLessThan(MOST);
  expect(config).toBe(null);
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.length).toBeLessThanOrEqual(201);
  for (const { line, column, message, mend } of findings) {
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(message.length + mend.length).toBeLessThan(2_000);
  }
  return [...new Set(findings.map(({ code }) => code))];
}
