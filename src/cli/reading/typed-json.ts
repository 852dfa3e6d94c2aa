/** JSON that a person types as the value of an option. */

/** Parses typed JSON; null for an option that was left out. */
export function parsed(
  option: string,
  text: string | null,
): { readonly value: unknown } | null | { readonly problem: string } {
  if (text === null) return null;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `${option} is not JSON: ${(error as Error).message}` };
  }
}

/** Says that what a person says of a call is not what its tool answers. @param isGiven false where no output was typed. */
export function notAnswered(tool: string, why: string, isGiven: boolean): string {
  const name = JSON.stringify(tool);
  return isGiven
    ? `--output is not what ${name} answers by its output schema: ${why}`
    : `--as confirmed needs --output JSON: ${name} has to answer by its output schema (${why})`;
}

/** The refusal of a confirmed call without an output: the work behind the call goes on with its answer. */
export function unanswered(tool: string): string {
  const name = JSON.stringify(tool);
  return `--as confirmed needs --output JSON: what ${name} answered, with which the run goes on; --output null where it answers nothing`;
}
