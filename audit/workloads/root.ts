import { fileURLToPath } from 'node:url';

/** The path of a file of this folder, which lies beside the sources and is not compiled. */
export function beside(path: string): string {
  return fileURLToPath(
    new URL(`${import.meta.url.endsWith('.js') ? '../../../audit/workloads/' : './'}${path}`, import.meta.url),
  );
}
