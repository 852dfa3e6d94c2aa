/** The public list of the adapters: ready-made tools with the functions that Belay asks about them. */

export { type FileAdapter, type FileOptions, type FileWrite, fileAdapter, type WrittenFile } from './files/adapter.ts';
export { type GitAdapter, type GitEdit, type GitEdited, gitAdapter } from './git/adapter.ts';
export type { GitCommit, GitCommitted } from './git/commits.ts';
export type { GitOptions, GitSaid } from './git/desk.ts';
export type { GitFork, GitForkWanted } from './git/forks.ts';
export type { GitPush, GitPushed } from './git/pushes.ts';
export { type GitRefusal, GitRefused } from './git/refused.ts';
export { type Fetch, type HttpAdapter, type HttpAnswer, type HttpOptions, httpAdapter, keyHeader } from './http.ts';
export {
  type Mail,
  type MailAdapter,
  type MailOptions,
  type MailPresence,
  type MailTransport,
  mailAdapter,
  messageIdOf,
  type OutgoingMail,
  type SentMail,
} from './mail.ts';
export { type RowAdapter, type RowInvariant, type RowOptions, rowAdapter, type WrittenRow } from './rows/adapter.ts';
export type { RowDatabase, RowStatement } from './rows/database.ts';
export type { RowChange } from './rows/images.ts';
export type { RowValue, RowWrite, TableRule } from './rows/tables.ts';
export { type ContainerHandle, type ContainerOptions, containerSandboxes } from './sandboxes/container.ts';
export { type FolderHandle, folderSandboxes } from './sandboxes/folder.ts';
export { type ProcessHandle, type ProcessOptions, processSandboxes } from './sandboxes/process.ts';
