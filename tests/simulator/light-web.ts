const RealResponse = Response;
type Body = ConstructorParameters<typeof Response>[0];

/** Headers by their names in lower case. undici's check every value. */
export class LightHeaders extends Map<string, string> {
  constructor(init: NonNullable<ResponseInit['headers']> = {}) {
    super();
    for (const [name = '', value = ''] of Symbol.iterator in init ? init : Object.entries(init)) this.set(name, value);
  }

  override get(name: string) {
    return super.get(name.toLowerCase()) ?? (null as unknown as undefined);
  }

  override set(name: string, value: string | readonly string[]): this {
    return super.set(name.toLowerCase(), String(value));
  }
}

/** A response that does not convert texts and bytes to streams, because that takes as long as the rest of a request. */
export class LightResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly body: ReadableStream | null;
  readonly headers: Headers;
  readonly #text: string | undefined;

  constructor(body?: Body, {status = 200, headers}: ResponseInit = {}) {
    [this.status, this.ok, this.headers] = [status, status >= 200 && status < 300, new Headers(headers)];
    if (typeof body === 'string' || body === null || body === undefined) this.#text = body ?? '';
    else if (body instanceof Uint8Array) this.#text = Buffer.from(body).toString();
    this.body = this.#text === undefined ? new RealResponse(body).body : null;
  }

  static json(value: unknown, init: ResponseInit = {}): LightResponse {
    return new LightResponse(JSON.stringify(value), {headers: {'Content-Type': 'application/json'}, ...init});
  }

  async text(): Promise<string> {
    return this.#text ?? new RealResponse(this.body).text();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** Returns the same response with its document as a stream, as the runtime of Workers sends it. */
export async function streamed(response: Response): Promise<Response> {
  if (response.status !== 200 || response.body) return response;
  return new Response(new RealResponse(await response.text()).body, response);
}

/** A stream of Workers that names its length. */
export class LightFixedLengthStream extends TransformStream {
  constructor(length: number) {
    super();
    if (!Number.isInteger(length)) throw new TypeError('the length of the answer is unknown');
  }
}
