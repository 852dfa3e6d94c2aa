/** An error for a broken contract: a closed code for the program, a message for the person (style.md 10). */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.code = code;
  }
}
