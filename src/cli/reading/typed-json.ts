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
