/**
 * The mail server in a process of its own, which outlives an agent that dies: it ends with the process that started it,
 * and not before it has delivered.
 */
import { serve } from './mail-server.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('the folder of the mailbox is missing');
const { smtp, http, close } = await serve(folder);
process.stdout.write(`${JSON.stringify({ smtp, http })}\n`);
process.stdin.resume().once('close', () => void close().then(() => process.exit(0)));
// A stop from the terminal reaches the whole process group; the starting process decides.
process.on('SIGINT', () => {});
