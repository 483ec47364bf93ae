/** An error in the output of `--json`. */
export interface JsonError {
  readonly code?: string;
  readonly message: string;
  readonly fix?: string;
  readonly file?: string;
  readonly url?: string;
  readonly line?: number;
  readonly field?: string;
}

/** Returns the errors in the output of a command with `--json`. */
export function jsonErrors(out: string): readonly JsonError[] {
  return (JSON.parse(out) as {errors: JsonError[]}).errors;
}

/** Returns an error on one line: `file:line: message`, without the full stop. */
export function errorLine({file, line, message}: JsonError): string {
  const place = [file, line].filter(part => part !== undefined).join(':');
  return `${place}: ${message.replace(/\.$/, '')}`;
}
