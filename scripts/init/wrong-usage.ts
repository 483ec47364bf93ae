type Kind = 'commander.invalidArgument' | 'commander.missingMandatoryOptionValue';

/** An option is missing or has a wrong value. The message follows "error: ". */
export class WrongUsage extends Error {
  /** Commander's code for such errors. */
  readonly code: Kind;

  constructor(message: string, code: Kind = 'commander.invalidArgument') {
    super(message);
    this.code = code;
  }
}
