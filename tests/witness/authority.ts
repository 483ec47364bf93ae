import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** The differences of a stamping certificate from a valid one (RFC 3161). */
export interface Certificate {
  readonly name?: string;
  /** Its first and last second, `YYMMDDHHMMSSZ`. */
  readonly from?: string;
  readonly until?: string;
  /** Arguments of `openssl req` for its key. */
  readonly key?: readonly string[];
  /** The digest in the reference of a stamp to its certificate. SHA-1 is that of RFC 2634. */
  readonly named?: 'sha1' | 'sha256' | 'sha512';
  /** An additional line of its extensions. */
  readonly extension?: string;
  /** The path length constraint of the root, e.g. `pathlen:0`. */
  readonly root?: string;
  /**
   * The certificates between root and stamps, from the root down: the name (by default a unique one) and the path
   * length constraint.
   */
  readonly between?: readonly {readonly name?: string; readonly length?: string}[];
  /** The accuracy in stamps, in the format of openssl. */
  readonly accuracy?: string;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const DAYS = ['-startdate', '200101000000Z', '-enddate', '400101000000Z'];

/** A timestamp authority (RFC 3161) with a separate certificate authority. Both use `openssl`. */
export class Authority implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'authority-'));
  /** The certificate of the certificate authority. */
  readonly ca = join(this.folder, 'ca.pem');

  constructor(certificate: Certificate = {}) {
    const {name = 'Test Stamps', from, until, key = CURVE, named = 'sha256', extension = ''} = certificate;
    const {root, between = [], accuracy = 'secs:1'} = certificate;
    const file = (name: string, content: string) => {
      writeFileSync(join(this.folder, name), content);
    };
    file('openssl.cnf', `${CONFIGURATION}accuracy = ${accuracy}\ness_cert_id_alg = ${named}\n`);
    file(
      'extensions',
      `basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n${extension}\n`,
    );
    const caExtensions = (length: string | undefined) => {
      const constraints = ['critical', 'CA:TRUE', ...(length === undefined ? [] : [length])].join(',');
      file(
        'ca-extensions',
        `basicConstraints=${constraints}\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n`,
      );
    };
    caExtensions(root);
    file('index.txt', '');
    file('index.txt.attr', 'unique_subject = no\n');
    for (const serial of ['serial', 'crlnumber', 'tsa-serial']) file(serial, '01\n');
    this.#request('ca', `${name} Root`, CURVE);
    this.#request('tsa', name, key);
    this.#openssl('ca', '-batch', '-selfsign', '-in', 'ca.csr', '-out', 'ca.pem', '-extfile', 'ca-extensions', ...DAYS);
    const days = from === undefined || until === undefined ? DAYS : ['-startdate', from, '-enddate', until];
    let issuer = 'ca';
    const issuedBy = (issuer: string) => ['-cert', `${issuer}.pem`, '-keyfile', `${issuer}.key`];
    for (const [at, {name: own = `${name} ${at}`, length}] of between.entries()) {
      caExtensions(length);
      const key = `between-${at}`;
      this.#request(key, own, CURVE);
      const signed = ['-in', `${key}.csr`, '-out', `${key}.pem`, '-extfile', 'ca-extensions', ...issuedBy(issuer)];
      this.#openssl('ca', '-batch', ...signed, ...DAYS);
      issuer = key;
    }
    const signed = ['-in', 'tsa.csr', '-out', 'tsa.pem', '-extfile', 'extensions', ...issuedBy(issuer)];
    this.#openssl('ca', '-batch', ...signed, ...days);
    const chain = ['ca', ...between.map((_, at) => `between-${at}`)];
    file('chain.pem', chain.map(one => readFileSync(join(this.folder, `${one}.pem`), 'utf8')).join('\n'));
  }

  /** Returns its response to a request, from `openssl ts`. */
  reply(request: Uint8Array): Buffer {
    writeFileSync(join(this.folder, 'request.tsq'), request);
    this.#openssl('ts', '-reply', '-queryfile', 'request.tsq', '-out', 'reply.tsr');
    return readFileSync(join(this.folder, 'reply.tsr'));
  }

  /** Returns true if openssl accepts a response about data, with the certificate of the root. */
  believes(answer: Uint8Array, data: string): boolean {
    writeFileSync(join(this.folder, 'data'), data);
    writeFileSync(join(this.folder, 'given.tsr'), answer);
    try {
      const args = ['ts', '-verify', '-data', 'data', '-in', 'given.tsr', '-CAfile', 'ca.pem'];
      execFileSync('openssl', args, {cwd: this.folder, stdio: 'ignore'});
      return true;
    } catch {
      return false;
    }
  }

  /** Returns a stamp over the digest of bytes. */
  stamp(data: string | Uint8Array, algorithm = 'sha256'): Buffer {
    writeFileSync(join(this.folder, 'data'), data);
    this.#openssl('ts', '-query', '-data', 'data', `-${algorithm}`, '-cert', '-out', 'request.tsq');
    return this.reply(readFileSync(join(this.folder, 'request.tsq')));
  }

  /**
   * Returns the file of its revocation list, which includes its stamping certificate.
   *
   * @param entry the time (`YYMMDDHHMMSSZ`) and, after a comma, the reason, e.g. `300101000000Z,superseded`
   */
  revoked(entry: string): string {
    const index = join(this.folder, 'index.txt');
    const lines = readFileSync(index, 'utf8').split('\n');
    const revoked = lines.map(line => {
      const [, expiry = '', , ...rest] = line.split('\t');
      return line.includes('Root') || line === '' ? line : ['R', expiry, entry, ...rest].join('\t');
    });
    writeFileSync(index, revoked.join('\n'));
    return this.list();
  }

  /** Returns the file of its revocation list, by default one that is current for 30 days. */
  list(dates: readonly string[] = ['-crldays', '30']): string {
    this.#openssl('ca', '-gencrl', ...dates, '-out', 'list.pem');
    return join(this.folder, 'list.pem');
  }

  /**
   * Returns the file of another certificate of its stamping key with the same name and serial number. openssl itself
   * only stamps with valid certificates.
   */
  otherCertificate(usage: string): string {
    writeFileSync(join(this.folder, 'other-extensions'), `basicConstraints=CA:FALSE\nextendedKeyUsage=${usage}\n`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', '2', '-days', '3650'];
    this.#openssl('x509', '-req', '-in', 'tsa.csr', ...by, '-extfile', 'other-extensions', '-out', 'other.pem');
    return join(this.folder, 'other.pem');
  }

  /** Serves stamps over HTTP. */
  serve(answer: (request: Uint8Array) => Buffer = request => this.reply(request)): Promise<Listening> {
    return listen({
      fetch: async request => {
        const body = answer(new Uint8Array(await request.arrayBuffer()));
        return new Response(new Uint8Array(body), {headers: {'Content-Type': 'application/timestamp-reply'}});
      },
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, {recursive: true, force: true});
  }

  #request(key: string, name: string, made: readonly string[]): void {
    const subject = ['-subj', `/O=Test Authority/CN=${name}`];
    const newKey = [...made, '-nodes', '-keyout', `${key}.key`];
    this.#openssl('req', '-new', ...newKey, ...subject, '-out', `${key}.csr`);
  }

  #openssl(command: string, ...args: readonly string[]): void {
    const config = ['-config', 'openssl.cnf'];
    execFileSync('openssl', [command, ...(command === 'x509' || args.includes('-query') ? [] : config), ...args], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}

const CONFIGURATION = `
[req]
distinguished_name = name
[name]
[ca]
default_ca = authority
[authority]
dir = .
database = index.txt
serial = serial
crlnumber = crlnumber
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
[any]
organizationName = optional
commonName = supplied
[tsa]
default_tsa = stamps
[stamps]
dir = .
serial = tsa-serial
crypto_device = builtin
signer_cert = tsa.pem
certs = chain.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_chain = no
`;
