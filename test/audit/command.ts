/** The built audit as a command, its reports in a folder of their own, and its cases. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readCases } from '../../audit/case.ts';
import { sharedFolder } from '../scratch.ts';

const MAIN = fileURLToPath(new URL('../../build/audit/main.js', import.meta.url));
export const FOLDER = sharedFolder('audit-test');

export function audit(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const all = [MAIN, '--report', FOLDER, ...args];
    execFile(process.execPath, all, { maxBuffer: 256 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.code as number), out, err }),
    );
  });
}

export const cases = readCases();
