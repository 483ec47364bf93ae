/** What a download may cost: whoever answers may want to fill the disk, or to hold the publisher up. */
export interface Limits {
  /** Of one file, unpacked where the host packed it for the way. */
  readonly maxBytes: number;
  /** Seconds without a byte. */
  readonly timeout: number;
  /** Seconds for a whole file. */
  readonly limit: number;
}

const MEBIBYTE = 1024 * 1024;

/** As the command line takes them: MiB and seconds. */
export const DEFAULTS = {'max-mib': '4096', timeout: '60', limit: '3600'} as const;

/** The limits that flags name. Throws where one is no number above 0. */
export function limitsOf(flags: Readonly<Record<keyof typeof DEFAULTS, string>>): Limits {
  return {
    maxBytes: number('--max-mib', flags['max-mib'], 1024 * 1024) * MEBIBYTE,
    timeout: number('--timeout', flags.timeout, 86_400),
    limit: number('--limit', flags.limit, 86_400),
  };
}

function number(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0 && value <= most) return value;
  throw new Error(`${flag} takes a whole number from 1 to ${most}, and not "${text}".`);
}
