/** An answer to a question that is asked before the first buyer asks it. */
export interface Finding {
  /** A fault lets no sale succeed. A doubt may: nobody answered, or it is for the publisher to judge. */
  readonly state: 'fine' | 'fault' | 'doubt';
  /** What kind of question, e.g. `token`. */
  readonly what: string;
  /** What was asked about, e.g. a host or a network. */
  readonly subject: string;
  /** Completes the sentence "<subject> …". */
  readonly words: string;
}
