/** Where the repository begins: the audit runs compiled, a folder further down, and from its source in tests. */
import { fileURLToPath } from 'node:url';

/** The path of the repository. */
export const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.js') ? '../../' : '../', import.meta.url));
