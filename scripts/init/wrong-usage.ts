/** Wrong usage of the command; the message follows "error: ". */
export class WrongUsage extends Error {}
