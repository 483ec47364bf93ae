/** The result of one check of `frozen doctor`. */
export interface Finding {
  readonly subject: string;
  /** `unchecked` if a setting is missing that only some sites need. */
  readonly state: 'ok' | 'problem' | 'unchecked';
  readonly detail: string;
  /** What to do about a problem. */
  readonly remedy?: string;
}

export function ok(subject: string, detail: string): Finding {
  return {subject, state: 'ok', detail};
}

export function problem(subject: string, detail: string, remedy: string): Finding {
  return {subject, state: 'problem', detail, remedy};
}

export function unchecked(subject: string, detail: string): Finding {
  return {subject, state: 'unchecked', detail};
}
