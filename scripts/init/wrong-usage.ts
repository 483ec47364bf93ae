/** What is wrong with how the command was called, in the words that follow "error: ". */
export class WrongUsage extends Error {}
