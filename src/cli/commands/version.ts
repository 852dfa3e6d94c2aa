/**
 * The option of the verbs that run an agent's code: the version of the code. Another version tries a step that threw
 * again.
 */
import { InvalidArgumentError } from 'commander';

export const VERSION = ['--version <text>', "the version of the agent's code, in place of its own", named] as const;

function named(text: string): string {
  if (text.trim() !== '' && text.length <= 200) return text;
  throw new InvalidArgumentError('It is a text of 1 to 200 characters, such as 2.4.1.');
}
